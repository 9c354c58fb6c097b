package proof

import (
	"context"
	"math"
)

// solver solves the rows for one goroutine. What it solves need not be exact: the
// cut of any residuals is true. Only add must bound its roundings.
//
// Where entries have weights w, the cost of a row is Σ w(a − vᵀu)² + Σ u²/(γs), which is
// at least Σ(2ar − r²/w) − γ Σ_j s_j (b_jᵀr)² for any r: the best are the residuals
// times the weights. So that is what r is here, and only r² knows of weights again.
type solver struct {
	*cost
	k    []float64 // a system, row by row
	x    []float64 // its right-hand side, then its solution
	u    []float64
	r    []float64
	z    []float64
	low  []float64 // of z, in twice the precision only
	many []float64
}

func newSolver(c *cost) *solver {
	return &solver{cost: c, z: make([]float64, c.p), low: make([]float64, c.p)}
}

func room(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// feature is the features of a column.
func (s *solver) feature(column int32) []float64 { return s.b[int(column)*s.p:][:s.p] }

// factor replaces the lower triangle of the t×t matrix k by its Cholesky factor. A
// pivot that rounding made useless becomes its diagonal if it is to go on: the solution is
// then poor, and nothing worse. It tells whether it went to the end.
func factor(k []float64, t int, on bool) bool {
	for i := range t {
		row := k[i*t:][:t]
		for j := 0; j <= i; j++ {
			other := k[j*t:][:t]
			sum := row[j]
			for l, x := range row[:j] {
				sum -= x * other[l]
			}
			if j < i {
				row[j] = sum / other[j]
				continue
			}
			switch {
			case on && !(sum > 1e-14*row[i]):
				sum = row[i]
			case !on && (!(sum > 0) || math.IsInf(sum, 1)):
				return false
			}
			row[i] = math.Sqrt(sum)
		}
	}
	return true
}

// solve solves L Lᵀ x = b in place.
func solve(l, x []float64, t int) {
	for i := range t {
		sum := x[i]
		for j, v := range l[i*t:][:i] {
			sum -= v * x[j]
		}
		x[i] = sum / l[i*t+i]
	}
	for i := t - 1; i >= 0; i-- {
		x[i] /= l[i*t+i]
		for j, v := range l[i*t:][:i] {
			x[j] -= v * x[i]
		}
	}
}

// system sets k = D⁻¹/γ + V_iᵀWV_i, lower triangle, and x = V_iᵀW values.
func (s *solver) system(at *place, columns []int32, values, weights []float64) {
	t := len(at.support)
	s.k, s.x = room(s.k, t*t), room(s.x, t)
	clear(s.k)
	clear(s.x)
	v := room(s.many, t)
	s.many = v
	for e, c := range columns {
		b := s.feature(c)
		for x, j := range at.support {
			v[x] = b[j]
		}
		a := values[e]
		for x, vx := range v {
			if weights != nil {
				vx *= weights[e]
			}
			s.x[x] += a * vx
			row := s.k[x*t:][:x+1]
			for y := range row {
				row[y] += vx * v[y]
			}
		}
	}
	for x, w := range at.weight {
		s.k[x*t+x] += 1 / (s.gamma * w)
	}
}

// residual finds the row's residual at the place, times the weights, in s.r: that of
// a_i − V_iμ, by its own coefficients or, where the row has fewer entries than the
// support, by the dual system (W⁻¹ + γVDVᵀ) r = a − Vμ.
func (s *solver) residual(at *place, columns []int32, values, weights []float64) {
	n, t := len(columns), len(at.support)
	s.r = room(s.r, n)
	copy(s.r, values)
	if at.mu != nil {
		s.subtract(at, columns, at.mu)
	}
	if n < t {
		s.dual(at, columns, weights)
		return
	}
	s.system(at, columns, s.r, weights)
	factor(s.k, t, true)
	solve(s.k, s.x, t)
	s.subtract(at, columns, s.x)
	for e, w := range weights {
		s.r[e] *= w
	}
}

// lost is where r, or r/w, is so small that underflow could take more from its square
// than tiny. There r is 0, which is as true.
const lost = 1e-200

// squared is r²/w and r, given the residual times the weight: 0 and 0 where that is
// lost. It has a relative error of three roundings, without weights of one.
func squared(r float64, weights []float64, e int) (square, kept float64) {
	if weights == nil {
		return r * r, r
	}
	by := r / weights[e]
	if math.Abs(r) < lost || math.Abs(by) < lost {
		return 0, 0
	}
	return r * by, r
}

// subtract takes V_i u from s.r.
func (s *solver) subtract(at *place, columns []int32, u []float64) {
	for e, c := range columns {
		b := s.feature(c)
		sum := 0.0
		for x, j := range at.support {
			sum += b[j] * u[x]
		}
		s.r[e] -= sum
	}
}

// dual solves (W⁻¹ + γVDVᵀ) r = s.r in place.
func (s *solver) dual(at *place, columns []int32, weights []float64) {
	n := len(columns)
	s.k = room(s.k, n*n)
	for e, c := range columns {
		b := s.feature(c)
		for f, d := range columns[:e+1] {
			other := s.feature(d)
			sum := 0.0
			for x, j := range at.support {
				sum += b[j] * at.weight[x] * other[j]
			}
			s.k[e*n+f] = s.gamma * sum
		}
		if weights != nil {
			s.k[e*n+e] += 1 / weights[e]
		} else {
			s.k[e*n+e]++
		}
	}
	factor(s.k, n, true)
	solve(s.k, s.r, n)
}

// correlate sets z = Bᵀr over the row's entries.
func (s *solver) correlate(columns []int32) {
	clear(s.z)
	for e, c := range columns {
		r := s.r[e]
		b := s.feature(c)
		z := s.z[:len(b)]
		for j, x := range b {
			z[j] += r * x
		}
	}
}

// add adds a row to the sums of a place.
func (s *solver) add(at *place, columns []int32, values, weights []float64, to *sums) {
	s.residual(at, columns, values, weights)
	constant, size, absolute := 0.0, 0.0, 0.0
	for e := range columns {
		a := values[e]
		square, r := squared(s.r[e], weights, e)
		s.r[e] = r
		absolute += math.Abs(r)
		size += 2*math.Abs(a*r) + square
		constant += 2*a*r - square
	}
	s.correlate(columns)
	to.constant += constant
	to.size += size
	e := absolute*gam(len(columns)+2)*wider + tiny
	to.error1 += e
	to.error2 += e * e
	for j, z := range s.z {
		to.squares[j] += z * z
		to.total[j] += z
	}
}

// populations finds μ of every place, for the pooled cost: with K_i = D⁻¹/γ + G_i,
// E = D⁻¹/γ, it solves (D⁻¹/γ₀ + Σ E K_i⁻¹G_i) μ = Σ E K_i⁻¹y_i. It too need not be
// exact.
func (c *cost) populations(ctx context.Context, places []*place) error {
	type system struct{ h, k []float64 }
	parts := make([][]system, c.parts())
	for part := range parts {
		for _, at := range places {
			t := len(at.support)
			parts[part] = append(parts[part], system{make([]float64, t), make([]float64, t*t)})
		}
	}
	err := c.eachRow(ctx, func() (func(int, []int32, []float64, []float64), func(int)) {
		s := newSolver(c)
		var gram, column []float64
		work := func(part int, columns []int32, values, weights []float64) {
			for x, at := range places {
				t, to := len(at.support), &parts[part][x]
				s.system(at, columns, values, weights)
				gram = room(gram, t*t)
				copy(gram, s.k)
				for x, w := range at.weight {
					gram[x*t+x] -= 1 / (s.gamma * w)
				}
				factor(s.k, t, true)
				solve(s.k, s.x, t)
				for x, w := range at.weight {
					to.h[x] += s.x[x] / (s.gamma * w)
				}
				column = room(column, t)
				for y := range t {
					for x := range t {
						column[x] = gram[max(x, y)*t+min(x, y)]
					}
					solve(s.k, column, t)
					for x := y; x < t; x++ {
						to.k[x*t+y] += column[x] / (s.gamma * at.weight[x])
					}
				}
			}
		}
		return work, func(int) {}
	})
	for x, at := range places {
		t := len(at.support)
		all := system{make([]float64, t), make([]float64, t*t)}
		for part := range parts {
			for y, v := range parts[part][x].h {
				all.h[y] += v
			}
			for y, v := range parts[part][x].k {
				all.k[y] += v
			}
		}
		for y, w := range at.weight {
			all.k[y*t+y] += 1 / (c.gamma0 * w)
		}
		factor(all.k, t, true)
		solve(all.k, all.h, t)
		at.mu = all.h
	}
	return err
}
