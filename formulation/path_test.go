package formulation

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/evaluate"
	"optcomplete/internal/must"
	"optcomplete/selection"
	"optcomplete/spec"
)

func pathOf(t *testing.T, problem Problem, settings Settings, path selection.PathSettings) *selection.PathResult {
	t.Helper()
	r := must.Get(Path(context.Background(), problem, settings, path))(t)
	return r
}

// TestPathEqualsSeparateFits: shared cuts change nothing of what is proven.
func TestPathEqualsSeparateFits(t *testing.T) {
	problem, _ := instance(t, small)
	for _, kind := range []spec.Kind{spec.Full, spec.Pooled, spec.Paper} {
		settings := meant(Settings{Model: kind, Statistics: spec.Statistics{Gamma: 0.05, Gamma0: 0.4, ColumnShrinkage: 2}, Choice: spec.Choice{Always: problem.Features.Names[3:4]}})
		r := pathOf(t, problem, settings, selection.PathSettings{KMax: 6, Folds: 2})
		if len(r.Points) != 6 || r.Folds != 2 || r.Interrupted {
			t.Fatalf("%v: %d points, %d folds", kind, len(r.Points), r.Folds)
		}
		var before []string
		for i, p := range r.Points {
			settings.K = i + 1
			s := fit(t, problem, settings).Summary
			if p.K != settings.K || !slices.Equal(p.Selected, s.Selected) || math.Abs(p.Cost/s.Cost-1) > 1e-9 || p.Status != "optimal" {
				t.Errorf("%v, k=%d: path %v at %v (%s), fit %v at %v", kind, settings.K, p.Selected, p.Cost, p.Status, s.Selected, s.Cost)
			}
			if math.Abs(p.Train/s.Train.RMSE-1) > 1e-9 {
				t.Errorf("%v, k=%d: training error %v, fit %v", kind, settings.K, p.Train, s.Train.RMSE)
			}
			if len(p.Entering)-len(p.Leaving) != p.K-len(before) {
				t.Errorf("%v, k=%d: %v enter and %v leave %v", kind, p.K, p.Entering, p.Leaving, before)
			}
			before = p.Selected
		}
	}
}

// TestPathIsNoWorseThanFitAtTheSameLimit: with searches that end at their root, no k
// of a path costs more than a fit of it.
func TestPathIsNoWorseThanFitAtTheSameLimit(t *testing.T) {
	problem, _ := instance(t, synth.Config{Rows: 60, Columns: 40, Features: 24, K: 6, Missing: 0.6, Noise: 1, Seed: 5})
	settings := meant(Settings{Model: spec.Paper, Statistics: spec.Statistics{Gamma: 1}, Limits: spec.Limits{MaxNodes: 1}})
	open := 0
	for _, p := range pathOf(t, problem, settings, selection.PathSettings{KMax: 8, Folds: 2}).Points {
		settings.K = p.K
		s := fit(t, problem, settings).Summary
		if p.Cost > s.Cost*(1+1e-9) {
			t.Errorf("k = %d costs %v on the path, %v alone", p.K, p.Cost, s.Cost)
		}
		if p.Status != "optimal" {
			open++
		}
	}
	if open == 0 {
		t.Error("every k was proven at its root: the limit does not matter here")
	}
}

// changed adds to the values of the entries that held has.
func changed(t *testing.T, m, held *data.Matrix) *data.Matrix {
	t.Helper()
	n, _ := m.Dims()
	marked := 0
	out := m.Map(func(i int, c int32, v float64) float64 {
		at, _ := held.Row(i)
		if _, is := slices.BinarySearch(at, c); is {
			marked++
			return v + 100*float64(1+(i+int(c))%3)
		}
		return v
	})
	if marked != held.Observed() || marked == 0 || n == 0 {
		t.Fatalf("%d of %d held-out entries changed", marked, held.Observed())
	}
	return out
}

// TestFoldsNeverSeeHeldOutEntries changes the entries that a fold holds out and
// wants the same choices and selections of that fold, γ chosen by validation.
func TestFoldsNeverSeeHeldOutEntries(t *testing.T) {
	problem, _ := instance(t, small)
	settings := Settings{K: 5, Statistics: spec.Statistics{Seed: 9}}
	path := must.Get(newFormulation(context.Background(), problem, &settings))(t)
	m := problem.Ratings.Matrix()
	for f := range 3 {
		train, held := evaluate.Fold(m, f, 3, settings.Seed)
		want, c, err := selection.Decide[data.Source](context.Background(), path, train, settings.K)
		if err != nil {
			t.Fatal(err)
		}
		other, _ := evaluate.Fold(changed(t, m, held), f, 3, settings.Seed)
		got, same, err := selection.Decide[data.Source](context.Background(), path, other, settings.K)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got) + cmp.Diff(c, same); d != "" {
			t.Errorf("fold %d: %s", f, d)
		}
		if c.Units == nil || len(want) < 5 {
			t.Errorf("fold %d chose %+v, %v", f, c, want)
		}
	}
}

func TestEveryEntryIsHeldOutInOneFold(t *testing.T) {
	problem, _ := instance(t, small)
	m := problem.Ratings.Matrix()
	sum := 0
	for f := range 4 {
		train, held := evaluate.Fold(m, f, 4, 2)
		if train.Observed()+held.Observed() != m.Observed() {
			t.Errorf("fold %d: %d and %d of %d entries", f, train.Observed(), held.Observed(), m.Observed())
		}
		sum += held.Observed()
	}
	if sum != m.Observed() {
		t.Errorf("%d entries are held out, of %d", sum, m.Observed())
	}
}

// TestBootstrapIsDeterministic for a seed, whatever the threads, and finds the
// features that made the data.
func TestBootstrapIsDeterministic(t *testing.T) {
	problem, made := instance(t, small)
	path := selection.PathSettings{KMax: 5, Folds: 2, Bootstrap: 8, K: 4}
	settings := Settings{Statistics: spec.Statistics{Gamma: 0.05, ColumnShrinkage: 2}, Limits: spec.Limits{Threads: 1}}
	want := pathOf(t, problem, settings, path)
	settings.Threads = 3
	again := pathOf(t, problem, settings, path)
	if want.Readings["survey"] != 1 || again.Readings["survey"] != 0 {
		t.Errorf("surveys: %v, then %v; want one, which the data remember", want.Readings, again.Readings)
	}
	want.Readings, again.Readings = nil, nil
	if d := cmp.Diff(want, again); d != "" {
		t.Errorf("again, with three threads: %s", d)
	}
	s := want.Stability
	total := 0
	for _, f := range s.Features {
		total += f.Times
	}
	if s.Resamples != 8 || total != 8*4 || len(s.Features) < 4 || s.Features[0].Times != 8 {
		t.Fatalf("%+v", s)
	}
	for _, f := range s.Features[:3] {
		if !slices.Contains(made.SelectedNames(), f.Feature) {
			t.Errorf("%+v is not true: %v", f, made.SelectedNames())
		}
	}
	drawn := func(number int) *data.Matrix {
		m := must.Get((&formulation{Settings: &Settings{Statistics: spec.Statistics{Seed: 1}}}).Resample(problem.Ratings.Matrix(), number))(t)
		return m.(*data.Matrix)
	}
	one, two := drawn(0), drawn(1)
	if n, _ := one.Dims(); n != small.Rows || cmp.Equal(rowSums(one), rowSums(two)) {
		t.Errorf("%d rows; or two resamples are the same", n)
	}
}

func rowSums(m *data.Matrix) []float64 {
	n, _ := m.Dims()
	out := make([]float64, n)
	for i := range n {
		_, values := m.Row(i)
		for _, v := range values {
			out[i] += v
		}
	}
	return out
}

func TestPathRefusals(t *testing.T) {
	problem, _ := instance(t, small)
	for _, path := range []selection.PathSettings{{KMax: 0}, {KMax: 21}, {KMax: 3, Folds: 1}, {KMax: 3, Repeats: 1}, {KMax: 3, K: 4}, {KMax: 3, Bootstrap: -1}} {
		var bad *spec.Error
		if _, err := Path(context.Background(), problem, Settings{}, path); !errors.As(err, &bad) {
			t.Errorf("%+v: %v", path, err)
		}
	}
}

// TestInterruptedPathKeepsWhatIsDone: one k is always there.
func TestInterruptedPathKeepsWhatIsDone(t *testing.T) {
	problem, _ := instance(t, small)
	ctx, cancel := context.WithCancel(context.Background())
	settings := Settings{Statistics: spec.Statistics{Gamma: 0.05, ColumnShrinkage: 2}}
	r, err := Path(ctx, problem, settings, selection.PathSettings{KMax: 4, Folds: 3, Bootstrap: 3, OnFold: func(done, of int, _ []selection.PathPoint) {
		if done == 2 {
			cancel()
		}
	}})
	if err != nil || !r.Interrupted || r.Folds != 2 || len(r.Points) != 4 || r.Chosen == 0 || r.Stability != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestPathHasNoFeaturesToo: k = 0 of the paper's model predicts 0, so that its errors are
// the values themselves, in every fold of those held out; a path that ends at its least
// error says so.
func TestPathHasNoFeaturesToo(t *testing.T) {
	problem, _ := instance(t, small)
	r := must.Get(Path(context.Background(), problem, Settings{Model: spec.Paper, Statistics: spec.Statistics{Gamma: 5}}, selection.PathSettings{KMax: 2, Folds: 3}))(t)
	matrix := problem.Ratings.Matrix()
	squares, entries := 0.0, 0
	n, _ := matrix.Dims()
	for i := range n {
		_, values := matrix.Row(i)
		for _, v := range values {
			squares, entries = squares+v*v, entries+1
		}
	}
	if want := math.Sqrt(squares / float64(entries)); r.Without == nil || math.Abs(r.Without.Train-want) > 1e-9*want || len(r.Without.Folds) != 3 || !(r.Without.Validation > 0 && r.Without.Error > 0) {
		t.Errorf("k = 0: %+v, want a training error of %v", r.Without, want)
	}
	if r.Best != 2 || !r.AtEnd(10) || r.AtEnd(2) || r.Needless() {
		t.Errorf("best k = %d; at the end of 10 features %v, of 2 %v; needless %v", r.Best, r.AtEnd(10), r.AtEnd(2), r.Needless())
	}
	r.Without.Validation = r.Points[1].Validation + r.Points[1].Error/2
	if !r.Needless() {
		t.Error("features that predict no better than none within a standard error are not called needless")
	}
}

// TestPathTakesAFewFits: the evaluations that folds and resamples may make do not grow
// with how hard a proof is: 320 for a fold and 20 for a resample, apart from a few that
// end a search.
func TestPathTakesAFewFits(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 150, Columns: 40, Features: 30, K: 6, Missing: 0.5, Noise: 3, Seed: 2}))(t)
	r := must.Get(Path(context.Background(), Problem{Ratings: in.Ratings, Features: in.Features}, Settings{Model: spec.Paper, Statistics: spec.Statistics{Gamma: 3}, Limits: spec.Limits{MaxNodes: 1}}, selection.PathSettings{KMax: 20, Folds: 2, Bootstrap: 6, K: 10}))(t)
	folds, resamples := 0, 0
	for name, n := range r.Readings {
		if strings.HasPrefix(name, "folds: evaluation") {
			folds += n
		}
		if strings.HasPrefix(name, "resamples: evaluation") {
			resamples += n
		}
	}
	if most := 2 * 25 * 20; folds > most || folds == 0 {
		t.Errorf("the folds took %d evaluations, at most %d are due", folds, most)
	}
	if most := 6 * 25; resamples > most || resamples == 0 {
		t.Errorf("the resamples took %d evaluations, at most %d are due", resamples, most)
	}
	t.Log(folds, resamples)
}
