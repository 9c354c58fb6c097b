package formulation

import (
	"context"

	"optcomplete/data"
)

// paper explains the entries themselves: exactly the paper's model.
type paper struct{ squares }

func (p paper) values(ctx context.Context, train data.Source, c choices, threads int) (data.Source, choices, error) {
	c, err := p.weighed(ctx, train, c, threads)
	return train, c, err
}

func (paper) cost(values data.Source, features *data.Features, groups [][]int, c choices, threads int) matrixCost {
	return rowCost(values, features, groups, c, threads)
}

func (paper) own(c choices) choices {
	c.Gamma0, c.Row, c.Column = 0, 0, 0
	return c
}

func (paper) complete(c choices) bool { return c.Gamma > 0 }

func (paper) separate() bool { return true }

func (paper) baselines() bool { return true }
