package objective

import (
	"math"
	"slices"

	"optcomplete/internal/kernel"
	"optcomplete/loss"
	"optcomplete/pass"
)

// convexWorker solves rows under a convex loss by Newton steps, eight rows at a
// time: a step is a ridge regression of the same shape as a row's under the
// squared loss, with its entries weighted by their curvature.
type convexWorker struct {
	*worker
	loss    loss.Scaled
	offsets *Offsets
	sign    []bool // of the support: the coefficient must not be negative; nil: of none
	all     []bool // of all features
	curved  bool
	sums    *sums
	rows    [kernel.Lanes]convexRow
	scaled  []float64 // a row's V and working values, weighted
	next    []float64 // the solution of a step, lanes side by side
}

// convexRow is a row on its way to its solution.
type convexRow struct {
	offset []float64
	weight []float64 // of the entries
	x      []float64 // predictions
	alpha  []float64 // slopes of the losses there
	h      []float64 // curvatures
	u      []float64 // coefficients
	g      []float64 // slopes of the whole in u
	z      []float64 // b_jᵀα of the support
	old    []float64 // predictions before a step
	to     []float64 // coefficients after a whole step
	from   []float64 // coefficients before it
	fixed  []bool    // coefficients that stay at zero in this step
	cost   float64
	gap    float64 // between the cost and the cut
	ending bool    // the cost cannot fall by more than rounding
	done   bool
}

func newConvexWorker(k *worker, p *convexEvaluation) *convexWorker {
	w := &convexWorker{worker: k, loss: p.Loss, curved: p.Curved, sums: k.newSums(p.Curved), all: p.Nonnegative}
	if p.Offsets != nil {
		w.offsets = p.Offsets.Get()
	}
	t := len(k.support)
	if p.Nonnegative != nil {
		w.sign = make([]bool, t)
		for x, j := range k.support {
			w.sign[x] = p.Nonnegative[j]
		}
	}
	for lane := range w.rows {
		r := &w.rows[lane]
		for _, to := range []*[]float64{&r.offset, &r.weight, &r.x, &r.alpha, &r.h, &r.old} {
			*to = make([]float64, k.longest+kernel.CombineRoom)
		}
		for _, to := range []*[]float64{&r.u, &r.g, &r.z, &r.to, &r.from} {
			*to = make([]float64, t)
		}
		r.fixed = make([]bool, t)
	}
	w.scaled = make([]float64, k.stride())
	w.next = make([]float64, max(t, k.longest)*kernel.Lanes)
	return w
}

// Add evaluates a chunk.
func (w *convexWorker) Add(c *pass.Chunk) error {
	for group := range slices.Chunk(w.order[c.Number], kernel.Lanes) {
		w.group.read(c, group)
		w.solveGroup(c, group)
		if w.curved {
			w.curvature(len(group))
			w.second(w.sums.hessian, 1)
		}
		if w.panel.full() {
			w.correlate()
		}
	}
	return nil
}

// Part is the sums so far.
func (w *convexWorker) Part() (pass.Part, error) {
	s := w.sums
	w.correlate()
	s.gradient = w.arrange(s.gradient)
	if w.curved {
		mirror(s.hessian, len(w.support))
	}
	w.sums = w.newSums(w.curved)
	return s, nil
}

// correlate adds (b_jᵀα)² of the rows in the panel.
func (w *convexWorker) correlate() {
	s := w.sums
	w.panel.take(w.Exact, func(from int, z []float64) {
		if w.all != nil {
			for x, j := range w.arranged[from:][:len(z)] {
				if j >= 0 && w.all[j] {
					z[x] = math.Min(z[x], 0)
				}
			}
		}
		kernel.AddSquares(s.gradient[from:][:len(z)], z, 0, 1)
	})
}

// solveGroup solves the rows of a group and adds what they give.
func (w *convexWorker) solveGroup(c *pass.Chunk, group []int32) {
	for lane, i := range group {
		columns, _ := w.entries(lane)
		r, weights := &w.rows[lane], c.Weights(int(i))
		for e, c := range columns {
			r.offset[e], r.weight[e] = 0, 1
			if w.offsets != nil {
				r.offset[e] = w.offsets.At(int(i), c)
				if w.offsets.Weight != nil {
					r.weight[e] = w.offsets.Weight[c]
				}
			}
			if weights != nil {
				r.weight[e] = weights[e]
			}
			r.x[e] = r.offset[e]
		}
		clear(r.u)
		r.gap, r.ending, r.done = math.Inf(1), false, false
		w.gather(w.gathered(lane), lane)
		r.cost = w.evaluate(lane, r.x, r.u)
	}
	for range newtonSteps {
		busy := false
		for lane := range group {
			if r := &w.rows[lane]; !r.done {
				w.slopes(lane)
				busy = busy || !r.done
			}
		}
		if !busy {
			break
		}
		w.newton(len(group))
		for lane := range group {
			if !w.rows[lane].done {
				w.advance(lane)
			}
		}
	}
	for lane := range group {
		w.finish(lane)
	}
}

// evaluate is the cost of a row at predictions and coefficients.
func (w *convexWorker) evaluate(lane int, x, u []float64) float64 {
	_, values := w.entries(lane)
	sum := 0.0
	for e, a := range values {
		sum += w.rows[lane].weight[e] * w.loss.Value(a, x[e])
	}
	for y, ridge := range w.ridge {
		sum += ridge / 2 * u[y] * u[y]
	}
	return sum
}

// slopes takes slopes and curvatures at the row's predictions; the row is done if
// its duality gap vanishes.
func (w *convexWorker) slopes(lane int) {
	_, values := w.entries(lane)
	r, v, width := &w.rows[lane], w.gathered(lane), w.table.width
	clear(r.z)
	for e, a := range values {
		slope, curve := w.loss.Slope(a, r.x[e])
		r.alpha[e], r.h[e] = r.weight[e]*slope, r.weight[e]*curve
		for y, b := range v[e*width:][:len(r.z)] {
			r.z[y] += r.alpha[e] * b
		}
	}
	gap := 0.0
	for y, ridge := range w.ridge {
		r.g[y] = r.z[y] + ridge*r.u[y]
		z := r.z[y]
		r.fixed[y] = false
		if w.sign != nil && w.sign[y] {
			z = math.Min(z, 0)
			r.fixed[y] = r.u[y] == 0 && r.g[y] >= 0
		}
		d := z + ridge*r.u[y]
		gap += d*d/(2*ridge) + r.u[y]*(r.z[y]-z)
	}
	// Where a large feature magnifies what rounding leaves of its slope, a few more
	// whole steps close the gap, as long as they do.
	r.done = gap <= newtonGap*r.cost || r.ending && gap > r.gap/4
	r.gap = gap
}

// finish adds the row's cost and its part of the cut.
func (w *convexWorker) finish(lane int) {
	columns, values := w.entries(lane)
	r, s := &w.rows[lane], w.sums
	alpha := w.panel.room(len(columns))
	for e, a := range values {
		slope, _ := w.loss.Slope(a, r.x[e])
		conjugate, size := w.loss.Conjugate(a, slope)
		alpha[e] = r.weight[e] * slope
		s.constant += r.offset[e]*alpha[e] - r.weight[e]*conjugate
		s.size += math.Abs(r.offset[e]*alpha[e]) + r.weight[e]*size
		s.squares += alpha[e] * alpha[e]
	}
	w.panel.add(w.Exact, columns)
	s.cost += r.cost
	if !(r.gap <= newtonGap*r.cost) {
		if doubt := w.doubt(lane); doubt > doubtful*r.cost {
			s.cost += doubt
		}
	}
}

// doubtful is by how much of itself the cost of a row may be too low without a word.
const doubtful = 1e-11

// doubt is by how much the cost of a row may be too low, as rounding makes its predictions other
// than those of any coefficients. It matters where large terms cancel, and there Newton steps
// do not close the gap.
func (w *convexWorker) doubt(lane int) float64 {
	_, values := w.entries(lane)
	r, v, width := &w.rows[lane], w.gathered(lane), w.table.width
	sum := 0.0
	for e, a := range values {
		size := math.Abs(r.offset[e])
		for y, u := range r.u {
			size += math.Abs(u * v[e*width+y])
		}
		off := 0x1p-53 * float64(len(r.u)+1) * size
		slope, curve := w.loss.Slope(a, r.x[e])
		sum += r.weight[e] * off * (math.Abs(slope) + off*math.Max(curve, leastCurve))
	}
	return sum
}

// curvature leaves the factors of the systems at the solutions in k, and ρu in zt,
// for the second derivatives.
func (w *convexWorker) curvature(lanes int) {
	clear(w.zt[:len(w.support)*kernel.Lanes])
	for lane := range lanes {
		w.slopes(lane)
		for y, ridge := range w.ridge {
			w.zt[y*kernel.Lanes+lane] = ridge * w.rows[lane].u[y]
		}
	}
	w.system(lanes)
	kernel.Cholesky(w.k, len(w.support), w.smallest())
}
