package evaluate

import (
	"context"
	"math"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/testkit"
)

// TestBetterIsMoreThanChance: predictions that are closer to every entry are
// better; those that are off by another draw of the same noise are not.
func TestBetterIsMoreThanChance(t *testing.T) {
	m := matrix(t, 300, 20, 0.5, 1)
	errors := func(size float64, seed uint64) *Errors {
		predict := testkit.Predict(func(row int, columns []int32, out []float64) {
			at, values := m.Row(row)
			for x := range at {
				out[x] = values[x] + size*random.NormalOf(random.Hash(seed, uint64(row), uint64(at[x])))
			}
		})
		e := must.Get(ScoreErrors(context.Background(), m, predict, 2))(t)
		score, err := Score(context.Background(), m, predict, 1)
		if err != nil || score != e.Metrics {
			t.Fatalf("%+v, want %+v (%v)", e.Metrics, score, err)
		}
		return e
	}
	if small, large := errors(1, 1), errors(1.2, 2); !small.BetterBy(large, 1) || large.BetterBy(small, 1) {
		t.Error("errors a fifth smaller are not better")
	}
	wins := 0
	for seed := range uint64(20) {
		if errors(1, 10+seed).BetterBy(errors(1, 50+seed), 1) {
			wins++
		}
	}
	if wins > 8 { // a sixth is expected
		t.Errorf("%d of 20 draws of the same noise are better than others", wins)
	}
	if e := errors(1, 1); e.BetterBy(e, 1) {
		t.Error("errors are better than themselves")
	}
}

// TestGainIsPaired: the interval has the gain in it, is narrow where both
// predictions miss the same entries, and is none where there are few rows.
func TestGainIsPaired(t *testing.T) {
	hard := func(g int) float64 { return float64(1 + g%7*5) } // what is hard for both
	var model, baseline, other Errors
	for g := range errorGroups {
		model.squares[g] = 0.81 * hard(g) * (1 + float64(g%3-1)/100)
		baseline.squares[g] = hard(g)
		other.squares[g] = hard(errorGroups - 1 - g)
	}
	got := model.Gain(&baseline)
	if got == nil || got.Low > 0.1 || got.High < 0.1 || got.High-got.Low > 0.01 {
		t.Errorf("the gain of 10 %% is %+v", got)
	}
	if got := model.Gain(&other); got.High-got.Low < 0.1 {
		t.Errorf("errors that have nothing in common give %+v", got)
	}
	if got := model.Gain(&model); got.Low != 0 || got.High != 0 {
		t.Errorf("over itself: %+v", got)
	}
	if got := model.Gain(&Errors{squares: [errorGroups]float64{1, 1, 1}}); got != nil {
		t.Errorf("three groups of rows give %+v", got)
	}
}

// TestShrinkageIsTheRatioOfVariances: effects of known variance, with noise of
// another, are shrunk as their ratio says; without entries as usual.
func TestShrinkageIsTheRatioOfVariances(t *testing.T) {
	made := matrix(t, 600, 150, 0.2, 3).Map(func(row int, column int32, _ float64) float64 {
		at := func(of ...uint64) float64 { return random.NormalOf(random.Hash(of...)) }
		return 3 + 0.5*at(1, uint64(row)) + 0.25*at(2, uint64(column)) + at(3, uint64(row), uint64(column))
	})
	row, column, err := ChooseShrinkage(context.Background(), made, 2)
	if err != nil || math.Abs(row/4-1) > 0.25 || math.Abs(column/16-1) > 0.4 {
		t.Errorf("rows %v, columns %v (%v), want about 4 and 16", row, column, err)
	}
	if row, column, err = ChooseShrinkage(context.Background(), matrix(t, 3, 3, 0, 1), 1); err != nil || row != usualShrinkage || column != usualShrinkage {
		t.Errorf("without entries: %v, %v (%v)", row, column, err)
	}
}
