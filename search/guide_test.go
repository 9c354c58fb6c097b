package search_test

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
	_ "optcomplete/internal/steadyseed"
	"optcomplete/internal/testkit"
	"optcomplete/objective"
	"optcomplete/search"
)

// TestAnyGuideGivesTheOptimum holds the promise with a guide that knows only some
// of the rows, or another γ: it may mislead, but never make a bound false.
func TestAnyGuideGivesTheOptimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 12)
		want := optimum(in, in.K, nil, nil)
		tolerance := slack(in, want)
		n, _ := in.Matrix.Dims()
		rows := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, n, rapid.ID[int]).Draw(t, "rows of the guide")
		part := must.Get(data.Collect(in.Matrix, rows))(t)
		gamma := in.Gamma * math.Pow(10, rapid.Float64Range(-1, 1).Draw(t, "log10 of the guide's gamma"))
		result := must.Get(search.Minimize(context.Background(), objective.NewExact(in.Matrix, in.Features, in.Gamma, 1), search.Settings{
			K:     in.K,
			Guide: objective.NewExact(part, in.Features, gamma, 1),
			OnEvent: func(e search.Event) {
				if e.Bound > want+tolerance {
					t.Fatalf("%v: bound %v is above the optimum %v", e.Kind, e.Bound, want)
				}
			},
		}))(t)
		check(t, in, result, want, tolerance)
	})
}
