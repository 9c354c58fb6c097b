package proof

import (
	"context"
	"fmt"

	"optcomplete/data"
)

// sweeps is how often column and row effects are fitted in turn; it belongs to
// what the model full is.
const sweeps = 10

// values is what the selection is to explain: the entries (paper), what the mean
// leaves (pooled), or what mean and shrunken effects leave (full): by turns the
// least of Σ(a_ij − mean − r_i − c_j)² + λ_r Σr_i² + λ_c Σc_j², columns first.
// It is in memory.
func (p *Problem) values(ctx context.Context) (*data.Matrix, error) {
	matrix, err := data.Collect(p.Entries, nil)
	if err != nil || p.Model == "paper" {
		return matrix, err
	}
	n, m := matrix.Dims()
	counts := make([]float64, m)
	mean := double{}
	for i := range n {
		columns, values := matrix.Row(i)
		for x, c := range columns {
			counts[c]++
			mean = mean.plusProduct(values[x], 1)
		}
	}
	if matrix.Observed() == 0 {
		return matrix, nil
	}
	average := mean.value() / float64(matrix.Observed())
	rowEffect, columnEffect := make([]float64, n), make([]float64, m)
	switch p.Model {
	case "pooled":
	case "full":
		sums := make([]double, m)
		for range sweeps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			clear(sums)
			for i := range n {
				columns, values := matrix.Row(i)
				for x, c := range columns {
					sums[c] = sums[c].plusProduct(values[x]-average-rowEffect[i], 1)
				}
			}
			for c, count := range counts {
				if count > 0 {
					columnEffect[c] = sums[c].value() / (count + p.ColumnShrinkage)
				}
			}
			for i := range n {
				columns, values := matrix.Row(i)
				rest := double{}
				for x, c := range columns {
					rest = rest.plusProduct(values[x]-average-columnEffect[c], 1)
				}
				if len(columns) > 0 {
					rowEffect[i] = rest.value() / (float64(len(columns)) + p.RowShrinkage)
				}
			}
		}
	default:
		return nil, fmt.Errorf("proof: the model %q is not known", p.Model)
	}
	return matrix.Map(func(i int, c int32, value float64) float64 {
		return value - (average + columnEffect[c]) - rowEffect[i]
	}), nil
}
