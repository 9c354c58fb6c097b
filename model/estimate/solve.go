package estimate

import (
	"math"

	"optcomplete/internal/dense"
)

// minPivot is the smallest pivot of a Cholesky factor, of a matrix scaled to a
// unit diagonal, that counts as well conditioned. Above it the normal equations
// have lost at most about 7 of 16 digits, and the refinement step wins them
// back; below it the row goes to the orthogonal decomposition.
const minPivot = 1e-6

// rowSolver fits one row after another, reusing its memory. With V the e×k
// matrix of the selected features on the observed columns and λ = 1/γ (0 for
// least squares) it solves, whichever is smaller,
//
//	(λI + VᵀV) u = Vᵀa           e ≥ k
//	(λI + VVᵀ) w = a,  u = Vᵀw   e < k: the minimum-norm solution if λ = 0
//
// by Cholesky with one step of refinement, whose residual is computed from the
// data; and if the pivots say that this is ill conditioned or singular, by a
// complete orthogonal decomposition. Rows that need no such care, nearly all, are
// solved by tall; the others are looked at entry by entry (load).
type rowSolver struct {
	k        int
	lambda   float64
	products *rowProducts

	e      int       // entries kept: those with some feature that is not zero
	v      []float64 // V by features: feature f is v[f*e : (f+1)*e]
	a      []float64 // e values
	active []int     // of k, the features that are not zero on this row
	norm   []float64 // ‖v_f‖ of the active ones

	gram, scale    []float64 // the scaled matrix and its scaling
	x, step, resid []float64
	cod            orthogonal
}

func newRowSolver(k int, lambda float64) *rowSolver {
	return &rowSolver{k: k, lambda: lambda, products: newRowProducts(k)}
}

// solve writes the coefficients of one row to u. If a number is out of range
// it returns that number and false.
func (s *rowSolver) solve(features []float64, columns []int32, values []float64, u []float64) (bad float64, ok bool) {
	if s.tall(features, columns, values, u) {
		return 0, true
	}
	clear(u)
	if bad, ok := s.load(features, columns, values); !ok {
		return bad, false
	}
	n := len(s.active)
	if n == 0 {
		return 0, true
	}
	s.x = dense.Resize(s.x, n)
	if s.e >= n || !s.wide() {
		s.orthogonal()
	}
	for at, f := range s.active {
		x := s.x[at]
		if !(math.Abs(x) <= maxCoefficient) {
			return x, false
		}
		u[f] = x
	}
	return 0, true
}

// load copies the row's data, leaving out features that are zero on all of its
// columns (their coefficient is 0 in every kind of solution) and entries whose
// features are all zero (they bear on no coefficient).
func (s *rowSolver) load(features []float64, columns []int32, values []float64) (bad float64, ok bool) {
	k := s.k
	s.norm = dense.Resize(s.norm, k)
	clear(s.norm)
	s.e = 0
	for at, j := range columns {
		if !(math.Abs(values[at]) <= huge) {
			return values[at], false
		}
		some := false
		for f, b := range features[int(j)*k : (int(j)+1)*k] {
			if !(math.Abs(b) <= huge) {
				return b, false
			}
			some = some || b != 0
			s.norm[f] += b * b
		}
		if some {
			s.e++
		}
	}
	s.active = s.active[:0]
	for f, square := range s.norm {
		if norm := math.Sqrt(square); norm > tiny {
			s.norm[len(s.active)] = norm
			s.active = append(s.active, f)
		}
	}
	s.norm = s.norm[:len(s.active)]
	s.v = dense.Resize(s.v, s.e*len(s.active))
	s.a = dense.Resize(s.a, s.e)
	row := 0
	for at, j := range columns {
		b := features[int(j)*k : (int(j)+1)*k]
		if allZero(b) {
			continue
		}
		s.a[row] = values[at]
		for f, from := range s.active {
			s.v[f*s.e+row] = b[from]
		}
		row++
	}
	return 0, true
}

// feature returns feature f of the active ones on the row's entries.
func (s *rowSolver) feature(f int) []float64 { return s.v[f*s.e : (f+1)*s.e] }

// tall solves the normal equations, scaled to a unit diagonal. It reports false if
// the row has fewer entries than features that are not zero, a number is too large,
// or the equations are ill conditioned.
func (s *rowSolver) tall(features []float64, columns []int32, values, u []float64) bool {
	p := s.products
	p.load(features, columns, values)
	if !(p.product(s.k, s.k) <= huge*huge) {
		return false
	}
	s.active, s.scale = s.active[:0], s.scale[:0]
	for f := range s.k { // those that are zero have the coefficient 0
		square := p.product(f, f)
		if !(square <= huge*huge) {
			return false
		}
		if norm := math.Sqrt(square); norm > tiny {
			s.active = append(s.active, f)
			s.scale = append(s.scale, 1/math.Hypot(norm, math.Sqrt(s.lambda)))
		}
	}
	n := len(s.active)
	if len(columns) < n {
		return false
	}
	s.gram, s.step = dense.Resize(s.gram, n*n), dense.Resize(s.step, n)
	for x, f := range s.active {
		row := s.gram[x*n:]
		for y, g := range s.active[:x] {
			row[y] = p.product(f, g) * s.scale[x] * s.scale[y]
		}
		row[x] = 1
		s.step[x] = p.product(s.k, f) * s.scale[x]
	}
	if !dense.Cholesky(s.gram, n, minPivot) {
		return false
	}
	clear(u)
	for again := range 2 { // the solution, then its refinement
		if again > 0 {
			z := p.residuals(values, u)
			for x, f := range s.active {
				s.step[x] = (z[f] - s.lambda*u[f]) * s.scale[x]
			}
		}
		dense.CholeskySolve(s.gram, n, s.step)
		for x, f := range s.active {
			if u[f] += s.step[x] * s.scale[x]; !(math.Abs(u[f]) <= maxCoefficient) {
				return false
			}
		}
	}
	return true
}

// wide solves the dual equations, one unknown per entry, scaled to a unit
// diagonal. Whatever w is, Vᵀw lies in the row space of V: the solution keeps
// the minimum norm through rounding and refinement.
func (s *rowSolver) wide() bool {
	n, e := len(s.active), s.e
	s.gram, s.scale = dense.Resize(s.gram, e*e), dense.Resize(s.scale, e)
	clear(s.gram)
	for f := range n {
		vf := s.feature(f)
		for i, b := range vf {
			if b != 0 {
				dense.Axpy(b, vf[:i+1], s.gram[i*e:i*e+i+1])
			}
		}
	}
	for i := range e {
		square := s.gram[i*e+i] + s.lambda
		if square < tiny*tiny {
			return false
		}
		s.scale[i] = 1 / math.Sqrt(square)
		for j := range i {
			s.gram[i*e+j] *= s.scale[i] * s.scale[j]
		}
		s.gram[i*e+i] = 1
	}
	if !dense.Cholesky(s.gram, e, minPivot) {
		return false
	}
	s.step, s.resid = dense.Resize(s.step, 2*e), dense.Resize(s.resid, e)
	step, w := s.step[:e], s.step[e:]
	copy(s.resid, s.a)
	clear(w)
	for range 2 {
		for i := range e {
			step[i] = (s.resid[i] - s.lambda*w[i]) * s.scale[i]
		}
		dense.CholeskySolve(s.gram, e, step)
		for i := range e {
			w[i] += step[i] * s.scale[i]
		}
		copy(s.resid, s.a)
		for f := range n {
			s.x[f] = dense.Dot(s.feature(f), w)
			dense.Axpy(-s.x[f], s.feature(f), s.resid)
		}
	}
	return true
}

// orthogonal solves min ‖Vu − a‖² + λ‖u‖², of minimum norm.
func (s *rowSolver) orthogonal() {
	c := &s.cod
	c.reset(s.e, len(s.active))
	copy(c.v, s.v)
	copy(c.right, s.a)
	c.solve(s.x, s.lambda)
}

func allZero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}
