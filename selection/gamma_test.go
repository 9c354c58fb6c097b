package selection

import (
	"context"
	"errors"
	"testing"

	"optcomplete/result"
)

// TestChooseTakesTheEasiestOfTheGood walks made-up errors and gaps.
func TestChooseTakesTheEasiestOfTheGood(t *testing.T) {
	for _, c := range []struct {
		name  string
		rmse  []float64
		gap   []float64
		want  float64
		tried int
	}{
		{"the middle of equals", []float64{1, 1, 1, 1, 1, 1, 1}, make([]float64, 7), 100, 7},
		{"the smallest gap of the good", []float64{3, 2, 1, 1, 1, 1, 1}, []float64{0, 0, 0.2, 0.1, 0.3, 0.4, 0.4}, 100, 7},
		{"stops when it is no better and hard", []float64{2, 1, 1, 1, 1, 1, 1}, []float64{0, 0.1, 0.6, 1, 1, 1, 1}, 1, 3},
		{"goes on while it gets better", []float64{4, 3, 2, 1, 1, 1, 1}, []float64{1, 1, 1, 1, 1, 1, 1}, 1000, 5},
	} {
		i := 0
		gamma, path, err := ChooseGamma(context.Background(), 1, func(gamma float64) (result.GammaPoint, error) {
			i++
			return result.GammaPoint{Gamma: gamma, RMSE: c.rmse[i-1], RootGap: &c.gap[i-1]}, nil
		}, nil)
		if err != nil || gamma != c.want || len(path) != c.tried {
			t.Errorf("%s: γ %v after %d points (%v), want %v after %d", c.name, gamma, len(path), err, c.want, c.tried)
		}
	}
}

// TestChooseOnFailure returns the error, and the default where nothing can be
// tried.
func TestChooseOnFailure(t *testing.T) {
	broken := errors.New("broken")
	try := func(float64) (result.GammaPoint, error) { return result.GammaPoint{}, broken }
	if _, _, err := ChooseGamma(context.Background(), 1, try, nil); err != broken {
		t.Errorf("got %v", err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if gamma, _, err := ChooseGamma(cancelled, 2, try, nil); err != nil || gamma != 50 {
		t.Errorf("cancelled: %v, %v", gamma, err)
	}
	if gamma, _, err := ChooseGamma(context.Background(), 0, try, nil); err != nil || gamma != 1 {
		t.Errorf("no unit: %v, %v", gamma, err)
	}
}
