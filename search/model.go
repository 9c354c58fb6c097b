package search

import (
	"context"
	"math"
	"slices"
)

// modelled tries to end a node, after its relaxation, by a model of the cost: the
// selections that the model does not rule out are evaluated, unless they are too
// many. Then the node is narrowed as far as the model tells.
//
// A model costs about as much as two evaluations. Where one brings little, the next
// nodes do without.
func (s *searcher) modelled(ctx context.Context, n *node) (done bool, err error) {
	at := n.at
	n.at = nil
	if s.modeler == nil || at == nil || n.Left < 2 || math.IsInf(s.cutoff(), 1) {
		return false, nil
	}
	if s.rest > 0 {
		s.rest--
		return false, nil
	}
	for _, j := range at.support {
		if n.State[j] == out {
			return false, nil // fixed since: the model would not be of this region
		}
	}
	var features []int
	for j, state := range n.State {
		if state != out {
			features = append(features, j)
		}
	}
	model, ok, err := s.modeler.Model(ctx, at.weights, Cut{at.cost, at.cut.constant, at.cut.gradient}, features)
	if err != nil {
		s.halt = err
		return false, err
	}
	if !ok {
		s.modeler = nil // nor will there be another
		return false, nil
	}
	s.passed()
	s.event(EventPass)
	tree := newModelTree(&model, features, &n.region, at.weights, s.cutoff())
	if tree == nil {
		return false, nil
	}
	trails := &trail{branch: -1}
	if s.Recorder != nil {
		tree.open[0].trail = trails
	}
	all := tree.run()
	if s.Recorder != nil && !all { // what a record cannot tell is not used
		s.wait = min(2*s.wait+1, modelRest)
		s.rest = s.wait
		return false, nil
	}
	s.giveUp(tree.floor)
	if all {
		s.wait = 0
		if err := s.judge(ctx, tree.selections(&n.region)); err != nil {
			return false, err
		}
		if s.Recorder != nil {
			s.Recorder.Model(n.label, at.cut.number, tree.diagonal())
			s.recordTree(n.label, tree, trails)
		}
		return true, nil
	}
	before := n.bound
	if bound := tree.least(); bound > n.bound {
		n.bound, n.by = bound, noCut
	}
	if s.wait = min(2*s.wait+1, modelRest); n.bound-before >= modelGain*(s.cutoff()-before) {
		s.wait = 0
	}
	s.rest = s.wait
	for x, to := range tree.fixed {
		if to != free {
			n.Fix(tree.features[x], to)
		}
	}
	s.rules.Propagate(&n.region)
	return s.closed(n), nil
}

// When models are worth their time: one has brought little that closes less than this
// part of a node's gap, and then 1, 3, 7, … nodes, but never more than this many, do
// without.
const (
	modelGain = 0.2
	modelRest = 63
)

// judge evaluates selections together, and one by one those that may be better than
// the incumbent.
func (s *searcher) judge(ctx context.Context, selections [][]int) error {
	selections = slices.DeleteFunc(selections, func(selection []int) bool { return !s.rules.Meets(selection) })
	if len(selections) == 0 {
		return nil
	}
	costs, margin, err := s.modeler.Costs(ctx, selections)
	if err != nil {
		s.halt = err
		return err
	}
	s.passed()
	s.listed += len(selections)
	for i, selection := range selections {
		if lower := costs[i] - margin; lower >= s.cutoff() {
			if costs[i] >= s.best.Cost {
				s.offer(Candidate{Selection: selection, Cost: costs[i]}, "enumeration")
			}
			s.giveUp(lower)
			continue
		}
		if _, err := s.selection(ctx, selection, "enumeration"); err != nil {
			return err
		}
		s.giveUp(s.seen[keyOf(selection)].floor)
	}
	s.event(EventPass)
	return nil
}
