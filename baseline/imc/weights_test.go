package imc

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/baseline/effects"
	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/testkit"
)

// TestWeightsOfOne: they change no bit, with everything chosen. In another unit they
// change λ by it, and nothing else, however far it is from 1; and so do values.
func TestWeightsOfOne(t *testing.T) {
	in := make2(t, 60, 40, 6, 2, 0.3, 0.5, 5)
	fit := func(m *data.Matrix) *Model {
		t.Helper()
		out := must.Get(Fit(t.Context(), m, in.features, Settings{Settings: effects.Settings{Seed: 1, Threads: 2}}))(t)
		return out
	}
	ones := make([]float64, in.matrix.Observed())
	for x := range ones {
		ones[x] = 1
	}
	if diff := cmp.Diff(fit(in.matrix), fit(must.Get(in.matrix.WithWeights(ones))(t))); diff != "" {
		t.Error(diff)
	}
	a := fit(testkit.Weigh(t, in.matrix, 1))
	for _, unit := range []float64{1024, 0x1p-250, 0x1p260} {
		b := fit(testkit.Weigh(t, in.matrix, unit))
		if a.Rank == 0 || math.Abs(a.Lambda*unit/b.Lambda-1) > 1e-9 || a.Center != b.Center {
			t.Errorf("times %g: rank %d, λ %v and %v", unit, a.Rank, a.Lambda, b.Lambda)
		}
		if diff := cmp.Diff(a.Factors, b.Factors, cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) <= 1e-6*(1+math.Abs(y)) })); diff != "" {
			t.Error(unit, diff)
		}
	}
	for _, unit := range []float64{0x1p-250, 0x1p250} { // of the values
		b := fit(testkit.Weigh(t, in.matrix, 1).Map(func(_ int, _ int32, v float64) float64 { return unit * v }))
		if math.Abs(a.Lambda*unit/b.Lambda-1) > 1e-9 || a.Rank != b.Rank {
			t.Errorf("values times %g: λ %v and %v, rank %d and %d", unit, a.Lambda, b.Lambda, a.Rank, b.Rank)
		}
		columns := []int32{0, 1, 2, 3, 4}
		x, y := make([]float64, 5), make([]float64, 5)
		a.PredictRow(7, columns, x)
		b.PredictRow(7, columns, y)
		for e := range x {
			if !(math.Abs(x[e]-y[e]/unit) <= 1e-2) {
				t.Errorf("values times %g: predicted %v and %v", unit, x[e], y[e])
			}
		}
	}
}

// TestWeightsAreInverseVariances: with noise of the inverse of the weights, a fit by them
// is nearer to the truth than one without.
func TestWeightsAreInverseVariances(t *testing.T) {
	in := make2(t, 80, 50, 8, 2, 0.4, 0, 6)
	m, rng := testkit.Weigh(t, in.matrix, 1), random.New(3)
	noisy := m.Map(func(i int, c int32, v float64) float64 {
		at, _ := m.Row(i)
		for e, j := range at {
			if j == c {
				v += 2 * rng.Normal() / math.Sqrt(m.RowWeights(i)[e])
			}
		}
		return v
	})
	off := func(m *data.Matrix) float64 {
		f := must.Get(Fit(t.Context(), m, in.features, Settings{Center: effects.NoCenter, Settings: effects.Settings{Seed: 1, Threads: 2}}))(t)
		return in.off(f)
	}
	if a, b := off(noisy), off(must.Get(noisy.WithWeights(nil))(t)); !(a < 0.8*b) {
		t.Errorf("error %.3f with weights, %.3f without", a, b)
	} else {
		t.Logf("error %.3f with weights, %.3f without", a, b)
	}
}
