package regress

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/selection"
)

// TestWorseThanTheMeanIsSaid: where nothing is to be told from the features, the mean predicts
// better, and the fit says so, from rows held out, from the folds of γ, and along a path;
// where there is something to be told, nothing is said.
func TestWorseThanTheMeanIsSaid(t *testing.T) {
	for _, l := range []loss.Loss{loss.Squared, loss.Logistic} {
		for size, worse := range map[float64]bool{0: true, 3: false} {
			rng := random.New(7)
			var p Problem
			for j := range 12 {
				p.Names = append(p.Names, fmt.Sprintf("x%d", j))
			}
			for range 60 {
				y := rng.Normal()
				for j := range 12 {
					v := rng.Normal()
					if p.X = append(p.X, v); j < 4 {
						y += size * v
					}
				}
				if l == loss.Logistic {
					y = map[bool]float64{true: 1}[y > 0]
				}
				p.Y = append(p.Y, y)
			}
			for _, holdout := range []float64{0, 0.3} {
				settings := Settings{K: 4, Loss: l}
				settings.Holdout = holdout
				r := must.Get(Fit(context.Background(), p, settings))(t)
				if l != loss.Squared { // under a ridge, features that say nothing hardly harm
					worse = r.Against.RMSE > r.Against.Effects
				}
				if warned := strings.HasPrefix(r.Warning(), "this predicts worse than the mean alone"); warned != worse || r.Against.Entries < 12 {
					t.Errorf("%v, size %v, hold-out %v: %q, %+v", l, size, holdout, r.Warning(), r.Against)
				}
			}
			path := must.Get(Path(context.Background(), p, Settings{Loss: l}, selection.PathSettings{KMax: 4}))(t)
			if warned := strings.HasPrefix(path.Warning(), "every k predicts worse than the mean alone"); warned && size > 0 || !warned && size == 0 && l == loss.Squared {
				t.Errorf("%v, size %v: %q, %+v", l, size, path.Warning(), path.Without)
			}
		}
	}
}
