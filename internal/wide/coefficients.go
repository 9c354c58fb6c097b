package wide

import "math"

// dual solves (I + VDVᵀ) r = a, D = diag(w), for fewer entries than features: then
// u = DVᵀr.
func (q *problem[T, A]) dual() (coefficients[T], []T) {
	n := len(q.a)
	k, r := make([]T, tri(n)), append([]T(nil), q.a...)
	for e := range n {
		for f := range e + 1 {
			sum := q.ar.of(0)
			if e == f {
				sum = q.ar.of(1)
			}
			for x, v := range q.v {
				sum = q.ar.add(sum, q.ar.mul(q.w[x], q.ar.mul(v[e], v[f])))
			}
			k[tri(e)+f] = sum
		}
	}
	if !factor[T](q.ar, k, n) {
		return coefficients[T]{}, nil
	}
	substitute[T](q.ar, k, r)
	u := q.project(nil, r)
	for x := range u {
		u[x] = q.ar.mul(u[x], q.w[x])
	}
	return coefficients[T]{u: [][]T{u}}, r
}

// population solves for μ first: with K_i = D⁻¹ + G_i of each row, D = diag(w), and
// W = D⁻¹, the rows leave V_iᵀM_iV_i = W − W K_i⁻¹ W and V_iᵀM_ia_i = W K_i⁻¹V_iᵀa_i of
// it, M_i = (I + V_iDV_iᵀ)⁻¹. Then u_i = K_i⁻¹V_iᵀ(a_i − V_iμ).
func (q *problem[T, A]) population() (coefficients[T], []T) {
	t, ar := len(q.support), q.ar
	entries := make([][]int, q.rows)
	for e := range q.a {
		entries[q.row(e)] = append(entries[q.row(e)], e)
	}
	c := coefficients[T]{u: make([][]T, q.rows), mu: make([]T, t)}
	factors := make([][]T, q.rows)
	h := make([]T, tri(t))
	for x := range t {
		c.mu[x] = ar.of(0)
		for y := range x + 1 {
			h[tri(x)+y] = ar.of(0)
		}
		h[tri(x)+x] = ar.div(ar.of(1), q.w0[x])
	}
	for i, own := range entries {
		if own == nil {
			own = []int{}
		}
		factors[i] = q.gram(own)
		if !factor[T](ar, factors[i], t) {
			return c, nil
		}
		left := q.project(own, q.a)
		substitute[T](ar, factors[i], left)
		for x := range t {
			c.mu[x] = ar.add(c.mu[x], ar.div(left[x], q.w[x]))
			unit := make([]T, t) // (K_i⁻¹W) e_x
			for y := range unit {
				unit[y] = ar.of(0)
			}
			unit[x] = ar.div(ar.of(1), q.w[x])
			substitute[T](ar, factors[i], unit)
			for y := range x + 1 {
				n := ar.sub(ar.of(0), ar.div(unit[y], q.w[y]))
				if x == y {
					n = ar.add(n, ar.div(ar.of(1), q.w[x]))
				}
				h[tri(x)+y] = ar.add(h[tri(x)+y], n)
			}
		}
	}
	if !factor[T](ar, h, t) {
		return c, nil
	}
	substitute[T](ar, h, c.mu)
	for i := range c.u {
		c.u[i] = make([]T, t)
		for x := range t {
			c.u[i][x] = ar.of(0)
		}
	}
	without, _ := q.rest(c) // a − Vμ
	for i, own := range entries {
		if own == nil {
			own = []int{}
		}
		c.u[i] = q.project(own, without)
		substitute[T](ar, factors[i], c.u[i])
	}
	r, _ := q.rest(c)
	return c, r
}

// rest is a − V(u+μ), and for each entry a bound of its error.
func (q *problem[T, A]) rest(c coefficients[T]) (rest []T, off []float64) {
	rest, off = make([]T, len(q.a)), make([]float64, len(q.a))
	for e, a := range q.a {
		size := q.roughA[e]
		for x, v := range q.v {
			by := c.u[q.row(e)][x]
			if c.mu != nil {
				size += q.roughV[x][e] * (math.Abs(q.ar.float(by)) + math.Abs(q.ar.float(c.mu[x])))
				by = q.ar.add(by, c.mu[x])
			}
			a = q.ar.sub(a, q.ar.mul(v[e], by))
			size += q.roughV[x][e] * math.Abs(q.ar.float(by))
		}
		rest[e], off[e] = a, q.ar.eps()*float64(len(q.v)+8+q.roundings())*size
	}
	return rest, off
}
