package evaluate

import (
	"context"
	"math"

	"optcomplete/model/estimate"
)

// shrinkages are tried for the effects of rows and of columns, in entries.
var shrinkages = []float64{0.5, 1, 2, 4, 8, 16, 32}

// usualShrinkage is the one to have where the entries do not tell.
const usualShrinkage = 4

// ChooseShrinkage picks the shrinkage of row and column effects that predicts
// the validation part best: by turns, each time the best of the list. Of those
// that are as good but for chance (see Errors.Better) it takes the one nearest to
// the usual.
func ChooseShrinkage(ctx context.Context, part Part, threads int) (row, column float64, err error) {
	row, column = usualShrinkage, usualShrinkage
	if part.Train.Observed() == 0 || part.Held.Observed() == 0 {
		return row, column, nil
	}
	scored := map[[2]float64]*Errors{} // the second turn mostly asks what the first did
	score := func(row, column float64) (*Errors, error) {
		if errors, ok := scored[[2]float64{row, column}]; ok {
			return errors, nil
		}
		effects, err := estimate.FitEffects(ctx, part.Train, row, column, threads)
		if err != nil {
			return nil, err
		}
		errors, err := ScoreErrors(ctx, part.Held, effects, threads)
		scored[[2]float64{row, column}] = errors
		return errors, err
	}
	for range 2 {
		if column, err = pick(func(s float64) (*Errors, error) { return score(row, s) }); err != nil {
			break
		}
		if row, err = pick(func(s float64) (*Errors, error) { return score(s, column) }); err != nil {
			break
		}
	}
	return row, column, err
}

// pick is the shrinkage of the least error, or the nearest to the usual of those
// that it is not better than.
func pick(score func(shrinkage float64) (*Errors, error)) (float64, error) {
	all := make([]*Errors, len(shrinkages))
	least := 0
	for x, s := range shrinkages {
		var err error
		if all[x], err = score(s); err != nil {
			return usualShrinkage, err
		}
		if all[x].RMSE < all[least].RMSE {
			least = x
		}
	}
	best, far := shrinkages[least], math.Inf(1)
	for x, s := range shrinkages {
		if d := math.Abs(math.Log(s / usualShrinkage)); d < far && !all[least].Better(all[x]) {
			best, far = s, d
		}
	}
	return best, nil
}
