package lowrank

import "context"

// Normal is XᵀX v for the rows' matrix X with zeros in place of what is missing, and every
// value times its weight.
func (r *Rows) Normal(ctx context.Context, v []float64, threads int) ([]float64, error) {
	parts := make([][]float64, r.Chunks())
	err := r.Each(ctx, threads, func(c int) Row {
		sum := make([]float64, len(v))
		parts[c] = sum
		var scaled []float64
		return func(_ int, columns []int32, values, weights []float64) {
			if weights != nil {
				scaled = scaled[:0]
				for e, x := range values {
					scaled = append(scaled, weights[e]*x)
				}
				values = scaled
			}
			y := 0.0
			for e, j := range columns {
				y += values[e] * v[j]
			}
			for e, j := range columns {
				sum[j] += values[e] * y
			}
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(v))
	for _, part := range parts {
		Add(out, part)
	}
	return out, nil
}
