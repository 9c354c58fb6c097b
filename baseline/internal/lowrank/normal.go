package lowrank

import "context"

// Normal is XᵀX v for the rows' matrix X with zeros in place of what is missing.
func (r *Rows) Normal(ctx context.Context, v []float64, threads int) ([]float64, error) {
	return r.sum(ctx, len(v), threads, func(sum []float64, _ int, columns []int32, values []float64) {
		y := 0.0
		for e, j := range columns {
			y += values[e] * v[j]
		}
		for e, j := range columns {
			sum[j] += values[e] * y
		}
	})
}

// NormalWithin is Xᵀ P Pᵀ X v, P having the lines of rows as features of the
// given number, n×q.
func (r *Rows) NormalWithin(ctx context.Context, v, p []float64, q, threads int) ([]float64, error) {
	middle, err := r.sum(ctx, q, threads, func(sum []float64, i int, columns []int32, values []float64) {
		y := 0.0
		for e, j := range columns {
			y += values[e] * v[j]
		}
		for x, f := range p[i*q:][:q] {
			sum[x] += f * y
		}
	})
	if err != nil {
		return nil, err
	}
	return r.sum(ctx, len(v), threads, func(sum []float64, i int, columns []int32, values []float64) {
		y := inner(p[i*q:][:q], middle)
		for e, j := range columns {
			sum[j] += values[e] * y
		}
	})
}

// sum adds up what each row adds to as many numbers, part by part.
func (r *Rows) sum(ctx context.Context, size, threads int, add func(sum []float64, i int, columns []int32, values []float64)) ([]float64, error) {
	parts := make([][]float64, r.Chunks())
	err := r.Each(ctx, threads, func(c int) func(int, []int32, []float64) {
		sum := make([]float64, size)
		parts[c] = sum
		return func(i int, columns []int32, values []float64) { add(sum, i, columns, values) }
	})
	if err != nil {
		return nil, err
	}
	out := make([]float64, size)
	for _, part := range parts {
		Add(out, part)
	}
	return out, nil
}
