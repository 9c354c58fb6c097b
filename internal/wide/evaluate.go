package wide

import "math"

// Regression is the entries of one regression with p features. Entries may belong
// to rows that have coefficients of their own beside those of a population.
type Regression struct {
	P      int
	Values []float64
	Rows   []int // the row of each entry, 0 for the first; nil: there is but one row

	// Feature gives feature j of entry e, as the product x·y.
	Feature func(e, j int) (x, y float64)
}

// Penalty is the weights of the features and what they are divided by: the cost
// at coefficients u_i + μ of row i is
//
//	Σ_e (a_e − Σ_j v_ej (u_ij + μ_j))² + Σ_j (Σ_i u_ij²/γ + μ_j²/γ₀)/s_j
//
// with no μ where γ₀ is 0.
type Penalty struct {
	Gamma, Gamma0 float64
	Weights       []float64 // s, of every feature
}

// Evaluation is what is known of a regression at some weights s.
type Evaluation struct {
	Cost     float64 // no less than the least cost, and no more by Loss
	Constant float64 // for all t in [0,1]^p the cost is at least Constant − Σ_j t_j·Slope_j
	Slope    []float64
	U        []float64 // coefficients of the features of positive weight, where there is one row
	Loss     float64   // Cost less the cut's value at s
}

// Enough is the relative loss at which an evaluation is good enough.
const Enough = 1e-12

// steepest is the largest slope that is told: a cut that falls so steeply says
// nothing at any selection with the feature, which costs no less than 0.
const steepest = 1e300

// Evaluate evaluates a regression with as many digits as it takes.
func Evaluate(in *Regression, at *Penalty) Evaluation {
	best := evaluate(pairs{}, in, at)
	for bits := uint(256); bits <= 1024 && !best.good(); bits *= 2 {
		if next := evaluate(longs{bits}, in, at); !(next.Loss >= best.Loss) {
			best = next
		}
	}
	return best
}

func (e *Evaluation) good() bool { return e.Loss <= Enough*e.Cost }

// problem is a regression with features and values brought to sizes near 1.
type problem[T any, A arithmetic[T]] struct {
	*Regression
	*Penalty
	ar       A
	rows     int
	exponent []int // of each feature: it is divided by 2^exponent
	size     int   // of the values
	a        []T
	support  []int
	v        [][]T // features of the support, by entry
	w, w0    []T   // γ s_j and γ₀ s_j, for the features as they were divided
}

func newProblem[T any, A arithmetic[T]](ar A, in *Regression, at *Penalty) *problem[T, A] {
	q := &problem[T, A]{Regression: in, Penalty: at, ar: ar, rows: 1, exponent: make([]int, in.P)}
	largest := 0.0
	for e, a := range in.Values {
		largest = max(largest, math.Abs(a))
		if in.Rows != nil {
			q.rows = max(q.rows, in.Rows[e]+1)
		}
	}
	_, q.size = math.Frexp(largest)
	for _, a := range in.Values {
		q.a = append(q.a, ar.shift(ar.of(a), -q.size))
	}
	for j := range in.P {
		most := math.MinInt32
		for e := range in.Values {
			x, y := in.Feature(e, j)
			if x != 0 && y != 0 {
				_, i := math.Frexp(x)
				_, l := math.Frexp(y)
				most = max(most, i+l)
			}
		}
		if most > math.MinInt32 {
			q.exponent[j] = most
		}
		if s := at.Weights[j]; s > 0 {
			q.support = append(q.support, j)
			q.v = append(q.v, q.feature(j))
			q.w = append(q.w, ar.shift(ar.mul(ar.of(at.Gamma), ar.of(s)), 2*q.exponent[j]))
			q.w0 = append(q.w0, ar.shift(ar.mul(ar.of(at.Gamma0), ar.of(s)), 2*q.exponent[j]))
		}
	}
	return q
}

// feature is feature j of every entry, divided by its power of two.
func (q *problem[T, A]) feature(j int) []T {
	out := make([]T, len(q.a))
	for e := range out {
		x, y := q.Feature(e, j)
		v := q.ar.of(x)
		if y != 1 {
			v = q.ar.mul(v, q.ar.of(y))
		}
		out[e] = q.ar.shift(v, -q.exponent[j])
	}
	return out
}

func (q *problem[T, A]) row(e int) int {
	if q.Regression.Rows == nil {
		return 0
	}
	return q.Regression.Rows[e]
}

func evaluate[T any, A arithmetic[T]](ar A, in *Regression, at *Penalty) Evaluation {
	q := newProblem(ar, in, at)
	out := Evaluation{Slope: make([]float64, in.P)}
	lost := Evaluation{Cost: math.Inf(1), Loss: math.Inf(1), Slope: out.Slope}
	var r, u []T
	pooled := at.Gamma0 > 0
	if t := len(q.support); !pooled && t <= len(q.a) {
		if u = q.primal(); u == nil {
			return lost
		}
		r, _ = q.rest(func(e, x int) T { return u[x] })
	} else if r = q.dual(); r == nil {
		return lost
	}

	// The cut: 2aᵀr − ‖r‖² − Σ_j t_j (γ Σ_i z_ij² + γ₀ (Σ_i z_ij)²), z_ij = b_jᵀr_i.
	constant, size := ar.of(0), 0.0
	for e, a := range q.a {
		ae, re := math.Abs(ar.float(a)), math.Abs(ar.float(r[e]))
		constant = ar.add(constant, ar.sub(ar.mul(ar.add(a, a), r[e]), ar.mul(r[e], r[e])))
		size += 2*ae*re + re*re
	}
	slack := ar.eps() * float64(len(q.a)+8)
	out.Constant = down(ar.float(constant) - slack*size)
	cutHere, x := out.Constant, 0
	each := make([]T, q.rows*len(q.support)) // z of the support, by row
	all := make([]T, len(q.support))         // their sums
	for j := range in.P {
		v := q.featureOf(j, x)
		z, off := make([]T, q.rows), make([]float64, q.rows)
		for i := range z {
			z[i] = ar.of(0)
		}
		for e := range v {
			i := q.row(e)
			z[i] = ar.add(z[i], ar.mul(v[e], r[e]))
			off[i] += math.Abs(ar.float(v[e]) * ar.float(r[e]))
		}
		sum, total, rough := 0.0, ar.of(0), 0.0
		for i := range z {
			zi := math.Abs(ar.float(z[i])) + slack*off[i]
			sum += zi * zi
			total = ar.add(total, z[i])
			rough += off[i]
		}
		zj := math.Abs(ar.float(total)) + slack*2*rough
		slope := at.Gamma*sum + at.Gamma0*zj*zj
		slope *= 1 + 1e-15*float64(q.rows+4)
		out.Slope[j] = min(math.Ldexp(slope, 2*q.exponent[j]+2*q.size), steepest)
		if x < len(q.support) && q.support[x] == j {
			copy(each[x*q.rows:], z)
			all[x] = total
			cutHere -= at.Weights[j] * math.Ldexp(slope, 2*q.exponent[j])
			x++
		}
	}

	// The cost at the coefficients that belong to r, or at u, from above.
	penalty := 0.0
	var rest []T
	var off []float64
	if u != nil {
		for x := range u {
			penalty += ar.float(ar.div(ar.mul(u[x], u[x]), q.w[x]))
		}
		rest, off = q.rest(func(e, x int) T { return u[x] })
	} else {
		for x := range q.support {
			for i := range q.rows {
				z := each[x*q.rows+i]
				penalty += ar.float(ar.mul(q.w[x], ar.mul(z, z)))
			}
			penalty += ar.float(ar.mul(q.w0[x], ar.mul(all[x], all[x])))
		}
		coefficient := func(e, x int) T {
			return ar.add(ar.mul(q.w[x], each[x*q.rows+q.row(e)]), ar.mul(q.w0[x], all[x]))
		}
		rest, off = q.rest(coefficient)
		if q.rows == 1 && !pooled {
			for x := range q.support {
				u = append(u, coefficient(0, x))
			}
		}
	}
	cost := penalty
	for e := range rest {
		d := math.Abs(ar.float(rest[e])) + off[e]
		cost += d * d
	}
	cost *= 1 + 1e-15*float64(len(q.a)+len(q.support)+8)
	out.Loss = math.Ldexp(cost-cutHere, 2*q.size)
	out.Cost = math.Ldexp(cost, 2*q.size)
	out.Constant = math.Ldexp(out.Constant, 2*q.size)
	for x, j := range q.support {
		if u != nil {
			out.U = append(out.U, math.Ldexp(ar.float(u[x]), q.size-q.exponent[j]))
		}
	}
	if math.IsNaN(out.Loss) || math.IsNaN(out.Cost) || math.IsNaN(out.Constant) {
		return lost
	}
	return out
}

// down lowers a number by its rounding.
func down(x float64) float64 { return x - 2.3e-16*math.Abs(x) }

// featureOf is feature j, which may be number x of the support.
func (q *problem[T, A]) featureOf(j, x int) []T {
	if x < len(q.support) && q.support[x] == j {
		return q.v[x]
	}
	return q.feature(j)
}

// primal solves (diag(1/w) + VᵀV) u = Vᵀa.
func (q *problem[T, A]) primal() []T {
	t := len(q.support)
	k, u := make([]T, tri(t)), make([]T, t)
	dot := func(a, b []T) T {
		sum := q.ar.of(0)
		for e := range a {
			sum = q.ar.add(sum, q.ar.mul(a[e], b[e]))
		}
		return sum
	}
	for x := range t {
		for y := range x + 1 {
			k[tri(x)+y] = dot(q.v[x], q.v[y])
		}
		k[tri(x)+x] = q.ar.add(k[tri(x)+x], q.ar.div(q.ar.of(1), q.w[x]))
		u[x] = dot(q.v[x], q.a)
	}
	if !factor[T](q.ar, k, t) {
		return nil
	}
	substitute[T](q.ar, k, u)
	return u
}

// dual solves (I + Σ_j v_j v_jᵀ (w_j within rows + w0_j)) r = a.
func (q *problem[T, A]) dual() []T {
	n := len(q.a)
	k, r := make([]T, tri(n)), append([]T(nil), q.a...)
	for e := range n {
		for f := range e + 1 {
			sum := q.ar.of(0)
			if e == f {
				sum = q.ar.of(1)
			}
			for x, v := range q.v {
				product := q.ar.mul(v[e], v[f])
				if q.row(e) == q.row(f) {
					sum = q.ar.add(sum, q.ar.mul(q.w[x], product))
				}
				if q.Gamma0 > 0 {
					sum = q.ar.add(sum, q.ar.mul(q.w0[x], product))
				}
			}
			k[tri(e)+f] = sum
		}
	}
	if !factor[T](q.ar, k, n) {
		return nil
	}
	substitute[T](q.ar, k, r)
	return r
}

// rest is a − Vu, and for each entry a bound of its error.
func (q *problem[T, A]) rest(u func(e, x int) T) (rest []T, off []float64) {
	rest, off = make([]T, len(q.a)), make([]float64, len(q.a))
	for e, a := range q.a {
		size := math.Abs(q.ar.float(a))
		for x, v := range q.v {
			part := q.ar.mul(v[e], u(e, x))
			a = q.ar.sub(a, part)
			size += math.Abs(q.ar.float(part))
		}
		rest[e], off[e] = a, q.ar.eps()*float64(len(q.v)+8)*size
	}
	return rest, off
}
