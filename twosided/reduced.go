package twosided

import (
	"context"

	"optcomplete/data"
	"optcomplete/loss"
	"optcomplete/pass"
)

// Reduced is what the certificate of a fit with effects is about: the values without the
// effects of rows and columns, as learned from these entries without any product, and the
// features centred and scaled. A fit of it without effects has the same cost and bound, so
//
//	(Σ w_ij (a_ij − mean − row_i − column_j − Σ θ x_iq b_jl)² + Σ θ²/γ) / (nm)
//
// is the cost of a selection, its θ the best for it and the effects the same for all. That
// effects and θ are then fitted again together is no part of what is proven.
func Reduced(ctx context.Context, p Problem) (Problem, error) {
	entries, err := pass.Collect(ctx, p.Ratings.Source(), 0, "entries")
	if err != nil {
		return p, err
	}
	s, err := align(ctx, p, entries, false, ShrunkEffects)
	if err != nil {
		return p, err
	}
	left := learnLevels(entries, loss.Scaled{}).residuals(entries)
	return Problem{Ratings: data.NewRatings(left, p.Ratings.RowIDs, p.Ratings.ColumnIDs), Columns: s.columns, Rows: s.rows, Nouns: p.Nouns}, nil
}
