package regress

import (
	"context"
	"math"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/loss"
	"optcomplete/result"
	"optcomplete/selection"
)

// TestValidatedInTheLoss: γ and k are chosen by the loss that is minimised, and the
// result says so; outliers decide neither.
func TestValidatedInTheLoss(t *testing.T) {
	for l, want := range map[loss.Loss]string{loss.Squared: "", loss.Logistic: "log-loss", loss.Poisson: "deviance", loss.Huber: "Huber loss"} {
		seed := uint64(3)
		if l == loss.Huber {
			seed = 2 // by squares, the outliers would choose a γ that leaves next to nothing
		}
		problem := lossProblem(l, 120, seed)
		path := must.Get(Path(context.Background(), problem, Settings{Loss: l, Folds: 2}, selection.PathSettings{KMax: 3}))(t)
		if path.Measure != want {
			t.Errorf("%v: the errors are called %q", l, path.Measure)
		}
		for _, p := range path.Points {
			errors := result.Metrics{RMSE: p.RMSE, Measures: p.Measures}
			if got := errors.Score(); math.Abs(got-p.Train) > 1e-9*got {
				t.Errorf("%v, k = %d: the training error is %v, of the fit %v", l, p.K, p.Train, got)
			}
		}
		r := must.Get(Fit(context.Background(), problem, Settings{K: 3, Loss: l}))(t)
		if r.Alike.Measure != want {
			t.Errorf("%v: the errors of γ are called %q", l, r.Alike.Measure)
		}
		if first := r.GammaPath[0].RMSE; l == loss.Logistic && first < 0.6 {
			t.Errorf("hardly any coefficients and a log-loss of %v", first)
		}
		for x, want := range []float64{1.2, -1.1, 0.9} {
			if l == loss.Huber && math.Abs(r.Coefficients[x]-want) > 0.3 {
				t.Errorf("with outliers, γ %v: coefficient %d is %v, made with %v", r.Gamma, x, r.Coefficients[x], want)
			}
		}
	}
}
