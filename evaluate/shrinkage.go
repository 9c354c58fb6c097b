package evaluate

import (
	"context"
	"math"

	"optcomplete/model"
)

// shrinkages are tried for the effects of rows and of columns, in entries.
var shrinkages = []float64{0.5, 1, 2, 4, 8, 16, 32}

// ChooseShrinkage picks the shrinkage of row and column effects that predicts
// the validation part best: by turns, each time the best of the list.
func ChooseShrinkage(ctx context.Context, part Part, threads int) (row, column float64, err error) {
	row, column = 4, 4
	if part.Train.Observed() == 0 || part.Held.Observed() == 0 {
		return row, column, nil
	}
	scored := map[[2]float64]float64{} // the second turn mostly asks what the first did
	score := func(row, column float64) float64 {
		if rmse, ok := scored[[2]float64{row, column}]; ok {
			return rmse
		}
		effects, failed := model.FitEffects(ctx, part.Train, row, column, threads)
		if failed != nil {
			err = failed
			return math.Inf(1)
		}
		score, failed := Score(part.Held, effects.Predict, threads)
		if failed != nil {
			err = failed
		}
		scored[[2]float64{row, column}] = score.RMSE
		return score.RMSE
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
	return row, column, err
}
