package objective

import (
	"math"

	"optcomplete/internal/kernel"
)

// Newton's steps end when the row's cost is known as exactly as it can be, or
// after this many.
const (
	newtonSteps = 60
	newtonGap   = 1e-15 // duality gap relative to the cost
	newtonHalf  = 50    // halvings of a step
	leastCurve  = 1e-9  // curvature of an entry of weight 1 whose loss is straight
)

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
	root = math.Sqrt(math.Max(r.h[e], r.weight[e]*leastCurve))
	return root, root*(r.x[e]-r.offset[e]) - r.alpha[e]/root
}

// system makes ρ + VᵀHV of every row, with the right-hand sides in next.
func (w *convexWorker) system(lanes int) {
	t, width := len(w.support), w.table.width
	clear(w.k[:kernel.Tri(t)*kernel.Lanes])
	clear(w.next[:t*kernel.Lanes])
	for lane := range lanes {
		columns, _ := w.entries(lane)
		r, v := &w.rows[lane], w.gathered(lane)
		for e := range columns {
			root, value := r.weigh(e)
			to := w.scaled[e*width:][:width]
			for y, b := range v[e*width:][:t] {
				to[y] = root * b
			}
			to[t] = value
			clear(to[t+1:])
		}
		square := w.squares[:(t+1)*width]
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
		r, v := &w.rows[lane], w.gathered(lane)
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
		r, v := &w.rows[lane], w.gathered(lane)
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
	from, x := r.from, r.old
	copy(from, r.u)
	copy(x, r.x)
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
	copy(r.u, from)
	copy(r.x, x)
	r.done = w.sign == nil || !w.sweep(lane) // else rounding is all that is left
}

// sweep goes along one coefficient after the other, where a step of all of them leads
// nowhere because a part of it would make some negative. It tells whether the cost
// fell by more than rounding.
func (w *convexWorker) sweep(lane int) bool {
	_, values := w.entries(lane)
	r, v, width := &w.rows[lane], w.gathered(lane), w.table.width
	before := r.cost
	for y, ridge := range w.ridge {
		slope, curve := ridge*r.u[y], ridge
		for e, a := range values {
			s, h := w.loss.Slope(a, r.x[e])
			b := r.weight[e] * v[e*width+y]
			slope += s * b
			curve += math.Max(h, leastCurve) * b * v[e*width+y]
		}
		from := r.u[y]
		to, moved := from-slope/curve, false
		if w.sign[y] {
			to = math.Max(to, 0)
		}
		for by := 1.0; to != from && !moved && by > 1e-9; by /= 2 {
			r.u[y] = from + by*(to-from)
			w.predict(lane)
			if cost := w.evaluate(lane, r.x, r.u); cost < r.cost {
				r.cost, moved = cost, true
			}
		}
		if !moved {
			r.u[y] = from
			w.predict(lane)
		}
	}
	return before-r.cost > 1e-13*before
}

// predict sets the row's predictions from its coefficients.
func (w *convexWorker) predict(lane int) {
	_, values := w.entries(lane)
	r := &w.rows[lane]
	by := w.minus[:w.table.width]
	copy(by, r.u)
	clear(by[len(r.u):])
	kernel.Combine(r.x, w.gathered(lane), by, values, w.table.width)
	for e := range values {
		r.x[e] += r.offset[e]
	}
}
