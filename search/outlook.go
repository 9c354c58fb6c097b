package search

import (
	"context"
	"errors"
	"math"

	"optcomplete/internal/random"
)

// Ahead is an estimate of what a proof takes.
type Ahead struct {
	Nodes       float64
	Evaluations float64 // of the cost; enumerations by their effort
}

// Outlook estimates what a proof would take, before it is made: by dives, each from
// the root to the end of one branch, into a child drawn by lot at every split. A dive
// that met w_d ways at depth d counts w_1·w_2·…·w_d nodes there (Knuth's estimate, right
// on average). Cuts are shared between dives, as they are in a search.
//
// It is an estimate, from few dives more often too small than too large, and proves
// nothing. The settings' MaxPasses bounds its work: a dive that this ends counts as far
// as it came.
func Outlook(ctx context.Context, oracle Oracle, settings Settings, dives int, seed uint64) (ahead Ahead, err error) {
	s := newSearcher(oracle)
	settings.OnEvent, settings.Recorder, settings.NearTies, settings.TimeLimit, settings.SearchTime = nil, nil, -1, 0, 0
	root, err := s.begin(settings)
	if err != nil {
		return ahead, err
	}
	first := &node{region: root, by: noCut, bound: math.Inf(-1), weights: s.from}
	err = s.warmStart(ctx, first)
	lots := random.New(seed, outlookStream)
	done := 0.0
	for ; done < float64(dives) && err == nil; done++ {
		from := *first
		from.region = first.region.Clone()
		err = s.dive(ctx, &from, lots, &ahead)
		first.weights = from.weights // relaxed: the next dive begins there
	}
	var limit errLimit
	if err != nil && !errors.As(err, &limit) {
		return Ahead{}, err
	}
	done = max(done, 1)
	return Ahead{ahead.Nodes / done, ahead.Evaluations / done}, nil
}

// listedAtOnce is about how many selections of a list cost as much as an evaluation.
const listedAtOnce = 64

const outlookStream = 0x6f75746c6f6f6b // "outlook"

// dive goes down one branch, and counts.
func (s *searcher) dive(ctx context.Context, n *node, lots *random.Stream, ahead *Ahead) error {
	for ways := 1.0; ; {
		if s.boundByPool(n) {
			return nil
		}
		if done, err := s.finished(ctx, n, effortBefore, ways, ahead); done || err != nil {
			return err
		}
		before := s.passes
		branch, err := s.relax(ctx, n)
		ahead.Nodes += ways
		ahead.Evaluations += ways * float64(s.passes-before)
		if err != nil || branch < 0 {
			return err
		}
		before, listed := s.passes, s.listed
		done, err := s.modelled(ctx, n)
		ahead.Evaluations += ways * (float64(s.passes-before) + float64(s.listed-listed)/listedAtOnce)
		if done || err != nil {
			return err
		}
		if done, err := s.finished(ctx, n, effortAfter, ways, ahead); done || err != nil {
			return err
		}
		var open []*node
		for _, to := range []int8{in, out} {
			child := &node{region: n.region.Clone(), bound: n.bound, by: n.by, weights: n.weights}
			child.Fix(branch, to)
			if s.rules.Propagate(&child.region); !child.Empty() && !s.boundByPool(child) {
				open = append(open, child)
			}
		}
		if len(open) == 0 {
			return nil
		}
		ways *= float64(len(open))
		n = open[lots.Intn(len(open))]
	}
}

// finished is finish, counted.
func (s *searcher) finished(ctx context.Context, n *node, effort, ways float64, ahead *Ahead) (done bool, err error) {
	work, listed, passes := 0.0, s.listed, s.passes
	if s.lister != nil {
		work = s.lister.Effort(n.Free, n.Left)
	}
	done, err = s.finish(ctx, n, effort)
	if s.listed > listed {
		ahead.Evaluations += ways * work
	}
	ahead.Evaluations += ways * float64(s.passes-passes)
	return done, err
}
