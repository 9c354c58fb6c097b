package estimate

import "math"

// rooted makes rows whose entries have weights into rows whose entries count alike:
// what minimises Σ w (a − xᵀu)² is what fits the values √w·a by the features √w·x.
// It serves one row after the other.
type rooted struct {
	k      int
	design []float64
	values []float64
	order  []int32 // 0, 1, 2 and so on
}

func newRooted(k int) *rooted { return &rooted{k: k} }

// row is a row with k features of every column, as it is if it has no weights.
func (r *rooted) row(design []float64, columns []int32, values, weights []float64) ([]float64, []int32, []float64) {
	if weights == nil {
		return design, columns, values
	}
	r.design, r.values = r.design[:0], r.values[:0]
	for e, c := range columns {
		root := math.Sqrt(weights[e])
		r.values = append(r.values, root*values[e])
		for _, x := range design[int(c)*r.k:][:r.k] {
			r.design = append(r.design, root*x)
		}
		if len(r.order) <= e {
			r.order = append(r.order, int32(e))
		}
	}
	return r.design, r.order[:len(columns)], r.values
}
