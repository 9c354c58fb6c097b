package search

import (
	"context"
	"math"
	"testing"
	"time"

	"optcomplete/internal/must"
)

// steep is Σ over pairs of features of a loose cost: its relaxation says little, so
// that a search has many nodes.
type steep struct{ p int }

func (o steep) Dim() int { return o.p }

func (o steep) Eval(ctx context.Context, w []float64) (Cut, error) {
	if ctx.Err() != nil {
		return Cut{}, ctx.Err()
	}
	c := Cut{Gradient: make([]float64, o.p)}
	for j := range w {
		g := w[j] - w[(j+1)%o.p] - 0.3*w[(j+3)%o.p] - 0.01*float64(j%7)
		c.Cost += g * g
		c.Gradient[j] += 2 * g
		c.Gradient[(j+1)%o.p] -= 2 * g
		c.Gradient[(j+3)%o.p] -= 0.6 * g
	}
	c.Constant = c.Cost
	for j := range w {
		c.Constant -= c.Gradient[j] * w[j]
	}
	return c, nil
}

// TestSearchEndsByItself: after its own time, with a true bound, but not before 20
// passes; the proof of a small problem is not cut short by it.
func TestSearchEndsByItself(t *testing.T) {
	ctx := context.Background()
	exact := must.Get(Minimize(ctx, steep{16}, Settings{K: 6}))(t)
	if exact.Status != Optimal || exact.Passes <= 2*leastPasses {
		t.Fatalf("%v after %d passes: not the problem that this test needs", exact.Status, exact.Passes)
	}
	r := must.Get(Minimize(ctx, steep{16}, Settings{K: 6, SearchTime: 1}))(t)
	if r.Status != SearchTime || r.Passes < leastPasses || r.Bound > exact.Cost {
		t.Errorf("%v after %d passes, bound %v of %v", r.Status, r.Passes, r.Bound, exact.Cost)
	}
	if !r.Status.Early() || !r.Status.ByItself() || TimeLimit.ByItself() {
		t.Error("who ended a search is not told")
	}
	if r := must.Get(Minimize(ctx, steep{5}, Settings{K: 4, SearchTime: 1}))(t); r.Passes < leastPasses && r.Status != Optimal {
		t.Errorf("a search of %d passes ended with %v", r.Passes, r.Status)
	}
	if r := must.Get(Minimize(ctx, steep{16}, Settings{K: 6, SearchTime: time.Hour}))(t); r.Status != Optimal {
		t.Errorf("with an hour: %v", r.Status)
	}
}

// TestNoProofInSight: a search ends early only where both the part of the tree that is
// done says that ten times the time spent is not enough and the gap has hardly fallen.
func TestNoProofInSight(t *testing.T) {
	at := func(depths []int, before, now float64, passes int, own time.Duration) bool {
		s := newSearcher(steep{4})
		s.SearchTime, s.passes, s.start = own, passes, time.Now().Add(-100*time.Second)
		s.best.Cost, s.bound = 1, 1-now
		s.looks = []look{{time.Second, 1}, {45 * time.Second, before}, {90 * time.Second, now}}
		for _, d := range depths {
			s.open = append(s.open, &node{depth: d})
		}
		return s.look()
	}
	far, near := []int{1, 2, 3, 4, 4}, []int{3, 3}
	for _, c := range []struct {
		name        string
		depths      []int
		before, now float64
		passes      int
		own         time.Duration
		want        bool
	}{
		{"far and stalled", far, 0.5, 0.49, 100, 5 * time.Minute, true},
		{"the proof is near", near, 0.5, 0.49, 100, 5 * time.Minute, false},
		{"the gap falls", far, 0.5, 0.4, 100, 5 * time.Minute, false},
		{"few passes", far, 0.5, 0.49, leastPasses - 1, 5 * time.Minute, false},
		{"ten times the time spent is within the search time", far, 0.5, 0.49, 100, time.Hour, false},
		{"told to search on", far, 0.5, 0.49, 100, 0, false},
		{"nothing proven before", far, math.Inf(1), 0.49, 100, 5 * time.Minute, false},
	} {
		if got := at(c.depths, c.before, c.now, c.passes, c.own); got != c.want {
			t.Errorf("%s: ended %v", c.name, got)
		}
	}
	s := newSearcher(steep{4})
	s.start, s.best.Cost, s.bound = time.Now().Add(-100*time.Second), 1, 0.5
	s.open = heapOfNodes{{depth: 2}}
	if s.look(); s.left < 33*time.Second || s.left > 34*time.Second { // a quarter is open
		t.Errorf("the proof is to take %v more", s.left)
	}
}
