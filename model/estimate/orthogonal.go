package estimate

import (
	"math"

	"optcomplete/internal/dense"
)

// rankTolerance decides the rank of a row's features: with every feature scaled
// to unit norm, a feature that the others leave less than this of is a
// combination of them. It is far above rounding (1e-16) and far below what data
// known to a few digits can tell apart; as it is relative, the units of a
// feature do not matter.
const rankTolerance = 1e-10

// orthogonal is a complete orthogonal decomposition (Golub and Van Loan, Matrix
// Computations, section 5.5.2) of an e×n matrix V, for the least squares
// solution of minimum norm. With D the norms of the columns, a QR decomposition
// with column pivoting of the scaled matrix gives its rank r and
//
//	V D⁻¹ P = Q [R; 0]  so that  V P = Q [T; 0],  T = R PᵀDP  (r×n, full rank)
//
// and a second one, Tᵀ = Z W, gives the solution u = P Z W⁻ᵀ c, c = (Qᵀa)[:r].
// Scaling decides only the rank: it is the norm of u that is smallest.
//
// With a penalty λ‖u‖² the solution is u = P Z z, where z minimises
// ‖Wᵀz − c‖² + λ‖z‖². W has full rank, so that z tends to W⁻ᵀc as λ goes to 0
// and no digits are lost on the way, as they would be with [V; √λ·I].
type orthogonal struct {
	e, n  int
	v     []float64 // by columns
	right []float64 // a

	norm  []float64 // of each column of V
	order []int     // column at each pivot position
	left  []float64 // squared norm of what is left of each column
	t     []float64 // Tᵀ by columns: n long, r of them
	diag  []float64 // diagonal of W
	c     []float64

	small *orthogonal // for z, if there is a penalty
}

// reset prepares for an e×n matrix. The caller then fills column(f) and right.
func (o *orthogonal) reset(e, n int) {
	o.e, o.n = e, n
	o.v, o.right = dense.Resize(o.v, e*n), dense.Resize(o.right, e)
	o.norm, o.left = dense.Resize(o.norm, n), dense.Resize(o.left, n)
	o.order = o.order[:0]
	for f := range n {
		o.order = append(o.order, f)
	}
}

func (o *orthogonal) column(f int) []float64 { return o.v[f*o.e : (f+1)*o.e] }

// solve writes the minimiser of ‖Vx − a‖² + λ‖x‖² to x, for λ = 0 the one of
// minimum norm. It consumes the matrix and the right-hand side.
func (o *orthogonal) solve(x []float64, lambda float64) {
	clear(x)
	r := o.pivotedQR()
	if r == 0 {
		return
	}
	// Row i of T, which is column i of Tᵀ, in pivot order and in the user's units.
	n := o.n
	o.t, o.diag, o.c = dense.Resize(o.t, n*r), dense.Resize(o.diag, r), dense.Resize(o.c, n)
	for i := range r {
		row := o.t[i*n : (i+1)*n]
		clear(row[:i])
		for at := i; at < n; at++ {
			f := o.order[at]
			row[at] = o.v[f*o.e+i] * o.norm[f]
		}
	}
	// Tᵀ = Z W by Householder reflections kept below W's diagonal.
	for i := range r {
		pivot := o.t[i*n+i : (i+1)*n]
		o.diag[i] = reflector(pivot)
		for j := i + 1; j < r; j++ {
			reflect(pivot, o.t[j*n+i:(j+1)*n])
		}
	}
	clear(o.c)
	if lambda > 0 {
		o.penalised(o.c[:r], lambda)
	} else {
		// Row i of Wᵀ is the stored column i of W.
		for i := range r {
			o.c[i] = (o.right[i] - dense.Dot(o.t[i*n:i*n+i], o.c[:i])) / o.diag[i]
		}
	}
	for i := r - 1; i >= 0; i-- {
		reflect(o.t[i*n+i:(i+1)*n], o.c[i:])
	}
	for at, f := range o.order {
		x[f] = o.c[at]
	}
}

// penalised writes to z the minimiser of ‖Wᵀz − c‖² + λ‖z‖²: the least squares
// solution of [Wᵀ; √λ·I] z = [c; 0].
func (o *orthogonal) penalised(z []float64, lambda float64) {
	if o.small == nil {
		o.small = new(orthogonal)
	}
	r, s := len(z), o.small
	s.reset(2*r, r)
	for f := range r {
		column := s.column(f) // row f of W, which starts at its diagonal
		clear(column)
		column[f] = o.diag[f]
		for i := f + 1; i < r; i++ {
			column[i] = o.t[i*o.n+f]
		}
		column[r+f] = math.Sqrt(lambda)
	}
	copy(s.right, o.right[:r])
	clear(s.right[r:])
	s.solve(z, 0)
}

// pivotedQR scales the columns to unit norm, reduces them to R in place (each
// by its own column, so that column f of R is column(f)[:r]), applies Qᵀ to
// right and returns the rank.
func (o *orthogonal) pivotedQR() int {
	for f := range o.n {
		col := o.column(f)
		o.norm[f] = math.Sqrt(dense.Dot(col, col))
		o.left[f] = 0
		if o.norm[f] > 0 {
			for i := range col {
				col[i] /= o.norm[f]
			}
			o.left[f] = 1
		}
	}
	steps := min(o.e, o.n)
	for r := range steps {
		best := r
		for at := r; at < o.n; at++ {
			if o.left[o.order[at]] > o.left[o.order[best]] {
				best = at
			}
		}
		o.order[r], o.order[best] = o.order[best], o.order[r]
		pivot := o.column(o.order[r])[r:]
		if dense.Dot(pivot, pivot) <= rankTolerance*rankTolerance {
			return r
		}
		diagonal := reflector(pivot)
		reflect(pivot, o.right[r:])
		for at := r + 1; at < o.n; at++ {
			f := o.order[at]
			rest := o.column(f)[r:]
			reflect(pivot, rest)
			// Computed afresh, not downdated: the sizes are small, and rank is
			// decided on it.
			o.left[f] = dense.Dot(rest[1:], rest[1:])
		}
		pivot[0] = diagonal
	}
	return steps
}

// reflector replaces x by the Householder vector h, with ‖h‖² = 2, for which
// x − h(hᵀx) = (d, 0, …, 0), and returns d.
func reflector(x []float64) (d float64) {
	norm := math.Sqrt(dense.Dot(x, x))
	if norm == 0 {
		return 0
	}
	// Of opposite sign to x[0], so that nothing cancels: v = x − d·e₁,
	// ‖v‖² = 2·norm·(norm + |x₀|).
	d = -math.Copysign(norm, x[0])
	root := math.Sqrt(norm) * math.Sqrt(norm+math.Abs(x[0]))
	x[0] -= d
	for i := range x {
		x[i] /= root
	}
	return d
}

// reflect replaces y by y − h(hᵀy).
func reflect(h, y []float64) { dense.Axpy(-dense.Dot(h, y), h, y) }
