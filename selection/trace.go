package selection

import (
	"math"

	"optcomplete/result"
	"optcomplete/search"
)

// maxTrace is how many points a trace has at most.
const maxTrace = 400

// trace keeps the moments of a search at which the incumbent or the bound
// changed. Of long searches it keeps fewer of the bound's, evenly.
type trace struct {
	points []result.TracePoint
	every  int // of the moments, this many are one point
	since  int
	before float64 // seconds of earlier searches: a proof may follow a sampled one
}

// event takes note of an event of the search.
func (t *trace) event(e search.Event) {
	if n := len(t.points); e.Kind == search.EventStart && n > 0 && t.before+e.Elapsed.Seconds() < t.points[n-1].Seconds {
		t.before = t.points[n-1].Seconds // it has a clock of its own
	}
	if math.IsInf(e.Cost, 0) || math.IsNaN(e.Cost) {
		return
	}
	p := result.TracePoint{Seconds: t.before + e.Elapsed.Seconds(), Cost: e.Cost, Sampled: e.Sampled, Nodes: e.Nodes, Cuts: e.Cuts, Passes: e.Passes}
	if !math.IsInf(e.Bound, 0) && !math.IsNaN(e.Bound) {
		p.Bound = &e.Bound
	}
	must := e.Kind == search.EventDone
	if e.Kind == search.EventIncumbent {
		p.Source, must = e.Source, true
	}
	if n := len(t.points); n > 0 && !must && same(t.points[n-1], p) {
		return
	}
	if t.since++; !must && t.since < t.every {
		return
	}
	t.since = 0
	t.points = append(t.points, p)
	for len(t.points) >= maxTrace {
		t.thin()
	}
}

func same(a, b result.TracePoint) bool {
	if (a.Bound == nil) != (b.Bound == nil) || a.Sampled != b.Sampled {
		return false
	}
	return a.Cost == b.Cost && (a.Bound == nil || *a.Bound == *b.Bound)
}

// thin drops every other point; incumbents as well if little else is left.
func (t *trace) thin() {
	incumbents := 0
	for _, p := range t.points {
		if p.Source != "" {
			incumbents++
		}
	}
	kept := t.points[:0]
	for at, p := range t.points {
		if at%2 == 0 || at == len(t.points)-1 || (p.Source != "" && incumbents < maxTrace/4) {
			kept = append(kept, p)
		}
	}
	t.points = kept
	t.every = max(1, 2*t.every)
}
