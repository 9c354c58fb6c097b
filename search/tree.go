package search

import (
	"container/heap"
	"context"
	"math"
	"slices"

	"optcomplete/feasible"
)

// A region is a part of the selections.
type region = feasible.Region

const free, in, out = feasible.Free, feasible.In, feasible.Out

// node is a region that waits to be opened.
type node struct {
	region
	bound    float64
	weights  []float64 // of the parent's relaxation, where this one's starts
	cuts     int       // how many cuts of the pool have bounded it
	sequence int       // breaks ties, so that the order is always the same
	by       int       // the cut that the bound comes from, or noCut, or enumeration
	label    int       // in the record of the proof
	parted   bool      // its parts are in the record
	depth    int       // splits above it
	at       *point    // where its relaxation ended
	trail    *trail    // of a node of a model's tree that is to be recorded
}

type heapOfNodes []*node

func (h heapOfNodes) Len() int      { return len(h) }
func (h heapOfNodes) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h heapOfNodes) Less(i, j int) bool {
	if h[i].bound != h[j].bound {
		return h[i].bound < h[j].bound
	}
	return h[i].sequence < h[j].sequence
}
func (h *heapOfNodes) Push(x any) { *h = append(*h, x.(*node)) }
func (h *heapOfNodes) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return x
}

// When a region is small enough to be looked at whole, instead of relaxed and
// split: this many selections evaluated one by one, about what a relaxation and
// its two children would cost; or, where the oracle can enumerate, an effort in
// evaluations before the relaxation, and after it (see patience).
const (
	leafMost     = 12
	effortBefore = 4
	effortAfter  = 30
)

// solve runs the search from the root region. It returns why it ended, the
// gap after the root and the root's relaxed weights.
func (s *searcher) solve(ctx context.Context, root region) (status Status, rootGap float64, relaxed []float64, err error) {
	first := &node{region: root, bound: math.Inf(-1), by: noCut, label: s.label(), weights: s.from}
	rootGap = math.Inf(1)
	if err = s.warmStart(ctx, first); err != nil {
		heap.Push(&s.open, first)
	} else {
		err = s.process(ctx, first)
		relaxed = first.weights
		s.raise()
		rootGap = s.gap()
	}
	for err == nil && len(s.open) > 0 {
		if s.MaxNodes > 0 && s.nodes >= s.MaxNodes {
			err = errLimit{NodeLimit}
			break
		}
		err = s.process(ctx, heap.Pop(&s.open).(*node))
		s.raise()
		if err == nil && len(s.open) > 0 && s.look() {
			err = errLimit{NoProofInSight}
		}
	}
	status, err = s.status(ctx, err)
	return status, rootGap, relaxed, err
}

// giveUp closes a region whose bound says it holds nothing better.
func (s *searcher) giveUp(bound float64) { s.floor = min(s.floor, bound) }

// process opens a node: bounds it by the pool, then by its relaxation, and
// splits it in two if that is not enough. On an error the node goes back to
// the open ones, so that the global bound stays true.
func (s *searcher) process(ctx context.Context, n *node) (err error) {
	defer func() {
		if err != nil {
			heap.Push(&s.open, n)
		}
	}()
	if s.boundByPool(n) {
		return nil
	}
	if done, err := s.finish(ctx, n, effortBefore); done || err != nil {
		return err
	}
	s.nodes++
	branch, err := s.relax(ctx, n)
	s.event(EventNode)
	if err != nil || branch < 0 {
		return err
	}
	if s.Brief && s.MaxNodes > 0 && s.nodes >= s.MaxNodes {
		heap.Push(&s.open, n)
		return nil
	}
	if done, err := s.modelled(ctx, n); done || err != nil {
		return err
	}
	if done, err := s.finish(ctx, n, effortAfter); done || err != nil {
		return err
	}
	labels := s.split(n, branch)
	for _, to := range []int8{in, out} {
		child := &node{region: n.region.Clone(), bound: n.bound, by: n.by, weights: n.weights, cuts: n.cuts, sequence: s.sequence, label: labels[to], depth: n.depth + 1}
		s.sequence++
		child.Fix(branch, to)
		if s.rules.Propagate(&child.region); child.Empty() {
			continue
		}
		child.cuts = 0 // every cut may bound the smaller region better
		if !s.boundByPool(child) {
			heap.Push(&s.open, child)
		}
	}
	return nil
}

// boundByPool raises the node's bound by the cuts it has not met yet, and
// fixes features by their reduced costs. It tells whether the node is done.
func (s *searcher) boundByPool(n *node) (done bool) {
	for ; n.cuts < len(s.pool.cuts); n.cuts++ {
		if s.boundByCut(n, &s.pool.cuts[n.cuts]) {
			return true
		}
	}
	n.cuts = len(s.pool.cuts)
	return s.closed(n)
}

// closed tells whether the node's bound rules it out, and then gives it up.
func (s *searcher) closed(n *node) bool {
	if n.Empty() {
		return true
	}
	if n.bound >= s.cutoff() {
		s.giveUp(n.bound)
		s.recordClosed(n)
		return true
	}
	return false
}

// boundByCut raises the node's bound by one cut, and fixes features: where
// selecting j (or not) would cost so much that the cut alone is above the
// cutoff, it is fixed out (or in). It tells whether the node is done.
func (s *searcher) boundByCut(n *node, c *cut) (done bool) {
	for {
		value, _, _ := s.pool.Least(c.constant, c.gradient, &n.region)
		if value > n.bound {
			n.bound, n.by = value, c.number
		}
		if s.closed(n) {
			return true
		}
		cutoff := s.cutoff()
		if math.IsInf(cutoff, 1) || n.Left == 0 || n.Left == n.Free {
			return false
		}
		fixed := false
		for j, state := range n.State {
			if state != free {
				continue
			}
			other, more := s.pool.Other(j, c.gradient[j])
			if v := value + more; v >= cutoff {
				s.giveUp(v)
				s.recordFix(n, j, other, c)
				n.Fix(j, other)
				fixed = true
			}
			if n.Left == 0 || n.Left == n.Free {
				break
			}
		}
		if !fixed {
			return false
		}
		if s.rules.Propagate(&n.region); n.Empty() {
			return true
		}
	}
}

// patience is how much more effort than usual an enumeration of the node may
// take: the further its bound is from the cutoff, the less a relaxation of its
// parts can be hoped to rule out.
func (s *searcher) patience(n *node) float64 {
	cutoff := s.cutoff()
	if !(cutoff > 0) || math.IsInf(cutoff, 1) {
		return 1
	}
	closed := min(max(n.bound/cutoff, 0), 1) // −Inf before any bound
	return 1 / (0.02 + closed)
}

// finish looks at every selection of the node if they are few, or if the oracle
// can enumerate them within the effort. It tells whether the node is done.
func (s *searcher) finish(ctx context.Context, n *node, effort float64) (done bool, err error) {
	if s.lister != nil && n.Left > 0 && n.Left < n.Free && s.lister.Effort(n.Free, n.Left) <= effort*s.patience(n) {
		return s.enumerate(ctx, n)
	}
	if n.Completions() <= leafMost {
		return true, s.leaf(ctx, n)
	}
	return false, nil
}

// enumerate lets the oracle look at every selection of the node. Those that
// may be better than the incumbent are evaluated; the rest are ruled out.
func (s *searcher) enumerate(ctx context.Context, n *node) (done bool, err error) {
	if s.halt != nil {
		return false, s.halt
	}
	found, err := s.lister.Enumerate(ctx, Region{In: n.Inside(), Candidates: n.Open(), Left: n.Left, Below: s.cutoff(), Keep: max(s.NearTies, 0) + 1})
	if err != nil {
		s.halt = err
		return false, err
	}
	s.passed()
	s.listed += int(n.Completions())
	for i, selection := range found.Selections {
		if !s.rules.Meets(selection) {
			continue
		}
		cost := found.Costs[i]
		lower := cost - found.Margin
		if lower >= s.cutoff() {
			if cost >= s.best.Cost {
				s.offer(Candidate{Selection: selection, Cost: cost}, "enumeration")
			}
			s.giveUp(lower)
			continue
		}
		if _, err := s.selection(ctx, selection, "enumeration"); err != nil {
			return false, err
		}
		s.giveUp(s.seen[keyOf(selection)].floor)
	}
	s.event(EventPass)
	if !(found.Rest >= s.cutoff()) {
		if bound := min(found.Rest, s.best.Cost); bound > n.bound {
			n.bound, n.by = bound, enumeration
		}
		return false, nil // more good ones than could be returned: split first
	}
	if !math.IsInf(found.Rest, 1) {
		s.giveUp(found.Rest)
	}
	if s.Recorder != nil {
		s.Recorder.Enumerate(n.label)
	}
	return true, nil
}

// leaf evaluates the few selections left in a region, one by one. Each one's
// cut may rule out others.
func (s *searcher) leaf(ctx context.Context, n *node) error {
	work := []*node{n}
	for len(work) > 0 {
		at := work[len(work)-1]
		if s.boundByPool(at) {
			work = work[:len(work)-1]
			continue
		}
		if selection, ok := at.Single(); ok {
			if _, err := s.selection(ctx, selection, "leaf"); err != nil {
				for _, left := range work {
					s.recordClosed(left)
				}
				n.parted = true
				return err
			}
			known := s.seen[keyOf(selection)]
			s.giveUp(known.floor)
			if s.Recorder != nil {
				s.Recorder.Close(at.label, known.cut)
			}
			work = work[:len(work)-1]
			continue
		}
		j := slices.Index(at.State, free)
		work = work[:len(work)-1]
		labels := s.split(at, j)
		for _, to := range []int8{out, in} {
			part := &node{region: at.region.Clone(), bound: at.bound, by: at.by, label: labels[to]}
			part.Fix(j, to)
			if s.rules.Propagate(&part.region); !part.Empty() {
				work = append(work, part)
			}
		}
	}
	return nil
}
