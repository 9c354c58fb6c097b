package kernel

import "math"

// CholeskyRow factors row x of eight packed triangles, of which the rows before are
// factors from Cholesky or from here: so a feature is added to those that came
// before. Pivots are raised to floor as in Cholesky.
func CholeskyRow(k []float64, x int, floor float64) {
	row := at(k, Tri(x))[:(x+1)*Lanes]
	for y := range x {
		before := at(k, Tri(y))
		dotLanes(at(row, y), row, before, y)
		scale((*[Lanes]float64)(at(row, y)), (*[Lanes]float64)(at(before, y)))
	}
	dotLanes(at(row, x), row, row, x)
	pivot := (*[Lanes]float64)(at(row, x))
	for lane, p := range pivot {
		pivot[lane] = 1 / math.Sqrt(max(p, floor))
	}
}

// SolveRow solves row x of L u = u in place; the rows before are solved. It returns
// Σ u_x² over the lanes: how much more of uᵀK⁻¹u there is with row x.
func SolveRow(l, u []float64, x int) (more float64) {
	row := at(l, Tri(x))
	dotLanes(at(u, x), row, u, x)
	solved := (*[Lanes]float64)(at(u, x))
	scale(solved, (*[Lanes]float64)(at(row, x)))
	for _, v := range solved {
		more += v * v
	}
	return more
}
