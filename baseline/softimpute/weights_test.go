package softimpute

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"optcomplete/baseline/effects"
	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/testkit"
)

// TestWeightsOfOne: they change no bit, with everything chosen. In another unit they
// change λ by it, and nothing else, however far it is from 1; and so do values.
func TestWeightsOfOne(t *testing.T) {
	m, _ := lowRank(t, 60, 40, 3, 0.4, 0.3, 5)
	fit := func(m *data.Matrix) *Model {
		t.Helper()
		out := must.Get(Fit(t.Context(), m, Settings{Settings: effects.Settings{Seed: 1, Threads: 2}}))(t)
		return out
	}
	ones := make([]float64, m.Observed())
	for x := range ones {
		ones[x] = 1
	}
	if diff := cmp.Diff(fit(m), fit(must.Get(m.WithWeights(ones))(t))); diff != "" {
		t.Error(diff)
	}
	a := fit(testkit.Weigh(t, m, 1))
	for _, unit := range []float64{1024, 0x1p-250, 0x1p260} {
		b := fit(testkit.Weigh(t, m, unit))
		if a.Rank == 0 || math.Abs(a.Lambda*unit/b.Lambda-1) > 1e-9 || a.Center != b.Center {
			t.Errorf("times %g: rank %d, λ %v and %v", unit, a.Rank, a.Lambda, b.Lambda)
		}
		if diff := cmp.Diff(a.Factors, b.Factors, cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*(1+math.Abs(y)) })); diff != "" {
			t.Error(unit, diff)
		}
	}
	for _, unit := range []float64{0x1p-250, 0x1p250} { // of the values
		b := fit(testkit.Weigh(t, m, 1).Map(func(_ int, _ int32, v float64) float64 { return unit * v }))
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

// TestWeightedSolutionIsTheMinimum: that of proximal gradient steps on the dense matrix,
// with whole weights, so that it is the one of entries that are there so often; and λ at
// which nothing is left is the largest singular value of weights times values.
func TestWeightedSolutionIsTheMinimum(t *testing.T) {
	m, _ := lowRank(t, 30, 20, 3, 0.5, 0.3, 3)
	rng, weights := random.New(2), make([]float64, m.Observed())
	for x := range weights {
		weights[x] = float64(1 + rng.Intn(4))
	}
	m = must.Get(m.WithWeights(weights))(t)
	x, w := dense(m), mat.NewDense(30, 20, nil)
	for i := range 30 {
		at, _ := m.Row(i)
		for e, by := range m.RowWeights(i) {
			w.Set(i, int(at[e]), by)
		}
	}
	const lambda, heaviest = 8.0, 4.0
	z := mat.NewDense(30, 20, nil)
	for range 4000 {
		var step, u, v, ud mat.Dense
		step.Sub(x, z)
		step.MulElem(&step, w)
		step.Scale(1/heaviest, &step)
		step.Add(&step, z)
		var svd mat.SVD
		svd.Factorize(&step, mat.SVDThin)
		values := svd.Values(nil)
		svd.UTo(&u)
		svd.VTo(&v)
		for k := range values {
			values[k] = max(values[k]-lambda/heaviest, 0)
		}
		ud.Mul(&u, mat.NewDiagDense(len(values), values))
		z.Mul(&ud, v.T())
	}
	f := must.Get(solveOne(m, 15, lambda, nil, Settings{Tolerance: 1e-16, MaxSteps: 5000}))(t)
	var off mat.Dense
	off.Sub(z, f.dense(30, 20))
	if norm := mat.Norm(&off, 2) / mat.Norm(z, 2); norm > 1e-5 || f.Rank == 0 || f.Rank == 15 {
		t.Errorf("off by %v, rank %d", norm, f.Rank)
	}
	var both mat.Dense
	both.MulElem(x, w)
	var svd mat.SVD
	svd.Factorize(&both, mat.SVDNone)
	if got, err := Lambda0(t.Context(), m, 1); err != nil || math.Abs(got/svd.Values(nil)[0]-1) > 1e-9 {
		t.Errorf("λ0 is %v, the largest singular value %v (%v)", got, svd.Values(nil)[0], err)
	}
}

// TestWeightsAreInverseVariances: with noise of the inverse of the weights, a fit by them
// is nearer to the truth than one without.
func TestWeightsAreInverseVariances(t *testing.T) {
	m, full := lowRank(t, 80, 50, 2, 0.5, 0, 6)
	m = testkit.Weigh(t, m, 1)
	rng := random.New(3)
	noisy := m.Map(func(i int, c int32, v float64) float64 {
		at, _ := m.Row(i)
		for e, j := range at {
			if j == c {
				v += rng.Normal() / math.Sqrt(m.RowWeights(i)[e])
			}
		}
		return v
	})
	off := func(m *data.Matrix) float64 {
		f := must.Get(Fit(t.Context(), m, Settings{Center: effects.NoCenter, Settings: effects.Settings{Seed: 1, Threads: 2}}))(t)
		var d mat.Dense
		d.Sub(full, f.dense(80, 50))
		return mat.Norm(&d, 2) / mat.Norm(full, 2)
	}
	if a, b := off(noisy), off(must.Get(noisy.WithWeights(nil))(t)); !(a < 0.8*b) {
		t.Errorf("error %.3f with weights, %.3f without", a, b)
	} else {
		t.Logf("error %.3f with weights, %.3f without", a, b)
	}
}
