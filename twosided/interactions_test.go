package twosided

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/encode"
	"optcomplete/evaluate"
	"optcomplete/internal/dense"
	"optcomplete/internal/must"
	"optcomplete/loss"
	"optcomplete/result"
	"optcomplete/selection"
	"optcomplete/spec"
)

// cells makes a problem of generated cells and drugs.
func cells(t testing.TB, c synth.Config) (Problem, *synth.Cells) {
	t.Helper()
	in := must.Get(synth.NewCells(c, 0))(t)
	p := Problem{Ratings: must.Get(in.Ratings())(t)}
	learn := func(table *data.RawTable) (*encode.Encoding, *data.Features) {
		e, f, _, err := encode.Learn(context.Background(), table, encode.Options{Scale: encode.AsIs})
		must.Do(t, err)
		return e, f
	}
	p.RowEncoding, p.Rows = learn(in.CellTable)
	p.ColumnEncoding, p.Columns = learn(in.DrugTable)
	return p, in
}

// rSquared is 1 − the mean squared error over the variance of the noise-free values, of
// missing entries.
func rSquared(in *synth.Cells, predict func(e *synth.TestEntry) float64) float64 {
	mean, square, off := 0.0, 0.0, 0.0
	for i := range in.Missing {
		mean += in.Missing[i].Value / float64(len(in.Missing))
	}
	for i := range in.Missing {
		e := &in.Missing[i]
		r, v := e.Value-predict(e), e.Value-mean
		off, square = off+r*r, square+v*v
	}
	return 1 - off/square
}

// TestInteractionsAreFound: strong effects, a mutation of 90 % of the cells, raw units.
// All true products are found, none else, and predictions of missing entries are as
// good as the true model's within 1 %.
func TestInteractionsAreFound(t *testing.T) {
	for _, c := range []synth.Config{
		{Rows: 300, Columns: 120, K: 6, Missing: 0.5, Noise: 1, Seed: 1},
		{Rows: 200, Columns: 150, K: 8, Missing: 0.8, Noise: 0.8, Seed: 2},
	} {
		problem, in := cells(t, c)
		m := must.Get(Fit(context.Background(), problem, Settings{K: c.K, Statistics: spec.Statistics{Holdout: 0.1}}))(t)
		want := []string{}
		for _, p := range in.True {
			want = append(want, p.Name())
		}
		got := slices.Clone(m.Summary.Selected)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: selected %v, the truth is %v", c.Seed, got, want)
		}
		best := rSquared(in, func(e *synth.TestEntry) float64 { return e.NoiseFree })
		own := rSquared(in, func(e *synth.TestEntry) float64 {
			return must.Get(m.Predict(in.CellTable.IDs[e.Row], in.DrugTable.IDs[e.Column]))(t)
		})
		t.Logf("seed %d: R² %.4f, of the truth %.4f; gap %v, γ %v, noise %v; %v", c.Seed, own, best, m.Summary.Gap, m.Summary.Gamma, m.Summary.Learned.Noise, m.Summary.Against)
		if own < best-0.01 {
			t.Errorf("seed %d: R² %.4f, of the truth %.4f", c.Seed, own, best)
		}
		if m.Summary.Status != result.Optimal || m.Summary.Against.RMSE >= m.Summary.Against.Effects {
			t.Errorf("seed %d: %v, %v", c.Seed, m.Summary.Status, *m.Summary.Against)
		}
		for _, p := range m.Summary.Products {
			for _, q := range in.True {
				if q.Row == p.Row && q.Column == p.Column && !(math.Abs(p.Size-q.Coefficient) < 0.05) {
					t.Errorf("%s has the size %.3f, not %.3f", q.Name(), p.Size, q.Coefficient)
				}
			}
		}
	}
}

// TestNewRowsAndColumns: of cells and drugs that no entry was fitted on, effects come from
// their features. With k products the error is at most 1 % above that of a ridge on all
// products and all features of one side, with the strength that is best for those entries.
func TestNewRowsAndColumns(t *testing.T) {
	problem, _ := cells(t, synth.Config{Rows: 300, Columns: 150, K: 6, Missing: 0.5, Noise: 1, Seed: 4})
	settings := Settings{K: 6, HoldoutRows: 0.2, HoldoutColumns: 0.2}
	settings.Seed = 3
	m := must.Get(Fit(context.Background(), problem, settings))(t)
	d := divide(problem.Ratings.Matrix(), settings)
	s := must.Get(align(context.Background(), problem, d.train, false, ShrunkEffects))(t)
	for _, part := range []struct {
		of      string
		entries *data.Matrix
		own     *result.Metrics
	}{{"new rows", d.newRows, m.Summary.HoldoutNew.Rows}, {"new columns", d.newColumns, m.Summary.HoldoutNew.Columns}, {"both new", d.newBoth, m.Summary.HoldoutNew.Both}} {
		if part.own == nil || part.own.Entries != part.entries.Observed() {
			t.Fatalf("%s: %v", part.of, part.own)
		}
		ridge := bestRidge(s, d.train, part.entries)
		alone := must.Get(m.predictEffectsAlone(s, part.entries))(t)
		t.Logf("%s: RMSE %.4f, ridge on all %.4f, effects alone %.4f", part.of, part.own.RMSE, ridge, alone)
		if part.own.RMSE > 1.01*ridge || part.own.RMSE >= alone {
			t.Errorf("%s: RMSE %.4f, ridge on all %.4f, effects alone %.4f", part.of, part.own.RMSE, ridge, alone)
		}
	}
}

// predictEffectsAlone is the error of the model without its products.
func (m *Model) predictEffectsAlone(s *sides, on *data.Matrix) (float64, error) {
	bare := *m
	bare.Summary.Products = nil
	bare.index()
	square := 0.0
	var failed error
	eachEntry(on, func(i int, j int32, a, _ float64) {
		v, err := bare.Predict(s.ids[i], s.columns.IDs[j])
		if err != nil {
			failed = err
		}
		square += (a - v) * (a - v)
	})
	return math.Sqrt(square / float64(on.Observed())), failed
}

// bestRidge is the least error, over its strength, of a ridge on 1, all features of either
// side and all their products.
func bestRidge(s *sides, train, on *data.Matrix) float64 {
	p1, p2 := 1+len(s.rows.Names), 1+len(s.columns.Names)
	p := p1 * p2
	line := make([]float64, p)
	fill := func(i int, j int32) {
		x, b := append([]float64{1}, s.rows.Row(i)...), append([]float64{1}, s.columns.Row(int(j))...)
		for q, v := range x {
			for l, w := range b {
				line[q*p2+l] = v * w
			}
		}
	}
	gram, right := make([]float64, p*p), make([]float64, p)
	eachEntry(train, func(i int, j int32, a, _ float64) {
		fill(i, j)
		for q, v := range line {
			right[q] += v * a
			dense.Axpy(v, line[:q+1], gram[q*p:][:q+1])
		}
	})
	best := math.Inf(1)
	for strength := 0.1; strength < 1e5; strength *= 3 {
		l, u := slices.Clone(gram), slices.Clone(right)
		for q := 1; q < p; q++ {
			l[q*p+q] += strength
		}
		dense.Cholesky(l, p, 0)
		dense.CholeskySolve(l, p, u)
		square := 0.0
		eachEntry(on, func(i int, j int32, a, _ float64) {
			fill(i, j)
			r := a - dense.Dot(line, u)
			square += r * r
		})
		best = min(best, math.Sqrt(square/float64(on.Observed())))
	}
	return best
}

// TestSavedEffectsAreKept: a model with effects is saved and loaded to the same
// predictions, of new columns and rows too, and as a model of a matrix it predicts the same.
func TestSavedEffectsAreKept(t *testing.T) {
	problem, _ := cells(t, synth.Config{Rows: 60, Columns: 40, K: 3, Missing: 0.5, Noise: 1, Seed: 5})
	settings := Settings{K: 3, HoldoutRows: 0.2}
	m := must.Get(Fit(context.Background(), problem, settings))(t)
	dir := t.TempDir() + "/model"
	must.Do(t, m.Save(dir))
	loaded := must.Get(Load(dir))(t)
	matrix := must.Get(loaded.Matrix())(t)
	again := loaded
	rows := data.NewFeatures([]string{"newcomer", m.Rows.IDs[0]}, m.Rows.Names, slices.Concat(m.Rows.Row(0), m.Rows.Row(0)))
	again, at := again.WithRows(rows)
	for i, row := range m.Rows.IDs {
		for j, column := range m.Columns.IDs {
			want := must.Get(m.Predict(row, column))(t)
			if got := must.Get(loaded.Predict(row, column))(t); got != want {
				t.Fatalf("%s, %s: %v when fitted, %v when loaded", row, column, want, got)
			}
			if got := must.Get(matrix.Predict(row, column))(t); math.Abs(got-want) > 1e-9 {
				t.Fatalf("%s, %s: %v, as a matrix %v", row, column, want, got)
			}
			if m.RowWeights[i] == 0 && m.ColumnWeights[j] > 0 {
				l := m.Summary.Learned
				if got := m.Value(m.Rows.Row(i), m.Columns.Row(j)) - l.Columns.of(m.Columns.Names, m.Columns.Row(j)) + m.ColumnEffects[j]; math.Abs(got-want) > 1e-9 {
					t.Fatalf("a new row %s: %v, from its features %v", row, want, got)
				}
			}
		}
	}
	sum := must.Get(again.Explain("newcomer", m.Columns.IDs[0]))(t)
	total := sum.Mean + sum.RowEffect + sum.ColumnEffect
	for _, p := range sum.Parts {
		total += p.Value
	}
	if sum.RowKnown || math.Abs(total-sum.Prediction) > 1e-9 || again.RowEffects[at[1]] != m.RowEffects[at[1]] {
		t.Errorf("%+v", sum)
	}
}

// TestEqualFeaturesCountAsOne: copies, opposites and other units of a feature are named
// with it and take no place; what is constant is in no product; near copies are named.
func TestEqualFeaturesCountAsOne(t *testing.T) {
	problem, _ := cells(t, synth.Config{Rows: 80, Columns: 60, K: 2, Missing: 0.3, Noise: 0.5, Seed: 6})
	more := &data.Features{IDs: problem.Rows.IDs, Names: append(slices.Clone(problem.Rows.Names), "wild", "braf2", "nearly", "always")}
	braf, age := slices.Index(problem.Rows.Names, "BRAF"), slices.Index(problem.Rows.Names, "age")
	for i := range problem.Rows.IDs {
		x := problem.Rows.Row(i)
		nearly := x[braf]
		if i == 0 {
			nearly += 0.05
		}
		more.Values = append(append(more.Values, x...), 1-x[braf], 3*x[braf]+x[age]*0-2, nearly, 7)
	}
	problem.Rows, problem.RowEncoding = more, nil
	settings := Settings{K: 2}
	settings.Always = []string{"braf2 × pathway=ERK MAPK"} // which is BRAF
	m := must.Get(Fit(context.Background(), problem, settings))(t)
	p := m.Summary.Products[slices.IndexFunc(m.Summary.Products, func(p Product) bool { return p.Row == "BRAF" })]
	if !slices.Equal(p.Equal, []string{"wild × pathway=ERK MAPK", "braf2 × pathway=ERK MAPK"}) {
		t.Errorf("equal to %v: %v", p.Row, p.Equal)
	}
	if len(p.Near) == 0 || p.Near[0].Name != "nearly × pathway=ERK MAPK" {
		t.Errorf("near: %v", p.Near)
	}
	if !slices.Equal(m.Summary.ConstantRowFeatures, []string{"always"}) {
		t.Errorf("constant: %v", m.Summary.ConstantRowFeatures)
	}
	settings.Always, settings.Never = nil, []string{"wild"}
	for _, p := range must.Get(Fit(context.Background(), problem, settings))(t).Summary.Products {
		if p.Row == "BRAF" {
			t.Errorf("%v was never to be selected", p.Row)
		}
	}
	settings.Never, settings.Always = []string{"rows:nearly", "columns:pathway"}, []string{"rows:age × columns:mass"}
	got := must.Get(Fit(context.Background(), problem, settings))(t).Summary
	if !slices.Contains(got.Selected, "age × mass") || slices.ContainsFunc(got.Products, func(p Product) bool { return p.Row == "nearly" || p.Column[0] == 'p' }) {
		t.Errorf("selected %v", got.Selected)
	}
}

// TestWorseThanEffectsIsSaid: where products predict worse than effects alone, that is the
// first warning; where they predict better, there is none.
func TestWorseThanEffectsIsSaid(t *testing.T) {
	problem, _ := cells(t, synth.Config{Rows: 60, Columns: 60, K: 4, Missing: 0.5, Noise: 1, Seed: 7})
	settings := Settings{K: 4, Effects: NoEffects}
	settings.Holdout = 0.2
	m := must.Get(Fit(context.Background(), problem, settings))(t)
	if w := m.Summary.Warnings; len(w) == 0 || w[0] != m.Summary.Against.Warning("fit with effects, so that products explain what those leave") {
		t.Errorf("warnings %v, %v", w, m.Summary.Against)
	}
	settings.Holdout = 0 // the validation of γ tells too
	if m := must.Get(Fit(context.Background(), problem, settings))(t); len(m.Summary.Warnings) == 0 {
		t.Errorf("no warning: %v", m.Summary.Against)
	}
	path := func(effects Effects) string {
		return must.Get(Path(context.Background(), problem, Settings{Effects: effects}, selection.PathSettings{KMax: 2, Folds: 2}))(t).Warning()
	}
	if w, none := path(NoEffects), path(ShrunkEffects); !strings.Contains(w, "every k predicts worse than row and column effects alone") || none != "" {
		t.Errorf("of the paths %q, %q", w, none)
	}
	settings.Effects = ShrunkEffects
	if m := must.Get(Fit(context.Background(), problem, settings))(t); len(m.Summary.Warnings) > 0 {
		t.Errorf("warnings %v", m.Summary.Warnings)
	}
}

// TestReducedIsWhatIsProven: of what effects leave, by scaled features, a fit without
// effects has the same cost, bound and selection.
func TestReducedIsWhatIsProven(t *testing.T) {
	problem, _ := cells(t, synth.Config{Rows: 60, Columns: 40, K: 3, Missing: 0.5, Noise: 1, Seed: 8})
	settings := Settings{K: 3}
	settings.Gamma = 0.02
	with := must.Get(Fit(context.Background(), problem, settings))(t).Summary
	settings.Effects = NoEffects
	alone := must.Get(Fit(context.Background(), must.Get(Reduced(context.Background(), problem))(t), settings))(t).Summary
	if with.Cost != alone.Cost || with.Bound != alone.Bound || !slices.Equal(with.Selected, alone.Selected) {
		t.Errorf("cost %v, %v; bound %v, %v; %v, %v", with.Cost, alone.Cost, with.Bound, alone.Bound, with.Selected, alone.Selected)
	}
}

// TestPathHasEffectsAlone: k = 0 of a path is the effects alone, on every fold, and worse
// than the true products.
func TestPathHasEffectsAlone(t *testing.T) {
	problem, _ := cells(t, synth.Config{Rows: 60, Columns: 40, K: 2, Missing: 0.4, Noise: 1, Seed: 9})
	path := must.Get(Path(context.Background(), problem, Settings{}, selection.PathSettings{KMax: 3, Folds: 3}))(t)
	if path.Without == nil || len(path.Without.Folds) != 3 || !(path.Without.Validation > path.Points[1].Validation) {
		t.Fatalf("alone %+v, path %+v", path.Without, path.Points)
	}
	train, held := evaluate.Fold(problem.Ratings.Matrix(), 0, 3, 0)
	l := learnLevels(train, loss.Scaled{})
	square := 0.0
	eachEntry(held, func(i int, j int32, a, _ float64) {
		r := a - l.Mean - l.Rows[i] - l.Columns[j]
		square += r * r
	})
	if want := math.Sqrt(square / float64(held.Observed())); math.Abs(path.Without.Folds[0]-want) > 1e-4*want {
		t.Errorf("error %v, of effects alone %v", path.Without.Folds[0], want)
	}
}

// TestIntervalsHoldWhatTheySay: of held-out entries, of known and of new rows and columns,
// about 90 % lie in their 90 % intervals, which are wider where less is known.
func TestIntervalsHoldWhatTheySay(t *testing.T) {
	problem, _ := cells(t, synth.Config{Rows: 300, Columns: 150, K: 6, Missing: 0.5, Noise: 1, Seed: 4})
	settings := Settings{K: 6, HoldoutRows: 0.2, HoldoutColumns: 0.2}
	settings.Holdout, settings.Seed = 0.1, 3
	m := must.Get(must.Get(Fit(context.Background(), problem, settings))(t).Matrix())(t)
	sure := must.Get(m.Intervals())(t)
	d := divide(problem.Ratings.Matrix(), settings)
	last := 0.0
	for _, part := range []struct {
		of      string
		entries *data.Matrix
	}{{"known", d.held}, {"new rows", d.newRows}, {"new columns", d.newColumns}, {"both new", d.newBoth}} {
		in, width := 0.0, 0.0
		eachEntry(part.entries, func(i int, j int32, a, _ float64) {
			x := must.Get(sure.Answer(problem.Ratings.RowIDs[i], problem.Ratings.ColumnIDs[j], 0.9))(t)
			width += (x.High - x.Low) / float64(part.entries.Observed())
			if x.Low <= a && a <= x.High {
				in += 1 / float64(part.entries.Observed())
			}
		})
		t.Logf("%s: %.3f in intervals %.3f wide", part.of, in, width)
		if in < 0.8 || in > 0.97 || width <= last {
			t.Errorf("%s: %.3f in intervals %.3f wide", part.of, in, width)
		}
		last = width
	}
}
