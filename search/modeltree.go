package search

import (
	"container/heap"
	"math"
	"slices"

	"optcomplete/feasible"
)

// How much may be done with one model: nodes of its tree times the square of the
// features, and selections that are not ruled out.
const (
	modelWork  = 1 << 26
	modelFound = 4000
)

// modelTree finds the selections of a region whose value by a model is below a
// cutoff, by branch and bound on the model alone.
//
// As x² = x at selections, the value is constant + Σ_j (single_j − A_jj)·x_j + xᵀAx
// for any diagonal of A; beside it A is the model's matrix. The smaller the diagonal,
// the larger the value between selections; and while A is positive semidefinite, it is
// convex, so that every tangent bounds it from below.
type modelTree struct {
	features []int     // the free ones of the region, to which all else refers by place
	constant float64   // value of those that are in
	single   []float64 // what each adds to it
	matrix   []float64 // A, row by row
	cutoff   float64
	margin   float64 // by which rounding may have raised a bound

	open     heapOfNodes
	sequence int
	floor    float64   // least bound of what was ruled out
	found    [][]int   // selections that were not
	values   []float64 // of each
	fixed    []int8    // what is the same in all of them, as far as the first node tells

	feasible.Bounder
	gradient, tangent []float64 // at the weights of a node: updated, and computed anew
}

// newModelTree is the tree of a region, whose features, those in or free, the model is
// of. The weights are where it begins. It is nil for a model that rounding made too
// far from convex.
func newModelTree(m *Model, features []int, r *region, weights []float64, cutoff float64) *modelTree {
	t := &modelTree{constant: m.Constant, cutoff: cutoff, floor: math.Inf(1)}
	p := len(features)
	var inside, places []int // of the features in and free, in the model
	for y, j := range features {
		if r.State[j] == in {
			inside = append(inside, y)
		} else {
			places = append(places, y)
			t.features = append(t.features, j)
		}
	}
	size, trace := math.Abs(m.Constant), 0.0 // of what is added up
	add := func(to *float64, x float64) {
		*to += x
		size += math.Abs(x)
	}
	for _, y := range inside {
		add(&t.constant, m.Linear[y])
		for _, z := range inside {
			add(&t.constant, m.Matrix[y*p+z])
		}
	}
	f := len(places)
	t.single, t.matrix = make([]float64, f), make([]float64, f*f)
	t.gradient, t.tangent = make([]float64, f), make([]float64, f)
	first := &node{region: region{State: make([]int8, f), Left: r.Left, Free: f}, bound: math.Inf(-1), weights: make([]float64, f)}
	for x, y := range places {
		add(&t.single[x], m.Linear[y])
		add(&t.single[x], m.Matrix[y*p+y])
		for _, z := range inside {
			add(&t.single[x], 2*m.Matrix[y*p+z])
		}
		for w, z := range places {
			add(&t.matrix[x*f+w], m.Matrix[y*p+z])
		}
		trace += m.Matrix[y*p+y]
		first.weights[x] = weights[t.features[x]]
	}
	if !t.flatten() {
		return nil
	}
	// Sums of up to p² numbers, and a factorisation that shows A to be positive
	// semidefinite up to rounding, between points no further apart than 2·left.
	t.margin = 1.2e-16 * 8 * float64(p+8) * (size + 2*float64(r.Left)*trace)
	t.open = heapOfNodes{first}
	t.sequence = 1
	return t
}

// flatten lowers the diagonal of A as long as that stays positive definite, which a
// factorisation shows: of each feature, some times in turn, a part of the room it has,
// 1/(A⁻¹)_jj. It tells whether A is so at all.
func (t *modelTree) flatten() bool {
	const part, rounds = 0.3, 12
	f := len(t.features)
	mean := 0.0
	for x := range f {
		mean += t.matrix[x*f+x] / float64(f)
	}
	for x := range f {
		t.matrix[x*f+x] += 1e-9 * mean
	}
	steep := slices.Clone(t.matrix)
	inverse, ok := inverted(t.matrix, f)
	if !ok {
		return false
	}
	row := make([]float64, f)
	for range rounds {
		for x := range f {
			less := part / inverse[x*f+x]
			t.matrix[x*f+x] -= less
			copy(row, inverse[x*f:])
			for y := range f { // A⁻¹ after the change (Sherman and Morrison)
				by := less / (1 - part) * row[y]
				for z, v := range row {
					inverse[y*f+z] += by * v
				}
			}
		}
	}
	for x := range f {
		t.matrix[x*f+x] += 1e-7 * mean
	}
	if _, ok := inverted(t.matrix, f); !ok {
		t.matrix = steep
	}
	return true
}

// inverted is the inverse of a symmetric f×f matrix; not ok: it is not positive definite.
func inverted(matrix []float64, f int) (inverse []float64, ok bool) {
	l := make([]float64, f*f)
	for x := range f {
		for y := range x + 1 {
			sum := matrix[x*f+y]
			for z := range y {
				sum -= l[x*f+z] * l[y*f+z]
			}
			if x > y {
				l[x*f+y] = sum / l[y*f+y]
				continue
			}
			if !(sum > 0) {
				return nil, false
			}
			l[x*f+x] = math.Sqrt(sum)
		}
	}
	inverse = make([]float64, f*f)
	for c := range f {
		column := inverse[c*f:][:f] // or row: it is symmetric
		column[c] = 1
		for x := c; x < f; x++ {
			for z := c; z < x; z++ {
				column[x] -= l[x*f+z] * column[z]
			}
			column[x] /= l[x*f+x]
		}
		for x := f - 1; x >= 0; x-- {
			for z := x + 1; z < f; z++ {
				column[x] -= l[z*f+x] * column[z]
			}
			column[x] /= l[x*f+x]
		}
	}
	return inverse, true
}

// run rules selections out until every other is found. It tells whether that was done
// within the limits.
func (t *modelTree) run() bool {
	most := modelWork / (len(t.features)*len(t.features) + 1)
	if t.open[0].trail != nil {
		most = min(most, mostTrails)
	}
	for n := 0; len(t.open) > 0; n++ {
		if n > most || len(t.found) > modelFound {
			return false
		}
		at := heap.Pop(&t.open).(*node)
		t.process(at)
		if n == 0 {
			t.fixed = at.State
		}
	}
	return len(t.found) <= modelFound
}

// least is a bound of every selection of the region.
func (t *modelTree) least() float64 {
	bound := t.floor
	for _, v := range t.values {
		bound = min(bound, v)
	}
	if len(t.open) > 0 {
		bound = min(bound, t.open[0].bound)
	}
	return bound
}

// diagonal is that of A.
func (t *modelTree) diagonal() []float64 {
	f := len(t.features)
	out := make([]float64, f)
	for x := range out {
		out[x] = t.matrix[x*f+x]
	}
	return out
}

// selections is what was found, with the features in.
func (t *modelTree) selections(r *region) [][]int {
	list := make([][]int, len(t.found))
	for i, found := range t.found {
		list[i] = r.Inside()
		for _, x := range found {
			list[i] = append(list[i], t.features[x])
		}
		slices.Sort(list[i])
	}
	return list
}

// ruled notes that selections were ruled out.
func (t *modelTree) ruled(bound float64) { t.floor = min(t.floor, bound) }

// process bounds a node by tangents, narrows it by their slopes, and splits it.
func (t *modelTree) process(n *node) {
	for narrowed := true; narrowed; {
		if n.Empty() {
			return
		}
		if n.Left <= 2 || n.Left == n.Free {
			if n.trail != nil {
				n.trail.listed = true
			}
			t.leaf(n)
			return
		}
		conform(n.weights, &n.region)
		t.relax(n)
		if n.bound >= t.cutoff {
			if n.trail != nil {
				n.trail.steps = append(n.trail.steps, tangent{weights: slices.Clone(n.weights)})
			}
			t.ruled(n.bound)
			return
		}
		narrowed = t.narrow(n)
	}
	branch, score := -1, -1.0
	for x, state := range n.State {
		if w := n.weights[x]; state == free && w*(1-w)*math.Abs(t.single[x]) > score {
			branch, score = x, w*(1-w)*math.Abs(t.single[x])
		}
	}
	for _, to := range []int8{in, out} {
		child := &node{region: n.region.Clone(), bound: n.bound, weights: slices.Clone(n.weights), sequence: t.sequence}
		t.sequence++
		child.Fix(branch, to)
		if n.trail != nil {
			child.trail = &trail{branch: -1}
			n.trail.branch, n.trail.parts[to] = branch, child.trail
		}
		heap.Push(&t.open, child)
	}
}

// relax minimises the value over the node's relaxation, by moving weight between pairs
// of features as quadratic.minimize does, and bounds the node by tangents on the way.
func (t *modelTree) relax(n *node) {
	f := len(t.features)
	t.slopes(t.gradient, n.weights)
	for step := 0; ; step++ {
		i, steepest, flattest := -1, math.Inf(1), math.Inf(-1)
		for x, state := range n.State {
			if g := t.gradient[x]; state == free {
				if n.weights[x] < 1 && g < steepest {
					i, steepest = x, g
				}
				if n.weights[x] > 0 {
					flattest = max(flattest, g)
				}
			}
		}
		j, gain, move := -1, 0.0, 0.0
		if i >= 0 && step < 4*n.Free && flattest-steepest > 1e-4*math.Abs(steepest) {
			for x, state := range n.State {
				if diff := t.gradient[x] - steepest; state == free && n.weights[x] > 0 && diff > 0 {
					curve := max(2*(t.matrix[i*f+i]+t.matrix[x*f+x]-2*t.matrix[i*f+x]), 1e-300)
					if g := diff * diff / curve; g > gain {
						j, gain, move = x, g, diff/curve
					}
				}
			}
		}
		if j < 0 || step%8 == 0 {
			if t.bound(n); j < 0 || n.bound >= t.cutoff {
				return
			}
		}
		move = min(move, 1-n.weights[i], n.weights[j])
		n.weights[i] = min(n.weights[i]+move, 1)
		if n.weights[j] -= move; n.weights[j] < dropWeight {
			n.weights[j] = 0
		}
		for x := range f {
			t.gradient[x] += 2 * move * (t.matrix[i*f+x] - t.matrix[j*f+x])
		}
	}
}

// slopes computes the gradient at weights.
func (t *modelTree) slopes(gradient, weights []float64) {
	f := len(t.features)
	for x := range gradient {
		sum := 0.0
		row := t.matrix[x*f:][:f]
		for y, w := range weights {
			sum += row[y] * w
		}
		gradient[x] = t.single[x] - row[x] + 2*sum
	}
}

// cut is the tangent at a node's weights. Where they are all zero it has the value
// constant − wᵀAw, and 2Aw is what the slopes have beside single_j − A_jj.
func (t *modelTree) cut(n *node) *cut {
	t.slopes(t.tangent, n.weights)
	c := &cut{constant: t.constant - t.margin, gradient: t.tangent}
	for x, w := range n.weights {
		c.constant -= w * (t.tangent[x] - t.single[x] + t.matrix[x*len(t.features)+x]) / 2
	}
	return c
}

// bound raises the node's bound by the tangent at its weights.
func (t *modelTree) bound(n *node) {
	c := t.cut(n)
	value, _, _ := t.Least(c.constant, c.gradient, &n.region)
	n.bound = max(n.bound, value)
}

// narrow fixes the features of which the tangent rules one choice out, and tells
// whether there were any.
func (t *modelTree) narrow(n *node) (narrowed bool) {
	c := t.cut(n)
	value, _, _ := t.Least(c.constant, c.gradient, &n.region)
	var fixed [3][]int
	for x, state := range n.State {
		if state != free || n.Left == 0 || n.Left == n.Free {
			continue
		}
		to, more := t.Other(x, c.gradient[x])
		if bound := value + more; bound >= t.cutoff {
			t.ruled(bound)
			n.Fix(x, to)
			fixed[to] = append(fixed[to], x)
			narrowed = true
		}
	}
	if n.trail != nil && narrowed {
		n.trail.steps = append(n.trail.steps, tangent{slices.Clone(n.weights), fixed})
	}
	return narrowed
}

// leaf looks at every selection of a node that has two features left to select or
// fewer, or no choice.
func (t *modelTree) leaf(n *node) {
	f := len(t.features)
	value, left := t.constant-t.margin, n.Left
	var inside, others []int
	for x, state := range n.State {
		if state == free && left < n.Free {
			others = append(others, x)
		} else if state != out {
			value += t.with(inside, x)
			inside = append(inside, x)
		}
	}
	if left == n.Free {
		left = 0
	}
	if left == 0 {
		t.offer(value, inside)
		return
	}
	for i, x := range others {
		one := value + t.with(inside, x)
		if left == 1 {
			t.offer(one, inside, x)
			continue
		}
		for _, y := range others[:i] {
			t.offer(one+t.with(inside, y)+2*t.matrix[x*f+y], inside, x, y)
		}
	}
}

// with is what a feature adds to the value of others.
func (t *modelTree) with(others []int, x int) float64 {
	sum := t.single[x]
	for _, y := range others {
		sum += 2 * t.matrix[x*len(t.features)+y]
	}
	return sum
}

// offer files a selection by its value.
func (t *modelTree) offer(value float64, inside []int, more ...int) {
	if value >= t.cutoff {
		t.ruled(value)
		return
	}
	t.values = append(t.values, value)
	t.found = append(t.found, slices.Concat(inside, more))
}
