package search

import (
	"context"
	"fmt"
	"math"
	"slices"

	"optcomplete/internal/lists"
)

// warmStart gives the search an incumbent before the tree: the selections of
// the caller, or else a greedy one; of a path, both. Every evaluation leaves its cut in the pool.
func (s *searcher) warmStart(ctx context.Context, root *node) error {
	if s.nothing == nil {
		cost, c, _, err := s.eval(ctx, make([]float64, s.p), false)
		if err != nil {
			return err
		}
		s.scale, s.nothing = cost, &c
	}
	for _, start := range s.Start {
		if err := s.extend(ctx, root.region.Clone(), start, "start"); err != nil {
			return err
		}
	}
	if len(s.Start) == 0 || s.greedily {
		return s.extend(ctx, root.region.Clone(), nil, "greedy")
	}
	return nil
}

// answer gives a search that was stopped before its first selection one that is
// worth having. An interrupt leaves only what the caller would start with, if that
// is a selection; the search's own limits let the first start, or the greedy
// selection, be made.
func (s *searcher) answer(ctx context.Context, root region) error {
	s.halt, s.MaxPasses = nil, 0
	for _, start := range s.Start {
		selection := lists.Distinct(start)
		if len(selection) == s.K && s.rules.Meets(selection) {
			_, err := s.selection(context.WithoutCancel(ctx), selection, "start")
			return err
		}
	}
	err := s.warmStart(ctx, &node{region: root})
	switch {
	case ctx.Err() != nil && (err != nil || math.IsInf(s.best.Cost, 1)):
		return fmt.Errorf("%w: %w", ErrNothingYet, ctx.Err())
	case err != nil || !math.IsInf(s.best.Cost, 1):
		return err
	}
	// The requirements left no selection on the greedy way.
	selection := s.rules.Complete(root, root.Open())
	if selection == nil {
		return s.unmet()
	}
	_, err = s.selection(ctx, selection, "start")
	return err
}

// extend makes a selection of the region from a list of features: those that
// are allowed, then one by one the feature with the steepest gradient.
func (s *searcher) extend(ctx context.Context, r region, list []int, source string) error {
	for _, j := range list {
		if r.Left > 0 && r.State[j] == free {
			s.rules.Take(&r, j)
		}
	}
	for !r.Empty() {
		selection := r.Inside()
		if r.Left == 0 {
			_, err := s.selection(ctx, selection, source)
			return err
		}
		c := s.nothing
		if len(selection) > 0 {
			var err error
			if c, err = s.cutOf(ctx, selection, source); err != nil {
				return err
			}
		}
		steepest := -1
		for j, state := range r.State {
			if state == free && (steepest < 0 || c.gradient[j] < c.gradient[steepest]) {
				steepest = j
			}
		}
		s.rules.Take(&r, steepest)
	}
	return nil // the requirements left no selection on this way
}

// cutOf is the cut of a selection, which is evaluated unless the pool still has it.
func (s *searcher) cutOf(ctx context.Context, selection []int, source string) (*cut, error) {
	made, err := s.selection(ctx, selection, source)
	if err != nil || made != nil {
		return made, err
	}
	number := s.seen[keyOf(selection)].cut
	for x := range s.pool.cuts {
		if s.pool.cuts[x].number == number {
			return &s.pool.cuts[x], nil
		}
	}
	_, again, _, err := s.eval(ctx, Indicator(s.p, selection), false)
	return &again, err
}

// Indicator is the 0/1 weights of a selection of p features.
func Indicator(p int, selection []int) []float64 {
	weights := make([]float64, p)
	for _, j := range selection {
		weights[j] = 1
	}
	return weights
}

// round is the selection of the region with the largest weights; among equal
// weights the steeper gradient, then the smaller index. It is nil where none
// was found that keeps the requirements.
func (s *searcher) round(weights, gradient []float64, r *region) []int {
	order := r.Open()
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case weights[a] != weights[b]:
			return sign(weights[b] - weights[a])
		default:
			return sign(gradient[a] - gradient[b])
		}
	})
	return s.rules.Complete(*r, order)
}

func sign(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}
