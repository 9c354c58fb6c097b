package objective

import (
	"context"
	"math"
	"slices"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/search"
)

// TestWeightedSquaresAreCopies: what an entry of weight 2 does to the cost of rows by
// themselves and of a population is what two entries do: cost, cut, second
// derivatives, all selections at once, costs of rows and of removals, samples.
func TestWeightedSquaresAreCopies(t *testing.T) {
	ctx := context.Background()
	const copies = 3 // of a column, by which costs are divided too
	for number := range uint64(60) {
		weighted, copied := repeated(number)
		one := NewWeighted(weighted.matrix, weighted.features, weighted.gamma, copies, 1)
		other := NewExact(copied.matrix, copied.features, copied.gamma, 1)
		p := one.Dim()
		at := make([]float64, p)
		for j := range at {
			at[j] = 1 / float64(1+j)
		}
		for _, oracles := range [][2]search.Curved{{one, other}, {NewPooled(one, 2), NewPooled(other, 2)}} {
			got, second, err := oracles[0].EvalHessian(ctx, at)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := oracles[0].Eval(ctx, at) // perhaps in the space of the entries
			if err != nil {
				t.Fatal(err)
			}
			want, wanted, err := oracles[1].EvalHessian(ctx, at)
			if err != nil {
				t.Fatal(err)
			}
			near := func(a, b float64) bool { return math.Abs(a-copies*b) <= 1e-9*copies*(math.Abs(b)+want.Cost) }
			for _, got := range []search.Cut{got, plain} {
				if !near(got.Cost, want.Cost) || !near(got.Constant, want.Constant) || !slices.EqualFunc(got.Gradient, want.Gradient, near) {
					t.Errorf("%d: %v, of copies %v", number, got, want)
				}
			}
			if !slices.EqualFunc(second, wanted, near) {
				t.Errorf("%d: second derivatives %v, of copies %v", number, second, wanted)
			}
		}
		squares := must.Get(one.Eval(ctx, make([]float64, p)))(t)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*squares.Cost }
		region := search.Region{In: []int{0}, Left: 1, Below: math.Inf(1), Keep: 100}
		for j := 1; j < p; j++ {
			region.Candidates = append(region.Candidates, j)
		}
		for range gramAfter { // then the products are kept
			got := must.Get(one.Enumerate(ctx, region))(t)
			for x, selection := range got.Selections {
				weights := make([]float64, p)
				for _, j := range selection {
					weights[j] = 1
				}
				want := must.Get(other.Eval(ctx, weights))(t)
				if !near(got.Costs[x], copies*want.Cost) {
					t.Errorf("%d: %v costs %v, of copies %v", number, selection, got.Costs[x], copies*want.Cost)
				}
			}
		}
		n, m := weighted.matrix.Dims()
		all := must.Get(one.RowCosts(ctx, at))(t)
		rows := must.Get(other.RowCosts(ctx, at))(t)
		scaled := func(a, b float64) bool { return near(a/float64(n*m), b/float64(n*m)) }
		if !slices.EqualFunc(all, rows, scaled) {
			t.Errorf("%d: rows cost %v, of copies %v", number, all, rows)
		}
		lost := must.Get(one.Removals(ctx, []int{0, 1}))(t)
		left := must.Get(other.Removals(ctx, []int{0, 1}))(t)
		if !slices.EqualFunc(lost, left, func(a, b float64) bool { return near(a, copies*b) }) {
			t.Errorf("%d: removals cost %v, of copies %v", number, lost, left)
		}
		sample := must.Get(one.Sampled(SampleSize{Rows: n, Columns: m}, 1).Eval(ctx, at))(t)
		if whole, err := one.Eval(ctx, at); err != nil || !near(sample.Cost, whole.Cost) {
			t.Errorf("%d: a sample of everything costs %v, everything %v (%v)", number, sample.Cost, whole.Cost, err)
		}
	}
}
