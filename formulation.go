package optcomplete

import (
	"context"
	"slices"

	"optcomplete/data"
	"optcomplete/objective"
	"optcomplete/search"
	"optcomplete/spec"
)

// formulation is a model of a matrix: what a selection is to explain and what it
// costs. Each has a file of its own; nothing else here asks which model it is.
type formulation interface {
	// values are what the selection is to explain of the entries. The choices gain
	// what is predicted beside it, if the cost is to know that.
	values(ctx context.Context, train data.Source, c choices, threads int) (data.Source, choices, error)

	// cost is that of the values, over groups of features, each selected all or none.
	// What it always selects beside the groups comes last.
	cost(values data.Source, features *data.Features, groups [][]int, c choices, threads int) matrixCost

	// own leaves only those numbers that the model has: the others are 0.
	own(c choices) choices

	// complete tells whether nothing is left to validation.
	complete(c choices) bool

	// effects tells whether a row has a level of its own. Predictions are then kept in
	// the range of the training values, unless the settings say otherwise.
	effects() bool

	// asGiven tells whether features are numbers as they are given, unless the settings
	// of a reading say otherwise; else a table is encoded.
	asGiven() bool

	// baselines tells whether methods that select nothing have the model too.
	baselines() bool
}

// matrixCost is the cost of a formulation.
type matrixCost struct {
	oracle search.Oracle
	exact  *objective.Exact // what the oracle asks, if its selections are single features
	always int              // how many it selects beside the groups
}

// formulations are all models of a matrix.
var formulations = map[spec.Kind]formulation{spec.Full: full{}, spec.Pooled: pooled{}, spec.Paper: paper{}}

// rowCost is the paper's cost, a sum over rows that know nothing of each other.
func rowCost(values data.Source, features *data.Features, groups [][]int, c choices, threads int) matrixCost {
	exact := objective.NewExact(values, features, c.Gamma, threads)
	if slices.ContainsFunc(groups, func(g []int) bool { return len(g) != 1 }) {
		return matrixCost{oracle: objective.NewGrouped(exact, groups)}
	}
	return matrixCost{oracle: exact, exact: exact}
}
