package imc

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/internal/lowrank"
	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/sourcetest"
	"optcomplete/internal/testkit"
)

// instance is X = U Sᵀ Bᵀ with noise, partly observed.
type instance struct {
	matrix   *data.Matrix
	features *data.Features
	full     *mat.Dense
}

func features(prefix string, lines, p int, rng *random.Stream) (*data.Features, *mat.Dense) {
	ids, names := make([]string, lines), make([]string, p)
	for i := range ids {
		ids[i] = fmt.Sprint(prefix, i)
	}
	for f := range names {
		names[f] = fmt.Sprint("f", f)
	}
	values := make([]float64, lines*p)
	for x := range values {
		values[x] = rng.Normal()
	}
	if len(values) == 0 {
		return data.NewFeatures(ids, names, values), nil
	}
	return data.NewFeatures(ids, names, values), mat.NewDense(lines, p, values)
}

func make2(t testing.TB, n, m, p, rank int, density, noise float64, seed uint64) *instance {
	t.Helper()
	rng := random.New(seed)
	in := &instance{full: new(mat.Dense)}
	var b *mat.Dense
	in.features, b = features("c", m, p, rng)
	_, s := features("", p, rank, rng)
	_, u := features("", n, rank, rng)
	var v mat.Dense
	v.Mul(b, s)
	in.full.Mul(u, v.T())
	var entries []data.Entry
	for i := range n {
		for j := range m {
			if rng.Float64() < density {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: in.full.At(i, j) + noise*rng.Normal()})
			}
		}
	}
	var err error
	if in.matrix, err = data.NewMatrix(n, m, entries); err != nil {
		t.Fatal(err)
	}
	return in
}

// off is the relative error of a model on the whole matrix.
func (in *instance) off(m *Model) float64 {
	n, columns := in.full.Dims()
	all := make([]int32, columns)
	for j := range all {
		all[j] = int32(j)
	}
	got := mat.NewDense(n, columns, nil)
	for i := range n {
		m.PredictRow(i, all, got.RawRowView(i))
	}
	got.Sub(got, in.full)
	return mat.Norm(got, 2) / mat.Norm(in.full, 2)
}

func TestExactRecoveryWithoutNoise(t *testing.T) {
	in := make2(t, 120, 90, 10, 3, 0.2, 0, 4)
	m := must.Get(Fit(context.Background(), in.matrix, in.features, Settings{
		Rank: 3, Lambdas: []float64{1e-9}, Center: effects.NoCenter, Tolerance: 1e-6, MaxSteps: 500, Settings: effects.Settings{Threads: 2},
	}))(t)
	if off := in.off(m); off > 1e-5 {
		t.Errorf("relative error %v", off)
	}
}

// TestZScoresExpressAMean: features whose means matter are recovered from their z-scores too.
func TestZScoresExpressAMean(t *testing.T) {
	in := make2(t, 120, 90, 10, 3, 0.2, 0, 4)
	m, p := in.features.Dims()
	for f := range p {
		sum := 0.0
		for j := range m {
			sum += in.features.Row(j)[f]
		}
		for j := range m {
			in.features.Values[j*p+f] -= sum / float64(m)
		}
	}
	fitted := must.Get(Fit(context.Background(), in.matrix, in.features, Settings{
		Rank: 3, Lambdas: []float64{1e-9}, Center: effects.NoCenter, Tolerance: 1e-6, MaxSteps: 500, Settings: effects.Settings{Threads: 2},
	}))(t)
	if off := in.off(fitted); off > 1e-5 {
		t.Errorf("relative error %v", off)
	}
}

// by the book: half the squared residuals, by their weights, and the penalty.
func objective(in *instance, f *Factors, lambda float64) float64 {
	sum := lambda / 2 * lowrank.Inner(f.S, f.S)
	sum += lambda / 2 * lowrank.Inner(f.U, f.U)
	n, _ := in.matrix.Dims()
	m := Model{Factors: *f}
	for i := range n {
		at, values := in.matrix.Row(i)
		out := make([]float64, len(at))
		m.PredictRow(i, at, out)
		weights := in.matrix.RowWeights(i)
		for x, v := range values {
			square := (v - out[x]) * (v - out[x]) / 2
			if weights != nil {
				square *= weights[x]
			}
			sum += square
		}
	}
	return sum
}

func TestObjectiveDecreasesAtEveryStep(t *testing.T) {
	in := make2(t, 100, 60, 8, 4, 0.15, 0.5, 5)
	for _, lambda := range []float64{100, 1, 0.01} {
		if lambda == 1 {
			in.matrix = testkit.Weigh(t, in.matrix, 1)
		}
		last, steps := math.Inf(1), 0
		m := must.Get(Fit(context.Background(), in.matrix, in.features, Settings{
			Rank: 5, Lambdas: []float64{lambda}, Center: effects.NoCenter, MaxSteps: 40, Tolerance: 1e-12,
			OnStep: func(s Step) {
				steps++
				for _, now := range []float64{s.Rows, s.Columns} {
					if now > last*(1+1e-11) {
						t.Errorf("λ %v, step %d: the objective rises from %v to %v", lambda, s.Number, last, now)
					}
					last = now
				}
			},
		}))(t)
		if end := objective(in, &m.Factors, lambda); end > last*(1+1e-10) || end < 0.5*last {
			t.Errorf("λ %v: the objective is %v, the last step said %v", lambda, end, last)
		}
		if steps < 5 {
			t.Errorf("%d steps only", steps)
		}
	}
}

// A λ of lambda0 or more leaves nothing.
func TestLambda0(t *testing.T) {
	in := make2(t, 50, 40, 6, 2, 0.4, 0.3, 7)
	x := mat.NewDense(50, 40, nil)
	for i := range 50 {
		at, values := in.matrix.Row(i)
		for e, c := range at {
			x.Set(i, int(c), values[e])
		}
	}
	var xb mat.Dense
	xb.Mul(x, mat.NewDense(40, 6, in.features.Values))
	f := &fitter{Settings: &Settings{Settings: effects.Settings{Threads: 1}}, columns: newSide(40, 6, in.features.Values)}
	var svd mat.SVD
	svd.Factorize(&xb, mat.SVDNone)
	want := svd.Values(nil)[0]
	rows := must.Get(f.rows(context.Background(), in.matrix, 2))(t)
	got, err := f.lambda0(context.Background(), rows)
	if err != nil || math.Abs(got-want) > 1e-9*want {
		t.Errorf("%v, want %v (%v)", got, want, err)
	}
	for _, by := range []float64{1.01, 0.8} {
		m, err := Fit(context.Background(), in.matrix, in.features, Settings{Rank: 2, Lambdas: []float64{by * want}, Center: effects.NoCenter, Tolerance: 1e-13, MaxSteps: 3000})
		if err != nil {
			t.Fatal(err)
		}
		if zero := lowrank.Inner(m.V, m.V)*lowrank.Inner(m.U, m.U) < 1e-3; zero != (by > 1) {
			t.Errorf("λ = %v·λ0: ‖U‖²‖V‖² = %v", by, lowrank.Inner(m.V, m.V)*lowrank.Inner(m.U, m.U))
		}
	}
}

func TestFitChoosesAndThreadsGiveSameBits(t *testing.T) {
	in := make2(t, 150, 80, 12, 3, 0.2, 0.1, 6)
	var first *Model
	for _, threads := range []int{1, 2, 5} {
		got := must.Get(Fit(context.Background(), in.matrix, in.features, Settings{Settings: effects.Settings{Threads: threads, Seed: 2}}))(t)
		if first == nil {
			first = got
			if off := in.off(got); off > 0.05 {
				t.Errorf("relative error %v, rank %d, λ %v, centred %v", off, got.Rank, got.Lambda, got.Center)
			}
			continue
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Fatalf("%d threads: %s", threads, diff)
		}
	}
	streamed, err := Fit(context.Background(), sourcetest.Stored(in.matrix), in.features, Settings{Settings: effects.Settings{Seed: 2, Memory: 1}})
	if err != nil {
		t.Fatal(err)
	}
	// A part of a stored source has the chunks of the whole: sums add in another order.
	if diff := cmp.Diff(first, streamed, cmpopts.EquateApprox(1e-12, 1e-12)); diff != "" {
		t.Errorf("streamed: %s", diff)
	}
}

func TestOddShapesAreFinite(t *testing.T) {
	for _, c := range []struct {
		n, m, p int
		entries []data.Entry
	}{
		{0, 0, 2, nil}, {3, 2, 0, []data.Entry{{Value: 3}}}, {3, 2, 1, nil}, {1, 1, 1, []data.Entry{{Value: 3}}},
		{4, 3, 2, []data.Entry{{Row: 1, Column: 2, Value: 3}, {Row: 3, Column: 0, Value: -1}, {Row: 3, Column: 1, Value: 2}}},
		{3, 3, 2, []data.Entry{{Row: 0, Value: 0}, {Row: 1, Value: 0}, {Row: 2, Column: 1, Value: 0}}},
	} {
		m := must.Get(data.NewMatrix(c.n, c.m, c.entries))(t)
		for _, zero := range []bool{false, true} {
			f, table := features("c", c.m, max(c.p, 0), random.New(1))
			if zero && table != nil {
				clear(f.Values)
			}
			for _, s := range []Settings{{}, {Rank: 5, Lambdas: []float64{0}, Center: effects.NoCenter}, {Settings: effects.Settings{Clip: true}, Center: effects.RowCenter}} {
				got := must.Get(Fit(context.Background(), m, f, s))(t)
				columns := make([]int32, c.m)
				for j := range columns {
					columns[j] = int32(j)
				}
				out := make([]float64, c.m)
				for i := range c.n {
					got.PredictRow(i, columns, out)
					for _, v := range out {
						if math.IsNaN(v) || math.IsInf(v, 0) {
							t.Fatalf("%d×%d: %v", c.n, c.m, out)
						}
					}
				}
			}
		}
	}
}
