package evaluate

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/loss"
	"optcomplete/model/estimate"
	"optcomplete/pass"
)

// levelShrinkages are tried for the effects of rows and of columns by a loss other
// than squared errors, in entries of mean weight.
var levelShrinkages = []float64{1, 2, 4, 8, 16, 32}

// ChooseLevels is ChooseShrinkage by a loss: of squared errors from variances, of
// others what predicts a fifth of the entries best. Of those that are as good but for
// chance it takes the nearest to the usual.
func ChooseLevels(ctx context.Context, s data.Source, l loss.Scaled, threads int) (row, column float64, err error) {
	if l.Loss == loss.Squared {
		return ChooseShrinkage(ctx, s, threads)
	}
	survey, err := pass.Survey(ctx, s, threads)
	if err != nil {
		return usualShrinkage, usualShrinkage, err
	}
	unit := survey.Unit()
	row, column = usualShrinkage*unit, usualShrinkage*unit
	part, err := Validation(ctx, s, 0, 0, 0, threads)
	if err != nil || part.Train.Observed() == 0 || part.Held.Observed() == 0 {
		return row, column, err
	}
	score := func(row, column float64) (*Errors, error) {
		effects, err := estimate.FitLevels(ctx, part.Train, l, row, column, threads)
		if err != nil {
			return nil, err
		}
		return ScoreErrors(ctx, part.Held, effects, threads)
	}
	best, err := nearest(func(s float64) (*Errors, error) { return score(row, s*unit) })
	if column = best * unit; err == nil {
		best, err = nearest(func(s float64) (*Errors, error) { return score(s*unit, column) })
		row = best * unit
	}
	return row, column, err
}

// nearest is the shrinkage, in entries, of the least error, or the nearest to the usual of those
// that it is not better than.
func nearest(score func(shrinkage float64) (*Errors, error)) (float64, error) {
	all := make([]*Errors, len(levelShrinkages))
	least := 0
	for x, s := range levelShrinkages {
		var err error
		if all[x], err = score(s); err != nil {
			return usualShrinkage, err
		}
		if all[x].Score() < all[least].Score() {
			least = x
		}
	}
	best, far := levelShrinkages[least], math.Inf(1)
	for x, s := range levelShrinkages {
		if d := math.Abs(math.Log(s / usualShrinkage)); d < far && !all[least].Better(all[x]) {
			best, far = s, d
		}
	}
	return best, nil
}
