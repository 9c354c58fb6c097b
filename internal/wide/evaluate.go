package wide

import "math"

// Regression is the entries of one regression with p features. Entries may belong
// to rows that have coefficients of their own beside those of a population.
type Regression struct {
	P      int
	Values []float64
	Scale  []float64 // what the value and the features of each entry are to be multiplied by; nil: by nothing
	Rows   []int     // the row of each entry, 0 for the first; nil: there is but one row

	// Feature gives feature j of entry e, as the product x·y.
	Feature func(e, j int) (x, y float64)

	// Centred says that values and features are first to be taken around their means, by
	// the squares of Scale. The y of a feature must then be the same for all entries.
	Centred bool
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

// Evaluation is what is known about a regression at some weights s.
type Evaluation struct {
	Cost     float64 // no less than the least cost, and no more by Loss
	Constant float64 // for all t in [0,1]^p the cost is at least Constant − Σ_j t_j·Slope_j
	Slope    []float64
	U        []float64 // coefficients of the features of positive weight, where there is one row
	Loss     float64   // Cost less the cut's value at s
}

// Support is how many weights are positive.
func Support(weights []float64) (count int) {
	for _, s := range weights {
		if s > 0 {
			count++
		}
	}
	return count
}

// Enough is the relative loss at which an evaluation is good enough.
const Enough = 1e-12

// steepest is the largest slope that is reported: a cut this steep says nothing about
// selections with the feature, which cost at least 0.
const steepest = 1e300

// longWork is the most multiplications that are done with more than 106 bits: at
// some tenths of a microsecond each.
const longWork = 300_000

// Evaluate evaluates a regression with as many digits as it takes, if it is small.
func Evaluate(in *Regression, at *Penalty) Evaluation {
	best := evaluate(pairs{}, in, at)
	support := Support(at.Weights)
	if len(in.Values)*(in.P+support*support) > longWork {
		return best
	}
	for bits := uint(256); bits <= 1024 && !best.good(); bits *= 2 {
		if next := evaluate(longs{bits}, in, at); !(next.Loss >= best.Loss) {
			best = next
		}
	}
	return best
}

func (e *Evaluation) good() bool { return e.Loss <= Enough*e.Cost && !math.IsInf(e.Loss, 1) }

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

	// What the rounding of a and v goes by: their sizes, or those before centring.
	roughA []float64
	roughV [][]float64
	w, w0  []T // γ s_j and γ₀ s_j, for the features as they were divided
}

func newProblem[T any, A arithmetic[T]](ar A, in *Regression, at *Penalty) *problem[T, A] {
	q := &problem[T, A]{Regression: in, Penalty: at, ar: ar, rows: 1, exponent: make([]int, in.P)}
	for _, row := range in.Rows {
		q.rows = max(q.rows, row+1)
	}
	values := func(e int) (float64, float64) { return in.Values[e], 1 }
	q.a, q.roughA, q.size = q.column(values)
	q.shift(q.a, q.roughA, -q.size)
	for j := range in.P {
		if s := at.Weights[j]; s == 0 && in.Centred { // about
			_, _, q.exponent[j] = (&problem[pair, pairs]{Regression: in}).feature(j)
		} else if s == 0 {
			q.exponent[j] = exponentOf(in, func(e int) (float64, float64) { return in.Feature(e, j) })
		}
		if s := at.Weights[j]; s > 0 {
			q.support = append(q.support, j)
			var v []T
			var rough []float64
			v, rough, q.exponent[j] = q.feature(j)
			q.shift(v, rough, -q.exponent[j])
			q.v, q.roughV = append(q.v, v), append(q.roughV, rough)
			q.w = append(q.w, ar.shift(ar.mul(ar.of(at.Gamma), ar.of(s)), 2*q.exponent[j]))
			q.w0 = append(q.w0, ar.shift(ar.mul(ar.of(at.Gamma0), ar.of(s)), 2*q.exponent[j]))
		}
	}
	return q
}

// exponentOf is a power of two near the largest of some numbers x·y, scaled: 0 if all are 0.
func exponentOf(in *Regression, of func(e int) (x, y float64)) int {
	most := math.MinInt32
	for e := range in.Values {
		x, y := of(e)
		if x != 0 && y != 0 {
			_, i := math.Frexp(x)
			_, l := math.Frexp(y)
			if in.Scale != nil {
				_, s := math.Frexp(in.Scale[e])
				l += s
			}
			most = max(most, i+l)
		}
	}
	if most == math.MinInt32 {
		return 0
	}
	return most
}

// column is numbers x·y of every entry, centred if they are to be and scaled, what their
// rounding goes by, and a power of two near the largest of them.
func (q *problem[T, A]) column(of func(e int) (x, y float64)) (v []T, rough []float64, exponent int) {
	ar, n := q.ar, len(q.Values)
	v, rough = make([]T, n), make([]float64, n)
	if q.Centred {
		q.centre(of, v, rough)
	}
	for e := range v {
		x, y := of(e)
		if !q.Centred {
			v[e] = ar.of(x)
		}
		if y != 1 {
			v[e] = ar.mul(v[e], ar.of(y))
			rough[e] *= math.Abs(y)
		}
		if q.Scale != nil {
			v[e] = ar.mul(v[e], ar.of(q.Scale[e]))
			rough[e] *= math.Abs(q.Scale[e])
		}
	}
	if !q.Centred {
		for e := range v {
			rough[e] = math.Abs(ar.float(v[e]))
		}
		return v, rough, exponentOf(q.Regression, of)
	}
	largest := 0.0
	for e := range v {
		largest = max(largest, math.Abs(ar.float(v[e])))
	}
	_, exponent = math.Frexp(largest)
	return v, rough, exponent
}

// centre writes x less its mean, and before that the sizes that its rounding goes by. All is
// relative to the entry of the largest scale: beside it the others may weigh next to nothing.
func (q *problem[T, A]) centre(of func(e int) (x, y float64), v []T, rough []float64) {
	ar, heaviest := q.ar, 0
	for e, s := range q.Scale {
		if math.Abs(s) > math.Abs(q.Scale[heaviest]) {
			heaviest = e
		}
	}
	x, _ := of(heaviest)
	from, sum, total, sizes, weight := ar.of(x), ar.of(0), ar.of(0), 0.0, 0.0
	for e := range v {
		x, _ := of(e)
		v[e] = ar.sub(ar.of(x), from)
		rough[e] = math.Abs(ar.float(v[e]))
		by, mass := v[e], ar.of(1)
		if q.Scale != nil {
			mass = ar.mul(ar.of(q.Scale[e]), ar.of(q.Scale[e]))
			by = ar.mul(mass, by)
		}
		sum, total = ar.add(sum, by), ar.add(total, mass)
		sizes += math.Abs(ar.float(by))
		weight += ar.float(mass)
	}
	mean := ar.div(sum, total)
	for e := range v {
		v[e] = ar.sub(v[e], mean)
		rough[e] += sizes / weight
	}
}

// feature is column of feature j.
func (q *problem[T, A]) feature(j int) ([]T, []float64, int) {
	return q.column(func(e int) (x, y float64) { return q.Feature(e, j) })
}

// shift multiplies numbers and what their rounding goes by by a power of two.
func (q *problem[T, A]) shift(v []T, rough []float64, exponent int) {
	for e := range v {
		v[e] = q.ar.shift(v[e], exponent)
		rough[e] = math.Ldexp(rough[e], exponent)
	}
}

// roundings is how many roundings a number of a column may have had, beside one or two.
func (q *problem[T, A]) roundings() int {
	if q.Centred {
		return len(q.Values) + 24
	}
	return 0
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
	c, r := q.solve()
	if r == nil {
		return Evaluation{Cost: math.Inf(1), Constant: math.Inf(-1), Loss: math.Inf(1), Slope: out.Slope}
	}
	below := q.cut(r, &out)
	above := q.cost(c)
	out.Loss = math.Ldexp(above-below, 2*q.size)
	out.Cost = math.Ldexp(above, 2*q.size)
	out.Constant = math.Ldexp(out.Constant, 2*q.size)
	for x, j := range q.support {
		if q.rows == 1 && c.mu == nil {
			out.U = append(out.U, math.Ldexp(ar.float(c.u[0][x]), q.size-q.exponent[j]))
		}
	}
	if math.IsNaN(out.Loss) {
		return Evaluation{Cost: math.Inf(1), Constant: math.Inf(-1), Loss: math.Inf(1), Slope: out.Slope}
	}
	return out
}

// cut fills in the cut of any residuals r, rounded down,
//
//	2aᵀr − ‖r‖² − Σ_j t_j (γ Σ_i z_ij² + γ₀ (Σ_i z_ij)²),   z_ij = b_jᵀr_i,
//
// for values of size near 1 and features as given, and returns its value at the
// weights.
func (q *problem[T, A]) cut(r []T, out *Evaluation) (below float64) {
	ar := q.ar
	constant, size := ar.of(0), 0.0
	for e, a := range q.a {
		ae, re := q.roughA[e], math.Abs(ar.float(r[e]))
		constant = ar.add(constant, ar.sub(ar.mul(ar.add(a, a), r[e]), ar.mul(r[e], r[e])))
		size += 2*ae*re + re*re
	}
	slack := ar.eps() * float64(len(q.a)+8+q.roundings())
	out.Constant = down(ar.float(constant) - slack*size)
	below = out.Constant
	z, off := make([]T, q.rows), make([]float64, q.rows)
	for j, x := 0, 0; j < q.P; j++ {
		v, sizes := q.featureOf(j, x)
		for i := range z {
			z[i], off[i] = ar.of(0), 0
		}
		for e := range v {
			i := q.row(e)
			z[i] = ar.add(z[i], ar.mul(v[e], r[e]))
			off[i] += sizes[e] * math.Abs(ar.float(r[e]))
		}
		squares, total, rough := 0.0, ar.of(0), 0.0
		for i := range z {
			zi := math.Abs(ar.float(z[i])) + slack*off[i]
			squares += zi * zi
			total = ar.add(total, z[i])
			rough += off[i]
		}
		all := math.Abs(ar.float(total)) + 2*slack*rough
		slope := (q.Gamma*squares + q.Gamma0*all*all) * (1 + 1e-15*float64(q.rows+4))
		out.Slope[j] = min(math.Ldexp(slope, 2*q.exponent[j]+2*q.size), steepest)
		if x < len(q.support) && q.support[x] == j {
			below -= q.Weights[j] * math.Ldexp(slope, 2*q.exponent[j])
			x++
		}
	}
	return below
}

// coefficients are those of every row, and of the population or nil.
type coefficients[T any] struct {
	u  [][]T
	mu []T
}

// cost is the cost at coefficients, rounded up.
func (q *problem[T, A]) cost(c coefficients[T]) float64 {
	cost := 0.0
	for x := range q.support {
		for i := range c.u {
			cost += q.ar.float(q.ar.div(q.ar.mul(c.u[i][x], c.u[i][x]), q.w[x]))
		}
		if c.mu != nil {
			cost += q.ar.float(q.ar.div(q.ar.mul(c.mu[x], c.mu[x]), q.w0[x]))
		}
	}
	rest, off := q.rest(c)
	for e := range rest {
		d := math.Abs(q.ar.float(rest[e])) + off[e]
		cost += d * d
	}
	return cost * (1 + 1e-15*float64(len(q.a)+(len(c.u)+1)*len(q.support)+8))
}

// solve gives the best coefficients and residuals; nil if there are too few
// digits for it.
func (q *problem[T, A]) solve() (coefficients[T], []T) {
	if q.Gamma0 > 0 {
		return q.population()
	}
	if len(q.support) > len(q.a) {
		return q.dual()
	}
	k := q.gram(nil)
	if !factor[T](q.ar, k, len(q.support)) {
		return coefficients[T]{}, nil
	}
	u := q.project(nil, q.a)
	substitute[T](q.ar, k, u)
	c := coefficients[T]{u: [][]T{u}}
	r, _ := q.rest(c)
	return c, r
}

// down lowers a number by its rounding.
func down(x float64) float64 { return x - 2.3e-16*math.Abs(x) }

// featureOf is feature j, which may be number x of the support, and what its rounding goes by.
func (q *problem[T, A]) featureOf(j, x int) ([]T, []float64) {
	if x < len(q.support) && q.support[x] == j {
		return q.v[x], q.roughV[x]
	}
	v, rough, _ := q.feature(j)
	q.shift(v, rough, -q.exponent[j])
	return v, rough
}

// gram is diag(1/w) + VᵀV over some entries, nil for all.
func (q *problem[T, A]) gram(entries []int) []T {
	t := len(q.support)
	k := make([]T, tri(t))
	for x := range t {
		copy(k[tri(x):], q.project(entries, q.v[x])[:x+1])
		k[tri(x)+x] = q.ar.add(k[tri(x)+x], q.ar.div(q.ar.of(1), q.w[x]))
	}
	return k
}

// project is Vᵀy over some entries, nil for all.
func (q *problem[T, A]) project(entries []int, y []T) []T {
	out := make([]T, len(q.support))
	for x, v := range q.v {
		sum := q.ar.of(0)
		if entries == nil {
			for e := range v {
				sum = q.ar.add(sum, q.ar.mul(v[e], y[e]))
			}
		}
		for _, e := range entries {
			sum = q.ar.add(sum, q.ar.mul(v[e], y[e]))
		}
		out[x] = sum
	}
	return out
}
