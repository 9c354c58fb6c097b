package cutplanes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"optcomplete/feasible"
	"optcomplete/milp"
	"optcomplete/search"
)

// run is what both algorithms share: the master, its solver, and the records.
type run struct {
	Settings
	oracle  search.Oracle // what the cuts come from
	sampled bool          // it sees samples only
	p       int
	master  milp.Master
	rules   *feasible.Rules
	root    feasible.Region
	began   time.Time
	eta     float64 // the last master's optimum
	bound   float64 // of the cost, as the oracle sees it
	scale   float64 // the cost of selecting nothing
	floor   float64 // CutPlanes: proven about the selections that were settled
	seen    map[string]*evaluation
	all     []search.Candidate // every selection evaluated, in order
	best    search.Candidate   // CutPlanes: the best of them; OptComplete: the last
	source  string
	result  Result

	evaluations int
}

// evaluation is what is known about a selection: its cost, and the value of the
// highest of its own cuts there, lowered by the rounding of its sum.
type evaluation struct {
	cost, value float64
	settled     bool // excluded from the masters
}

func newRun(ctx context.Context, oracle search.Oracle, sampled bool, settings Settings) (*run, error) {
	p := oracle.Dim()
	find := &settings.Search
	if err := find.Validate(p); err != nil {
		return nil, err
	}
	set := find.Set(p)
	rules, err := feasible.New(set)
	if err != nil {
		return nil, err
	}
	if settings.Solver == nil {
		settings.Solver = &milp.Embedded{}
	}
	r := &run{
		Settings: settings, oracle: oracle, sampled: sampled, p: p, began: time.Now(),
		master: milp.Master{P: p, K: find.K, Always: find.Always, Never: find.Never},
		rules:  rules, root: set.Root(),
		bound: math.Inf(-1), floor: math.Inf(1), seen: map[string]*evaluation{}, best: search.Candidate{Cost: math.Inf(1)},
	}
	r.result.Solver = settings.Solver.Name()
	version, err := settings.Solver.Version(ctx)
	if errors.Is(err, milp.ErrNotFound) {
		return nil, err
	}
	r.result.SolverVersion = cmp.Or(version, "unknown")
	return r, nil
}

// limited is the context of evaluations: it ends with the time limit.
func (r *run) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.Search.TimeLimit <= 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, r.began.Add(r.Search.TimeLimit))
}

// late tells whether the time limit has passed.
func (r *run) late() bool {
	return r.Search.TimeLimit > 0 && time.Since(r.began) >= r.Search.TimeLimit
}

// leastPasses is how many evaluations are made before the method's own time ends it.
const leastPasses = 20

// early tells whether a limit or the caller has ended the run.
func (r *run) early(ctx context.Context) (search.Status, bool) {
	s := &r.Search
	switch {
	case ctx.Err() != nil:
		return search.Interrupted, true
	case r.late():
		return search.TimeLimit, true
	case r.Search.SearchTime > 0 && r.evaluations >= leastPasses && time.Since(r.began) >= r.Search.SearchTime:
		return search.SearchTime, true
	case s.MaxNodes > 0 && r.result.Nodes >= s.MaxNodes:
		return search.NodeLimit, true
	case s.MaxPasses > 0 && r.result.Passes >= s.MaxPasses:
		return search.PassLimit, true
	}
	return "", false
}

// timeUp is the status of a run that a solver's clock ended ahead of ours.
func (r *run) timeUp() search.Status {
	if r.Search.TimeLimit > 0 {
		return search.TimeLimit
	}
	return search.SearchTime
}

// evaluate gives the cost at the weights and the cut there.
func (r *run) evaluate(ctx context.Context, weights []float64) (float64, milp.Cut, error) {
	at, err := r.oracle.Eval(ctx, weights)
	if err != nil {
		return 0, milp.Cut{}, err
	}
	if math.IsNaN(at.Cost) || math.IsNaN(at.Constant) {
		return 0, milp.Cut{}, fmt.Errorf("cutplanes: the oracle returned cost %v and constant %v", at.Cost, at.Constant)
	}
	r.evaluations++
	if !r.sampled {
		r.result.Passes++
	}
	return at.Cost, milp.Cut{Constant: at.Constant, Gradient: at.Gradient}, nil
}

// cut evaluates a selection and adds the cut there to the master.
func (r *run) cut(ctx context.Context, selection []int) (float64, error) {
	cost, cut, err := r.evaluate(ctx, search.Indicator(r.p, selection))
	if err != nil {
		return 0, err
	}
	value := search.ValueAt(cut.Constant, cut.Gradient, selection)
	if before, again := r.seen[key(selection)]; again {
		before.cost, before.value = cost, max(before.value, value)
	} else {
		r.seen[key(selection)] = &evaluation{cost: cost, value: value}
	}
	r.all = append(r.all, search.Candidate{Selection: selection, Cost: cost})
	r.add(Step{Selection: selection, Cost: cost}, cut)
	return cost, nil
}

func (r *run) add(step Step, cut milp.Cut) {
	r.master.Cuts = append(r.master.Cuts, cut)
	step.Iteration, step.Eta = len(r.master.Cuts), r.eta
	step.Constant, step.Gradient = cut.Constant, cut.Gradient
	if r.OnStep != nil {
		r.OnStep(step)
	}
}

// solve solves the master. Whether the solver had to stop before it was done
// is told beside the solution, which then may have a bound and no selection.
func (r *run) solve(ctx context.Context) (solution milp.Solution, done bool, err error) {
	options := milp.Options{Seed: r.Seed, Start: r.best.Selection}
	if limit := r.Search.TimeLimit; limit > 0 {
		options.TimeLimit = max(limit-time.Since(r.began), time.Millisecond)
	}
	if own := r.Search.SearchTime; own > 0 && r.evaluations >= leastPasses {
		left := max(own-time.Since(r.began), time.Millisecond)
		if options.TimeLimit == 0 || left < options.TimeLimit {
			options.TimeLimit = left
		}
	}
	if limit := r.Search.MaxNodes; limit > 0 {
		options.MaxNodes = max(limit-r.result.Nodes, 1)
	}
	start := time.Now()
	solution, err = r.Solver.Solve(ctx, &r.master, options)
	r.result.MasterSeconds += time.Since(start).Seconds()
	r.result.Masters++
	var stopped *milp.NotOptimalError
	var crashed *milp.CrashError
	var wrong *milp.AnswerError
	switch {
	case errors.As(err, &stopped):
		solution = stopped.Solution
	case err != nil && ctx.Err() != nil, r.late() && (errors.As(err, &crashed) || errors.As(err, &wrong)):
		// A program that was stopped says nothing. HiGHS, when its time is over
		// while it reads its input, calls that an error. Nothing of it is used.
		solution = milp.Solution{Bound: math.Inf(-1)}
	case err != nil:
		return solution, false, err
	}
	r.result.Nodes += solution.Nodes
	r.event(search.EventNode)
	return solution, err == nil, nil
}

// gap is the gap of the cost and the bound, as the oracle sees them.
func (r *run) gap() float64 {
	if math.IsInf(r.best.Cost, 1) || math.IsInf(r.bound, -1) {
		return math.Inf(1)
	}
	return search.RelativeGap(r.best.Cost, r.bound)
}

func (r *run) event(kind search.EventKind) {
	if r.Search.OnEvent == nil {
		return
	}
	r.Search.OnEvent(search.Event{
		Kind: kind, K: r.Search.K, Cost: r.best.Cost, Bound: r.bound, Gap: r.gap(), Sampled: r.sampled,
		Nodes: r.result.Nodes, Cuts: len(r.master.Cuts), Passes: r.result.Passes,
		Selection: r.best.Selection, Source: r.source, Elapsed: time.Since(r.began),
	})
}

// finish completes the result.
func (r *run) finish(status search.Status) Result {
	out := &r.result
	out.Candidate, out.Bound, out.Gap, out.Scale = r.best, r.bound, r.gap(), r.scale
	out.Status, out.Cuts = status, len(r.master.Cuts)
	r.event(search.EventDone)
	out.Elapsed = time.Since(r.began)
	return *out
}

// key is a map key for a selection.
func key(selection []int) string { return fmt.Sprint(selection) }

// complete makes a selection that counts from a list: what is always selected, then those of
// the list that there is room for, then the first others.
func (r *run) complete(list []int) []int {
	return r.rules.Complete(r.root, append(slices.Clone(list), r.root.Open()...))
}

// limit keeps the masters to the families: with c the cost of selecting nothing, a selection
// with more than b of the features F of one is worse than any that counts by the cut
//
//	η ≥ 4c·(Σ_{j∈F} s_j − b)
//
// which says nothing of the others, since costs are not negative.
func (r *run) limit() {
	c := 4 * r.scale
	for _, f := range r.Search.Families {
		cut := milp.Cut{Constant: -c * float64(f.Most), Gradient: make([]float64, r.p)}
		for _, j := range f.Members {
			cut.Gradient[j] = c
		}
		r.add(Step{Selection: []int{}, Family: f.Name}, cut)
	}
}
