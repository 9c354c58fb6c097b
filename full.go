package optcomplete

import (
	"context"

	"optcomplete/data"
	"optcomplete/model/estimate"
)

// full explains what the effects of rows and columns leave.
type full struct{ squares }

func (f full) values(ctx context.Context, train data.Source, c choices, threads int) (data.Source, choices, error) {
	effects, err := estimate.FitEffects(ctx, train, c.Row, c.Column, threads)
	if err != nil {
		return nil, c, err
	}
	if c, err = f.weighed(ctx, train, c, threads); err != nil {
		return nil, c, err
	}
	values, err := effects.Residuals(ctx, train, threads)
	return values, c, err
}

func (full) cost(values data.Source, features *data.Features, groups [][]int, c choices, threads int) matrixCost {
	return rowCost(values, features, groups, c, threads)
}

func (full) own(c choices) choices {
	c.Gamma0 = 0
	return c
}

func (full) complete(c choices) bool { return c.Gamma > 0 && c.Row > 0 && c.Column > 0 }

func (full) subtracts() bool { return true }

func (full) separate() bool { return true }

func (full) baselines() bool { return true }
