package objective

import (
	"context"
	"math/rand/v2"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/passtest"
	"optcomplete/loss"
	"optcomplete/pass"
	"optcomplete/search"
)

// TestPassesGiveTheSameBitsWhenSent sends every pass of this package to workers
// that know nothing but what they are sent.
func TestPassesGiveTheSameBitsWhenSent(t *testing.T) {
	apart := pass.NewApart(2)
	matrix := passtest.Source(900, 60)
	features := randomFeatures(60, 12)
	weights := make([]float64, 12)
	for j := range weights {
		weights[j] = float64(j%4) / 3
	}
	curvedAt := append([]float64{1, 0.5, 0.25}, make([]float64, 9)...)
	for _, source := range passtest.Views(t, matrix) {
		exact := NewExact(source, features, 0.7, 2)
		for _, p := range []pass.Pass{
			&evaluation{Of: exact.described(), Weights: weights},
			&evaluation{Of: exact.described(), Weights: curvedAt, Curved: true},
			&evaluation{Of: exact.described(), Weights: weights, Careful: true},
			&rowCosts{Of: exact.described(), Weights: weights},
			exact.Removing([]int{2, 5, 7}),
			&norming{Of: exact.described()}, listing{},
			&convexFitting{convexEvaluation{Of: exact.described(), Loss: loss.Scaled{Loss: loss.Huber}, Weights: weights}},
			&enumeration{Of: exact.described(), Order: []int{0, 3, 4, 9, 10, 1}, Candidates: 5, Left: 2, Wide: true},
			&enumeration{Of: exact.described(), Order: []int{0, 3, 4, 9, 10, 1}, Candidates: 5, Left: 2},
			&modelling{Of: exact.described(), Weights: curvedAt, Features: []int{0, 1, 2, 5, 6, 11}},
			newChosen(exact, [][]int{{0, 3, 4}, {3, 4, 9}, {0, 3, 7}, {1}}),
		} {
			passtest.Same(t, apart, source, p)
		}
		offsets := pass.Share(&Offsets{Mean: 0.1, Column: make([]float64, 60)})
		for _, l := range []loss.Loss{loss.Squared, loss.Huber} {
			passtest.Same(t, apart, source, &convexEvaluation{Of: exact.described(), Loss: loss.Scaled{Loss: l}, Offsets: offsets, Weights: weights})
			passtest.Same(t, apart, source, &convexEvaluation{Of: exact.described(), Loss: loss.Scaled{Loss: l}, Nonnegative: make([]bool, 12), Weights: curvedAt, Curved: true})
		}
		pooled := NewPooled(NewExact(source, features, 0.7, 2), 3)
		at := pooled.newPoint(curvedAt, true)
		if _, err := pooled.fitRows(context.Background(), at, curvedAt); err != nil {
			t.Fatal(err)
		}
		passtest.Same(t, apart, source, &pooledFitting{pooled.described(at, curvedAt)})
		copy(at.mu, []float64{1, 2, 3})
		passtest.Same(t, apart, source, &pooledEvaluation{Of: pooled.described(at, curvedAt), Mu: at.mu})
	}
}

// TestKeptProductsGiveTheSameBits: whether a process has kept the rows' products
// must not show.
func TestKeptProductsGiveTheSameBits(t *testing.T) {
	ctx := context.Background()
	o := NewExact(passtest.Source(300, 40), randomFeatures(40, 9), 0.3, 2)
	var first []float64
	for call := range gramAfter + 1 {
		list, err := o.Enumerate(ctx, search.Region{In: []int{8}, Candidates: []int{0, 2, 3, 5, 7}, Left: 2, Keep: 5})
		costs := list.Costs
		if err != nil {
			t.Fatal(err)
		}
		if call == 0 {
			first = costs
		}
		for x, c := range costs {
			if c != first[x] {
				t.Fatalf("call %d: cost %v, first %v", call, c, first[x])
			}
		}
	}
	if !o.grams.keep {
		t.Fatal("the products were not kept")
	}
	weights := []float64{1, 0.5, 0, 0.5, 0, 0, 0, 0, 0}
	for _, p := range []pass.Pass{
		&modelling{Of: o.described(), Weights: weights, Features: []int{0, 1, 3, 5, 8}},
		newChosen(o, [][]int{{0, 3}, {3, 5}, {0, 7}}),
	} {
		passtest.Same(t, pass.NewApart(2), o.matrix, p)
	}
}

func randomFeatures(m, p int) *data.Features {
	r := rand.New(rand.NewPCG(5, 6))
	values := make([]float64, m*p)
	for x := range values {
		values[x] = r.NormFloat64()
	}
	return data.NewFeatures(make([]string, m), make([]string, p), values)
}

// TestFarFeaturesHaveFewParts: where features come from memory, a part of a pass has
// entries in most columns.
func TestFarFeaturesHaveFewParts(t *testing.T) {
	const rows, m = 64, 100_000
	start := []int{0}
	var columns []int32
	for range rows {
		for c := 0; c < m; c += 20 {
			columns = append(columns, int32(c))
		}
		start = append(start, len(columns))
	}
	matrix, err := data.NewMatrixByRows(m, start, columns, make([]float64, len(columns)))
	if err != nil {
		t.Fatal(err)
	}
	in := &pass.Input{Source: matrix}
	if near, far := panelCost(in, 80), panelCost(in, 90); near != in.Work()/128 || far != in.Work()/farParts {
		t.Fatalf("parts of %d and %d of %d", near, far, in.Work())
	}
}
