package proof

import (
	"context"
	"math"
)

// model is a quadratic function below n·m·cost of the selections of a region, all of k
// units of one feature each:
//
//	n·m·c(s) ≥ constant − Σ_j slope_j s_j + (s − w)ᵀQ(s − w).
//
// For any residuals r_i, row i costs f(r_i) + gᵀM⁻¹g, where f is what its cut counts,
// M = W⁻¹ + γ Σ_j s_j b_j b_jᵀ and g = a_i − M r_i. No selection of the region has more
// than all its features F, so M⁻¹ ⪰ U⁻¹ with U = M at 1 on F. With any numbers ẑ near
// z = B_iᵀr_i, and δ = s − w,
//
//	g = e − v,   v = γ Σ_j δ_j ẑ_j b_j,   e = a_i − W⁻¹r_i − γ Σ_j w_j ẑ_j b_j − γ Σ_j s_j (z_j − ẑ_j) b_j
//	gᵀU⁻¹g ≥ vᵀU⁻¹v − 2‖v‖‖e‖,   vᵀU⁻¹v = γ Σ_j δ_j²ẑ_j² − ζᵀK⁻¹ζ,   ζ_j = δ_jẑ_j,   K = I/γ + B_iᵀWB_i over F
//
// in the norm of U⁻¹, in which ‖e‖² ≤ Σ w e². Computed Cholesky factors L of K have LLᵀ
// = K + E with |E_jl| ≤ η√(K_jj K_ll) (Higham, chapters 3 and 10), so |xᵀEx| ≤ τ·xᵀKx with
// τ = ηγ·tr K, and the products P of the computed columns of L⁻¹ are such that
//
//	ζᵀK⁻¹ζ ≤ ζᵀPζ + 5τγ (Σ_j|ζ_j|)²   for τ ≤ 1/100.
//
// A row with a larger τ counts by its cut alone. By Cauchy and Schwarz, all rows lose no
// more than γ·far²·max_j Σ_i 5τ_i ẑ_ij² in this way, far = k + Σw ≥ Σ|δ_j|, and
// 2·far·√(γ·max_j Σ_i ẑ_ij²)·√(Σ‖e_i‖²) in the other.
type model struct {
	units    []int // in or free in the region
	features []int // theirs
	k        int
	constant float64
	slope    []float64
	w        []float64
	q        []float64 // row by row
}

// curvature is what rows add to a model.
type curvature struct {
	q      []float64 // lower triangle
	loose  []float64 // Σ (5τ_i + …) ẑ_ij², of each feature
	errors float64   // Σ ‖e_i‖²
}

func newCurvature(f int) curvature {
	return curvature{q: make([]float64, f*f), loose: make([]float64, f)}
}

// take adds another and makes that 0.
func (c *curvature) take(o *curvature) {
	for x, v := range o.q {
		c.q[x] += v
	}
	for x, v := range o.loose {
		c.loose[x] += v
	}
	c.errors += o.errors
	clear(o.q)
	clear(o.loose)
	o.errors = 0
}

// model is that of a region from the weights of a place. It is nil where there is none:
// with a population, units of several features, a place outside of the region, or a γ
// at which something could underflow. The cut is the place's own.
func (c *cost) model(ctx context.Context, r *region, at *place) (m *model, own *cut, err error) {
	m = &model{k: len(r.in) + r.left}
	inside := make(map[int]int)
	single := c.gamma0 == 0 && c.gamma > 1e-100 && c.gamma < 1e100
	for u, state := range r.state {
		if single = single && len(c.units[u]) == 1; single && (state == within || r.open(u)) {
			inside[c.units[u][0]] = len(m.units)
			m.units, m.features = append(m.units, u), append(m.features, c.units[u][0])
		}
	}
	f := len(m.units)
	m.w = make([]float64, f)
	far := float64(m.k)
	for x, j := range at.support {
		place, ok := inside[j]
		if single = single && ok; single {
			m.w[place] = at.weight[x]
			far = up(far + at.weight[x])
		}
	}
	if !single || f == 0 || m.k == 0 {
		err := c.evaluate(ctx, []*place{at})
		return nil, c.cut(at), err
	}
	all, err := c.curvature(ctx, m, at)
	if err != nil {
		return nil, nil, err
	}
	own = c.cut(at)
	m.slope, m.q = make([]float64, f), all.q
	loose, squares := 0.0, 0.0
	for x, u := range m.units {
		m.slope[x] = own.slope[u]
		loose = max(loose, all.loose[x])
		squares = max(squares, at.sum.squares[m.features[x]])
		for y := range x {
			m.q[y*f+x] = m.q[x*f+y]
		}
	}
	lost := wider * c.gamma * far * far * loose
	lost += wider * 2 * far * math.Sqrt(c.gamma*squares) * math.Sqrt(all.errors)
	lost = up(wider*lost + tiny*float64(c.n+4)*far*far*(1+c.gamma))
	m.constant = down(own.constant - lost)
	return m, own, nil
}

// curvature fills in the sums of the place and adds up those of the model.
func (c *cost) curvature(ctx context.Context, m *model, at *place) (all curvature, err error) {
	f := len(m.features)
	parts, sum := make([]curvature, c.parts()), make([]sums, c.parts())
	for part := range parts {
		parts[part], sum[part] = newCurvature(f), newSums(c.p)
	}
	largest := 0.0
	for _, j := range m.features {
		largest = max(largest, c.largest[j])
	}
	err = c.eachRow(ctx, func() (func(int, []int32, []float64, []float64), func(int)) {
		w := &curver{solver: newSolver(c), model: m, off: c.gamma * float64(m.k) * largest * largest * wider}
		block, cuts := newCurvature(f), newSums(c.p)
		work := func(_ int, columns []int32, values, weights []float64) {
			w.add(at, columns, values, weights, &cuts)
			w.curve(at, columns, values, weights, &block)
		}
		flush := func(part int) {
			parts[part].take(&block)
			sum[part].add(&cuts)
			cuts.reset()
		}
		return work, flush
	})
	all, at.sum = newCurvature(f), newSums(c.p)
	for part := range parts {
		all.take(&parts[part])
		at.sum.add(&sum[part])
	}
	return all, err
}

// curver adds rows to a model for one goroutine.
type curver struct {
	*solver
	model      *model
	off        float64 // γ Σ_j s_j (z_j − ẑ_j) b_j is no more than this times the error of ẑ
	l, inverse []float64
	v, zs      []float64
}

// curve adds a row whose residuals and their products the solver has.
func (w *curver) curve(at *place, columns []int32, values, weights []float64, to *curvature) {
	f, n := len(w.model.features), len(columns)
	w.l, w.inverse = room(w.l, f*f), room(w.inverse, f*f)
	w.v, w.zs = room(w.v, f), room(w.zs, f)
	clear(w.l)
	for e, c := range columns {
		b := w.feature(c)
		for x, j := range w.model.features {
			w.v[x] = b[j]
		}
		for x, vx := range w.v {
			if vx == 0 {
				continue
			}
			if weights != nil {
				vx *= weights[e]
			}
			row := w.l[x*f:][:x+1]
			for y, vy := range w.v[:x+1] {
				row[y] += vx * vy
			}
		}
	}
	trace := 0.0
	for x := range f {
		w.l[x*f+x] += 1 / w.gamma
		trace += w.l[x*f+x]
	}
	tau := gam(n+2*f+16) * 1.01 * w.gamma * trace
	if !(tau <= 0.01) || !factor(w.l, f, false) {
		return
	}
	to.errors += w.errors(at, columns, values, weights)
	invert(w.l, w.inverse, f)
	loose := 5*tau + 1.1*gam(w.summands()+4)
	for x, j := range w.model.features {
		w.zs[x] = w.z[j]
	}
	for x, zx := range w.zs {
		own, q := w.inverse[x*f:][:f], to.q[x*f:][:f]
		to.loose[x] += loose * zx * zx
		if zx == 0 {
			continue
		}
		for y, zy := range w.zs[:x] {
			sum := 0.0
			for i, v := range w.inverse[y*f:][x:f] {
				sum += v * own[x+i]
			}
			q[y] -= zx * zy * sum
		}
		sum := 0.0
		for _, v := range own[x:] {
			sum += v * v
		}
		q[x] += zx * zx * (w.gamma - sum)
	}
}

// errors is no less than Σ w e² of the row, but for what wider makes up for.
func (w *curver) errors(at *place, columns []int32, values, weights []float64) float64 {
	absolute := 0.0
	for _, r := range w.r[:len(columns)] {
		absolute += math.Abs(r)
	}
	near := w.off * (absolute*gam(len(columns)+2)*wider + tiny)
	total := tiny
	for e, c := range columns {
		b, weight := w.feature(c), 1.0
		if weights != nil {
			weight = weights[e]
		}
		rest, size := 0.0, 0.0
		for x, j := range at.support {
			term := at.weight[x] * w.z[j] * b[j]
			rest += term
			size += math.Abs(term)
		}
		by := w.r[e] / weight
		rest = values[e] - by - w.gamma*rest
		size = math.Abs(values[e]) + math.Abs(by) + w.gamma*size
		miss := wider*(math.Abs(rest)+gam(len(at.support)+12)*size) + near + 1e-145
		total += weight * (miss * miss)
	}
	return total
}

// invert puts column j of the inverse of a lower triangle into row j.
func invert(l, inverse []float64, t int) {
	for j := range t {
		column := inverse[j*t:][:t]
		column[j] = 1 / l[j*t+j]
		for i := j + 1; i < t; i++ {
			sum := 0.0
			for z, v := range l[i*t:][j:i] {
				sum -= v * column[j+z]
			}
			column[i] = sum / l[i*t+i]
		}
	}
}
