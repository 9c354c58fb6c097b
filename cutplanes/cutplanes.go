package cutplanes

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"optcomplete/feasible"
	"optcomplete/milp"
	"optcomplete/search"
)

// CutPlanes is the paper's Algorithm 1. From a greedy start it adds the cut at
// s_t and takes the master's optimum as s_{t+1}, until the master's bound meets
// the least cost found, to settings.Search.Gap or search.Precision. As in the
// paper the cuts are those at the s_t alone.
//
// The bound is true whatever happens: it is the best that a master has proven,
// also one that was stopped by a limit. A limit or a cancelled context is not an
// error, unless the context is cancelled before the start is made. A solver that
// fails is.
//
// Where a master proposes a selection that has its cut already, only rounding
// keeps bound and cost apart. If it is the rounding of an external program, whose
// tolerances are about 1e-6 of a gradient, the embedded solver takes over. If it
// is that of the cut itself, the selection S is settled: what is proven about it is
// the value of its cut, which the bound never exceeds from then on, and with c the
// least cost found it is excluded from the masters by a cut that bounds no other
// selection, since costs are not negative:
//
//	η ≥ c − 2c·(k − Σ_{j∈S} s_j)
//
// The status is search.Optimal only if the gap that is left allows it, else
// search.NumericalLimit.
func CutPlanes(ctx context.Context, oracle search.Oracle, settings Settings) (Result, error) {
	r, err := newRun(ctx, oracle, false, settings)
	if err != nil {
		return Result{}, err
	}
	r.event(search.EventStart)
	status, err := r.cutPlanes(ctx)
	if err != nil {
		return Result{}, err
	}
	result := r.finish(status)
	result.NearTies = r.nearTies()
	return result, nil
}

func (r *run) cutPlanes(ctx context.Context) (search.Status, error) {
	starts, source, err := r.warmStart(ctx)
	if err != nil {
		return "", err
	}
	for _, selection := range starts {
		// One answer is owed even where the time was over before it began.
		if _, early := r.early(ctx); early && len(r.all) > 0 {
			break
		}
		if err := r.visit(context.WithoutCancel(ctx), selection, source); err != nil {
			return "", err
		}
	}
	evaluations, stop := r.limited(ctx)
	defer stop()
	for {
		if status, early := r.early(ctx); early {
			return status, nil
		}
		solution, done, err := r.solve(ctx)
		if err != nil {
			return "", err
		}
		r.eta = solution.Objective
		r.raise(solution.Bound)
		if r.met(solution.Bound) {
			return search.Proven(r.gap(), r.Search.Gap), nil
		}
		if !done {
			status, early := r.early(ctx)
			if !early { // the solver's clock ran ahead of ours
				status = r.timeUp()
			}
			return status, nil
		}
		if !r.rules.Meets(solution.Selection) {
			return "", &milp.AnswerError{Solver: r.Solver.Name(), Reason: "it selects more of a family than it may"}
		}
		if known, again := r.seen[key(solution.Selection)]; again {
			if !r.settle(solution.Selection, known) {
				return search.Proven(r.gap(), r.Search.Gap), nil
			}
			continue
		}
		if err := r.visit(evaluations, solution.Selection, "master"); err != nil {
			if status, early := r.early(ctx); early {
				return status, nil
			}
			return "", err
		}
	}
}

// visit adds the cut at a selection and makes it the incumbent if it is better.
func (r *run) visit(ctx context.Context, selection []int, source string) error {
	cost, err := r.cut(ctx, selection)
	if err != nil {
		return err
	}
	r.event(search.EventPass)
	if cost < r.best.Cost {
		r.best, r.source = search.Candidate{Selection: selection, Cost: cost}, source
		r.event(search.EventIncumbent)
	}
	return nil
}

// raise lets the bound rise to a master's, but not above the incumbent's cost, nor
// above what is proven about the selections that the masters no longer see.
func (r *run) raise(bound float64) {
	if bound = max(0, min(bound, r.floor, r.best.Cost)); bound > r.bound && !math.IsInf(bound, 1) {
		r.bound = bound
		r.event(search.EventBound)
	}
}

// met tells whether a master's bound meets the incumbent's cost: nothing that it
// sees can be better.
func (r *run) met(bound float64) bool {
	cost := r.best.Cost
	return bound >= cost-max(r.Search.Gap, search.Precision)*(1-1e-6)*cost
}

// settle continues when the master repeats a selection; see CutPlanes. It tells
// whether there is a way to go on.
func (r *run) settle(selection []int, known *evaluation) bool {
	if _, exact := r.Solver.(*milp.Embedded); !exact {
		r.Solver = &milp.Embedded{}
		return true
	}
	if known.settled {
		return false
	}
	known.settled = true
	r.floor = min(r.floor, known.cost, known.value)
	cost := r.best.Cost
	cut := milp.Cut{Constant: cost - 2*cost*float64(len(selection)), Gradient: make([]float64, r.p)}
	for _, j := range selection {
		cut.Gradient[j] = 2 * cost
	}
	r.add(Step{Selection: selection, Cost: known.cost, Excludes: true}, cut)
	return true
}

// warmStart gives the selections to start from: the caller's, or else a greedy
// one, feature by feature that of the steepest gradient. A time limit does not
// stop that, an interrupt does: there is no answer then.
func (r *run) warmStart(ctx context.Context) (starts [][]int, source string, err error) {
	if r.scale, _, err = r.evaluate(context.WithoutCancel(ctx), make([]float64, r.p)); err != nil {
		return nil, "", err
	}
	r.limit()
	for _, start := range r.Search.Start {
		starts = append(starts, r.complete(start))
	}
	if len(starts) > 0 {
		return starts, "start", nil
	}
	region := r.root.Clone()
	for r.rules.Propagate(&region); region.Left > 0 && !region.Empty(); {
		_, cut, err := r.evaluate(ctx, search.Indicator(r.p, region.Inside()))
		if err == nil && ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", search.ErrNothingYet, ctx.Err())
		}
		if err != nil {
			return nil, "", err
		}
		steepest := -1
		for j, g := range cut.Gradient {
			if region.State[j] == feasible.Free && (steepest < 0 || g < cut.Gradient[steepest]) {
				steepest = j
			}
		}
		r.rules.Take(&region, steepest)
	}
	return [][]int{r.complete(region.Inside())}, "greedy", nil
}

// nearTies are the best selections seen besides the incumbent.
func (r *run) nearTies() []search.Candidate {
	keep := cmp.Or(r.Search.NearTies, search.DefaultNearTies)
	slices.SortStableFunc(r.all, func(a, b search.Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	ties := slices.DeleteFunc(r.all, func(c search.Candidate) bool { return slices.Equal(c.Selection, r.best.Selection) })
	return ties[:min(len(ties), max(keep, 0))]
}

// Settings say what to search, when to stop and what solves the masters.
type Settings struct {
	// Search holds K, Always, Never, the limits, NearTies, Start and OnEvent.
	// MaxNodes counts the nodes of all masters. The embedded solver keeps to it
	// within a master too; of other programs the nodes are counted after each.
	// CutPlanes starts with cuts at all of Start, or else greedily; OptComplete
	// from the first of Start, or else at random.
	Search search.Settings

	Solver milp.Solver // of the masters; nil means milp.Embedded
	Seed   uint64      // of the random start; also passed to the solver

	OnStep func(Step) // called for every cut; may be nil
}

// Step is one cut of the master.
type Step struct {
	Iteration int       `json:"iteration"`          // 1 for the first cut
	Selection []int     `json:"selection"`          // where the cut was made: s_t
	Cost      float64   `json:"cost"`               // of the selection; of its sample where sampled
	Eta       float64   `json:"eta"`                // η_t, the master's optimum that proposed the selection; 0 at the start
	Excludes  bool      `json:"excludes,omitempty"` // the cut excludes the selection alone; see CutPlanes
	Family    string    `json:"family,omitempty"`   // the cut keeps to what a selection may have of this family; there is no selection
	Constant  float64   `json:"constant"`           // the cut: η ≥ Constant + Gradient·s
	Gradient  []float64 `json:"gradient"`
}

// Result is what an algorithm found, and what it took. Nodes are those of all
// masters, Cuts is the number of cuts of the last master, Passes counts
// evaluations over all observed entries.
type Result struct {
	search.Result
	Masters       int     // masters solved
	MasterSeconds float64 // time in their solver
	Solver        string
	SolverVersion string // "unknown" if the program does not say

	// Of OptComplete, on samples. They prove nothing about the cost.
	SampledCost  float64 // c̃ of the selection, on the sample of its cut
	SampledBound float64 // η of the last master
	SampledGap   float64 // search.RelativeGap of the two
}
