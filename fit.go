package optcomplete

import (
	"context"

	"optcomplete/formulation"
	"optcomplete/selection"
)

// Problem is what is to be completed.
type Problem = formulation.Problem

// Fit selects settings.K features, proves how good the selection is, and fits
// the coefficients of every row.
//
// A limit or a cancelled context is not an error: the model then has the best
// selection found, a true bound, and a status that says so. Where the context is
// cancelled before the search has a selection, at least the greedy one, there is
// no model, and the context's error is returned. The method OptComplete proves
// nothing and has no bound unless it is asked to certify.
func Fit(ctx context.Context, problem Problem, settings Settings) (*Matrix, error) {
	return formulation.Fit(ctx, problem, settings.inner())
}

// A path over k; see package selection.
type (
	PathSettings = selection.PathSettings
	PathResult   = selection.PathResult
)

// Path selects 1, 2, … KMax features, sharing every cut, and validates each k; see
// selection.Path. MaxNodes is for each k, the time limit for all of the path; K and
// Holdout are not used.
func Path(ctx context.Context, problem Problem, settings Settings, path PathSettings) (*PathResult, error) {
	return formulation.Path(ctx, problem, settings.inner(), path)
}

// Selection is what Select found.
type Selection = formulation.Selection

// Select finds a selection on growing samples of the rows, and looks at no others:
// for data too large for a pass over all of them. Nothing is proven. The model is
// the paper's, and γ must be given.
func Select(ctx context.Context, problem Problem, settings Settings) (*Selection, error) {
	return formulation.Select(ctx, problem, settings.inner())
}
