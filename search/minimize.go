package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"optcomplete/feasible"
)

// Minimize finds the selection of settings.K features of least cost. A limit,
// or a cancelled context, is not an error: the result then holds the best
// selection so far, a true bound, and a Status that says why it stopped. That
// selection is at least one to start from, or the greedy one: where a limit leaves
// no time for it, it is taken, and where the context is cancelled before there is
// one, its error is returned.
func Minimize(ctx context.Context, oracle Oracle, settings Settings) (Result, error) {
	return newSearcher(oracle).minimize(ctx, settings)
}

// searcher is one run of the search. What depends on the oracle alone (pool,
// costs of selections) outlives the k being solved.
type searcher struct {
	oracle    Oracle
	curved    Curved     // the oracle, if it is one
	lister    Enumerator // the oracle, if it is one
	modeler   Modeler    // the oracle, if it is one
	p         int
	pool      pool
	seen      map[string]evaluation // every selection evaluated
	scale     float64               // cost of selecting nothing
	evaluated int                   // how many cuts were ever made
	nothing   *cut                  // the cut there
	greedily  bool                  // try the greedy selection besides those to start from
	from      []float64             // weights from which the root's relaxation starts; nil: from afar

	Settings
	rules    *feasible.Rules
	start    time.Time
	base     int // passes before this k
	passes   int
	best     Candidate
	ties     []Candidate
	source   string
	bound    float64 // the best global bound shown so far
	floor    float64 // least bound of a region that was given up as no better
	open     heapOfNodes
	nodes    int
	listed   int // selections looked at by enumeration
	sequence int
	labels   int   // of nodes in the record of the proof
	rest     int   // so many nodes are not modelled,
	wait     int   // after the last that brought little
	halt     error // why no further evaluation may be made
	clock    *clock
	looks    []look        // at how the search goes, in time
	left     time.Duration // that the proof still takes, as estimated; 0: no estimate yet
}

func newSearcher(oracle Oracle) *searcher {
	s := &searcher{oracle: oracle, p: oracle.Dim(), seen: map[string]evaluation{}}
	s.curved, _ = oracle.(Curved)
	s.lister, _ = oracle.(Enumerator)
	s.modeler, _ = oracle.(Modeler)
	return s
}

// evaluation is what is known about a selection: its cost, and the value of its
// own cut, which is no more than the cost and holds whatever was rounded.
type evaluation struct {
	cost, floor float64
	cut         int // its number
}

// errLimit stops the search at one of its own limits.
type errLimit struct{ status Status }

func (e errLimit) Error() string { return "search: stopped by " + e.status.String() }

func (s *searcher) minimize(ctx context.Context, settings Settings) (Result, error) {
	root, err := s.begin(settings)
	if err != nil {
		return Result{}, err
	}
	run := ctx
	if settings.TimeLimit > 0 {
		var cancel context.CancelFunc
		run, cancel = context.WithTimeoutCause(ctx, settings.TimeLimit, errLimit{TimeLimit})
		defer cancel()
	}
	run, stop := s.ending(run)
	defer stop()
	s.event(EventStart)
	status, rootGap, relaxed, err := s.solve(run, root)
	if err != nil {
		return Result{}, err
	}
	if math.IsInf(s.best.Cost, 1) {
		if err := s.answer(ctx, root); err != nil {
			return Result{}, err
		}
	}
	s.recordOpen()
	s.raise()
	if !status.Early() { // an interrupt after the proof: the near-ties are a few evaluations more
		run = context.WithoutCancel(ctx)
		if settings.TimeLimit > 0 {
			var cancel context.CancelFunc
			run, cancel = context.WithDeadlineCause(run, s.start.Add(settings.TimeLimit), errLimit{TimeLimit})
			defer cancel()
		}
	}
	if err := s.settle(run); err != nil {
		return Result{}, err
	}
	s.bound = min(s.bound, s.best.Cost) // a near-tie that was evaluated last may be the best
	s.event(EventDone)
	result := Result{
		Candidate:  s.best,
		Bound:      s.bound,
		Gap:        s.gap(),
		Scale:      s.scale,
		RootGap:    rootGap,
		Loose:      RelativeGap(s.best.Cost, max(s.seen[keyOf(s.best.Selection)].floor, 0)),
		Status:     status,
		Nodes:      s.nodes,
		Enumerated: s.listed,
		Cuts:       len(s.pool.cuts),
		Passes:     s.passes - s.base,
		NearTies:   s.ties,
		Elapsed:    time.Since(s.start),
		Relaxation: relaxed,
	}
	result.Certify(s.best.Cost, s.Gap)
	return result, nil
}

// begin takes over the settings of a search, and gives the region of all selections.
func (s *searcher) begin(settings Settings) (root region, err error) {
	if err := settings.Validate(s.p); err != nil {
		return root, err
	}
	if settings.Recorder != nil && len(settings.Requires) > 0 {
		return root, errRecordRequires
	}
	if settings.NearTies == 0 {
		settings.NearTies = DefaultNearTies
	}
	s.Settings = settings
	s.start, s.base = time.Now(), s.passes
	s.best = Candidate{Cost: math.Inf(1)}
	s.ties, s.open, s.nodes, s.listed, s.labels, s.halt = nil, nil, 0, 0, 0, nil
	s.rest, s.wait = 0, 0
	s.looks, s.left = nil, 0
	s.bound, s.floor = math.Inf(-1), math.Inf(1)
	set := settings.Set(s.p)
	if s.rules, err = feasible.New(set); err != nil {
		return root, err
	}
	s.pool.Rules, root = s.rules, set.Root()
	if s.rules.Propagate(&root); root.Empty() {
		return root, s.unmet()
	}
	return root, nil
}

// unmet is the error for requirements that no selection was found to keep.
func (s *searcher) unmet() error {
	return fmt.Errorf("%w: no selection of %d features keeps what they require of each other", ErrInfeasible, s.K)
}

// status turns the error that ended a search into a Status; an error that is
// no limit is returned.
func (s *searcher) status(ctx context.Context, err error) (Status, error) {
	var limit errLimit
	switch {
	case err == nil:
		return Proven(s.gap(), s.Gap), nil
	case errors.As(err, &limit):
		return limit.status, nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		if errors.As(context.Cause(ctx), &limit) {
			return limit.status, nil
		}
		return Interrupted, nil
	default:
		return "", err
	}
}

// gap is the relative gap of the incumbent and the bound shown.
func (s *searcher) gap() float64 {
	if math.IsInf(s.best.Cost, 1) || math.IsInf(s.bound, -1) {
		return math.Inf(1)
	}
	return RelativeGap(s.best.Cost, s.bound)
}

// cutoff is the bound from which a region is not worth opening: it could
// improve the incumbent by less than the gap asked for, or than Precision, with
// room for the rounding of the gap itself.
func (s *searcher) cutoff() float64 {
	if math.IsInf(s.best.Cost, 1) {
		return math.Inf(1)
	}
	return s.best.Cost - max(s.Gap, Precision)*(1-1e-6)*s.best.Cost
}

// raise sets the global bound: the least of the open regions', of those given
// up, and the incumbent's cost. Regions in work are passed in.
func (s *searcher) raise(working ...float64) {
	bound := min(s.floor, s.best.Cost)
	for _, b := range working {
		bound = min(bound, b)
	}
	if len(s.open) > 0 {
		bound = min(bound, s.open[0].bound)
	}
	if !math.IsInf(bound, -1) {
		bound = max(bound, 0) // no cost is below
	}
	if bound > s.bound && !math.IsInf(bound, 1) {
		s.bound = bound
		s.event(EventBound)
	}
}

func (s *searcher) event(kind EventKind) {
	if s.OnEvent == nil {
		return
	}
	s.OnEvent(Event{
		Kind: kind, K: s.K, Cost: s.best.Cost, Bound: s.bound, Gap: s.gap(),
		Nodes: s.nodes, Enumerated: s.listed, Open: len(s.open), Cuts: len(s.pool.cuts), Passes: s.passes - s.base,
		Selection: s.best.Selection, Source: s.source, Elapsed: time.Since(s.start), Left: s.left,
	})
}

// settle evaluates the near-ties that only an enumeration has seen. Where that
// is no longer allowed, they are dropped.
func (s *searcher) settle(ctx context.Context) error {
	for _, tie := range slices.Clone(s.ties) {
		if _, exact := s.seen[keyOf(tie.Selection)]; exact {
			continue
		}
		s.ties = slices.DeleteFunc(s.ties, func(c Candidate) bool { return slices.Equal(c.Selection, tie.Selection) })
		if _, err := s.selection(ctx, tie.Selection, "enumeration"); err != nil {
			if _, err = s.status(ctx, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// eval evaluates the oracle and adds the cut to the pool. With wantHessian the
// second derivatives come along if the oracle knows them, else nil.
func (s *searcher) eval(ctx context.Context, weights []float64, wantHessian bool) (cost float64, c cut, hessian []float64, err error) {
	if s.halt == nil && s.MaxPasses > 0 && s.passes-s.base >= s.MaxPasses {
		s.halt = errLimit{PassLimit}
	}
	if s.halt != nil {
		return 0, cut{}, nil, s.halt
	}
	var at Cut
	switch {
	case wantHessian && s.Guide != nil:
		if _, hessian, err = s.Guide.EvalHessian(ctx, weights); err == nil {
			at, err = s.oracle.Eval(ctx, weights)
		}
	case wantHessian && s.curved != nil:
		at, hessian, err = s.curved.EvalHessian(ctx, weights)
	default:
		at, err = s.oracle.Eval(ctx, weights)
	}
	if err != nil {
		s.halt = err
		return 0, cut{}, nil, err
	}
	if math.IsNaN(at.Cost) || math.IsNaN(at.Constant) || len(at.Gradient) != s.p {
		return 0, cut{}, nil, fmt.Errorf("search: the oracle returned cost %v, constant %v and a gradient of length %d", at.Cost, at.Constant, len(at.Gradient))
	}
	cost, c.constant, c.gradient = at.Cost, at.Constant, at.Gradient
	if slices.ContainsFunc(hessian, func(h float64) bool { return math.IsNaN(h) || math.IsInf(h, 0) }) {
		hessian = nil // it only steers
	}
	s.passed()
	c.number = s.evaluated
	s.evaluated++
	s.pool.add(c)
	if s.Recorder != nil {
		s.Recorder.Cut(weights)
	}
	s.event(EventPass)
	return cost, c, hessian, nil
}

// selection evaluates a selection, unless it was before, and makes it the
// incumbent if it is better and has k features. It returns its cut, nil if it
// was evaluated before.
func (s *searcher) selection(ctx context.Context, selection []int, source string) (*cut, error) {
	key := keyOf(selection)
	known, ok := s.seen[key]
	var found *cut
	if !ok {
		cost, c, _, err := s.eval(ctx, Indicator(s.p, selection), false)
		if err != nil {
			return nil, err
		}
		known = evaluation{cost, min(cost, c.at(selection)), c.number}
		s.seen[key] = known
		found = &c
	}
	s.offer(Candidate{Selection: selection, Cost: known.cost}, source)
	return found, nil
}

// offer files a candidate among the incumbent and the near-ties.
func (s *searcher) offer(c Candidate, source string) {
	if len(c.Selection) != s.K || !s.rules.Meets(c.Selection) {
		return
	}
	same := func(d Candidate) bool { return slices.Equal(d.Selection, c.Selection) }
	if same(s.best) || slices.ContainsFunc(s.ties, same) {
		return
	}
	if c.Cost < s.best.Cost {
		c, s.best = s.best, c
		s.source = source
		s.event(EventIncumbent)
	}
	if s.NearTies < 0 || c.Selection == nil {
		return
	}
	at, _ := slices.BinarySearchFunc(s.ties, c.Cost, func(d Candidate, cost float64) int {
		if d.Cost <= cost {
			return -1
		}
		return 1
	})
	s.ties = slices.Insert(s.ties, at, c)
	if len(s.ties) > s.NearTies {
		s.ties = s.ties[:s.NearTies]
	}
}

// keyOf is a map key for a selection.
func keyOf(selection []int) string {
	key := make([]byte, 0, 4*len(selection))
	for _, j := range selection {
		key = append(key, byte(j), byte(j>>8), byte(j>>16), byte(j>>24))
	}
	return string(key)
}
