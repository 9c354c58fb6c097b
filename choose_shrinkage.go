package optcomplete

import (
	"context"
	"slices"

	"optcomplete/evaluate"
	"optcomplete/internal/gammapath"
	"optcomplete/internal/progress"
	"optcomplete/model/estimate"
	"optcomplete/result"
	"optcomplete/spec"
)

// shrinkable tells whether the shrinkage of row effects is left open and decides only
// which features are selected. What a row's effect takes of its values is lost to the
// selection; but a learned prior fits the rows' levels together with their coefficients, by
// its own variances. So a larger shrinkage can be better than the variances say.
func (t *task) shrinkable() bool {
	return t.RowShrinkage == 0 && t.form.subtracts() && t.refit == spec.LearnedPrior && t.single()
}

// moreShrinkage is how many times the shrinkage from variances is tried too.
const moreShrinkage = 10

// clearlyBetter is by how many standard errors of the difference another shrinkage must
// predict better, and by more than equalErrors.
const clearlyBetter = 2

// shrink takes another shrinkage of row effects if what it selects on the last sample
// clearly predicts better, at the γ that won or, if not there, at a rival of it: the larger γ, the less
// does the shrinkage change. What was found there starts the search. If there was no race, γ is
// given.
func (r *trials) shrink(ctx context.Context, c *choices, won evaluate.Won) (err error) {
	defer progress.Start(ctx, "Choosing the shrinkage of row effects", 0, "").Done()
	last := len(r.levels) - 1
	found, estimated := won.Selection, won.Errors
	if found == nil || won.Level < last {
		for at := won.Level; at <= last; at++ {
			selections, err := r.find(ctx, at, []float64{c.Gamma}, [][]int{found})
			if err != nil {
				return err
			}
			found = selections[0]
		}
		if estimated, err = r.score(ctx, last, c.Gamma, found); err != nil {
			return err
		}
	}
	c.Start = [][]int{found}
	more := gammapath.Round(c.Row * moreShrinkage)
	effects, err := estimate.FitEffects(ctx, r.sample, more, c.Column, r.Threads)
	if err != nil {
		return err
	}
	_, values, err := r.explain(ctx, r.levels[last].entries, effects, more)
	if err != nil {
		return err
	}
	around := r.levels[last].neighbour.On(values)
	best := estimated
	for x, at := range append([]evaluate.Rival{{Gamma: c.Gamma, Selection: found}}, won.Rivals...) {
		if x > 0 && best != estimated {
			break // more need not be tried
		}
		selections, err := around.Descend(ctx, []float64{at.Gamma}, [][]int{at.Selection}, r.task.find.K, r.task.find.Always, r.task.find.Never, 0)
		if err != nil {
			return err
		}
		if slices.Equal(selections[0], found) {
			continue
		}
		errors, err := r.score(ctx, last, at.Gamma, selections[0])
		if err != nil {
			return err
		}
		if errors.BetterBy(estimated, clearlyBetter) && errors.RMSE < estimated.RMSE*(1-equalErrors) {
			best = errors
			c.Gamma, c.Estimated, c.Row, c.Start = at.Gamma, r.Row, more, selections
		}
	}
	if best == estimated {
		return nil
	}
	before := slices.IndexFunc(c.GammaPath, func(p result.GammaPoint) bool { return p.Gamma == won.Gamma })
	after := slices.IndexFunc(c.GammaPath, func(p result.GammaPoint) bool { return p.Gamma == c.Gamma })
	if before >= 0 { // the path may be of a smaller sample
		c.GammaPath[after].RMSE = c.GammaPath[before].RMSE * best.RMSE / estimated.RMSE
		c.GammaPath[after].Selected, c.GammaPath[after].RowShrinkage = r.selected(c.Start[0]), more
	}
	return nil
}
