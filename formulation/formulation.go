package formulation

import (
	"context"
	"slices"

	"optcomplete/data"
	"optcomplete/loss"
	"optcomplete/model/estimate"
	"optcomplete/objective"
	"optcomplete/pass"
	"optcomplete/search"
	"optcomplete/spec"
)

// formulation is a model of a matrix: what a selection is to explain and what it
// costs. Each has a file of its own; nothing else here asks which model it is.
type formulation interface {
	// values are what the selection is to explain of the entries. The choices gain
	// what is predicted besides it, if the cost is to know that.
	values(ctx context.Context, train data.Source, c choices, threads int) (data.Source, choices, error)

	// cost is that of the values, over groups of features, each selected all or none.
	// What it always selects besides the groups comes last.
	cost(values data.Source, features *data.Features, groups [][]int, c choices, threads int) matrixCost

	// own leaves only those numbers that the model has: the others are 0.
	own(c choices) choices

	// complete tells whether nothing is left to be learned.
	complete(c choices) bool

	// baselines tells whether methods that select nothing have the model too.
	baselines() bool

	// separate tells whether the cost is a sum over rows that know nothing of each other.
	separate() bool

	// refit is how rows are fitted, unless the settings say: as the kind has it, or not.
	refit(kind spec.Refit) spec.Refit

	// rows completes how the rows of a selection are fitted.
	rows(r *estimate.Recipe, members []int, c choices)

	// scaled is the loss of an error.
	scaled(c choices) loss.Scaled
}

// squares is what all models have that minimise squared errors.
type squares struct{}

// weighed is the choices with what the cost is to know about weights.
func (squares) weighed(ctx context.Context, train data.Source, c choices, threads int) (choices, error) {
	if !data.IsWeighted(train) {
		return c, nil
	}
	survey, err := pass.Survey(ctx, train, threads)
	if err == nil {
		c.Heaviest = survey.Heaviest
	}
	return c, err
}

func (squares) refit(kind spec.Refit) spec.Refit { return kind }

func (squares) rows(*estimate.Recipe, []int, choices) {}

func (squares) scaled(choices) loss.Scaled { return loss.Scaled{} }

// matrixCost is the cost of a formulation.
type matrixCost struct {
	oracle search.Oracle
	exact  *objective.Exact // what the oracle asks, if its selections are single features
	always int              // how many it selects besides the groups
}

// formulations are the models of a matrix by squared errors; linked is by any loss.
var formulations = map[spec.Kind]formulation{spec.Full: full{}, spec.Pooled: pooled{}, spec.Paper: paper{}}

// formulationOf is the model that the settings ask for.
func formulationOf(t *task, problem Problem, s *Settings) (formulation, error) {
	if s.linked() {
		return newLinked(t, problem, s)
	}
	return formulations[s.Model], nil
}

// rowCost is the paper's cost, a sum over rows that know nothing of each other.
func rowCost(values data.Source, features *data.Features, groups [][]int, c choices, threads int) matrixCost {
	exact := objective.NewWeighted(values, features, c.Gamma, c.Heaviest, threads)
	if slices.ContainsFunc(groups, func(g []int) bool { return len(g) != 1 }) {
		return matrixCost{oracle: objective.NewGrouped(exact, groups)}
	}
	return matrixCost{oracle: exact, exact: exact}
}
