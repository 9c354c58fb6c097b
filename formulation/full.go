package formulation

import (
	"context"
	"slices"

	"optcomplete/data"
	"optcomplete/model/estimate"
	"optcomplete/pass"
)

// full explains what mean and column effects leave: by the level of the row, which is
// always selected, and the features.
type full struct{ squares }

func (f full) values(ctx context.Context, train data.Source, c choices, threads int) (data.Source, choices, error) {
	effects, err := estimate.FitColumns(ctx, train, c.Row, c.Column, threads)
	if err != nil {
		return nil, c, err
	}
	if c, err = f.weighed(ctx, train, c, threads); err != nil {
		return nil, c, err
	}
	values, err := pass.Transformed(ctx, train, threads, "residuals", pass.Subtract{Mean: effects.Mean, Columns: pass.Share(effects.Columns)})
	return values, c, err
}

func (full) cost(values data.Source, features *data.Features, groups [][]int, c choices, threads int) matrixCost {
	_, p := features.Dims()
	cost := rowCost(values, inUnits(features, c.Units, c.Factor), append(slices.Clip(groups), []int{p}), c, threads)
	cost.always = 1
	return cost
}

func (full) own(c choices) choices {
	c.Gamma0 = 0
	return c
}

func (full) complete(choices) bool { return false }

func (full) separate() bool { return true }

func (full) baselines() bool { return true }
