package objective

import (
	"context"
	"math"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/search"
)

// repeated is an instance whose weights are whole numbers, and the same without
// weights: every entry is there as often as it weighs, in copies of its column.
func repeated(number uint64) (weighted, copied convexInstance) {
	weighted = drawConvex(number)
	weighted.offsets = nil
	rng := random.New(number, 3)
	n, m := weighted.matrix.Dims()
	const most = 3
	var weights []float64
	var entries []data.Entry
	for i := range n {
		columns, values := weighted.matrix.Row(i)
		for e, c := range columns {
			times := 1 + rng.Intn(most)
			weights = append(weights, float64(times))
			for copy := range times {
				entries = append(entries, data.Entry{Row: int32(i), Column: most*c + int32(copy), Value: values[e]})
			}
		}
	}
	weighted.matrix, _ = weighted.matrix.WithWeights(weights)
	copied = weighted
	var ids []string
	var values []float64
	for c, id := range weighted.features.IDs {
		for copy := range most {
			ids = append(ids, id+string(rune('0'+copy)))
			values = append(values, weighted.features.Row(c)...)
		}
	}
	copied.features = data.NewFeatures(ids, weighted.features.Names, values)
	copied.matrix, _ = data.NewMatrix(n, most*m, entries)
	return weighted, copied
}

// TestWeightsAreCopies: an entry of weight 2 is an entry twice, for the cost, its cut
// and the selection; of squared errors as the code for entries without weights says.
func TestWeightsAreCopies(t *testing.T) {
	ctx := context.Background()
	for number := range uint64(80) {
		weighted, copied := repeated(number)
		oracle := func(in convexInstance) search.Oracle {
			return NewConvex(in.matrix, in.features, in.gamma, loss.Scaled{Loss: in.loss}, nil, in.nonnegative, 1)
		}
		one, other := oracle(weighted), oracle(copied)
		if weighted.loss == loss.Squared && weighted.nonnegative == nil {
			other = NewExact(copied.matrix, copied.features, copied.gamma, 1)
		}
		p := one.Dim()
		at := make([]float64, p)
		for j := range at {
			at[j] = 1 / float64(1+j)
		}
		got := must.Get(one.Eval(ctx, at))(t)
		want := must.Get(other.Eval(ctx, at))(t)
		const copies = 3 // of a column, by which costs are divided too
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(math.Abs(b)+copies*want.Cost) }
		if !near(got.Cost, copies*want.Cost) || !near(got.Constant, copies*want.Constant) {
			t.Errorf("%d (%v): cost %v, constant %v, of copies %v, %v", number, weighted.loss, got.Cost, got.Constant, copies*want.Cost, copies*want.Constant)
		}
		for j := range at {
			if !near(got.Gradient[j], copies*want.Gradient[j]) {
				t.Errorf("%d (%v): slope %d is %v, of copies %v", number, weighted.loss, j, got.Gradient[j], copies*want.Gradient[j])
			}
		}
		settings := search.Settings{K: 1 + int(number)%2}
		found := must.Get(search.Minimize(ctx, one, settings))(t)
		same := must.Get(search.Minimize(ctx, other, settings))(t)
		if !near(found.Cost, copies*same.Cost) {
			t.Errorf("%d (%v): the best costs %v, of copies %v", number, weighted.loss, found.Cost, copies*same.Cost)
		}
	}
}

func drawWeights(n int, seed uint64) []float64 {
	rng, weights := random.New(seed, 4), make([]float64, n)
	for e := range weights {
		weights[e] = math.Pow(10, 2*random.Unit(rng.Uint64())-1)
	}
	return weights
}

// TestWeightsAgainstBruteForce: of hundreds of instances with weights, the search
// finds and proves the best selection that an independent solver finds, and no bound
// is above it.
func TestWeightsAgainstBruteForce(t *testing.T) {
	instances := 400
	if testing.Short() {
		instances = 60
	}
	for number := uint64(0); instances > 0; number++ {
		in := drawConvex(number)
		if number%3 == 0 { // those are hard for the slow solver too
			continue
		}
		instances--
		if !in.matrix.Weighted() {
			in.offsets.Weight = nil
			in.matrix, _ = in.matrix.WithWeights(drawWeights(in.matrix.Observed(), number))
		}
		in.gamma = math.Min(in.gamma, 5)
		o := NewConvex(in.matrix, in.features, in.gamma, loss.Scaled{Loss: in.loss}, in.offsets, in.nonnegative, 1)
		p := o.Dim()
		best := math.Inf(1)
		for first := range p {
			for second := range first {
				weights := make([]float64, p)
				weights[first], weights[second] = 1, 1
				best = math.Min(best, in.cost(weights))
			}
		}
		result := must.Get(search.Minimize(context.Background(), o, search.Settings{K: 2}))(t)
		if result.Bound > best*(1+1e-12) || math.Abs(result.Cost-best) > 1e-9*best+1e-15 {
			t.Errorf("%d (%v): cost %v, bound %v, the best is %v", number, in.loss, result.Cost, result.Bound, best)
		}
	}
}

// TestRowsAreSolved: rows are solved to the end, which the cut shows by touching the
// cost, also where a step of all coefficients would make some negative.
func TestRowsAreSolved(t *testing.T) {
	numbers := []uint64{735, 2040, 2715, 3435} // whose steps do
	for number := range uint64(300) {
		numbers = append(numbers, number)
	}
	for _, number := range numbers {
		for kind := range 4 {
			in := drawConvex(number)
			if kind > 1 {
				in.matrix, _ = in.matrix.WithWeights(nil)
			}
			o := NewConvex(in.matrix, in.features, in.gamma, loss.Scaled{Loss: in.loss}, in.offsets, in.nonnegative, 1)
			rng, at := random.New(number, 9), make([]float64, o.Dim())
			for j := range at {
				if at[j] = 1; kind%2 == 1 {
					at[j] = random.Unit(rng.Uint64())
				}
			}
			cut := must.Get(o.Eval(context.Background(), at))(t)
			height := cut.Constant
			for j, g := range cut.Gradient {
				height += g * at[j]
			}
			if cut.Cost-height > 1e-7*(cut.Cost+1e-6) {
				t.Errorf("%d, %d (%v): the cost is %v, the cut %v", number, kind, in.loss, cut.Cost, height)
			}
		}
	}
}
