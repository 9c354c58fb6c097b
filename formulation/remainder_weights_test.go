package formulation

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/model"
	"optcomplete/spec"
)

// TestWeightedRemainder: with a remainder, weights that are all 1 change nothing. Entries
// whose noise is the inverse of their weights are predicted better with the weights than
// without, intervals hold what they say, a saved model has the same ones, a row
// folded in by its entries is what it was, and weights in another unit change γ alone.
func TestWeightedRemainder(t *testing.T) {
	problem := unnamed(t)
	settings := Settings{K: 2, Statistics: spec.Statistics{Gamma: 1, ColumnShrinkage: 4, Holdout: 0.2}, ResidualRank: 2, Limits: spec.Limits{Threads: 2}}
	plain, ones := fit(t, problem, settings), fit(t, weigh(t, problem, 1, func(float64) float64 { return 1 }), settings)
	if diff := cmp.Diff(plain.Parts.RowRemainder, ones.Parts.RowRemainder, cmpopts.EquateApprox(1e-6, 1e-9)); diff != "" || math.Abs(plain.Remainder.Prior.Noise/ones.Remainder.Prior.Noise-1) > 1e-9 {
		t.Errorf("weights of 1: %s", diff)
	}

	weighted := weigh(t, problem, 3, func(unit float64) float64 { return math.Pow(10, 2*unit-1) })
	weights, rng := weighted.Ratings.Matrix(), random.New(9, 9)
	weighted.Ratings = weighted.Ratings.With(weights.Map(func(i int, c int32, v float64) float64 {
		columns, _ := weights.Row(i)
		e, _ := slices.BinarySearch(columns, c)
		return v + random.NormalOf(rng.Uint64())/math.Sqrt(weights.RowWeights(i)[e])
	}))
	fitted := fit(t, weighted, settings)
	alike := weighted
	matrix, _ := weighted.Ratings.Matrix().WithWeights(nil)
	alike.Ratings = weighted.Ratings.With(matrix)
	unweighted := fit(t, alike, settings)
	// Against the values with little noise.
	off := func(m *model.Model) float64 {
		sum := 0.0
		n, _ := matrix.Dims()
		for i := range n {
			columns, values := problem.Ratings.Matrix().Row(i)
			out := make([]float64, len(columns))
			m.PredictRow(i, columns, out)
			for x, v := range out {
				sum += (v - values[x]) * (v - values[x])
			}
		}
		return math.Sqrt(sum / float64(matrix.Observed()))
	}
	if a, b := off(fitted), off(unweighted); !(a < 0.9*b) || fitted.Remainder.Rank != 2 {
		t.Errorf("error %.4f with weights, %.4f without, rank %d", a, b, fitted.Remainder.Rank)
	}
	for _, c := range fitted.Coverage {
		if math.Abs(c.Covered-c.Probability) > 0.05 {
			t.Errorf("intervals of %v hold %v", c.Probability, c.Covered)
		}
	}
	if len(fitted.Coverage) == 0 {
		t.Error("nothing is said about coverage")
	}

	answer := func(m *model.Model, row string) [3]float64 {
		x := must.Get(m.Intervals())(t)
		a := must.Get(x.Answer(row, "c007", 0.9))(t)
		return [3]float64{a.Value, a.Low, a.High}
	}
	near := func(a, b [3]float64, part float64) bool {
		for x := range a {
			if math.Abs(a[x]-b[x]) > part*(1+math.Abs(b[x])) {
				return false
			}
		}
		return true
	}
	loaded := saved(t, fitted)
	for _, row := range []string{"r001", "nobody"} {
		if a, b := answer(loaded, row), answer(fitted, row); !near(a, b, 1e-7) {
			t.Errorf("%s: a saved model says %v, not %v", row, a, b)
		}
	}
	settings.Holdout = 0
	whole := fit(t, weighted, settings)
	more, _, err := whole.WithRows(context.Background(), weighted.Ratings, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := answer(more, "r001"), answer(whole, "r001"); !near(a, b, 1e-9) {
		t.Errorf("a row folded in says %v, was %v", a, b)
	}
	heavy := weigh(t, weighted, 3, func(unit float64) float64 { return 1000 * math.Pow(10, 2*unit-1) })
	settings.Gamma, settings.ColumnShrinkage = 1e-3, 4000
	unit := fit(t, heavy, settings)
	if a, b := answer(unit, "r001")[0], answer(whole, "r001")[0]; math.Abs(a-b) > 1e-6 || math.Abs(unit.Prior.Noise/whole.Prior.Noise/1000-1) > 1e-6 {
		t.Errorf("in another unit %v, not %v; noise %v, was %v", a, b, unit.Prior.Noise, whole.Prior.Noise)
	}
}
