package selection

import (
	"context"
	"testing"

	"optcomplete/result"
	"optcomplete/spec"
)

var tenth = 0.1

// TestChooseAvoidsNumericalLimits: the best error does not count where nothing can
// be proven, unless that is so everywhere.
func TestChooseAvoidsNumericalLimits(t *testing.T) {
	for _, c := range []struct {
		from int // the first γ that is limited
		want float64
	}{{3, 10}, {1, 0.1}, {0, 0.1}, {7, 1e5}} {
		i := 0
		gamma, path, err := ChooseGamma(context.Background(), 1, func(gamma float64) (result.GammaPoint, error) {
			point := result.GammaPoint{Gamma: gamma, RMSE: 9 - float64(i), RootGap: &tenth, Limited: i >= c.from}
			i++
			return point, nil
		}, nil)
		if err != nil || gamma != c.want || len(path) != 7 {
			t.Errorf("limited from the γ number %d on: γ %v (%v), want %v", c.from, gamma, err, c.want)
		}
	}
}

// TestGammaStaysInItsRange: no γ is tried that could not be given.
func TestGammaStaysInItsRange(t *testing.T) {
	for _, unit := range []float64{1e-300, 1e-100, 1e100, 1e300} {
		gamma, path, err := ChooseGamma(context.Background(), unit, func(gamma float64) (result.GammaPoint, error) {
			return result.GammaPoint{Gamma: gamma, RMSE: 1, RootGap: &tenth}, nil
		}, nil)
		for _, p := range append(path, result.GammaPoint{Gamma: gamma}, result.GammaPoint{Gamma: DefaultGamma(unit)}) {
			if s := (&spec.Statistics{Gamma: p.Gamma}); err != nil || p.Gamma == 0 || s.Validate() != nil {
				t.Errorf("unit %g: γ %v is tried (%v)", unit, p.Gamma, err)
			}
		}
	}
}
