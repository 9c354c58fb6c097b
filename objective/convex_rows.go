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
	loss    loss.Loss
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
	step   []float64 // predictions after a whole step
	to     []float64 // coefficients after it
	fixed  []bool    // coefficients that stay at zero in this step
	cost   float64
	gap    float64 // between the cost and the cut
	ending bool    // the cost cannot fall by more than rounding
	done   bool
}

// Newton's steps end when the row's cost is known as exactly as it can be, or
// after this many.
const (
	newtonSteps = 60
	newtonGap   = 1e-15 // duality gap relative to the cost
	newtonHalf  = 50    // halvings of a step
	leastCurve  = 1e-9  // curvature of an entry whose loss is straight
)

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
		for _, to := range []*[]float64{&r.offset, &r.weight, &r.x, &r.alpha, &r.h, &r.step} {
			*to = make([]float64, k.longest+kernel.CombineRoom)
		}
		for _, to := range []*[]float64{&r.u, &r.g, &r.z, &r.to} {
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
		w.solveGroup(group)
		if w.curved {
			w.curvature(len(group))
			w.second(w.sums.hessian)
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
	if w.curved {
		mirror(s.hessian, len(w.support))
	}
	w.sums = w.newSums(w.curved)
	return s, nil
}

// correlate adds (b_jᵀα)² of the rows in the panel.
func (w *convexWorker) correlate() {
	s := w.sums
	w.panel.take(w.Exact, func(j int, z []float64) {
		if w.all != nil {
			for x := range z {
				if j+x < len(w.all) && w.all[j+x] {
					z[x] = math.Min(z[x], 0)
				}
			}
		}
		kernel.AddSquares(s.gradient[j:][:len(z)], z)
	})
}

// solveGroup solves the rows of a group and adds what they give.
func (w *convexWorker) solveGroup(group []int32) {
	for lane, i := range group {
		columns, values := w.entries(lane)
		r := &w.rows[lane]
		for e, c := range columns {
			r.offset[e], r.weight[e] = 0, 1
			if w.offsets != nil {
				r.offset[e] = w.offsets.At(int(i), c)
				if w.offsets.Weight != nil {
					r.weight[e] = w.offsets.Weight[c]
				}
			}
			r.x[e] = r.offset[e]
		}
		clear(r.u)
		r.gap, r.ending, r.done = math.Inf(1), false, false
		w.gather(w.table0(lane), columns, values)
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

// table0 is the features of the support of a lane's entries.
func (w *convexWorker) table0(lane int) []float64 { return w.v[lane*w.stride():][:w.stride()] }

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
	r, v, width := &w.rows[lane], w.table0(lane), w.table.width
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

// newton takes the step of every row of the group: it minimises
//
//	Σ h (z − b_tᵀu)² + Σ ρ u²,  z = x − o − α/h,
//
// with ρ the ridge, in the smaller of two spaces.
func (w *convexWorker) newton(lanes int) {
	longest := 0
	for lane := range lanes {
		columns, _ := w.entries(lane)
		longest = max(longest, len(columns))
	}
	if t := len(w.support); longest < t && w.sign == nil {
		w.dualStep(lanes, longest)
		return
	}
	w.system(lanes)
	kernel.Cholesky(w.k, len(w.support), w.smallest())
	kernel.Solve(w.k, w.next, len(w.support))
	for lane := range lanes {
		for y := range w.rows[lane].to {
			w.rows[lane].to[y] = w.next[y*kernel.Lanes+lane]
		}
	}
}

// smallest is the least that a pivot can be in exact arithmetic.
func (w *convexWorker) smallest() float64 {
	smallest := 1.0
	for _, ridge := range w.ridge {
		smallest = math.Min(smallest, ridge)
	}
	return smallest
}

// weigh is the root of an entry's curvature, and its working value times that.
func (r *convexRow) weigh(e int) (root, value float64) {
	root = math.Sqrt(math.Max(r.h[e], leastCurve))
	return root, root*(r.x[e]-r.offset[e]) - r.alpha[e]/root
}

// system makes ρ + VᵀHV of every row, with the right-hand sides in next.
func (w *convexWorker) system(lanes int) {
	t, width := len(w.support), w.table.width
	clear(w.k[:kernel.Tri(t)*kernel.Lanes])
	clear(w.next[:t*kernel.Lanes])
	for lane := range lanes {
		columns, _ := w.entries(lane)
		r, v := &w.rows[lane], w.table0(lane)
		for e := range columns {
			root, value := r.weigh(e)
			to := w.scaled[e*width:][:width]
			for y, b := range v[e*width:][:t] {
				to[y] = root * b
			}
			to[t] = value
			clear(to[t+1:])
		}
		square := w.square[:(t+1)*width]
		clear(square)
		kernel.AddGram(square, w.scaled, len(columns), width, t+1)
		kernel.ToLane(w.k, lane, square, width, t)
		for y, x := range square[t*width:][:t] {
			w.next[y*kernel.Lanes+lane] = x
		}
	}
	for y, ridge := range w.ridge {
		diagonal := w.k[(kernel.Tri(y)+y)*kernel.Lanes:][:kernel.Lanes]
		for lane := range diagonal {
			diagonal[lane] += ridge
		}
	}
	if w.sign != nil {
		w.fix(lanes)
	}
}

// fix takes the coefficients that stay at zero out of the systems.
func (w *convexWorker) fix(lanes int) {
	t := len(w.support)
	for lane := range lanes {
		r := &w.rows[lane]
		for y := range t {
			if !r.fixed[y] {
				continue
			}
			for x := range t {
				a, b := max(x, y), min(x, y)
				w.k[(kernel.Tri(a)+b)*kernel.Lanes+lane] = 0
			}
			w.k[(kernel.Tri(y)+y)*kernel.Lanes+lane] = 1
			w.next[y*kernel.Lanes+lane] = 0
		}
	}
}

// dualStep is the step in the space of the entries: with R = D√(1/ρ) and weighted
// V, (I + VRRᵀVᵀ) r = z and u = RRᵀVᵀr.
func (w *convexWorker) dualStep(lanes, size int) {
	t := len(w.support)
	width := w.table.width
	clear(w.k[:kernel.Tri(size)*kernel.Lanes])
	clear(w.next[:size*kernel.Lanes])
	gram := kernel.GramWidth(size)
	need := t * gram
	w.scaled = grow(w.scaled, need)
	for lane := range lanes {
		columns, _ := w.entries(lane)
		r, v := &w.rows[lane], w.table0(lane)
		scaled := w.scaled[:need]
		clear(scaled)
		for e := range columns {
			root, value := r.weigh(e)
			for y, b := range v[e*width:][:t] {
				scaled[y*gram+e] = root * w.root[y] * b
			}
			w.next[e*kernel.Lanes+lane] = value
		}
		kernel.Gram(w.k, lane, scaled, t, gram, size)
	}
	for e := range size {
		diagonal := w.k[(kernel.Tri(e)+e)*kernel.Lanes:][:kernel.Lanes]
		for lane := range diagonal {
			diagonal[lane]++
		}
	}
	kernel.Cholesky(w.k, size, 1)
	kernel.Solve(w.k, w.next, size)
	for lane := range lanes {
		columns, _ := w.entries(lane)
		r, v := &w.rows[lane], w.table0(lane)
		clear(r.to)
		for e := range columns {
			root, _ := r.weigh(e)
			by := root * w.next[e*kernel.Lanes+lane]
			for y, b := range v[e*width:][:t] {
				r.to[y] += by * b
			}
		}
		for y, ridge := range w.ridge {
			r.to[y] /= ridge
		}
	}
}

// advance goes along the step as far as the cost falls.
func (w *convexWorker) advance(lane int) {
	r := &w.rows[lane]
	from, x := slices.Clone(r.u), slices.Clone(r.x)
	slope := 0.0
	for y := range r.to {
		slope += r.g[y] * (r.to[y] - from[y])
	}
	// Differences of costs that rounding makes do not count.
	rounded := 1e-13 * r.cost
	r.ending = -slope <= rounded
	by := 1.0
	for range newtonHalf {
		for y := range r.u {
			r.u[y] = from[y] + by*(r.to[y]-from[y])
			if w.sign != nil && w.sign[y] {
				r.u[y] = math.Max(r.u[y], 0)
			}
		}
		w.predict(lane)
		cost := w.evaluate(lane, r.x, r.u)
		if cost <= r.cost+1e-4*by*math.Min(slope, 0) || r.ending && cost <= r.cost+rounded {
			r.cost = cost
			return
		}
		by /= 2
	}
	// Rounding is all that is left.
	copy(r.u, from)
	copy(r.x, x)
	r.done = true
}

// predict sets the row's predictions from its coefficients.
func (w *convexWorker) predict(lane int) {
	_, values := w.entries(lane)
	r := &w.rows[lane]
	by := w.minus[:w.table.width]
	copy(by, r.u)
	clear(by[len(r.u):])
	kernel.Combine(r.x, w.table0(lane), by, values, w.table.width)
	for e := range values {
		r.x[e] += r.offset[e]
	}
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
	w.panel.add(columns)
	s.cost += r.cost
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
