package objective

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
)

func TestRowCostsAndRemovalsEqualEvaluations(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 8)
		o := NewExact(in.Matrix, in.Features, in.Gamma, 2)
		n, m := in.Matrix.Dims()
		gradient := make([]float64, o.Dim())
		weights := make([]float64, o.Dim())
		selection := rapid.SliceOfNDistinct(rapid.IntRange(0, o.Dim()-1), in.K, in.K, rapid.ID[int]).Draw(t, "selection")
		slices.Sort(selection)
		for _, j := range selection {
			weights[j] = 1
		}
		costs := must.Get(o.RowCosts(ctx, weights))(t)
		sum := 0.0
		for _, c := range costs {
			sum += c
		}
		cost, _, err := evalInto(ctx, o, weights, gradient, nil)
		if err != nil {
			t.Fatal(err)
		}
		near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-9*want+1e-12*in.Scale() }
		if !near(sum/float64(n*m), cost) {
			t.Fatalf("the rows' costs add up to %v, want %v", sum/float64(n*m), cost)
		}
		removals := must.Get(o.Removals(ctx, selection))(t)
		for x, j := range selection {
			weights[j] = 0
			want, _, err := evalInto(ctx, o, weights, gradient, nil)
			if err != nil {
				t.Fatal(err)
			}
			weights[j] = 1
			if math.Abs(removals[x]-want) > 1e-7*want+1e-9*in.Scale() {
				t.Fatalf("without feature %d the cost is %v, want %v", j, removals[x], want)
			}
		}
	})
}
