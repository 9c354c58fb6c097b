package twosided

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/result"
	"optcomplete/selection"
)

// weigh gives the entries weights, made of random numbers in [0, 1).
func weigh(t testing.TB, p Problem, of func(unit float64) float64) Problem {
	t.Helper()
	rng, weights := random.New(5, 0x77), make([]float64, p.Ratings.Observed())
	for e := range weights {
		weights[e] = of(rng.Float64())
	}
	matrix := must.Get(p.Ratings.Matrix().WithWeights(weights))(t)
	p.Ratings = p.Ratings.With(matrix)
	return p
}

// TestWeights: weights that are all 1 change nothing; whole ones are entries of further
// rows with the same features; in another unit they change γ and the cost by it, and nothing
// else; and by them errors are measured.
func TestWeights(t *testing.T) {
	problem := make2(random.New(3), 40, 12, 3, 4, 1, 0.6)
	settings := Settings{Effects: NoEffects, K: 3, Constants: true}
	settings.Holdout, settings.Seed, settings.Threads = 0.2, 1, 2
	fit := func(p Problem, s Settings) *Model {
		t.Helper()
		m := must.Get(Fit(context.Background(), p, s))(t)
		if m.Summary.Status != result.Optimal {
			t.Errorf("status %v", m.Summary.Status)
		}
		return m
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	same := func(got, want *Model) {
		t.Helper()
		if !slices.Equal(got.Summary.Selected, want.Summary.Selected) {
			t.Errorf("%v, want %v", got.Summary.Selected, want.Summary.Selected)
			return
		}
		for x, p := range want.Summary.Products {
			near("a coefficient", got.Summary.Products[x].Coefficient, p.Coefficient)
		}
	}
	plain, ones := fit(problem, settings), fit(weigh(t, problem, func(float64) float64 { return 1 }), settings)
	if same(ones, plain); ones.Summary.Cost != plain.Summary.Cost || ones.Summary.Gamma != plain.Summary.Gamma || ones.Summary.Holdout.RMSE != plain.Summary.Holdout.RMSE {
		t.Errorf("weights of 1: cost %v, γ %v; without %v, %v", ones.Summary.Cost, ones.Summary.Gamma, plain.Summary.Cost, plain.Summary.Gamma)
	}
	if plain.Summary.Weighted || !ones.Summary.Weighted || !ones.Summary.Holdout.Weighted || ones.Summary.Weight != float64(ones.Summary.Observed) {
		t.Errorf("nobody says what is weighted: %v, %v", ones.Summary.Weighted, ones.Summary.Weight)
	}

	of := func(unit float64) Problem {
		return weigh(t, problem, func(x float64) float64 { return unit * (0.1 + 3*x) })
	}
	one, many := fit(of(1), settings), fit(of(1000), settings)
	same(many, one)
	near("γ in another unit", many.Summary.Gamma*1000, one.Summary.Gamma)
	near("the cost in another unit", many.Summary.Cost/1000, one.Summary.Cost)
	near("the error in another unit", many.Summary.Holdout.RMSE, one.Summary.Holdout.RMSE)
	if one.Summary.Holdout.RMSE == plain.Summary.Holdout.RMSE {
		t.Error("the error is not weighted")
	}

	settings.Holdout, settings.Gamma = 0, 0.5
	whole := weigh(t, problem, func(x float64) float64 { return math.Floor(1 + 3*x) })
	weighted, repeated := fit(whole, settings), fit(repeat(t, whole), settings)
	same(weighted, repeated)
	n, _ := whole.Ratings.Dims()
	rows, _ := repeat(t, whole).Ratings.Dims()
	near("the cost of rows that are there several times", repeated.Summary.Cost*float64(rows), weighted.Summary.Cost*float64(n))
	near("and its bound", repeated.Summary.Bound*float64(rows), weighted.Summary.Bound*float64(n))
	if _, err := Path(context.Background(), whole, settings, selection.PathSettings{KMax: 2, Folds: 2}); err != nil {
		t.Error(err)
	}
}

// repeat makes entries of weight w such of w rows that have the same features.
func repeat(t testing.TB, p Problem) Problem {
	t.Helper()
	m := p.Ratings.Matrix()
	n, columns := m.Dims()
	var entries []data.Entry
	var ids []string
	rows := data.NewFeatures(nil, p.Rows.Names, nil)
	for copies := range 3 {
		for i := range n {
			at, values := m.Row(i)
			for e, w := range m.RowWeights(i) {
				if w > float64(copies) {
					entries = append(entries, data.Entry{Row: int32(len(ids)), Column: at[e], Value: values[e]})
				}
			}
			id := fmt.Sprint(p.Ratings.RowIDs[i], " ", copies)
			ids, rows.IDs = append(ids, id), append(rows.IDs, id)
			rows.Values = append(rows.Values, p.Rows.Row(slices.Index(p.Rows.IDs, p.Ratings.RowIDs[i]))...)
		}
	}
	matrix := must.Get(data.NewMatrix(len(ids), columns, entries))(t)
	p.Ratings, p.Rows = data.NewRatings(matrix, ids, p.Ratings.ColumnIDs), rows
	return p
}
