package twosided

import (
	"context"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/pass"
	"optcomplete/spec"
)

// TestFitReadsOnlyThroughTheRunner: by a runner that knows nothing but what it is sent,
// a fit has the same bits; and every reading is counted, and few they are.
// Scores are of the fit on both parts, and of effects alone.
func TestFitReadsOnlyThroughTheRunner(t *testing.T) {
	apart := pass.NewApart(2)
	settings := Settings{K: 3, Statistics: spec.Statistics{Gamma: 1, Holdout: 0.2}}
	var costs [2]float64
	for x, ctx := range []context.Context{context.Background(), pass.WithRunner(context.Background(), apart)} {
		fitted := must.Get(Fit(ctx, make2(random.New(1), 30, 8, 4, 5, 0.1, 1), settings))(t)
		costs[x] = fitted.Summary.Cost + fitted.Summary.Holdout.RMSE
		want := map[string]int{"survey": 1, "products": 1, "residuals of products": 1, "scores": 3}
		for name, n := range fitted.Summary.Readings {
			if n > want[name] {
				t.Errorf("%d readings for %s, at most %d are allowed: %v", n, name, want[name], fitted.Summary.Readings)
			}
		}
		for name, n := range want {
			if fitted.Summary.Readings[name] != n {
				t.Errorf("%d readings for %s, want %d: %v", fitted.Summary.Readings[name], name, n, fitted.Summary.Readings)
			}
		}
	}
	if costs[0] != costs[1] {
		t.Errorf("%v on threads, %v when sent", costs[0], costs[1])
	}
}
