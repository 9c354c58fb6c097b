package selection

import (
	"math"
	"testing"
	"time"

	"optcomplete/search"
)

// TestTraceIsShortAndTrue: however long the search, few points, the incumbents and
// the end among them, in order of time.
func TestTraceIsShortAndTrue(t *testing.T) {
	for _, events := range []int{3, 399, 400, 5000, 300_000} {
		var course trace
		course.event(search.Event{Kind: search.EventStart, Cost: math.Inf(1), Bound: math.Inf(-1)})
		cost := 100.0
		for i := range events {
			e := search.Event{Kind: search.EventBound, Cost: cost, Bound: float64(i) / float64(events), Elapsed: time.Duration(i) * time.Millisecond}
			if i == 0 {
				e.Kind, e.Source, e.Bound = search.EventIncumbent, "greedy", math.Inf(-1)
			}
			if i == events/2 {
				cost = 50
				e.Kind, e.Source, e.Cost = search.EventIncumbent, "leaf", cost
			}
			course.event(e)
			course.event(search.Event{Kind: search.EventPass, Cost: e.Cost, Bound: e.Bound, Elapsed: e.Elapsed}) // nothing new
		}
		course.event(search.Event{Kind: search.EventDone, Cost: cost, Bound: cost, Elapsed: time.Hour})
		points := course.points
		if len(points) > 400 || events > 1000 && len(points) < 100 {
			t.Errorf("%d events: %d points", events, len(points))
		}
		sources := ""
		for i, p := range points {
			sources += p.Source
			if i > 0 && p.Seconds < points[i-1].Seconds {
				t.Errorf("%d events: time goes back at %d", events, i)
			}
		}
		if last := points[len(points)-1]; sources != "greedyleaf" || last.Seconds != 3600 || *last.Bound != 50 || points[0].Bound != nil {
			t.Errorf("%d events: incumbents %q, at the end %+v", events, sources, last)
		}
	}
}

// A proof that follows a sampled search goes on in time, be the clock its own or
// that of both.
func TestTraceOfTwoSearches(t *testing.T) {
	for _, started := range []time.Duration{0, 2500 * time.Millisecond} {
		var course trace
		course.event(search.Event{Kind: search.EventIncumbent, Cost: 5, Sampled: true, Source: "start", Elapsed: 2 * time.Second})
		course.event(search.Event{Kind: search.EventStart, Cost: math.Inf(1), Bound: math.Inf(-1), Elapsed: started})
		course.event(search.Event{Kind: search.EventIncumbent, Cost: 6, Source: "start", Elapsed: started + time.Second})
		want := 3.0
		if started > 0 {
			want = 3.5
		}
		if p := course.points; len(p) != 2 || p[1].Seconds != want || !p[0].Sampled || p[1].Sampled {
			t.Errorf("%v: %+v", started, p)
		}
	}
}
