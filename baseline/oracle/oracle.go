// Package oracle is the best that any selector of features can do: the rows'
// coefficients fitted with the true features given. Only generated data have a
// truth, so it is for synthetic experiments alone.
//
// It takes a source, the feature table and the true selection, and fits the rows
// as model does once its features are selected.
package oracle

import (
	"context"

	"optcomplete/data"
	"optcomplete/model/estimate"
	"optcomplete/spec"
)

// Settings of a fit.
type Settings struct {
	Kind  spec.Kind  // spec.Paper for the paper's instances; the zero value is spec.Full
	Refit spec.Refit // zero: the default of the kind, least squares for spec.Paper
	Gamma float64    // for the refit by ridge

	// Shrinkage of the effects that the kind has; zero means 4 entries.
	RowShrinkage, ColumnShrinkage float64

	Threads int  // zero: all processors; results do not depend on it
	Clip    bool // keep predictions in the range of the training values
}

// Model is the fitted rows.
type Model struct {
	estimate.Predictor
	Parts    *estimate.Parts
	Selected []int // the features, as given
}

// Fit fits every row to the selected features.
func Fit(ctx context.Context, train data.Source, features *data.Features, selected []int, s Settings) (*Model, error) {
	recipe := estimate.Recipe{
		Kind: s.Kind, Refit: s.Refit, Gamma: s.Gamma,
		RowShrinkage: s.RowShrinkage, ColumnShrinkage: s.ColumnShrinkage, Threads: s.Threads,
	}
	if recipe.RowShrinkage == 0 {
		recipe.RowShrinkage = 4
	}
	if recipe.ColumnShrinkage == 0 {
		recipe.ColumnShrinkage = 4
	}
	chosen := estimate.Chosen(features, selected)
	parts, err := estimate.FitParts(ctx, train, chosen, len(selected), recipe)
	if err != nil {
		return nil, err
	}
	if s.Clip {
		parts.ClipToValues()
	}
	return &Model{Parts: parts, Selected: selected, Predictor: parts.Predictor(chosen, len(selected))}, nil
}
