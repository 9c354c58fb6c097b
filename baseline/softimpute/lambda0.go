package softimpute

import (
	"context"

	"optcomplete/baseline/internal/lowrank"
	"optcomplete/data"
)

// Lambda0 is the smallest λ at which the solution is zero: the largest singular
// value of the matrix with zeros in place of what is missing.
func Lambda0(ctx context.Context, source data.Source, threads int) (float64, error) {
	rows, err := lowrank.NewRows(ctx, source, lowrank.ChunksFor(source, 1), 0)
	if err != nil {
		return 0, err
	}
	return lambda0(ctx, rows, threads)
}

func lambda0(ctx context.Context, rows *lowrank.Rows, threads int) (float64, error) {
	_, m := rows.Dims()
	top, err := lowrank.LargestSingular(m, func(v []float64) ([]float64, error) { return rows.Normal(ctx, v, threads) })
	return top * rows.Penalty(), err
}
