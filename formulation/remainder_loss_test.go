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

// drawn makes values of a loss around the sums of unnamed: yes and no, counts, or numbers
// of which some are far off.
func drawn(t testing.TB, l loss.Loss) Problem {
	problem := unnamed(t)
	rng := random.New(5)
	problem.Ratings = data.NewRatings(problem.Ratings.Matrix().Map(func(_ int, _ int32, v float64) float64 {
		switch x := v - 3; {
		case l.Probabilities():
			if rng.Float64() < l.Mean(1.5*x) {
				return 1
			}
			return 0
		case l.Counts():
			count, left := 0.0, l.Mean(0.4*x+0.5)
			for left -= -math.Log(1 - rng.Float64()); left > 0; count++ {
				left -= -math.Log(1 - rng.Float64())
			}
			return count
		}
		if rng.Float64() < 0.05 {
			return v + 20*rng.Normal()
		}
		return v
	}), problem.Ratings.RowIDs, problem.Ratings.ColumnIDs)
	return problem
}

// TestRemainderOfEveryLoss: by every loss, it predicts better than the features alone, a
// row is folded in as it was fitted, and intervals know it, also once it was saved.
func TestRemainderOfEveryLoss(t *testing.T) {
	for _, l := range []loss.Loss{loss.Logistic, loss.Poisson, loss.Huber} {
		problem := drawn(t, l)
		fit := func(rank, threads int) *model.Model {
			return must.Get(Fit(context.Background(), problem, Settings{K: 2, Loss: l, ResidualRank: rank, Statistics: spec.Statistics{Holdout: 0.2}, Limits: spec.Limits{Threads: threads}}))(t)
		}
		without, with := fit(0, 2), fit(AutoRank, 2)
		if with.Remainder == nil || with.Remainder.Rank == 0 {
			t.Fatalf("%v: remainder %+v", l, with.Remainder)
		}
		measure := func(m *model.Model) float64 { return m.Summary.Holdout.Score() }
		if a, b := measure(with), measure(without); !(a < 0.97*b) {
			t.Errorf("%v: %s %v with a remainder, %v without", l, l.Measure(), a, b)
		}
		if other := fit(AutoRank, 1); measure(other) != measure(with) {
			t.Errorf("%v: threads change the result", l)
		}
		if x, sum := with.Answer("r003", "c017"), with.ExplainSum("r003", "c017").Sum; math.Abs(x.Value-with.Expected(sum)) > 1e-9 {
			t.Errorf("%v: %+v of the sum %v", l, x, sum)
		}
		all := must.Get(Fit(context.Background(), problem, Settings{K: 2, Loss: l, ResidualRank: AutoRank}))(t)
		columns, values := problem.Ratings.Matrix().Row(7)
		effect, u, err := all.FoldIn(columns, values)
		if err != nil {
			t.Fatal(err)
		}
		for x, v := range append([]float64{effect}, u...) {
			if fitted := append([]float64{all.RowEffects[7]}, all.Coefficients.Row(7)...)[x]; math.Abs(v-fitted) > 1e-9 {
				t.Errorf("%v: coefficient %d is %v folded in, %v fitted", l, x, v, fitted)
			}
		}
		again := saved(t, with)
		for _, of := range [][2]string{{"r003", "c017"}, {"nobody", "c017"}, {"r003", "nothing"}} {
			if a, b := with.Answer(of[0], of[1]), again.Answer(of[0], of[1]); a != b {
				t.Errorf("%v: %+v before, %+v after saving", l, a, b)
			}
		}
		if !with.HasIntervals() {
			t.Errorf("%v: no intervals", l)
		}
	}
}
