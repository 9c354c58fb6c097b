package formulation

import (
	"context"
	"math"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/spec"
)

// TestWeightedIntervals: weights of 1 change no interval. If the noise of an entry is
// the inverse of its weight, intervals hold what they say, and a saved model has the
// same ones, also with a row folded in.
func TestWeightedIntervals(t *testing.T) {
	for _, s := range []Settings{{K: 2}, {K: 2, Model: spec.Pooled}, {K: 2, Loss: loss.Huber, Limits: spec.Limits{Gap: 0.5}}, {K: 2, Nonnegative: []string{"f2"}, Limits: spec.Limits{Gap: 0.5}}, {K: 2, Loss: loss.Poisson, Limits: spec.Limits{Gap: 0.5}}} {
		kind := s.Loss
		if kind == loss.Huber {
			kind = loss.Squared
		}
		problem := lossInstance(t, kind, 80, 40, 4, 5)
		s.Holdout, s.Seed = 0.2, 1
		answer := func(m *model.Model, row, column string) [2]float64 {
			t.Helper()
			x, err := m.Intervals()
			if err != nil {
				t.Fatal(s.Model, s.Loss, err)
			}
			a := must.Get(x.Answer(row, column, 0.9))(t)
			return [2]float64{a.Low, a.High}
		}
		within := func(part float64, a, b [2]float64) bool {
			return math.Abs(a[0]-b[0]) <= part*(1+math.Abs(b[0])) && math.Abs(a[1]-b[1]) <= part*(1+math.Abs(b[1]))
		}
		near := func(a, b [2]float64) bool { return within(1e-7, a, b) }
		plain, ones := fit(t, problem, s), fit(t, weigh(t, problem, 1, func(float64) float64 { return 1 }), s)
		for _, pair := range [][2]string{{"r1", "c3"}, {"nobody", "c3"}, {"r1", "nobody"}} {
			if a, b := answer(ones, pair[0], pair[1]), answer(plain, pair[0], pair[1]); !near(a, b) {
				t.Errorf("%v, %v: %v is in %v, without weights %v", s.Model, s.Loss, pair, a, b)
			}
		}
		weighted := noisy(t, problem, kind)
		fitted := fit(t, weighted, s)
		if len(fitted.Coverage) == 0 {
			t.Fatalf("%v, %v: nothing is said about coverage", s.Model, s.Loss)
		}
		for _, c := range fitted.Coverage {
			if kind == loss.Squared && math.Abs(c.Covered-c.Probability) > 0.08 {
				t.Errorf("%v, %v: intervals of %v hold %v", s.Model, s.Loss, c.Probability, c.Covered)
			}
		}
		loaded := saved(t, fitted)
		if a, b := answer(loaded, "r1", "c3"), answer(fitted, "r1", "c3"); !near(a, b) {
			t.Errorf("%v, %v: a saved model says %v, not %v", s.Model, s.Loss, a, b)
		}
		more, _, err := loaded.WithRows(context.Background(), weighted.Ratings, 1)
		if err != nil {
			t.Fatal(err)
		}
		a, b := answer(saved(t, more), "r1", "c3"), answer(more, "r1", "c3")
		if !within(1e-2, a, b) { // a saved model takes the weight of a column from the rows that it has
			t.Errorf("%v, %v: with rows folded in %v, saved %v", s.Model, s.Loss, b, a)
		}
	}
}

// noisy gives the entries of squared errors weights, and noise of the inverse
// variance.
func noisy(t *testing.T, problem Problem, l loss.Loss) Problem {
	problem = weigh(t, problem, 3, func(unit float64) float64 { return math.Pow(10, 3*unit-1) })
	if l != loss.Squared {
		return problem
	}
	var entries []data.Entry
	var weights []float64
	rng := random.New(9, 9)
	m := problem.Ratings.Matrix()
	n, columns := m.Dims()
	for i := range n {
		at, _ := m.Row(i)
		for e, c := range at {
			b := problem.Features.Row(int(c))
			x := float64(i%7) - 3 + float64(i%5-2)*b[0] + float64(i%3-1)*b[1]
			w := m.RowWeights(i)[e]
			entries = append(entries, data.Entry{Row: int32(i), Column: c, Value: x + random.NormalOf(rng.Uint64())/math.Sqrt(w)})
			weights = append(weights, w)
		}
	}
	made, err := data.NewMatrix(n, columns, entries)
	if err == nil {
		made, err = made.WithWeights(weights)
	}
	if err != nil {
		t.Fatal(err)
	}
	problem.Ratings = problem.Ratings.With(made)
	return problem
}
