package remainder

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/pass"
)

// world is generated data of the model.
type world struct {
	n, m, known, rank int
	design            []float64
	theta, phi        []float64 // rows, columns
	noise             float64
	train, held       *data.Matrix
	implicit          bool // fitted with them
}

const truthMean = 3.5

// made draws a world. Coefficients have standard deviation 0.5, traits carry a
// variance of 0.4² each.
func made(t testing.TB, seed uint64, n, m, known, rank int, part float64) *world {
	t.Helper()
	return madeWith(t, seed, n, m, known, rank, part, 0)
}

// madeWith makes rows have more entries of the columns they like, by so much.
func madeWith(t testing.TB, seed uint64, n, m, known, rank int, part, liking float64) *world {
	t.Helper()
	w := &world{n: n, m: m, known: known, rank: rank, noise: 0.25}
	rng := random.New(seed)
	for range m {
		w.design = append(w.design, 1)
		for range known - 1 {
			w.design = append(w.design, rng.Normal())
		}
	}
	for range n {
		for x := range known + rank {
			v := 0.5 * rng.Normal()
			if x >= known {
				v *= 0.8
			}
			if x == 1 {
				v += 0.3 // the population likes the first feature
			}
			w.theta = append(w.theta, v)
		}
	}
	for range m {
		w.phi = append(w.phi, 0.3*rng.Normal())
		for range rank {
			w.phi = append(w.phi, rng.Normal())
		}
	}
	var train, held []data.Entry
	for i := range n {
		for j := range m {
			draw := rng.Float64()
			v := data.Entry{Row: int32(i), Column: int32(j), Value: w.mean(i, j) + math.Sqrt(w.noise)*rng.Normal()}
			part := part
			if like := 2 * w.theta[i*(known+rank)+1] * w.design[j*known+1]; liking > 0 {
				part *= math.Exp(liking*like) / (1 + math.Exp(liking*like))
			}
			switch {
			case draw < part:
				train = append(train, v)
			case draw < 1.3*part:
				held = append(held, v)
			}
		}
	}
	var err error
	if w.train, err = data.NewMatrix(n, m, train); err != nil {
		t.Fatal(err)
	}
	if w.held, err = data.NewMatrix(n, m, held); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) mean(i, j int) float64 {
	d := w.known + w.rank
	theta, phi := w.theta[i*d:][:d], w.phi[j*(1+w.rank):][:1+w.rank]
	return truthMean + phi[0] + dense.Dot(w.design[j*w.known:][:w.known], theta) + dense.Dot(phi[1:], theta[w.known:])
}

func (w *world) problem() Problem {
	return Problem{Values: w.train, Mean: truthMean, Design: w.design, Known: w.known, Levels: true, Implicit: w.implicit}
}

func (w *world) start() Start {
	s := Start{Mean: make([]float64, w.known), Spread: make([]float64, w.known*w.known), Noise: 1}
	for x := range w.known {
		s.Spread[x*w.known+x] = 0.1
	}
	return s
}

func learn(t testing.TB, w *world, s Settings) *Fit {
	t.Helper()
	s.Start = w.start()
	f := must.Get(Learn(context.Background(), w.problem(), s))(t)
	return f
}

func TestBoundRisesInEveryPartOfAStep(t *testing.T) {
	for _, rank := range []int{0, 3} {
		for _, levels := range []bool{true, false} {
			w := made(t, 3, 150, 40, 4, 2, 0.4)
			w.implicit = rank == 0 == levels
			if rank > 0 != levels {
				w.weigh(t, 1, func(unit float64) float64 { return math.Pow(10, 2*unit-1) })
			}
			p := w.problem()
			p.Levels = levels
			last, before := math.Inf(-1), -1
			steps := 0
			_, err := Learn(context.Background(), p, Settings{Rank: rank, Steps: 25, Tolerance: 1e-12, Start: w.start(), OnStep: func(s Step) {
				if s.Rank != before { // traits were added or dropped: another model
					last, before = math.Inf(-1), s.Rank
				}
				steps++
				for x, b := range s.Bounds {
					if !(b >= last-1e-9*math.Abs(last)) {
						t.Errorf("rank %d, levels %v, step %d: the bound falls by %g in part %d", rank, levels, s.Number, last-b, x)
					}
					last = b
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if steps < 5 {
				t.Errorf("only %d steps", steps)
			}
		}
	}
}

func TestParametersOfGeneratedDataAreRecovered(t *testing.T) {
	w := made(t, 5, 800, 150, 4, 2, 0.3)
	f := learn(t, w, Settings{Rank: 4, Threads: 2})
	if f.Rank != 2 {
		t.Errorf("rank %d of data of rank 2", f.Rank)
	}
	if math.Abs(f.Noise/w.noise-1) > 0.05 {
		t.Errorf("noise %v, made with %v", f.Noise, w.noise)
	}
	if math.Abs(f.Prior[1]-0.3) > 0.1 {
		t.Errorf("the population's coefficient is %v, made with 0.3", f.Prior[1])
	}
	d := f.size()
	for x := range w.known {
		if v := f.Spread[x*d+x]; x > 0 && math.Abs(v-0.25) > 0.06 {
			t.Errorf("coefficient %d has variance %v, made with 0.25", x, v)
		}
	}
	for x := range f.Rank {
		if v := f.Spread[(w.known+x)*d+w.known+x]; math.Abs(v-0.16) > 0.06 {
			t.Errorf("trait %d carries %v, made with 0.16", x, v)
		}
	}
	// The error against the values without noise is near what is possible.
	if rmse := rmse(t, w, f); rmse > 0.35 {
		t.Errorf("RMSE %v against the values without noise", rmse)
	}
}

// rmse is the error on held-out entries against the values without noise.
func rmse(t testing.TB, w *world, f *Fit) float64 {
	t.Helper()
	u := NewPredictor(f)
	sum, count := 0.0, 0.0
	for i := range w.n {
		at, values := w.train.Row(i)
		u.Row(at, values, w.train.RowWeights(i))
		held, _ := w.held.Row(i)
		for _, j := range held {
			mean, _ := u.Column(int(j))
			sum += (mean - w.mean(i, int(j))) * (mean - w.mean(i, int(j)))
			count++
		}
	}
	return math.Sqrt(sum / count)
}

func TestIntervalsCover(t *testing.T) {
	w := made(t, 7, 600, 120, 4, 2, 0.25)
	f := learn(t, w, Settings{Rank: 3, Threads: 2})
	u := NewPredictor(f)
	for _, z := range []struct{ z, part float64 }{{0.6745, 0.5}, {1.2816, 0.8}, {1.96, 0.95}} {
		within, count := 0.0, 0.0
		for i := range w.n {
			at, values := w.train.Row(i)
			u.Row(at, values, w.train.RowWeights(i))
			held, truth := w.held.Row(i)
			for e, j := range held {
				mean, variance := u.Column(int(j))
				if math.Abs(truth[e]-mean) <= z.z*math.Sqrt(variance+f.Noise) {
					within++
				}
				count++
			}
		}
		if got := within / count; math.Abs(got-z.part) > 0.03 {
			t.Errorf("%.0f %% intervals cover %.1f %%", 100*z.part, 100*got)
		}
	}
	// A row of which nothing is known, and a column: wider, and with the prior's variance.
	u.Row(nil, nil, nil)
	mean, variance := u.Column(-1)
	if !(variance > 0.3) || math.IsNaN(mean) {
		t.Errorf("nothing is known, yet the variance is %v around %v", variance, mean)
	}
}

// Which columns a row has entries of tells what it likes, if it chose them; if not,
// implicit have next to no weight and do no harm.
func TestImplicitFeedbackTellsOfRows(t *testing.T) {
	for _, liking := range []float64{0, 5} {
		w := madeWith(t, 17, 500, 120, 4, 0, 0.12, liking)
		without := rmse(t, w, learn(t, w, Settings{Threads: 2}))
		w.implicit = true
		with := rmse(t, w, learn(t, w, Settings{Threads: 2}))
		if liking > 0 && with > 0.98*without || with > 1.01*without {
			t.Errorf("liking %v: RMSE %v with implicit, %v without", liking, with, without)
		}
	}
}

func TestTraitsAreOrthogonalToTheDesign(t *testing.T) {
	w := made(t, 9, 300, 60, 4, 2, 0.4)
	f := learn(t, w, Settings{Rank: 2})
	own := f.own()
	for x := range own {
		for z := range w.known {
			sum, size := 0.0, 0.0
			for j := range w.m {
				sum += f.Columns[j*own+x] * w.design[j*w.known+z]
				size += math.Abs(f.Columns[j*own+x] * w.design[j*w.known+z])
			}
			if math.Abs(sum) > 1e-6*size {
				t.Errorf("part %d of the columns has a product of %g with feature %d", x, sum/size, z)
			}
		}
	}
}

func TestThreadsGiveTheSameBits(t *testing.T) {
	w := made(t, 11, 400, 50, 3, 2, 0.3)
	one, four := learn(t, w, Settings{Rank: 2, Threads: 1, Steps: 12}), learn(t, w, Settings{Rank: 2, Threads: 4, Steps: 12})
	if !slices.Equal(one.Columns, four.Columns) || !slices.Equal(one.Spread, four.Spread) || one.Noise != four.Noise || one.Bound != four.Bound {
		t.Error("the number of threads changes the result")
	}
}

// By workers that know nothing but what is sent to them, on entries that are not in
// memory: the same bits.
func TestStepsCanBeSent(t *testing.T) {
	w := made(t, 11, 200, 40, 3, 1, 0.3)
	w.implicit = true
	apart := pass.NewApart(3)
	here := learn(t, w, Settings{Rank: 2, Threads: 2, Steps: 9})
	p := w.problem()
	p.Values = struct{ data.Source }{w.train}
	ctx := pass.WithRunner(context.Background(), apart)
	there := must.Get(Learn(ctx, p, Settings{Rank: 2, Threads: 2, Steps: 9, Start: w.start()}))(t)
	if diff := cmp.Diff(here, there); diff != "" {
		t.Error(diff)
	}
	rows := func(ctx context.Context) (out []float64) {
		must.Do(t, here.Rows(ctx, p.Values, 2, func(_ int, theta []float64) { out = append(out, theta...) }))
		return out
	}
	if !slices.Equal(rows(context.Background()), rows(ctx)) {
		t.Error("the rows differ")
	}
}

func TestNoiseHasNoTraits(t *testing.T) {
	w := made(t, 13, 300, 60, 3, 0, 0.3)
	if f := learn(t, w, Settings{Rank: 4, Threads: 2}); f.Rank != 0 {
		t.Errorf("rank %d where nothing is left", f.Rank)
	}
}

func TestRowsAreThoseOfThePredictor(t *testing.T) {
	w := made(t, 15, 90, 30, 3, 1, 0.3)
	w.implicit = true
	f := learn(t, w, Settings{Rank: 1, Threads: 2, Steps: 10})
	d := f.size()
	theta := make([]float64, w.n*d)
	must.Do(t, f.Rows(context.Background(), w.train, 2, func(i int, t []float64) { copy(theta[i*d:], t) }))
	u := NewPredictor(f)
	for i := range w.n {
		at, values := w.train.Row(i)
		for x, v := range u.Row(at, values, nil) {
			if math.Abs(v-theta[i*d+x]) > 1e-9 {
				t.Fatalf("row %d: %v by itself, %v among others", i, v, theta[i*d+x])
			}
		}
	}
}

// Without entries, with one, with columns that have none: all stays finite.
func TestLittleDataIsFinite(t *testing.T) {
	for _, entries := range [][]data.Entry{nil, {{Row: 0, Column: 1, Value: 4}}, {{Row: 0, Column: 1, Value: 4}, {Row: 0, Column: 0, Value: 4}, {Row: 2, Column: 1, Value: 4}}} {
		m := must.Get(data.NewMatrix(3, 3, entries))(t)
		f := must.Get(Learn(context.Background(), Problem{Values: m, Mean: 4, Design: []float64{1, 0, 1, 1, 1, 1}, Known: 2, Levels: true},
			Settings{Rank: 2, Start: Start{Mean: make([]float64, 2), Spread: []float64{1, 0, 0, 1}, Noise: 1}}))(t)
		for _, list := range [][]float64{f.Columns, f.Error, f.Spread, f.Prior, {f.Noise}} {
			for _, v := range list {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%d entries: %v", len(entries), v)
				}
			}
		}
	}
}

// TestShortRowsAreSolvedAlike: in the space of their entries or in that of the
// parameters, rows give the same sums.
func TestShortRowsAreSolvedAlike(t *testing.T) {
	for _, levels := range []bool{false, true} {
		for _, implicit := range []bool{false, true} {
			w := made(t, 5, 1500, 60, 25, 2, 0.22)
			if levels != implicit {
				w.weigh(t, 1, func(unit float64) float64 { return 0.7 + 0.6*unit })
			}
			problem := w.problem()
			problem.Levels, problem.Implicit = levels, implicit
			fit := must.Get(Learn(t.Context(), problem, Settings{Rank: 2, Steps: 10, Start: w.start()}))(t)
			with := of(fit, pass.Share(problem.Design))
			if !with.ready.hasFew(10) || with.ready.hasFew(25) || fit.Rank == 0 {
				t.Fatalf("no rows with few entries, or no traits (rank %d)", fit.Rank)
			}
			short := must.Get(pass.One[*Sums](t.Context(), problem.Values, 1, stepping{with}))(t)
			with.ready.manyOnly = true
			long := must.Get(pass.One[*Sums](t.Context(), problem.Values, 1, stepping{with}))(t)
			for name, both := range map[string][2][]float64{
				"mean": {short.Mean, long.Mean}, "second": {short.Second, long.Second}, "columns": {short.Columns, long.Columns},
				"cross": {short.Cross, long.Cross}, "rest": {{short.Logs, short.Square, short.Explained}, {long.Logs, long.Square, long.Explained}},
			} {
				for x, v := range both[0] {
					if want := both[1][x]; math.Abs(v-want) > 1e-8*(1+math.Abs(want)) {
						t.Fatalf("%s, number %d: %v, want %v", name, x, v, want)
					}
				}
			}
		}
	}
}
