package softimpute

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/internal/lowrank"
	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/sourcetest"
	"optcomplete/internal/testkit"
)

// lowRank makes a matrix of the given rank with noise, of which a part is observed.
func lowRank(t testing.TB, n, m, rank int, density, noise float64, seed uint64) (*data.Matrix, *mat.Dense) {
	t.Helper()
	rng := random.New(seed)
	u, v := mat.NewDense(n, rank, nil), mat.NewDense(m, rank, nil)
	for _, table := range []*mat.Dense{u, v} {
		raw := table.RawMatrix().Data
		for x := range raw {
			raw[x] = rng.Normal()
		}
	}
	var full mat.Dense
	full.Mul(u, v.T())
	var entries []data.Entry
	for i := range n {
		for j := range m {
			if rng.Float64() < density {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: full.At(i, j) + noise*rng.Normal()})
			}
		}
	}
	matrix := must.Get(data.NewMatrix(n, m, entries))(t)
	return matrix, &full
}

// dense is the matrix with zeros where nothing is observed.
func dense(m *data.Matrix) *mat.Dense {
	n, columns := m.Dims()
	out := mat.NewDense(n, columns, nil)
	for i := range n {
		at, values := m.Row(i)
		for x, c := range at {
			out.Set(i, int(c), values[x])
		}
	}
	return out
}

func (f *Factors) dense(n, m int) *mat.Dense {
	out := mat.NewDense(n, m, nil)
	columns := make([]int32, m)
	for j := range columns {
		columns[j] = int32(j)
	}
	for i := range n {
		f.Predict(i, columns, out.RawRowView(i))
	}
	return out
}

// objective by the book: half the squared residuals, by their weights, and λ times the sum of the
// singular values of Z.
func objective(m *data.Matrix, f *Factors, lambda float64) float64 {
	sum := 0.0
	for _, d := range f.D {
		sum += lambda * d
	}
	n, _ := m.Dims()
	for i := range n {
		at, values := m.Row(i)
		out := make([]float64, len(at))
		f.Predict(i, at, out)
		weights := m.RowWeights(i)
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

// Neither half of a step raises the objective; only where a step begins, further on
// in the direction of the one before, it may be higher.
func TestObjectiveDecreasesAtEveryStep(t *testing.T) {
	for _, density := range []float64{0.05, 0.4, 1} {
		m, _ := lowRank(t, 120, 70, 4, density, 0.3, 5)
		if density == 0.4 {
			m = testkit.Weigh(t, m, 1)
		}
		top := must.Get(Lambda0(context.Background(), m, 2))(t)
		var start *Factors
		for _, lambda := range []float64{top / 2, top / 10, top / 100, 0} {
			last, least, steps := math.Inf(1), math.Inf(1), 0
			f := must.Get(solveOne(m, 7, lambda, start, Settings{Tolerance: 1e-9, MaxSteps: 60, OnStep: func(s Step) {
				steps++
				if s.Momentum > 0 {
					last = math.Inf(1)
				}
				for _, now := range []float64{s.Before, s.Half} {
					if now > last*(1+1e-12) {
						t.Errorf("density %v, λ %v, step %d: the objective rises from %v to %v", density, lambda, s.Number, last, now)
					}
					last, least = now, min(least, now)
				}
			}}))(t)
			if steps < 2 {
				t.Errorf("only %d steps", steps)
			}
			if end := objective(m, f, lambda); end > least*(1+1e-6) {
				t.Errorf("density %v, λ %v: the objective ends at %v after %v", density, lambda, end, least)
			}
			start = f
		}
	}
}

// On complete data and with λ = 0 the best matrix of a rank is the truncated
// singular value decomposition; at full rank the matrix itself. With λ the
// singular values are shrunk by it.
func TestCompleteDataGiveTheSingularValueDecomposition(t *testing.T) {
	m, _ := lowRank(t, 40, 25, 25, 1, 0, 8)
	x := dense(m)
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		t.Fatal("no decomposition")
	}
	want := svd.Values(nil)
	for _, c := range []struct {
		rank   int
		lambda float64
	}{{25, 0}, {4, 0}, {25, want[5]}} {
		f := must.Get(solveOne(m, c.rank, c.lambda, nil, Settings{Tolerance: 1e-26, MaxSteps: 5000}))(t)
		for k, d := range f.D {
			if math.Abs(d-(want[k]-c.lambda)) > 1e-7*want[0] {
				t.Errorf("rank %d, λ %v: singular value %d is %v, want %v", c.rank, c.lambda, k, d, want[k]-c.lambda)
			}
		}
		if c.lambda > 0 && f.Rank != 5 {
			t.Errorf("λ = the 6th value leaves %d", f.Rank)
		}
		if c.rank == 25 && c.lambda == 0 {
			var rest mat.Dense
			rest.Sub(x, f.dense(40, 25))
			if off := mat.Norm(&rest, 2); off > 1e-6 {
				t.Errorf("full rank: off by %v", off)
			}
		}
	}
}

func TestLambda0IsTheLargestSingularValueAndZeroesEverything(t *testing.T) {
	for _, shape := range [][2]int{{60, 30}, {30, 60}, {5, 3}} {
		m, _ := lowRank(t, shape[0], shape[1], 3, 0.4, 0.5, 2)
		var svd mat.SVD
		svd.Factorize(dense(m), mat.SVDNone)
		want := svd.Values(nil)[0]
		got := must.Get(Lambda0(context.Background(), m, 2))(t)
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("λ0 is %v, the largest singular value %v", got, want)
		}
		for _, c := range []struct {
			factor float64
			zero   bool
		}{{1.0001, true}, {0.9, false}} {
			f := must.Get(solveOne(m, 3, c.factor*got, nil, Settings{MaxSteps: 2000, Tolerance: 1e-12}))(t)
			if (f.Rank == 0) != c.zero {
				t.Errorf("%v: λ = %v·λ0 gives rank %d", shape, c.factor, f.Rank)
			}
		}
	}
}

// The objective at the end must be the one of proximal gradient steps on the
// dense matrix (Soft-Impute), which knows nothing of factors.
func TestSolutionIsTheNuclearNormMinimum(t *testing.T) {
	m, _ := lowRank(t, 30, 20, 3, 0.5, 0.3, 3)
	x := dense(m)
	lambda := 4.0
	z := mat.NewDense(30, 20, nil)
	var values []float64
	for range 3000 {
		var filled mat.Dense
		filled.CloneFrom(z)
		for i := range 30 {
			at, _ := m.Row(i)
			for _, c := range at {
				filled.Set(i, int(c), x.At(i, int(c)))
			}
		}
		var svd mat.SVD
		svd.Factorize(&filled, mat.SVDThin)
		values = svd.Values(nil)
		var u, v, ud mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		for k := range values {
			values[k] = max(values[k]-lambda, 0)
		}
		ud.Mul(&u, mat.NewDiagDense(len(values), values))
		z.Mul(&ud, v.T())
	}
	f := must.Get(solveOne(m, 15, lambda, nil, Settings{Tolerance: 1e-16, MaxSteps: 5000}))(t)
	var off mat.Dense
	off.Sub(z, f.dense(30, 20))
	if norm := mat.Norm(&off, 2) / mat.Norm(z, 2); norm > 1e-5 {
		t.Errorf("differs from Soft-Impute by %v (ranks %d, values %v)", norm, f.Rank, values[:6])
	}
}

// solveOne minimises the objective for one λ.
func solveOne(m *data.Matrix, rank int, lambda float64, start *Factors, s Settings) (*Factors, error) {
	rows, err := s.rows(context.Background(), m, rank)
	if err != nil {
		return nil, err
	}
	return newSolver(rows, rank, s.Threads).solve(context.Background(), s, lambda, start)
}

func TestDebiasIsLeastSquaresOfTheSingularValues(t *testing.T) {
	m, _ := lowRank(t, 80, 50, 3, 0.5, 0.1, 4)
	f := must.Get(solveOne(m, 3, 20, nil, Settings{}))(t)
	rows := must.Get(new(Settings).rows(context.Background(), m, 1))(t)
	free := must.Get(debias(context.Background(), rows, f, 1))(t)
	best := objective(m, free, 0)
	if was := objective(m, f, 0); best >= was {
		t.Errorf("squares %v before, %v after", was, best)
	}
	for k := range free.D {
		for _, by := range []float64{0.99, 1.01} {
			other := *free
			other.D = slices.Clone(free.D)
			other.D[k] *= by
			if objective(m, &other, 0) < best {
				t.Errorf("d_%d·%v is better", k, by)
			}
		}
	}
}

func TestFitRecoversAndThreadsGiveSameBits(t *testing.T) {
	m, full := lowRank(t, 150, 80, 3, 0.4, 0.01, 6)
	var first *Model
	for _, threads := range []int{1, 2, 5} {
		got := must.Get(Fit(context.Background(), m, Settings{Settings: effects.Settings{Threads: threads, Seed: 3}, MaxSteps: 300}))(t)
		if first == nil {
			first = got
			worst := 0.0
			var off mat.Dense
			off.Sub(full, got.dense(150, 80))
			worst = mat.Norm(&off, 2) / mat.Norm(full, 2)
			if worst > 0.02 || got.Center != effects.NoCenter {
				t.Errorf("relative error %v, centred: %v, rank %d, λ %v", worst, got.Center, got.Rank, got.Lambda)
			}
			continue
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Fatalf("%d threads: %s", threads, diff)
		}
	}
	// A source that is read anew at every pass gives the same.
	streamed := must.Get(Fit(context.Background(), sourcetest.Stored(m), Settings{Settings: effects.Settings{Seed: 3, Memory: 1}, MaxSteps: 300}))(t)
	if diff := cmp.Diff(first, streamed); diff != "" {
		t.Errorf("streamed: %s", diff)
	}
}

func TestCentringTakesEffectsAway(t *testing.T) {
	low, _ := lowRank(t, 200, 60, 2, 0.5, 0.1, 7)
	rng := random.New(9)
	row, column := make([]float64, 200), make([]float64, 60)
	for i := range row {
		row[i] = 3 * rng.Normal()
	}
	for j := range column {
		column[j] = 3 * rng.Normal()
	}
	m := low.Map(func(i int, c int32, v float64) float64 { return 50 + v + row[i] + column[c] })
	got := must.Get(Fit(context.Background(), m, Settings{Rank: 2}))(t)
	if got.Center != effects.BothCenters || math.Abs(got.Effects.Mean-50) > 1 {
		t.Errorf("centred: %v", got.Center)
	}
	// The low-rank part has sd 1.4; what a row's 30 entries leave unknown of its
	// effect is a quarter.
	for _, p := range got.Points {
		if p.Lambda == got.Lambda && p.Center == got.Center && p.Debiased == got.Debiased && p.RMSE > 0.5 {
			t.Errorf("validation error %v", p.RMSE)
		}
	}
}

func TestOddShapesAreFinite(t *testing.T) {
	for _, c := range []struct {
		n, m    int
		entries []data.Entry
	}{
		{0, 0, nil}, {3, 2, nil}, {1, 1, []data.Entry{{Value: 3}}},
		{4, 3, []data.Entry{{Row: 1, Column: 2, Value: 3}, {Row: 3, Column: 0, Value: -1}}},
		{3, 3, []data.Entry{{Row: 0, Value: 0}, {Row: 1, Value: 0}, {Row: 2, Column: 1, Value: 0}}},
	} {
		m := must.Get(data.NewMatrix(c.n, c.m, c.entries))(t)
		for _, s := range []Settings{{}, {Rank: 5, Lambdas: []float64{0}, Center: effects.NoCenter, Debias: AlwaysDebias}, {Center: effects.RowCenter, Settings: effects.Settings{Clip: true}}, {Center: effects.ColumnCenter}} {
			got := must.Get(Fit(context.Background(), m, s))(t)
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
	if _, err := Fit(context.Background(), &data.Matrix{}, Settings{Lambdas: []float64{-1}}); err == nil {
		t.Error("a negative λ is accepted")
	}
}

// Where most entries are missing the minimum is far from where steps begin to be
// small: the fit must go on to it, on a path along which no rank was cut too soon,
// and not end far above the noise.
func TestSparseDataOfLowRankAreRecovered(t *testing.T) {
	const n, m, rank = 300, 300, 5
	rng := random.New(21)
	left, right := make([]float64, n*rank), make([]float64, m*rank)
	for x := range left {
		left[x] = rng.Float64()
	}
	for x := range right {
		right[x] = rng.Float64()
	}
	value := func(i, j int) float64 { return lowrank.Inner(left[i*rank:][:rank], right[j*rank:][:rank]) }
	var entries []data.Entry
	for i := range n {
		for j := range m {
			if rng.Float64() < 0.12 {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: value(i, j) + 0.01*rng.Normal()})
			}
		}
	}
	matrix := must.Get(data.NewMatrix(n, m, entries))(t)
	f := must.Get(Fit(context.Background(), matrix, Settings{Settings: effects.Settings{Threads: 2}}))(t)
	sum, out := 0.0, make([]float64, 1)
	for i := range n {
		for j := range m {
			f.PredictRow(i, []int32{int32(j)}, out)
			sum += (out[0] - value(i, j)) * (out[0] - value(i, j))
		}
	}
	if rmse := math.Sqrt(sum / (n * m)); rmse > 0.0125 {
		t.Errorf("rank %d of data of rank %d, RMSE %v with noise of 0.01", f.Rank, rank, rmse)
	}
}
