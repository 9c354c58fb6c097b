package evaluate

import (
	"math"

	"optcomplete/model"
)

// shrinkages are tried for the effects of rows and of columns, in entries.
var shrinkages = []float64{0.5, 1, 2, 4, 8, 16, 32}

// ChooseShrinkage picks the shrinkage of row and column effects that predicts
// the validation part best: by turns, each time the best of the list.
func ChooseShrinkage(part Part, threads int) (row, column float64) {
	row, column = 4, 4
	if part.Train.Observed() == 0 || part.Held.Observed() == 0 {
		return row, column
	}
	score := func(row, column float64) float64 {
		return Score(part.Held, model.FitEffects(part.Train, row, column).Predict, threads).RMSE
	}
	pick := func(rmse func(float64) float64) float64 {
		best, least := 0.0, math.Inf(1)
		for _, s := range shrinkages {
			if e := rmse(s); e < least {
				best, least = s, e
			}
		}
		return best
	}
	for range 2 {
		column = pick(func(s float64) float64 { return score(row, s) })
		row = pick(func(s float64) float64 { return score(s, column) })
	}
	return row, column
}
