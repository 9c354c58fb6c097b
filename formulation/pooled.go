package formulation

import (
	"context"
	"slices"

	"optcomplete/data"
	"optcomplete/objective"
	"optcomplete/pass"
)

// pooled explains what the mean leaves, by coefficients of the population and a
// row's own beside them; an intercept is always selected.
type pooled struct{ squares }

func (pooled) values(ctx context.Context, train data.Source, c choices, threads int) (data.Source, choices, error) {
	survey, err := pass.Survey(ctx, train, threads)
	if err != nil {
		return nil, c, err
	}
	c.Heaviest = survey.Heaviest
	values, err := pass.Transformed(ctx, train, threads, "residuals", pass.Subtract{Mean: survey.Mean()})
	return values, c, err
}

func (pooled) cost(values data.Source, features *data.Features, groups [][]int, c choices, threads int) matrixCost {
	_, p := features.Dims()
	cost := objective.NewPooledOf(objective.NewWeighted(values, inUnits(features, c.Units, c.Factor), c.Gamma, c.Heaviest, threads), c.Gamma0)
	return matrixCost{oracle: objective.NewGrouped(cost, append(slices.Clip(groups), []int{p})), always: 1}
}

func (pooled) own(c choices) choices {
	c.Column = 0
	return c
}

func (pooled) complete(choices) bool { return false }

func (pooled) separate() bool { return false }

func (pooled) baselines() bool { return false }
