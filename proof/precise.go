package proof

import "math"

// In twice the precision: rows whose features differ so much in size, or fit so
// well, that float64 leaves nothing of the cut. Only the products of add need to
// be bounded; the rest is to be good, and no more.

func (a double) plus(b double) double {
	s := a.high + b.high
	t := s - a.high
	e := (a.high - (s - t)) + (b.high - t) + a.low + b.low
	high := s + e
	return double{high, e - (high - s)}
}

func (a double) minus(b double) double { return a.plus(double{-b.high, -b.low}) }

func (a double) times(b double) double {
	p := a.high * b.high
	e := math.FMA(a.high, b.high, -p) + (a.high*b.low + a.low*b.high)
	high := p + e
	return double{high, e - (high - p)}
}

func (a double) over(b double) double {
	q := a.high / b.high
	rest := a.minus(b.times(double{high: q}))
	return double{high: q}.plus(double{high: rest.high / b.high})
}

func (a double) root() double {
	x := math.Sqrt(a.high)
	if !(x > 0) {
		return double{}
	}
	rest := a.minus(double{high: x}.times(double{high: x}))
	return double{high: x}.plus(double{high: rest.high / (2 * x)})
}

// preciseSolver is a solver in twice the precision.
type preciseSolver struct {
	*solver
	l, x, u, r []double
}

func doubles(x []double, n int) []double {
	if cap(x) < n {
		return make([]double, n)
	}
	x = x[:n]
	clear(x)
	return x
}

// factorPrecisely is factor.
func factorPrecisely(k []double, t int) {
	for i := range t {
		row := k[i*t:][:t]
		for j := 0; j <= i; j++ {
			other := k[j*t:][:t]
			sum := row[j]
			for l, x := range row[:j] {
				sum = sum.minus(x.times(other[l]))
			}
			if j < i {
				row[j] = sum.over(other[j])
				continue
			}
			if !(sum.high > 1e-30*row[i].high) {
				sum = row[i]
			}
			row[i] = sum.root()
		}
	}
}

// solvePrecisely is solve.
func solvePrecisely(l, x []double, t int) {
	for i := range t {
		for j, v := range l[i*t:][:i] {
			x[i] = x[i].minus(v.times(x[j]))
		}
		x[i] = x[i].over(l[i*t+i])
	}
	for i := t - 1; i >= 0; i-- {
		x[i] = x[i].over(l[i*t+i])
		for j, v := range l[i*t:][:i] {
			x[j] = x[j].minus(v.times(x[i]))
		}
	}
}

// refinements is how often the solution of the smaller of a row's two systems is
// corrected by its own residual.
const refinements = 3

// residual is solver.residual; it also has the coefficients in u.
func (s *preciseSolver) residual(at *place, columns []int32, values, weights []float64) {
	n, t := len(columns), len(at.support)
	s.r, s.u = doubles(s.r, n), doubles(s.u, t)
	for e, a := range values {
		s.r[e].high = a
	}
	for x, mu := range at.mu {
		s.subtract(at, columns, x, double{high: mu})
	}
	if n < t {
		s.dual(at, columns, weights)
		for x, j := range at.support { // u = γ s Vᵀr
			s.u[x] = s.correlation(columns, nil, j).times(double{high: s.gamma}.times(double{high: at.weight[x]}))
		}
		return
	}
	s.l, s.x = doubles(s.l, t*t), doubles(s.x, t)
	for e, c := range columns {
		b := s.feature(c)
		for x, j := range at.support {
			for y, i := range at.support[:x+1] {
				s.l[x*t+y] = s.l[x*t+y].plus(weighed(double{high: b[j]}.times(double{high: b[i]}), weights, e))
			}
		}
	}
	ridge := func(x int) double {
		return double{high: 1}.over(double{high: s.gamma}.times(double{high: at.weight[x]}))
	}
	for x := range t {
		s.l[x*t+x] = s.l[x*t+x].plus(ridge(x))
	}
	factorPrecisely(s.l, t)
	for range 1 + refinements {
		for x, j := range at.support { // the gradient of the row's own problem
			s.x[x] = s.correlation(columns, weights, j).minus(s.u[x].times(ridge(x)))
		}
		solvePrecisely(s.l, s.x, t)
		for x, d := range s.x {
			s.u[x] = s.u[x].plus(d)
			s.subtract(at, columns, x, d)
		}
	}
	for e := range s.r {
		s.r[e] = weighed(s.r[e], weights, e)
	}
}

// weighed is a number times the weight of an entry.
func weighed(x double, weights []float64, e int) double {
	if weights == nil {
		return x
	}
	return x.times(double{high: weights[e]})
}

// subtract takes a multiple of a feature of the support from r.
func (s *preciseSolver) subtract(at *place, columns []int32, x int, by double) {
	for e, c := range columns {
		s.r[e] = s.r[e].minus(by.times(double{high: s.feature(c)[at.support[x]]}))
	}
}

// correlation is b_jᵀWr.
func (s *preciseSolver) correlation(columns []int32, weights []float64, j int) (sum double) {
	for e, c := range columns {
		sum = sum.plus(weighed(s.r[e].times(double{high: s.feature(c)[j]}), weights, e))
	}
	return sum
}

// dual solves (W⁻¹ + γVDVᵀ) r = r in place.
func (s *preciseSolver) dual(at *place, columns []int32, weights []float64) {
	n := len(columns)
	s.l = doubles(s.l, n*n)
	for e, c := range columns {
		b := s.feature(c)
		for f, d := range columns[:e+1] {
			other := s.feature(d)
			sum := double{}
			for x, j := range at.support {
				sum = sum.plus(double{high: b[j]}.times(double{high: other[j]}).times(double{high: at.weight[x]}))
			}
			s.l[e*n+f] = sum.times(double{high: s.gamma})
		}
		one := double{high: 1}
		if weights != nil {
			one = one.over(double{high: weights[e]})
		}
		s.l[e*n+e] = s.l[e*n+e].plus(one)
	}
	factorPrecisely(s.l, n)
	solvePrecisely(s.l, s.r, n)
}

// add is solver.add. Here r_i is the sum of two floats, and every sum is of
// products of floats, as doubleError has it: two for b_jᵀr_i, five for
// 2a_iᵀr_i − ‖r_i‖² of each entry. With weights, r²/w is that of r rounded to one
// float, whose relative error is in cost.cut.
func (s *preciseSolver) add(at *place, columns []int32, values, weights []float64, to *sums) {
	s.residual(at, columns, values, weights)
	clear(s.z)
	clear(s.low)
	constant, size, absolute := double{}, 0.0, 0.0
	for e, r := range s.r {
		a := values[e]
		one := math.Abs(r.high) + math.Abs(r.low)
		square := one * one
		if weights != nil {
			rounded := 0.0
			if square, rounded = squared(r.value(), weights, e); rounded == 0 {
				continue // r is 0
			}
			constant = constant.plusProduct(-square, 1)
		} else {
			constant = constant.plusProduct(-r.high, r.high).plusProduct(-2*r.high, r.low).plusProduct(-r.low, r.low)
		}
		constant = constant.plusProduct(2*a, r.high).plusProduct(2*a, r.low)
		absolute += one
		size += 2*math.Abs(a)*one + square
		for j, x := range s.feature(columns[e]) {
			d := double{s.z[j], s.low[j]}.plusProduct(r.high, x).plusProduct(r.low, x)
			s.z[j], s.low[j] = d.high, d.low
		}
	}
	to.constant += constant.value()
	to.rows += math.Abs(constant.value())
	to.size += size
	e := absolute*doubleError(2*len(columns)+2)*wider + tiny
	to.error1 += e
	to.error2 += e * e
	for j, z := range s.z {
		z += s.low[j]
		to.squares[j] += z * z
		to.total[j] += z
	}
	if at.upper {
		s.addUpper(at, columns, values, weights, to)
	}
}

// addUpper adds what the row costs with the coefficients μ + u. Each term is
// raised by what rounding may have taken from it.
func (s *preciseSolver) addUpper(at *place, columns []int32, values, weights []float64, to *sums) {
	for e, c := range columns {
		b := s.feature(c)
		rest, size := double{high: values[e]}, math.Abs(values[e])
		for x, j := range at.support {
			u := s.u[x]
			rest = rest.plusProduct(-b[j], u.high).plusProduct(-b[j], u.low)
			size += math.Abs(b[j]) * (math.Abs(u.high) + math.Abs(u.low))
			if at.mu != nil {
				rest = rest.plusProduct(-b[j], at.mu[x])
				size += math.Abs(b[j] * at.mu[x])
			}
		}
		r := math.Abs(rest.value())*(1+4e-16) + size*doubleError(3*len(at.support)+4)*wider
		if weights != nil {
			to.upper += weights[e] * r * r
		} else {
			to.upper += r * r
		}
	}
	for x, u := range s.u {
		one := math.Abs(u.high) + math.Abs(u.low)
		to.upper += one * one / (s.gamma * at.weight[x])
	}
	to.upper += tiny
}
