package milp

import (
	"container/heap"
	"context"
	"math"
	"slices"
	"time"
)

// tree is the branch and bound over one relaxation: best bound first, diving
// from each node until the dive is pruned.
type tree struct {
	m        *Master
	columns  []int   // feature of each column of the relaxation
	in       []int   // features that every selection here holds
	scale    float64 // units of the relaxation per unit of η
	l        *relaxation
	local    local
	proof    proof
	open     nodes
	best     []int   // the incumbent, as features
	value    float64 // its η, in the master's units
	limit    float64 // η, in the relaxation's units, from which a node is pruned
	gap      float64
	lowest   float64 // least bound of what was pruned, in the relaxation's units
	count    int
	deadline time.Time
	maxNodes int // 0: any number
	down, up []pseudo
}

// pseudo sums the rises of the bound over the branchings on one side of a
// feature.
type pseudo struct {
	sum float64
	n   int
}

// node is a part of the tree: its parent's part, with some features fixed.
type node struct {
	parent *node
	fixed  []int32 // column<<1 | value
	basis  *basis
	bound  float64
}

type nodes []*node

func (h nodes) Len() int           { return len(h) }
func (h nodes) Less(i, j int) bool { return h[i].bound < h[j].bound }
func (h nodes) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *nodes) Push(x any)        { *h = append(*h, x.(*node)) }
func (h *nodes) Pop() any {
	n := len(*h) - 1
	x := (*h)[n]
	(*h)[n] = nil
	*h = (*h)[:n]
	return x
}

// exactness is the relative difference below which two objectives count as
// equal. It must be positive: with ties, a proof in floating point could
// otherwise never end.
const exactness = 1e-11

// offer makes a selection (of features) the incumbent if it is better.
func (t *tree) offer(selection []int) {
	selection = slices.Sorted(slices.Values(selection))
	v := t.m.Value(selection)
	if t.best == nil || v < t.value {
		t.best, t.value = selection, v
		t.setLimit()
	}
}

// setLimit derives the pruning limit from the incumbent: a node must promise
// an improvement beyond the gap, and beyond the rounding of the sums.
func (t *tree) setLimit() {
	worst := math.Abs(t.m.Floor)
	for c := range t.m.Cuts {
		cut := &t.m.Cuts[c]
		if v := cut.at(t.best); v == t.value {
			size := math.Abs(cut.Constant)
			for _, j := range t.best {
				size += math.Abs(cut.Gradient[j])
			}
			worst = max(worst, size)
		}
	}
	need := max(t.gap, exactness)*math.Abs(t.value) + 4*unit*worst
	t.limit = (t.value - need) * t.scale
}

// offerColumns offers a selection given as columns.
func (t *tree) offerColumns(selection []int) {
	features := slices.Clone(t.in)
	for _, j := range selection {
		features = append(features, t.columns[j])
	}
	t.offer(features)
}

// finished tells whether the floor is reached, so that nothing can be better.
func (t *tree) finished() bool { return t.best != nil && t.value <= t.m.Floor }

// run searches until the tree is empty; it returns false if it had to stop.
func (t *tree) run(ctx context.Context, root *node) bool {
	t.open = nodes{root}
	for len(t.open) > 0 && !t.finished() {
		at := heap.Pop(&t.open).(*node)
		if at.bound >= t.limit {
			t.lowest = min(t.lowest, at.bound)
			t.open = t.open[:0]
			break
		}
		t.enter(at)
		for at != nil {
			if ctx.Err() != nil || !t.deadline.IsZero() && time.Now().After(t.deadline) || t.maxNodes > 0 && t.count >= t.maxNodes {
				heap.Push(&t.open, at)
				return false
			}
			at = t.process(at)
		}
	}
	return true
}

// enter moves the relaxation to a node elsewhere in the tree.
func (t *tree) enter(at *node) {
	for j := range t.l.q {
		t.l.lower[j], t.l.upper[j] = 0, 1
	}
	for n := at; n != nil; n = n.parent {
		for _, f := range n.fixed {
			v := float64(f & 1)
			t.l.lower[f>>1], t.l.upper[f>>1] = v, v
		}
	}
	t.l.load(at.basis)
}

// fix fixes a feature in the node the relaxation stands at.
func (l *relaxation) fix(j int, v float64) {
	l.lower[j], l.upper[j] = v, v
	if l.place[j] == 0 && l.high[j] != (v == 1) {
		l.flip(j)
		l.values()
	}
}

// process bounds the node the relaxation stands at, prunes it or branches, and
// returns the child to go on with, or nil.
func (t *tree) process(at *node) *node {
	t.count++
	l, p := t.l, &t.proof
	if leaf, done := t.leaf(); done {
		if leaf != nil {
			t.offerColumns(leaf)
		}
		return nil
	}
	before := l.x[0]
	state := l.solve(t.limit+1e-9*math.Abs(t.limit), 50+20*(l.c+l.q))
	l.prove(p)
	if state == cutoff && p.bound < t.limit {
		l.solve(math.Inf(1), 50+l.c+l.q)
		l.prove(p)
	}
	t.learn(at, l.x[0]-before)
	at.bound = max(at.bound, p.bound)
	if at.bound >= t.limit {
		t.lowest = min(t.lowest, at.bound)
		return nil
	}
	if t.count < 10 || t.count%16 == 0 || t.integral() {
		t.round()
		if t.finished() || at.bound >= t.limit {
			t.lowest = min(t.lowest, at.bound)
			return nil
		}
	}
	t.tighten(at)
	if leaf, done := t.leaf(); done {
		if leaf != nil {
			t.offerColumns(leaf)
		}
		return nil
	}
	return t.branch(at)
}

// leaf tells whether at most one selection is left in the node, and which.
func (t *tree) leaf() (selection []int, done bool) {
	l := t.l
	in, free := 0, 0
	for j := range l.q {
		if l.lower[j] == 1 {
			in++
		} else if l.upper[j] == 1 {
			free++
		}
	}
	if in > l.k || in+free < l.k {
		return nil, true
	}
	if in < l.k && in+free > l.k {
		return nil, false
	}
	for j := range l.q {
		if l.lower[j] == 1 || l.upper[j] == 1 && in < l.k {
			selection = append(selection, j)
		}
	}
	return selection, true
}

func (t *tree) integral() bool {
	for _, v := range t.l.x[1:] {
		if v > 1e-9 && v < 1-1e-9 {
			return false
		}
	}
	return true
}

// round turns the relaxation's weights into a selection and improves it.
func (t *tree) round() {
	l := t.l
	var selection, basic []int
	for j := range l.q {
		if l.place[j] > 0 {
			basic = append(basic, j)
		} else if l.high[j] {
			selection = append(selection, j)
		}
	}
	slices.SortStableFunc(basic, func(a, b int) int {
		if va, vb := l.x[l.place[a]], l.x[l.place[b]]; va > vb {
			return -1
		} else if va < vb {
			return 1
		}
		return 0
	})
	for _, j := range basic {
		if len(selection) < l.k && l.upper[j] == 1 {
			selection = append(selection, j)
		}
	}
	if len(selection) != l.k {
		return
	}
	t.local.improve(selection, 30)
	t.offerColumns(selection)
}

// tighten fixes the features whose other value the proof rules out.
func (t *tree) tighten(at *node) {
	p := &t.proof
	for i, j := range p.order {
		bound := p.without(i)
		if bound < t.limit {
			continue
		}
		t.lowest = min(t.lowest, bound)
		v := int32(0)
		if i < p.take {
			v = 1
		}
		at.fixed = append(at.fixed, int32(j)<<1|v)
		t.l.fix(j, float64(v))
	}
}
