package milp

import "math"

// inverse is the explicit inverse of the working basis M of the simplex. M has
// a row for the cardinality (position 0) and for each tight cut, and a column
// for η (position 0) and for each basic feature:
//
//	M[0][0] = 0   M[0][i] = 1   M[r][0] = 1   M[r][i] = −g[cut r][feature i]
//
// Every cut that is not tight would add only a unit column, so M stays as
// small as the number of tight cuts, however many cuts there are.
type inverse struct {
	n      int // order of M
	stride int
	a      []float64 // row i is column position i of M, column r is row position r of M
}

func (v *inverse) row(i int) []float64 { return v.a[i*v.stride : i*v.stride+v.n] }

func (v *inverse) reserve(n int) {
	if n <= v.stride {
		return
	}
	stride := max(16, n+n/2)
	a := make([]float64, stride*stride)
	for i := range v.n {
		copy(a[i*stride:], v.row(i))
	}
	v.stride, v.a = stride, a
}

// replaceColumn puts a new column at position q of M; u = M⁻¹·column.
func (v *inverse) replaceColumn(q int, u []float64) {
	pivot := v.row(q)
	scale(pivot, 1/u[q])
	for i := range v.n {
		if i != q && u[i] != 0 {
			subtract(v.row(i), u[i], pivot)
		}
	}
}

// replaceRow puts a new row at position r of M; w = row·M⁻¹.
func (v *inverse) replaceRow(r int, w []float64) {
	inv := 1 / w[r]
	for i := range v.n {
		row := v.row(i)
		f := row[r] * inv
		if f != 0 {
			subtract(row, f, w[:v.n])
		}
		row[r] = f
	}
}

// grow borders M by a row and a column at position n: u = M⁻¹·column,
// w = row·M⁻¹, sigma = corner − row·u.
func (v *inverse) grow(u, w []float64, sigma float64) {
	n := v.n
	v.reserve(n + 1)
	v.n = n + 1
	for i := range n {
		row := v.row(i)
		f := u[i] / sigma
		subtract(row[:n], -f, w[:n])
		row[n] = -f
	}
	last := v.row(n)
	for r := range n {
		last[r] = -w[r] / sigma
	}
	last[n] = 1 / sigma
}

// shrink removes column position q and row position r of M; the last positions
// move into their places.
func (v *inverse) shrink(q, r int) {
	n := v.n - 1
	pivot := v.row(q)
	inv := 1 / pivot[r]
	for i := range v.n {
		if i != q {
			row := v.row(i)
			if f := row[r] * inv; f != 0 {
				subtract(row, f, pivot)
			}
		}
	}
	if q != n {
		copy(pivot, v.row(n))
	}
	if r != n {
		for i := range n {
			row := v.row(i)
			row[r] = row[n]
		}
	}
	v.n = n
}

// invert replaces the matrix held in v by its inverse (Gauss–Jordan with row
// interchanges), and tells whether it is far enough from singular.
func (v *inverse) invert(where []int) bool {
	n := v.n
	for c := range n {
		best, size := c, math.Abs(v.row(c)[c])
		for i := c + 1; i < n; i++ {
			if a := math.Abs(v.row(i)[c]); a > size {
				best, size = i, a
			}
		}
		if !(size > 1e-13) {
			return false
		}
		where[c] = best
		pivot := v.row(c)
		if best != c {
			other := v.row(best)
			for r := range pivot {
				pivot[r], other[r] = other[r], pivot[r]
			}
		}
		inv := 1 / pivot[c]
		pivot[c] = 1
		scale(pivot, inv)
		for i := range n {
			if i == c {
				continue
			}
			row := v.row(i)
			if f := row[c]; f != 0 {
				row[c] = 0
				subtract(row, f, pivot)
			}
		}
	}
	for c := n - 1; c >= 0; c-- {
		if o := where[c]; o != c {
			for i := range n {
				row := v.row(i)
				row[c], row[o] = row[o], row[c]
			}
		}
	}
	return true
}

func scale(x []float64, f float64) {
	for i := range x {
		x[i] *= f
	}
}

// subtract sets x −= f·y.
func subtract(x []float64, f float64, y []float64) {
	y = y[:len(x)]
	for len(x) >= 4 {
		x[0] -= f * y[0]
		x[1] -= f * y[1]
		x[2] -= f * y[2]
		x[3] -= f * y[3]
		x, y = x[4:], y[4:]
	}
	for i := range x {
		x[i] -= f * y[i]
	}
}

func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	for len(x) >= 4 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i := range x {
		a += x[i] * y[i]
	}
	return (a + c) + (b + d)
}
