package formulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// lossInstance is a small problem of values that suit the loss.
func lossInstance(t testing.TB, l loss.Loss, n, m, p int, seed uint64) Problem {
	t.Helper()
	s := random.New(seed, uint64(l))
	unit := func() float64 { return random.Unit(s.Uint64()) }
	normal := func() float64 { return random.NormalOf(s.Uint64()) }
	values := make([]float64, m*p)
	for x := range values {
		values[x] = normal()
	}
	var ids, rows, names []string
	for j := range m {
		ids = append(ids, fmt.Sprintf("c%d", j))
	}
	for j := range p {
		names = append(names, fmt.Sprintf("f%d", j))
	}
	var entries []data.Entry
	for i := range n {
		rows = append(rows, fmt.Sprintf("r%d", i))
		a, b, level := normal(), normal(), normal()/2
		for j := range m {
			if unit() < 0.3 {
				continue
			}
			x := level + a*values[j*p] + b*values[j*p+1]
			v := x + normal()/3
			switch l {
			case loss.Logistic:
				v = 0
				if unit() < l.Mean(x) {
					v = 1
				}
			case loss.Poisson:
				v = math.Floor(math.Exp(min(x, 3)) * 2 * unit())
			case loss.Huber:
				if unit() < 0.1 {
					v += 30 * normal()
				}
			}
			entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: v})
		}
	}
	matrix := must.Get(data.NewMatrix(n, m, entries))(t)
	return Problem{Ratings: data.NewRatings(matrix, rows, ids), Features: data.NewFeatures(ids, names, values)}
}

// slopeOf is the derivative of a loss, in the plainest words.
func slopeOf(l loss.Loss, delta, a, x float64) float64 {
	switch l {
	case loss.Logistic:
		return 1/(1+math.Exp(-x)) - a
	case loss.Poisson:
		return math.Exp(x) - a
	case loss.Huber:
		return 2 * min(max(x-a, -delta), delta)
	}
	return 2 * (x - a)
}

// valueOf is the loss itself.
func valueOf(l loss.Loss, delta, a, x float64) float64 {
	switch l {
	case loss.Logistic:
		return math.Log(1+math.Exp(x)) - a*x
	case loss.Poisson:
		if a == 0 {
			return math.Exp(x)
		}
		return math.Exp(x) - a*x + a*math.Log(a) - a
	case loss.Huber:
		if r := math.Abs(x - a); r > delta {
			return 2*delta*r - delta*delta
		}
	}
	return (x - a) * (x - a)
}

// slowly solves a row by itself: one coefficient after the other, by halving
// intervals of its derivative, over and over. Nil weights are 1.
func slowly(l loss.Loss, delta float64, offsets, values, weights []float64, design [][]float64, ridge []float64, signs []bool) float64 {
	theta := make([]float64, len(ridge))
	if weights == nil {
		weights = slices.Repeat([]float64{1}, len(values))
	}
	at := func(e int) float64 {
		x := offsets[e]
		for f, b := range design[e] {
			x += b * theta[f]
		}
		return x
	}
	for range 400 {
		far := 0.0
		for f := range theta {
			before := theta[f]
			low, high := before-4, before+4
			if signs[f] {
				low, high = max(low, 0), max(high, 0)
			}
			for range 60 {
				theta[f] = (low + high) / 2
				slope := 2 * ridge[f] * theta[f]
				for e, a := range values {
					slope += weights[e] * slopeOf(l, delta, a, at(e)) * design[e][f]
				}
				if slope > 0 {
					high = theta[f]
				} else {
					low = theta[f]
				}
			}
			far = max(far, math.Abs(theta[f]-before))
		}
		if far < 1e-11 {
			break
		}
	}
	cost := 0.0
	for e, a := range values {
		cost += weights[e] * valueOf(l, delta, a, at(e))
	}
	for f, x := range theta {
		cost += ridge[f] * x * x
	}
	return cost
}

// bySlowSolver is the cost of a selection as the model's own words define it.
func bySlowSolver(m *model.Model, problem Problem, selection []int, nonnegative bool) float64 {
	link, matrix := m.Link, problem.Ratings.Matrix()
	n, columns := matrix.Dims()
	sum := 0.0
	_, p := problem.Features.Dims()
	centre, scale := make([]float64, p), make([]float64, p)
	has := make([]bool, columns)
	for i := range n {
		at, _ := matrix.Row(i)
		for _, c := range at {
			has[c] = true
		}
	}
	for j := range p {
		var column []float64
		for c := range columns {
			if has[c] {
				column = append(column, problem.Features.Row(c)[j])
			}
		}
		centre[j], scale[j] = stat.PopMeanStdDev(column, nil)
	}
	for i := range n {
		at, values := matrix.Row(i)
		offsets, design := make([]float64, len(at)), make([][]float64, len(at))
		for e, c := range at {
			offsets[e] = m.Mean + m.ColumnEffects[c]
			design[e] = []float64{1}
			for _, j := range selection { // features have mean 0 and variance 1 in the cost
				design[e] = append(design[e], (problem.Features.Row(int(c))[j]-centre[j])/scale[j])
			}
		}
		ridge, signs := []float64{1 / m.Summary.Units.Level}, []bool{false}
		for _, j := range selection {
			ridge, signs = append(ridge, 1/m.Summary.Units.Features[j].Gamma), append(signs, nonnegative)
		}
		sum += slowly(link.Loss, link.Unit, offsets, values, matrix.RowWeights(i), design, ridge, signs)
	}
	return sum / float64(n) / float64(columns)
}

// TestLossesAgainstBruteForce: for every loss, with and without signs and weights, the selection
// is the best of all by a solver that shares nothing with the search, its cost is
// what that solver says, and the bound is above no selection's cost.
func TestLossesAgainstBruteForce(t *testing.T) {
	seeds := 12
	if testing.Short() {
		seeds = 2
	}
	for _, l := range []loss.Loss{loss.Squared, loss.Logistic, loss.Poisson, loss.Huber} {
		for seed := range uint64(seeds) {
			for kind := range 4 {
				nonnegative, weighted := kind&1 == 1, kind&2 == 2
				if !nonnegative && l == loss.Squared {
					continue // the tests of squares; with weights internal/exact
				}
				problem := lossInstance(t, l, 5, 9, 5, seed)
				if weighted {
					problem = weigh(t, problem, seed, func(unit float64) float64 { return 0.2 + 3*unit })
				}
				settings := Settings{K: 2, Loss: l, Statistics: spec.Statistics{Gamma: 0.3 * float64(1+seed%4), ColumnShrinkage: 3, Seed: seed}} // the column effects of the model are those of the search
				if nonnegative {
					settings.Nonnegative = []string{"all"}
				}
				fitted, err := Fit(context.Background(), problem, settings)
				if err != nil {
					t.Fatalf("%v, seed %d: %v", l, seed, err)
				}
				best, own := math.Inf(1), math.Inf(1)
				for a := range 5 {
					for b := range a {
						cost := bySlowSolver(fitted, problem, []int{b, a}, nonnegative)
						best = min(best, cost)
						if slices.Equal(fitted.Selected, []string{problem.Features.Names[b], problem.Features.Names[a]}) {
							own = cost
						}
					}
				}
				if fitted.Bound > best*(1+1e-9) || math.Abs(fitted.Cost-own) > 1e-7*own || own > best*(1+1e-7) || fitted.Status.Early() {
					t.Errorf("%v, seed %d, nonnegative %v, weighted %v: cost %.12g (slowly %.12g), bound %.12g, best %.12g, %v", l, seed, nonnegative, weighted, fitted.Cost, own, fitted.Bound, best, fitted.Status)
				}
			}
		}
	}
}

// TestLossesEndToEnd: a model of every loss predicts what its loss is about, is the
// same after saving, and gives back a row that is folded in again.
func TestLossesEndToEnd(t *testing.T) {
	for _, l := range []loss.Loss{loss.Logistic, loss.Poisson, loss.Huber} {
		problem := lossInstance(t, l, 60, 40, 6, 3)
		settings := Settings{K: 2, Loss: l, Statistics: spec.Statistics{Holdout: 0.2, Seed: 1}, Limits: spec.Limits{Gap: 0.3}}
		fitted, err := Fit(context.Background(), problem, settings)
		if err != nil {
			t.Fatal(l, err)
		}
		if !slices.Contains(fitted.Selected, "f0") || fitted.Summary.Loss != l || fitted.Summary.Units == nil || fitted.Holdout.Measures == nil {
			t.Errorf("%v: selected %v, units %v, hold-out %+v", l, fitted.Selected, fitted.Summary.Units, fitted.Holdout)
		}
		if both := fitted.Baselines[len(fitted.Baselines)-1]; !(fitted.Holdout.Score() < both.Score()) {
			t.Errorf("%v: score %g, of effects alone %g", l, fitted.Holdout.Score(), both.Score())
		}
		again := saved(t, fitted)
		for _, m := range []*model.Model{fitted, again} {
			x := m.Answer("r1", "c3")
			want := m.Loss.Mean(m.ExplainSum("r1", "c3").Sum)
			if m.Clip != nil {
				want = min(max(want, m.Clip.Low), m.Clip.High)
			}
			if math.Abs(x.Value-want) > 1e-12 || x != fitted.Answer("r1", "c3") {
				t.Errorf("%v: %v, %v", l, x, want)
			}
		}
		settings.Holdout, settings.Gamma, settings.ColumnShrinkage = 0, 0.5, 2
		if fitted, err = Fit(context.Background(), problem, settings); err != nil {
			t.Fatal(err)
		}
		columns, values := problem.Ratings.Matrix().Row(7)
		effect, u, err := fitted.FoldIn(columns, values)
		if err != nil || effect != fitted.RowEffects[7] || !slices.Equal(u, fitted.Coefficients.Row(7)) {
			t.Errorf("%v: folded in %v %v, fitted %v %v (%v)", l, effect, u, fitted.RowEffects[7], fitted.Coefficients.Row(7), err)
		}
		if l != loss.Huber {
			if _, _, err := fitted.FoldIn([]int32{0}, []float64{-3}); err == nil {
				t.Errorf("%v: -3 was folded in", l)
			}
		}
	}
}

// TestSuitableLoss: yes and no are logistic, unless something is asked for that only
// squared errors have.
func TestSuitableLoss(t *testing.T) {
	yes, counts := lossInstance(t, loss.Logistic, 20, 20, 4, 1), lossInstance(t, loss.Poisson, 20, 20, 4, 1)
	for _, c := range []struct {
		problem Problem
		s       Settings
		want    loss.Loss
	}{
		{yes, Settings{K: 1, Loss: loss.Auto}, loss.Logistic},
		{yes, Settings{K: 1}, loss.Squared},
		{counts, Settings{K: 1, Loss: loss.Auto}, loss.Squared},
		{yes, Settings{K: 1, Loss: loss.Auto, Model: spec.Paper}, loss.Squared},
		{yes, Settings{K: 1, Loss: loss.Auto, Model: spec.Pooled}, loss.Squared},
		{yes, Settings{Loss: loss.Auto, Method: SoftImpute{}}, loss.Squared},
		{yes, Settings{K: 1, Loss: loss.Auto, Method: CutPlanes{}}, loss.Squared},
		{yes, Settings{K: 1, Loss: loss.Auto, ResidualRank: 2}, loss.Logistic},
		{yes, Settings{K: 1, Loss: loss.Auto, Proof: io.Discard}, loss.Squared},
	} {
		if got, err := SuitableLoss(context.Background(), c.problem, c.s); got != c.want || err != nil {
			t.Errorf("%+v: %v, want %v (%v)", c.s, got, c.want, err)
		}
	}
}

// TestLossesRefuse: what a loss cannot do is refused in a sentence.
func TestLossesRefuse(t *testing.T) {
	problem := lossInstance(t, loss.Poisson, 20, 20, 4, 1)
	for want, s := range map[string]Settings{
		"is for 0 (no), 1 (yes)":                                           {K: 1, Loss: loss.Logistic},
		"loss does not apply to the model paper":                           {K: 1, Loss: loss.Poisson, Model: spec.Paper},
		"loss does not apply to the model pooled":                          {K: 1, Loss: loss.Poisson, Model: spec.Pooled},
		"loss does not apply to the method":                                {Loss: loss.Poisson, Method: SoftImpute{}},
		"residual-rank does not apply with coefficients":                   {K: 1, Nonnegative: []string{"all"}, ResidualRank: 2},
		"(leave it out, or use Settings.Loss squared)":                     {K: 1, Loss: loss.Poisson, Proof: io.Discard},
		"(leave it out, or leave out Settings.Nonnegative)":                {K: 1, Nonnegative: []string{"all"}, Proof: io.Discard},
		"or use Settings.Loss squared and leave out Settings.Nonnegative)": {K: 1, Loss: loss.Huber, Nonnegative: []string{"all", "f0"}, Proof: io.Discard},
		"refit does not apply to the model full":                           {K: 1, Loss: loss.Poisson, Statistics: spec.Statistics{Refit: spec.LearnedPrior}},
		"delta does not apply to the loss poisson":                         {K: 1, Loss: loss.Poisson, Delta: 1},
		"which is not a feature":                                           {K: 1, Nonnegative: []string{"nobody"}},
	} {
		_, err := Fit(context.Background(), problem, s)
		var fault *spec.Error
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestLossesOnSamplesAndFromACheckpoint: a search on samples first proves the same,
// and a run that continues from a checkpoint gives the same, whatever the threads.
func TestLossesOnSamplesAndFromACheckpoint(t *testing.T) {
	problem := lossInstance(t, loss.Logistic, 400, 60, 6, 2)
	settings := Settings{K: 2, Loss: loss.Logistic, Nonnegative: []string{"f5"}, Statistics: spec.Statistics{Seed: 1, Gamma: 0.1}, Limits: spec.Limits{Threads: 1}}
	want := fit(t, problem, settings)
	settings.Method, settings.Threads = Certified{Sampling: AlwaysSampling}, 2
	sampled := fit(t, problem, settings)
	if sampled.SampleRows == 0 || !slices.Equal(sampled.Selected, want.Selected) || sampled.Cost != want.Cost || !slices.Equal(sampled.RowEffects, want.RowEffects) {
		t.Errorf("on samples first: %v costs %v, else %v costs %v", sampled.Selected, sampled.Cost, want.Selected, want.Cost)
	}
	settings.Gamma = 0
	want = fit(t, problem, settings)
	if u := want.Summary.Units; !u.Learned || len(u.Features) != 6 || len(want.Link.Penalties) != 2 {
		t.Errorf("units %+v, link %v", u, want.Link)
	}
	settings.Method, settings.Checkpoint = nil, t.TempDir()
	for range 2 {
		if again := fit(t, problem, settings); again.Cost != want.Cost || again.Bound != want.Bound || !slices.Equal(again.RowEffects, want.RowEffects) {
			t.Errorf("with a checkpoint: cost %v, bound %v, else %v, %v", again.Cost, again.Bound, want.Cost, want.Bound)
		}
	}
}

// TestLossesInterrupted: a fit by a loss that ends halfway goes on from its checkpoint to
// the bits of one that did not.
func TestLossesInterrupted(t *testing.T) {
	for _, l := range []loss.Loss{loss.Logistic, loss.Poisson, loss.Huber} {
		problem := lossInstance(t, l, 60, 40, 8, 4)
		settings := Settings{K: 3, Loss: l, Nonnegative: []string{"f7"}, Statistics: spec.Statistics{Gamma: 2, ColumnShrinkage: 2}}
		want := fit(t, problem, settings)
		for _, left := range []int{1, 4, 9} {
			settings.Checkpoint = t.TempDir()
			ctx, cancel := context.WithCancel(context.Background())
			settings.OnEvent = func(search.Event) {
				if left--; left < 0 {
					cancel()
				}
			}
			_, _ = Fit(ctx, problem, settings)
			cancel()
			settings.OnEvent = nil
			got := fit(t, problem, settings)
			if got.Cost != want.Cost || got.Bound != want.Bound || !slices.Equal(got.Selected, want.Selected) || !slices.Equal(got.RowEffects, want.RowEffects) {
				t.Errorf("%v: %v at %v, bound %v; without an interrupt %v at %v, bound %v", l, got.Selected, got.Cost, got.Bound, want.Selected, want.Cost, want.Bound)
			}
		}
	}
}

// TestLossesStable: resamples of the rows of a path are selected by its loss.
func TestLossesStable(t *testing.T) {
	problem := lossInstance(t, loss.Poisson, 40, 30, 5, 4)
	settings := Settings{Loss: loss.Poisson, Statistics: spec.Statistics{Gamma: 0.3, ColumnShrinkage: 2}}
	path := must.Get(Path(context.Background(), problem, settings, selection.PathSettings{KMax: 2, Folds: 2, Bootstrap: 6, K: 2}))(t)
	fitted := fit(t, problem, func() Settings { settings.K = 2; return settings }())
	if s := path.Stability; s == nil || len(s.Features) == 0 || path.Points[1].Cost != fitted.Cost || !slices.Equal(path.Points[1].Selected, fitted.Selected) {
		t.Errorf("%+v; point %+v, fit %v at %v", path.Stability, path.Points[1], fitted.Selected, fitted.Cost)
	}
}
