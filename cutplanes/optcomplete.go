package cutplanes

import (
	"context"
	"fmt"
	"math"

	"optcomplete/internal/random"
	"optcomplete/search"
)

// Tolerance is the relative difference at which OptComplete takes η_t as having
// reached the sampled cost, unless settings.Search.Gap is larger. It stands
// above the tolerances of external solvers and far below the error of a sample.
const Tolerance = 1e-6

const startStream = 0x7374617274 // "start"

// OptComplete is the paper's Algorithm 2: CutPlanes from a random start on an
// oracle that sees a fresh sample at every evaluation. With s_t the optimum of
// master t and η_t its value, it draws a sample, takes c̃(s_t) there, and stops
// when η_t ≥ c̃(s_t), up to [Tolerance]; else the cut joins the master.
//
// That is the paper's test, whose c can only be the sampled one. It ends: a
// selection that keeps coming back is held up by the largest of its sampled
// costs so far, which the next one exceeds ever less often. Where rounding keeps
// a cut below the cost that it was made at, the selection is held up by its own
// cuts alone, and one that raises them no further ends it too.
//
// The answer is the last s_t, as in the paper. One pass of the exact oracle gives
// its true cost; the bound is −Inf, the gap +Inf and the status search.Sampled:
// nothing is proven. A limit or a cancelled context is not an error, unless the
// context is cancelled while all there is is the random start.
func OptComplete(ctx context.Context, sampled, exact search.Oracle, settings Settings) (Result, error) {
	r, err := newRun(ctx, sampled, true, settings)
	if err != nil {
		return Result{}, err
	}
	r.event(search.EventStart)
	status, err := r.optComplete(ctx)
	if err != nil {
		return Result{}, err
	}
	if status == search.Interrupted && len(r.all) < 2 && len(r.Search.Start) == 0 {
		return Result{}, fmt.Errorf("%w: %w", search.ErrNothingYet, ctx.Err())
	}
	r.result.SampledCost, r.result.SampledBound = r.best.Cost, r.bound
	r.result.SampledGap = min(r.gap(), 1)
	if math.IsInf(r.bound, -1) {
		r.result.SampledBound = 0
	}
	// From here on, all the data.
	r.oracle, r.sampled, r.bound = exact, false, math.Inf(-1)
	if r.best.Cost, _, err = r.evaluate(context.WithoutCancel(ctx), search.Indicator(r.p, r.best.Selection)); err != nil {
		return Result{}, err
	}
	r.event(search.EventPass)
	r.event(search.EventIncumbent)
	return r.finish(status), nil
}

func (r *run) optComplete(ctx context.Context) (search.Status, error) {
	owed := context.WithoutCancel(ctx) // an answer, even where the time is over
	nothing, _, err := r.evaluate(owed, make([]float64, r.p))
	if err != nil {
		return "", err
	}
	r.scale = nothing
	r.limit()
	selection := r.randomStart()
	r.source = "start"
	evaluations, stop := r.limited(ctx)
	defer stop()
	for {
		if len(r.all) > 0 {
			owed = evaluations
		}
		held := math.Inf(-1) // by the cuts that the selection has already
		if before, again := r.seen[key(selection)]; again {
			held = before.value
		}
		cost, err := r.cut(owed, selection)
		if err != nil {
			if status, early := r.early(ctx); early {
				return status, nil
			}
			return "", err
		}
		r.best = search.Candidate{Selection: selection, Cost: cost}
		r.event(search.EventPass)
		tolerance := max(r.Search.Gap, Tolerance)*cost + 1e-15*r.scale
		if r.bound >= cost-tolerance || r.seen[key(selection)].value <= held+tolerance {
			return search.Sampled, nil
		}
		if status, early := r.early(ctx); early {
			return status, nil
		}
		solution, done, err := r.solve(ctx)
		if err != nil {
			return "", err
		}
		if !done {
			status, early := r.early(ctx)
			if !early {
				status = r.timeUp()
			}
			return status, nil
		}
		r.eta, r.bound = solution.Objective, solution.Objective
		selection, r.source = r.complete(solution.Selection), "master" // a sample of nothing limits no family
	}
}

// randomStart is the first selection to start from, or else any that is
// allowed, each equally likely.
func (r *run) randomStart() []int {
	if len(r.Search.Start) > 0 {
		return r.complete(r.Search.Start[0])
	}
	return r.complete(random.New(r.Seed, startStream).Perm(r.p))
}
