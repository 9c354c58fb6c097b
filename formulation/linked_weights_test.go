package formulation

import (
	"context"
	"math"
	"slices"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/sourcetest"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/selection"
	"optcomplete/spec"
)

// weigh gives the entries of a problem weights, made of random numbers in [0, 1).
func weigh(t testing.TB, p Problem, seed uint64, of func(unit float64) float64) Problem {
	t.Helper()
	rng, weights := random.New(seed, 0x77), make([]float64, p.Ratings.Observed())
	for e := range weights {
		weights[e] = of(random.Unit(rng.Uint64()))
	}
	matrix := must.Get(p.Ratings.Matrix().WithWeights(weights))(t)
	p.Ratings = p.Ratings.With(matrix)
	return p
}

// TestWeightsOfOne: weights that are all 1 change no bit of a fit by a loss, with
// everything chosen by validation, and neither do threads nor where the entries are.
func TestWeightsOfOne(t *testing.T) {
	problem := lossInstance(t, loss.Logistic, 60, 30, 5, 4)
	settings := Settings{K: 2, Loss: loss.Logistic, Statistics: spec.Statistics{Holdout: 0.2, Seed: 1}, Limits: spec.Limits{Gap: 0.1, Threads: 1}}
	want := fit(t, problem, settings)
	ones := weigh(t, problem, 1, func(float64) float64 { return 1 })
	got := fit(t, ones, settings)
	if got.Cost != want.Cost || got.Gamma != want.Gamma || !slices.Equal(got.RowEffects, want.RowEffects) || got.Holdout.LogLoss != want.Holdout.LogLoss || *got.Holdout.AUC != *want.Holdout.AUC {
		t.Errorf("cost %v, γ %v, hold-out %v; without weights %v, %v, %v", got.Cost, got.Gamma, got.Holdout.LogLoss, want.Cost, want.Gamma, want.Holdout.LogLoss)
	}
	if want.Summary.Weighted || want.Holdout.Weighted || !got.Summary.Weighted || !got.Holdout.Weighted || !got.Train.Weighted {
		t.Error("nobody says whether entries are weighted")
	}
	if got.Summary.Weight != float64(got.Observed) || got.PerEntry() != want.PerEntry() || want.Summary.Weight != 0 {
		t.Errorf("weight %v of %d entries, %v an entry; without weights %v, %v", got.Summary.Weight, got.Observed, got.PerEntry(), want.Summary.Weight, want.PerEntry())
	}
	weighted := weigh(t, problem, 1, func(unit float64) float64 { return 3 * (unit + 0.1) })
	want = fit(t, weighted, settings)
	if want.Cost == got.Cost || want.Holdout.LogLoss == got.Holdout.LogLoss {
		t.Error("weights change nothing")
	}
	if per := want.Cost * float64(want.Rows*want.Columns) / want.Summary.Weight; want.Summary.Weight == float64(want.Observed) || want.PerEntry() != per {
		t.Errorf("%v by weight, want %v", want.PerEntry(), per)
	}
	settings.Threads, settings.Checkpoint = 3, t.TempDir()
	elsewhere := weighted
	elsewhere.Ratings = weighted.Ratings.With(sourcetest.Stored(weighted.Ratings.Matrix()))
	for _, p := range []Problem{weighted, elsewhere} {
		again := fit(t, p, settings)
		if again.Cost != want.Cost || again.Bound != want.Bound || again.Holdout.LogLoss != want.Holdout.LogLoss || !slices.Equal(again.RowEffects, want.RowEffects) {
			t.Errorf("cost %v, hold-out %v, want %v, %v", again.Cost, again.Holdout.LogLoss, want.Cost, want.Holdout.LogLoss)
		}
	}
}

// TestWeightsDecide: entries of much weight are fitted, and the others are not.
func TestWeightsDecide(t *testing.T) {
	problem := lossInstance(t, loss.Squared, 40, 30, 6, 5)
	// Half of the entries are those of other features, and weigh nothing to speak of.
	matrix := problem.Ratings.Matrix().Map(func(row int, column int32, v float64) float64 {
		if (row+int(column))%2 == 0 {
			b := problem.Features.Row(int(column))
			return 20*b[4] - 20*b[5]
		}
		return v
	})
	var weights []float64
	for i := range 40 {
		columns, _ := matrix.Row(i)
		for _, c := range columns {
			weights = append(weights, 1-0.999999*float64((i+int(c)+1)%2))
		}
	}
	settings := Settings{K: 2, Statistics: spec.Statistics{Gamma: 1, ColumnShrinkage: 4}}
	problem.Ratings = problem.Ratings.With(matrix)
	if got := fit(t, problem, settings).Selected; !slices.Equal(got, []string{"f4", "f5"}) {
		t.Errorf("without weights: %v", got)
	}
	matrix = must.Get(matrix.WithWeights(weights))(t)
	problem.Ratings = problem.Ratings.With(matrix)
	fitted := fit(t, problem, settings)
	if !slices.Equal(fitted.Selected, []string{"f0", "f1"}) {
		t.Errorf("with weights: %v", fitted.Selected)
	}
	loaded := saved(t, fitted)
	if !loaded.Summary.Weighted {
		t.Fatal("the saved model does not say that it is weighted")
	}
	// A row that is folded in with its weights is what it was.
	again, rows, err := loaded.WithRows(context.Background(), problem.Ratings, 2)
	if err != nil {
		t.Fatal(err)
	}
	for x, i := range rows {
		if math.Abs(again.RowEffects[i]-fitted.RowEffects[x]) > 1e-9 {
			t.Fatalf("row %d has the effect %v, folded in %v", x, fitted.RowEffects[x], again.RowEffects[i])
		}
	}
	path := must.Get(Path(context.Background(), problem, settings, selection.PathSettings{KMax: 3, Folds: 2, Bootstrap: 3}))(t)
	if got := path.Points[1].Selected; !slices.Equal(got, []string{"f0", "f1"}) {
		t.Errorf("the path selects %v", got)
	}
}

// TestWeightedBaselines: weights that are all 1 change nothing, others do, wherever the
// entries are; and a row folded in with them is what it was.
func TestWeightedBaselines(t *testing.T) {
	problem := lossInstance(t, loss.Squared, 60, 30, 6, 4)
	ones := weigh(t, problem, 1, func(float64) float64 { return 1 })
	weighted := weigh(t, problem, 1, func(unit float64) float64 { return 5*unit*unit + 0.01 })
	elsewhere := weighted
	elsewhere.Ratings = weighted.Ratings.With(sourcetest.Stored(weighted.Ratings.Matrix()))
	for _, method := range []Method{EffectsOnly{}, SoftImpute{}, IMC{}} {
		s := Settings{Method: method, Statistics: spec.Statistics{Holdout: 0.2, Seed: 1}}
		a, b, c, d := fit(t, problem, s), fit(t, ones, s), fit(t, weighted, s), fit(t, elsewhere, s)
		if math.Abs(a.Holdout.RMSE-b.Holdout.RMSE) > 1e-12 || b.Holdout.RMSE == c.Holdout.RMSE || c.Holdout.RMSE != d.Holdout.RMSE || !c.Summary.Weighted {
			t.Errorf("%v: %v, with weights of 1 %v, with others %v, elsewhere %v", method, a.Holdout.RMSE, b.Holdout.RMSE, c.Holdout.RMSE, d.Holdout.RMSE)
		}
		s.Holdout = 0
		whole := fit(t, weighted, s)
		again, rows, err := whole.WithRows(context.Background(), weighted.Ratings, 2)
		if err != nil {
			t.Fatal(err)
		}
		all := make([]int32, len(whole.ColumnIDs))
		for j := range all {
			all[j] = int32(j)
		}
		was, is := make([]float64, len(all)), make([]float64, len(all))
		for x, i := range rows {
			whole.PredictRow(x, all, was)
			again.PredictRow(i, all, is)
			for j := range all {
				if math.Abs(was[j]-is[j]) > 0.05 { // the factors were not solved to the end
					t.Fatalf("%v: row %d, column %d: %v, folded in %v", method, x, j, was[j], is[j])
				}
			}
		}
	}
}

// TestWeightedSquares: by squared errors, of every model and by every method, weights
// that are all 1 change nothing but what the certificate allows for rounding. Other
// weights do: then a row folded in with them is what it was, and neither threads nor
// where the entries are change a bit.
func TestWeightedSquares(t *testing.T) {
	problem := lossInstance(t, loss.Squared, 60, 30, 6, 4)
	ones := weigh(t, problem, 1, func(float64) float64 { return 1 })
	weighted := weigh(t, problem, 1, func(unit float64) float64 { return 5*unit*unit + 0.01 })
	elsewhere := weighted
	elsewhere.Ratings = weighted.Ratings.With(sourcetest.Stored(weighted.Ratings.Matrix()))
	for _, s := range []Settings{
		{K: 2}, {K: 2, Model: spec.Pooled}, {K: 2, Model: spec.Paper}, {K: 2, Model: spec.Paper, Statistics: spec.Statistics{Refit: spec.Ridge}},
		{K: 2, Model: spec.Paper, Statistics: spec.Statistics{Refit: spec.LearnedPrior}}, {K: 2, Method: CutPlanes{}}, {K: 2, Model: spec.Paper, Method: OptComplete{Certify: true}},
	} {
		s.Holdout, s.Seed, s.Threads = 0.2, 1, 1
		want := fit(t, problem, s)
		got := fit(t, ones, s)
		if math.Abs(got.Cost-want.Cost) > 1e-12*want.Cost || got.Gamma != want.Gamma || math.Abs(got.Bound-want.Bound) > 1e-10*want.Cost || !slices.Equal(got.Selected, want.Selected) || math.Abs(got.Holdout.RMSE-want.Holdout.RMSE) > 1e-9 {
			t.Errorf("%v, %v: cost %v, bound %v, γ %v, hold-out %v; without weights %v, %v, %v, %v", s.Model, s.Method, got.Cost, got.Bound, got.Gamma, got.Holdout.RMSE, want.Cost, want.Bound, want.Gamma, want.Holdout.RMSE)
		}
		want = fit(t, weighted, s)
		if want.Cost == got.Cost || want.Status != result.Optimal || want.Holdout.RMSE == got.Holdout.RMSE {
			t.Errorf("%v, %v: weights change nothing, or nothing is proven with them: %v", s.Model, s.Method, want.Status)
		}
		s.Threads = 3
		if again := fit(t, elsewhere, s); again.Cost != want.Cost || again.Bound != want.Bound || again.Holdout.RMSE != want.Holdout.RMSE {
			t.Errorf("%v, %v: cost %v, hold-out %v, elsewhere %v, %v", s.Model, s.Method, want.Cost, want.Holdout.RMSE, again.Cost, again.Holdout.RMSE)
		}
		apart := pass.NewApart(2) // workers that know nothing but what they are sent
		if again, err := Fit(pass.WithRunner(context.Background(), apart), weighted, s); err != nil || again.Cost != want.Cost || again.Bound != want.Bound || again.Holdout.RMSE != want.Holdout.RMSE {
			t.Errorf("%v, %v: cost %v, hold-out %v, when sent another, or %v", s.Model, s.Method, want.Cost, want.Holdout.RMSE, err)
		}
		s.Holdout = 0
		want = fit(t, weighted, s)
		again, rows, err := want.WithRows(context.Background(), weighted.Ratings, 2)
		if err != nil {
			t.Fatal(err)
		}
		for x, i := range rows {
			for f, u := range want.Coefficients.Row(x) {
				if v := again.Coefficients.Row(i)[f]; math.Abs(u-v) > 1e-9*(1+math.Abs(u)) {
					t.Fatalf("%v, %v: row %d has the coefficient %v, folded in %v", s.Model, s.Refit, x, u, v)
				}
			}
		}
	}
}

// TestUnitOfWeights: weights in another unit change γ, the cost and the shrinkages by it,
// and nothing of what is chosen, predicted and compared, also where they sum to less than 1.
func TestUnitOfWeights(t *testing.T) {
	for _, s := range []Settings{{Loss: loss.Squared}, {Loss: loss.Squared, Model: spec.Pooled}, {Loss: loss.Squared, Model: spec.Paper}, {Loss: loss.Logistic}, {Loss: loss.Poisson}, {Loss: loss.Huber}, {Loss: loss.Squared, Nonnegative: []string{"all"}}} {
		s.K, s.Holdout, s.Seed, s.Gap = 2, 0.2, 1, 0.2
		problem := lossInstance(t, s.Loss, 40, 20, 4, 4)
		of := func(unit float64) *model.Model {
			return fit(t, weigh(t, problem, 1, func(x float64) float64 { return unit * (0.5 + x) }), s)
		}
		want := of(1)
		for _, unit := range []float64{1e-13, 1e13} {
			got := of(unit)
			same := func(what string, got, want float64) {
				if !(math.Abs(got-want) <= 1e-6*math.Abs(want)) {
					t.Errorf("%v, %v, weights times %g: %s %v, want %v", s.Model, s.Loss, unit, what, got, want)
				}
			}
			same("cost", got.Cost/unit, want.Cost)
			if of := want.Summary.Units; of == nil {
				same("γ", got.Gamma*unit, want.Gamma)
			} else {
				for f, u := range of.Features {
					same("γ of "+u.Name, got.Summary.Units.Features[f].Gamma*unit, u.Gamma)
				}
			}
			same("shrinkage of rows", got.Summary.RowShrinkage/unit, want.Summary.RowShrinkage)
			same("shrinkage of columns", got.Summary.ColumnShrinkage/unit, want.Summary.ColumnShrinkage)
			same("hold-out", got.Holdout.Score(), want.Holdout.Score())
			for x := range want.Baselines {
				same(want.Baselines[x].Name, got.Baselines[x].Score(), want.Baselines[x].Score())
			}
			if !slices.Equal(got.Selected, want.Selected) || got.Gap > s.Gap {
				t.Errorf("%v, %v, weights times %g: %v, want %v", s.Model, s.Loss, unit, got.Selected, want.Selected)
			}
		}
	}
}
