package regress

import (
	"context"

	"optcomplete/objective"
	"optcomplete/search"
	"optcomplete/spec"
)

// table is some rows of a problem, ready to be selected from: with products of
// columns for squared errors (squares), or row by row for anything else (convex).
type table interface {
	// cost is that of selections at γ, divided by the rows. Its features are those of
	// the problem, and after them what is always selected beside them.
	cost(gamma float64) search.Oracle

	// exactly is what a selection of the oracle costs, with more digits.
	exactly(ctx context.Context, gamma float64, selection []int) (float64, error)

	// coefficients fits selected features, in the units of the problem.
	coefficients(ctx context.Context, gamma float64, units []int) ([]float64, float64, error)
}

// prepare makes the table of some rows; nil means all.
func prepare(problem Problem, rows []int, settings Settings) table {
	if settings.squares() {
		s := standardise(problem, rows, settings)
		return &squares{s, objective.NewQuadratic(s.table, 1, float64(s.table.Rows())), settings.Refit}
	}
	return newConvex(problem, rows, settings)
}

// squares is a table for squared errors.
type squares struct {
	*standard
	oracle *objective.Quadratic
	refit  spec.Refit
}

func (t *squares) cost(gamma float64) search.Oracle { return t.oracle.WithGamma(gamma) }

// exactly costs a selection from its residuals.
func (t *squares) exactly(ctx context.Context, gamma float64, selection []int) (float64, error) {
	oracle := t.oracle.WithGamma(gamma)
	cost, hard, err := oracle.Cost(ctx, selection)
	if err != nil || hard {
		return cost, err
	}
	w, err := oracle.Coefficients(ctx, selection)
	return t.table.Cost(selection, w, gamma) / float64(t.table.Rows()), err
}

func (t *squares) coefficients(ctx context.Context, gamma float64, units []int) ([]float64, float64, error) {
	var w []float64
	if len(units) == 0 {
		_, intercept := t.units(nil, nil)
		return nil, intercept, nil
	}
	if t.refit == spec.LeastSquares {
		w = t.leastSquares(units)
	} else {
		var err error
		if w, err = t.oracle.WithGamma(gamma).Coefficients(ctx, units); err != nil {
			return nil, 0, err
		}
	}
	coefficients, intercept := t.units(units, w)
	return coefficients, intercept, nil
}
