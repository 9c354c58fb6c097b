package search

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

// A search with a SearchTime ends by itself.
const (
	leastPasses = 20   // that it makes before, however long they take
	hopeless    = 10   // a proof that takes so many times the time spent is out of sight,
	soonest     = 10   // which is asked from one part in so many of the search time on,
	stalled     = 0.05 // and matters only where the gap fell by less than this part of it in the second half of the time spent
	lookEvery   = 1.05 // the time spent grows by this factor from one look to the next
)

// clock ends a search once its time is over and it has made its passes, whichever
// comes last.
type clock struct {
	passes atomic.Int64
	over   atomic.Bool
	end    context.CancelCauseFunc
	timer  *time.Timer
}

// ending is the context of a search whose own time runs from now on; none: zero.
func (s *searcher) ending(ctx context.Context) (context.Context, func()) {
	s.clock = nil
	if s.SearchTime <= 0 {
		return ctx, func() {}
	}
	c := &clock{}
	ctx, c.end = context.WithCancelCause(ctx)
	c.timer = time.AfterFunc(s.SearchTime, func() {
		c.over.Store(true)
		c.check()
	})
	s.clock = c
	return ctx, func() {
		c.timer.Stop()
		c.end(nil)
	}
}

func (c *clock) check() {
	if c.over.Load() && c.passes.Load() >= leastPasses {
		c.end(errLimit{SearchTime})
	}
}

// passed counts a pass.
func (s *searcher) passed() {
	s.passes++
	if s.clock != nil {
		s.clock.passes.Add(1)
		s.clock.check()
	}
}

// look is what was known at a moment.
type look struct {
	at  time.Duration
	gap float64
}

// look estimates how long the proof still takes, now and then, and tells whether
// that is out of sight while the bound has stalled.
//
// The estimate is that of the tree's weight: a node counts half of the one it is a
// part of, so that the parts that are done, of the whole, grow with every node that
// ends. It is right on average where dives to random sides meet every leaf; see
// Kilby, Slaney, Thiébaux and Walsh, Estimating Search Tree Size, AAAI 2006.
func (s *searcher) look() (end bool) {
	at := time.Since(s.start)
	if n := len(s.looks); n > 0 && float64(at) < lookEvery*float64(s.looks[n-1].at) {
		return false
	}
	open := 0.0
	for _, n := range s.open {
		open += math.Ldexp(1, -n.depth)
	}
	s.looks = append(s.looks, look{at, s.gap()})
	if done := 1 - open; done > 0 {
		s.left = time.Duration(min(float64(at)*open/done, math.MaxInt64/2))
	} else {
		s.left = math.MaxInt64
	}
	return at < s.SearchTime && at >= s.SearchTime/soonest && s.passes-s.base >= leastPasses &&
		s.left > hopeless*at && s.stalls(at)
}

// stalls tells whether the gap hardly fell in the second half of the time spent.
func (s *searcher) stalls(at time.Duration) bool {
	for i := len(s.looks) - 1; i >= 0; i-- {
		if before := s.looks[i]; before.at <= at/2 {
			return before.gap <= 1 && before.gap-s.gap() < stalled*before.gap
		}
	}
	return false
}
