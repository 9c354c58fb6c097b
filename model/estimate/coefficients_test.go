package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	_ "optcomplete/internal/steadyseed"
	"optcomplete/internal/testkit"
	"optcomplete/spec"
)

// coefficientsOf fits the coefficients of every row, n×k.
func coefficientsOf(ctx context.Context, s data.Source, f *data.Features, selected []int, refit spec.Refit, gamma float64, threads int) ([]float64, error) {
	fit, err := fitOf(s, Chosen(f, selected), len(selected), refit, gamma)
	if err != nil {
		return nil, err
	}
	rows, _ := s.Dims()
	out := make([]float64, rows*len(selected))
	return out, fit.fill(ctx, threads, nil, out)
}

// fit solves a single row with all of its m columns observed: V is m×k.
func fit(t testing.TB, v []float64, k int, a []float64, refit spec.Refit, gamma float64) []float64 {
	t.Helper()
	u, err := coefficientsOf(context.Background(), testkit.MatrixOf(t, len(a), a), testkit.FeaturesOf(len(a), k, v), testkit.All(k), refit, gamma, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range u {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("coefficients %v", u)
		}
	}
	return u
}

// pseudoInverse is the minimum-norm least squares solution by gonum's SVD.
func pseudoInverse(t testing.TB, v []float64, k int, a []float64) []float64 {
	t.Helper()
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(len(a), k, v), mat.SVDThin) {
		t.Fatal("no SVD")
	}
	rank := svd.Rank(1e-9)
	if rank == 0 {
		return make([]float64, k)
	}
	var u mat.VecDense
	svd.SolveVecTo(&u, mat.NewVecDense(len(a), a), rank)
	return u.RawVector().Data
}

func distance(a, b []float64) (d float64) {
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

func size(a []float64) (s float64) {
	for _, x := range a {
		s = max(s, math.Abs(x))
	}
	return s
}

// drawRow draws V (e×k) of a random rank and a. Kinds of features as in the
// field: dense, 0/1 (where duplicates and zero columns are frequent), products
// of thin factors.
func drawRow(rt *rapid.T) (v []float64, k int, a []float64) {
	e, k := rapid.IntRange(1, 14).Draw(rt, "e"), rapid.IntRange(1, 9).Draw(rt, "k")
	kind := rapid.IntRange(0, 2).Draw(rt, "kind")
	rank := rapid.IntRange(1, k).Draw(rt, "rank")
	s := random.New(rapid.Uint64().Draw(rt, "seed"))
	v, a = make([]float64, e*k), make([]float64, e)
	switch kind {
	case 0:
		for i := range v {
			v[i] = s.Normal()
		}
	case 1:
		for i := range v {
			v[i] = float64(s.Intn(2))
		}
	case 2:
		left, right := make([]float64, e*rank), make([]float64, rank*k)
		for i := range left {
			left[i] = s.Normal()
		}
		for i := range right {
			right[i] = s.Normal()
		}
		mat.NewDense(e, k, v).Mul(mat.NewDense(e, rank, left), mat.NewDense(rank, k, right))
	}
	for i := range a {
		a[i] = 3 + s.Normal()
	}
	return v, k, a
}

func TestLeastSquaresResidualIsOrthogonal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v, k, a := drawRow(rt)
		u := fit(t, v, k, a, spec.LeastSquares, 0)
		for f := range k {
			inner, norm := 0.0, 0.0
			for i := range a {
				r := a[i]
				for g := range k {
					r -= v[i*k+g] * u[g]
				}
				inner += r * v[i*k+f]
				norm += v[i*k+f] * v[i*k+f]
			}
			if math.Abs(inner) > 1e-9*(1+size(u))*(1+norm) {
				rt.Fatalf("residual and feature %d: inner product %g, coefficients %v", f, inner, u)
			}
		}
	})
}

func TestLeastSquaresIsPseudoInverse(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v, k, a := drawRow(rt)
		got, want := fit(t, v, k, a, spec.LeastSquares, 0), pseudoInverse(t, v, k, a)
		// Both solvers lose digits with the condition, which shows in the size.
		if d := distance(got, want); d > 1e-9*(1+size(want)*size(want)) {
			rt.Fatalf("got %v, want %v (%g)", got, want, d)
		}
	})
}

func TestRidgeIsDenseFormula(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v, k, a := drawRow(rt)
		gamma := math.Pow(10, rapid.Float64Range(-3, 4).Draw(rt, "log10 gamma"))
		got := fit(t, v, k, a, spec.Ridge, gamma)
		dense := mat.NewDense(len(a), k, v)
		var g mat.Dense
		g.Mul(dense.T(), dense)
		for f := range k {
			g.Set(f, f, g.At(f, f)+1/gamma)
		}
		var y, want mat.VecDense
		y.MulVec(dense.T(), mat.NewVecDense(len(a), a))
		if err := want.SolveVec(&g, &y); err != nil {
			rt.Skip(err)
		}
		if d := distance(got, want.RawVector().Data); d > 1e-8*(1+size(got)) {
			rt.Fatalf("gamma %g: got %v, want %v (%g)", gamma, got, want.RawVector().Data, d)
		}
	})
}

// As gamma grows, ridge tends to the minimum-norm solution, also where the
// Cholesky of I/γ + G has long lost all digits.
func TestRidgeTendsToMinimumNorm(t *testing.T) {
	v := []float64{1, 1, 0, 2, 2, 0, 3, 3, 1, 1, 1, 1}
	a := []float64{1, 2, 2, 4}
	want := pseudoInverse(t, v, 3, a)
	for _, gamma := range []float64{1e9, 1e12, 1e16, 1e25, 1e100} {
		if got := fit(t, v, 3, a, spec.Ridge, gamma); distance(got, want) > 20/gamma+1e-7 {
			t.Errorf("gamma %g: %v, want %v", gamma, got, want)
		}
	}
}

func TestDuplicateFeaturesShareWeightEvenly(t *testing.T) {
	s := random.New(5)
	for _, e := range []int{2, 3, 8, 40} {
		v, a := make([]float64, e*4), make([]float64, e)
		for i := range a {
			x, y := s.Normal(), s.Normal()
			copy(v[i*4:], []float64{x, y, x, x})
			a[i] = 6*x + y + 0.1*s.Normal()
		}
		for _, refit := range []spec.Refit{spec.LeastSquares, spec.Ridge} {
			u := fit(t, v, 4, a, refit, 1e3)
			if math.Abs(u[0]-u[2]) > 1e-11 || math.Abs(u[0]-u[3]) > 1e-11 || math.Abs(u[0]) < 0.5 {
				t.Errorf("%v with %d entries: %v", refit, e, u)
			}
		}
	}
}

// The units of a feature decide neither the rank nor the predictions.
func TestUnitsDoNotDecideTheRank(t *testing.T) {
	s := random.New(9)
	const e, k = 30, 3
	truth := []float64{2e-9, 3, -4e7}
	v, a := make([]float64, e*k), make([]float64, e)
	for i := range a {
		// The last two are nearly equal, so that Cholesky hands over.
		x := s.Normal()
		copy(v[i*k:], []float64{1e9 * s.Normal(), x, 1e-7 * (x + 1e-4*s.Normal())})
		for f := range k {
			a[i] += v[i*k+f] * truth[f]
		}
	}
	u := fit(t, v, k, a, spec.LeastSquares, 0)
	for f := range k {
		if math.Abs(u[f]/truth[f]-1) > 1e-9 {
			t.Errorf("coefficients %v, want %v", u, truth)
		}
	}
}

// Cholesky with refinement keeps its digits up to where it hands over, and the
// decomposition beyond it.
func TestNearlyDependentFeaturesAreSolvedAccurately(t *testing.T) {
	s := random.New(11)
	const e, k = 25, 2
	for _, apart := range []float64{1e-1, 1e-2, 2e-3, 1e-3, 5e-4, 1e-5, 1e-7} {
		v, a := make([]float64, e*k), make([]float64, e)
		for i := range a {
			x := float64(s.Intn(1024)) / 1024
			// Powers of two keep the sums exact, so the truth is exact too.
			d := math.Exp2(math.Round(math.Log2(apart))) * float64(s.Intn(64)) / 64
			v[i*k], v[i*k+1] = x, x+d
			a[i] = 3*v[i*k] + 5*v[i*k+1]
		}
		u := fit(t, v, k, a, spec.LeastSquares, 0)
		if d := distance(u, []float64{3, 5}); d > 2e-14/apart {
			t.Errorf("features %g apart: %v, off by %g", apart, u, d)
		}
	}
}

func TestThreadsGiveSameCoefficients(t *testing.T) {
	m, f := testkit.Drawn(t, 2000, 30, 12, 0.3, 4)
	selected := []int{11, 0, 5, 3, 7, 2}
	for _, refit := range []spec.Refit{spec.LeastSquares, spec.Ridge} {
		want := must.Get(coefficientsOf(context.Background(), m, f, selected, refit, 10, 1))(t)
		for _, threads := range []int{0, 2, 8} {
			got := must.Get(coefficientsOf(context.Background(), m, f, selected, refit, 10, threads))(t)
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("%v, %d threads: coefficient %d is %v, with one thread %v", refit, threads, i, got[i], want[i])
				}
			}
		}
	}
}

func TestEmptyRowsAndSelections(t *testing.T) {
	m, f := testkit.Drawn(t, 40, 10, 4, 0.5, 1)
	u := must.Get(coefficientsOf(context.Background(), m, f, []int{1, 2}, spec.LeastSquares, 0, 2))(t)
	if size(u[3*2:4*2]) != 0 || size(u[:6]) == 0 {
		t.Errorf("empty row 3 has %v, rows 0 to 2 %v", u[6:8], u[:6])
	}
	if u, err := coefficientsOf(context.Background(), m, f, nil, spec.LeastSquares, 0, 2); err != nil || len(u) != 0 {
		t.Errorf("no features: %v, %v", u, err)
	}
}

func TestExtremeNumbersNeverGiveNaN(t *testing.T) {
	extreme := []float64{0, 1, -1, 5e-324, 1e-200, 1e-139, 1e139, 1e200, math.MaxFloat64, 3}
	rapid.Check(t, func(rt *rapid.T) {
		e, k := rapid.IntRange(1, 5).Draw(rt, "e"), rapid.IntRange(1, 4).Draw(rt, "k")
		pick := rapid.SampledFrom(extreme)
		v, a := rapid.SliceOfN(pick, e*k, e*k).Draw(rt, "v"), rapid.SliceOfN(pick, e, e).Draw(rt, "a")
		for _, refit := range []spec.Refit{spec.LeastSquares, spec.Ridge} {
			u, err := coefficientsOf(context.Background(), testkit.MatrixOf(t, e, a), testkit.FeaturesOf(e, k, v), testkit.All(k), refit, 1, 1)
			var out *RangeError
			if err != nil && !errors.As(err, &out) {
				rt.Fatal(err)
			}
			for _, x := range u {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					rt.Fatalf("%v: coefficients %v", refit, u)
				}
			}
		}
	})
}

func TestCoefficientsRefusals(t *testing.T) {
	m, f := testkit.Drawn(t, 600, 10, 4, 0.5, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := coefficientsOf(ctx, m, f, []int{0}, spec.LeastSquares, 0, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, gamma := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := coefficientsOf(context.Background(), m, f, []int{0}, spec.Ridge, gamma, 2); err == nil {
			t.Errorf("ridge with gamma %v was accepted", gamma)
		}
	}
	big, _ := data.NewMatrix(600, 10, []data.Entry{{Row: 17, Column: 1, Value: 1e300}, {Row: 599, Column: 1, Value: 1e300}})
	_, err := coefficientsOf(context.Background(), big, f, []int{1}, spec.LeastSquares, 0, 1)
	if out := new(RangeError); !errors.As(err, &out) || out.Row != 17 || out.Value != 1e300 {
		t.Errorf("got %v, want a RangeError for row 17", err)
	}
}

func BenchmarkCoefficients(b *testing.B) {
	for _, c := range []struct {
		columns, k int
		share      float64
	}{{500, 5, 0.2}, {500, 10, 0.2}, {500, 30, 0.2}, {100, 30, 0.05}} {
		m, f := testkit.Drawn(b, 2000, c.columns, c.k, c.share, 1)
		b.Run(fmt.Sprintf("entries=%.0f/k=%d", float64(c.columns)*c.share, c.k), func(b *testing.B) {
			for b.Loop() {
				if _, err := coefficientsOf(context.Background(), m, f, testkit.All(c.k), spec.LeastSquares, 0, 1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2000, "ns/row")
		})
	}
}
