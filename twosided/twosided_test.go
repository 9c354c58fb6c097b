package twosided

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/sourcetest"
	_ "optcomplete/internal/steadyseed"
	"optcomplete/internal/testkit"
	"optcomplete/model"
	"optcomplete/model/store"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// draw makes a small problem; the row table has rows without entries too, and
// is in another order than the ratings.
func draw(t *rapid.T, maxRow, maxColumn int) Problem {
	n := rapid.IntRange(1, 12).Draw(t, "n")
	m := rapid.IntRange(1, 8).Draw(t, "m")
	p1 := rapid.IntRange(1, maxRow).Draw(t, "p1")
	p2 := rapid.IntRange(1, maxColumn).Draw(t, "p2")
	noise := rapid.SampledFrom([]float64{0, 0.1, 2}).Draw(t, "noise")
	return make2(random.New(rapid.Uint64().Draw(t, "seed")), n, m, p1, p2, noise, 0.7)
}

func make2(rng *random.Stream, n, m, p1, p2 int, noise, density float64) Problem {
	table := func(rows, features int, id, name string) *data.Features {
		f := data.NewFeatures(nil, nil, nil)
		for i := range rows {
			f.IDs = append(f.IDs, fmt.Sprintf("%s%d", id, i))
			for range features {
				f.Values = append(f.Values, rng.Normal())
			}
		}
		for j := range features {
			f.Names = append(f.Names, fmt.Sprintf("%s%d", name, j))
		}
		return f
	}
	rows, columns := table(n+2, p1, "r", "x"), table(m, p2, "c", "b")
	var entries []data.Entry
	for i := range n {
		for j := range m {
			if rng.Float64() >= density && i+j > 0 {
				continue
			}
			// Row i of the matrix is the last but i of the table.
			x, b := rows.Row(n+1-i), columns.Row(j)
			value := 1 + 2*x[0]*b[0] + x[p1-1] - b[p2-1] + noise*rng.Normal()
			entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: value})
		}
	}
	matrix, err := data.NewMatrix(n, m, entries)
	if err != nil {
		panic(err)
	}
	ids := make([]string, n)
	for i := range ids {
		ids[i] = rows.IDs[n+1-i]
	}
	return Problem{Ratings: data.NewRatings(matrix, ids, columns.IDs), Columns: columns, Rows: rows}
}

// paperCost is the paper's two-sided objective with L given by its entries.
func paperCost(problem Problem, products []Product, gamma float64) float64 {
	n, m := problem.Ratings.Dims()
	feature := func(f *data.Features, id, name string) float64 {
		if name == Constant {
			return 1
		}
		return f.Row(slices.Index(f.IDs, id))[slices.Index(f.Names, name)]
	}
	sum := 0.0
	for _, p := range products {
		sum += p.Coefficient * p.Coefficient / gamma
	}
	for i := range n {
		columns, values := problem.Ratings.Matrix().Row(i)
		for e, c := range columns {
			r := values[e]
			for _, p := range products {
				r -= p.Coefficient * feature(problem.Rows, problem.Ratings.RowIDs[i], p.Row) * feature(problem.Columns, problem.Columns.IDs[c], p.Column)
			}
			sum += r * r
		}
	}
	return sum / float64(n*m)
}

// TestFitEqualsBruteForce compares with every selection of up to 16 products
// that keeps the heredity, each fitted alone; the cost is the paper's.
func TestFitEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		problem := draw(t, 3, 3)
		constants := rapid.Bool().Draw(t, "constants")
		settings := Settings{Effects: NoEffects, Constants: constants, Statistics: spec.Statistics{Refit: spec.Ridge, Gamma: math.Pow(10, rapid.Float64Range(-2, 3).Draw(t, "log10 gamma"))}, Limits: spec.Limits{Threads: 1}}
		if constants {
			settings.Heredity = rapid.SampledFrom([]Heredity{NoHeredity, StrongHeredity, WeakHeredity}).Draw(t, "heredity")
		}
		s := must.Get(align(context.Background(), problem, problem.Ratings.Matrix(), constants, NoEffects))(t)
		p := len(s.known.Names) * len(s.columns.Names)
		settings.K = rapid.IntRange(1, min(4, p)).Draw(t, "k")
		fitted := must.Get(Fit(context.Background(), problem, settings))(t)
		summary := fitted.Summary
		if own := paperCost(problem, summary.Products, settings.Gamma); math.Abs(own-summary.Cost) > 1e-12*own+1e-300 {
			t.Fatalf("cost %v, the paper's objective is %v", summary.Cost, own)
		}
		want := math.Inf(1)
		testkit.Selections(p, settings.K, nil, nil, func(selection []int) {
			if !inherits(s, selection, settings.Heredity) {
				return
			}
			alone := settings
			alone.Heredity, alone.Always = NoHeredity, s.names(selection)
			one := must.Get(Fit(context.Background(), problem, alone))(t)
			want = min(want, one.Summary.Cost)
		})
		if summary.Cost > want*(1+1e-9)+1e-9 || summary.Bound > want*(1+1e-12) {
			t.Fatalf("cost %v, bound %v, optimum %v", summary.Cost, summary.Bound, want)
		}
		for _, tie := range append(summary.NearTies, result.NearTie{Selected: summary.Selected}) {
			at, err := s.indices(tie.Selected, "test")
			if err != nil || !inherits(s, at, settings.Heredity) {
				t.Fatalf("%v does not keep %v heredity (%v)", tie.Selected, settings.Heredity, err)
			}
		}
	})
}

// TestLeastSquaresRefitFitsBetter compares the two refits: least squares leaves
// no larger residual than any other coefficients, and the cost stays the same.
func TestLeastSquaresRefitFitsBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		problem := draw(t, 3, 3)
		settings := Settings{
			Effects: NoEffects, K: rapid.IntRange(1, 4).Draw(t, "k"),
			Constants:  true,
			Statistics: spec.Statistics{Gamma: math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log10 gamma"))},
		}
		squares := must.Get(Fit(context.Background(), problem, settings))(t)
		settings.Refit = spec.Ridge
		ridge := must.Get(Fit(context.Background(), problem, settings))(t)
		a, b := squares.Summary, ridge.Summary
		if a.Cost != b.Cost || a.Train.RMSE > b.Train.RMSE*(1+1e-9)+1e-9 {
			t.Fatalf("least squares: cost %v, RMSE %v; ridge: %v, %v", a.Cost, a.Train.RMSE, b.Cost, b.Train.RMSE)
		}
		// At a minimum of the squares no small change helps.
		for i := range a.Products {
			for _, by := range []float64{1.001, 0.999} {
				moved := slices.Clone(a.Products)
				moved[i].Coefficient *= by
				if paperCost(problem, moved, math.Inf(1)) < paperCost(problem, a.Products, math.Inf(1))*(1-1e-9)-1e-12 {
					t.Fatalf("product %d: better at %v of its coefficient", i, by)
				}
			}
		}
	})
}

// inherits is the heredity by the book.
func inherits(s *sides, selection []int, h Heredity) bool {
	if h == NoHeredity {
		return true
	}
	names := s.names(selection)
	p2 := len(s.columns.Names)
	for _, j := range selection {
		row, column := s.known.Names[j/p2], s.columns.Names[j%p2]
		if row == Constant || column == Constant {
			continue
		}
		a, b := slices.Contains(names, row+" × 1"), slices.Contains(names, "1 × "+column)
		if h == StrongHeredity && !(a && b) || h == WeakHeredity && !a && !b {
			return false
		}
	}
	return true
}

// TestSavedModelPredictsTheSame saves, loads and predicts for every pair whose
// features are known, also rows without entries.
func TestSavedModelPredictsTheSame(t *testing.T) {
	problem := make2(random.New(4), 30, 12, 4, 5, 0.1, 0.6)
	fitted := must.Get(Fit(context.Background(), problem, Settings{Effects: NoEffects, K: 5, Constants: true, Statistics: spec.Statistics{Holdout: 0.2, Seed: 3}}))(t)
	if fitted.Summary.Gamma <= 0 || len(fitted.Summary.GammaPath) == 0 || fitted.Summary.Holdout.Entries == 0 {
		t.Fatalf("%+v", fitted.Summary)
	}
	dir := filepath.Join(t.TempDir(), "model")
	must.Do(t, fitted.Save(dir))
	if store.KindIn(dir) != Kind || store.KindIn(t.TempDir()) == Kind {
		t.Fatal("a saved two-sided model is not told from another directory")
	}
	loaded := must.Get(Load(dir))(t)
	for _, row := range problem.Rows.IDs {
		for _, column := range problem.Columns.IDs {
			a := must.Get(fitted.Predict(row, column))(t)
			if b, err := loaded.Predict(row, column); err != nil || a != b {
				t.Fatalf("%s, %s: %v before, %v after (%v)", row, column, a, b, err)
			}
		}
	}
	var unknown *model.UnknownRowError
	if _, err := loaded.Predict("nobody", "c0"); !errors.As(err, &unknown) {
		t.Fatalf("got %v", err)
	}
}

// TestBadProblemsAreNamed wants a spec.Error that says what is wrong.
func TestBadProblemsAreNamed(t *testing.T) {
	for _, bad := range []struct {
		name  string
		spoil func(*Problem, *Settings)
		says  string
	}{
		{"row without features", func(p *Problem, _ *Settings) { p.Ratings.RowIDs[0] = "nobody" }, `no row features, such as "nobody"`},
		{"name of both", func(p *Problem, s *Settings) { p.Rows.Names[0], s.Never = "b1", []string{"b1"} }, "write rows:b1 or columns:b1"},
		{"effects and constants", func(_ *Problem, s *Settings) { s.Effects, s.Constants = ShrunkEffects, true }, "Settings.Effects none"},
		{"effects and heredity", func(_ *Problem, s *Settings) { s.Effects, s.Heredity = ShrunkEffects, WeakHeredity }, "heredity holds for any selection"},
		{"always a feature", func(_ *Problem, s *Settings) { s.Always = []string{"x0"} }, "name a product"},
		{"no rows to fit on", func(_ *Problem, s *Settings) { s.HoldoutRows = 1 }, "below 1"},
		{"too many products", func(p *Problem, _ *Settings) {
			rows := testkit.Features(len(p.Rows.IDs), 3000, make([]float64, 3000*len(p.Rows.IDs)))
			for j := range rows.Names {
				rows.Names[j] = fmt.Sprintf("row %d", j)
			}
			wide := testkit.Features(len(p.Columns.IDs), 400, make([]float64, 400*len(p.Columns.IDs)))
			rows.IDs, p.Rows, wide.IDs, p.Columns = p.Rows.IDs, rows, p.Columns.IDs, wide
		}, "1200000 products, which would need about 3.0 GB"},
		{"heredity without constants", func(_ *Problem, s *Settings) { s.Heredity = WeakHeredity }, "constant feature on either side"},
		{"no such product", func(_ *Problem, s *Settings) { s.Always = []string{"x0 × nothing"} }, "not a product"},
		{"k too large", func(_ *Problem, s *Settings) { s.K = 100 }, "only 6 products"},
		{"gap", func(_ *Problem, s *Settings) { s.Gap = 2 }, "gap"},
		{"constant taken", func(p *Problem, s *Settings) { s.Constants, p.Rows.Names[1] = true, "1" }, "like the constant"},
		{"heredity beyond k", func(_ *Problem, s *Settings) {
			s.Constants, s.Heredity, s.Always = true, StrongHeredity, []string{"x0 * b0"}
		}, "requir"},
	} {
		problem := make2(random.New(1), 5, 4, 2, 3, 0.1, 1)
		settings := Settings{Effects: NoEffects, K: 2, Statistics: spec.Statistics{Gamma: 1}}
		bad.spoil(&problem, &settings)
		_, err := Fit(context.Background(), problem, settings)
		var wrong *spec.Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s: got %v, want %q", bad.name, err, bad.says)
		}
	}
}

// TestUnknownRowsCanBeLeftOut drops their entries and fits the others.
func TestUnknownRowsCanBeLeftOut(t *testing.T) {
	problem := make2(random.New(1), 5, 4, 2, 3, 0.1, 1)
	problem.Ratings.RowIDs[2] = "nobody"
	if ids, entries := problem.UnknownRows(); len(ids) != 1 || ids[0] != "nobody" || entries != 4 {
		t.Fatalf("%v, %d entries", ids, entries)
	}
	known := must.Get(problem.WithoutUnknownRows(context.Background()))(t)
	fitted, err := Fit(context.Background(), known, Settings{Effects: NoEffects, K: 2, Statistics: spec.Statistics{Gamma: 1}})
	if err != nil || fitted.Summary.Observed != 16 || fitted.Summary.Rows != 4 {
		t.Fatalf("%+v, %v", fitted, err)
	}
}

// TestPathEqualsSeparateFits solves every k at once and one by one.
func TestPathEqualsSeparateFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		problem := draw(t, 3, 3)
		settings := Settings{Effects: NoEffects, K: 4, Constants: true, Statistics: spec.Statistics{Gamma: math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log10 gamma"))}}
		path := must.Get(Path(context.Background(), problem, settings, selection.PathSettings{KMax: 4, Folds: 2}))(t)
		if len(path.Points) != 4 {
			t.Fatalf("%d points for k = 1..4", len(path.Points))
		}
		for _, on := range path.Points {
			settings.K = on.K
			alone := must.Get(Fit(context.Background(), problem, settings))(t)
			if math.Abs(on.Cost-alone.Summary.Cost) > 1e-9*alone.Summary.Cost+1e-14 || on.Status != "optimal" {
				t.Fatalf("k = %d: path %v (%s), alone %v", settings.K, on.Cost, on.Status, alone.Summary.Cost)
			}
		}
	})
}

// TestStoredRatingsAreFitted: entries that are not in memory give the same model.
func TestStoredRatingsAreFitted(t *testing.T) {
	problem := make2(random.New(1), 30, 8, 4, 5, 0.1, 1)
	settings := Settings{K: 3, Statistics: spec.Statistics{Gamma: 1, Holdout: 0.2}}
	want := must.Get(Fit(context.Background(), problem, settings))(t)
	stored := problem
	stored.Ratings = problem.Ratings.With(sourcetest.Stored(problem.Ratings.Matrix()))
	got := must.Get(Fit(context.Background(), stored, settings))(t)
	if !slices.Equal(got.Summary.Selected, want.Summary.Selected) || got.Summary.Cost != want.Summary.Cost {
		t.Errorf("stored: %v at %v, in memory %v at %v", got.Summary.Selected, got.Summary.Cost, want.Summary.Selected, want.Summary.Cost)
	}
}

// TestEnumeratedSelectionsAreReported: what the search looked at is in the summary.
func TestEnumeratedSelectionsAreReported(t *testing.T) {
	problem := make2(random.New(1), 30, 8, 4, 5, 0.1, 1)
	listed := 0
	fitted, err := Fit(context.Background(), problem, Settings{K: 3, Statistics: spec.Statistics{Gamma: 1}, Watch: selection.Watch{OnEvent: func(e search.Event) { listed = max(listed, e.Enumerated) }}})
	if err != nil {
		t.Fatal(err)
	}
	if listed == 0 || fitted.Summary.Enumerated != listed {
		t.Errorf("%d selections were enumerated, %d are reported", listed, fitted.Summary.Enumerated)
	}
}
