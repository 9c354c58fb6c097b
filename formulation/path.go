package formulation

import (
	"context"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/loss"
	"optcomplete/pass"
	"optcomplete/selection"
	"optcomplete/spec"
)

// Path selects 1, 2, … KMax features, sharing every cut, and validates each k; see
// selection.Path. MaxNodes is for each k, the time limit for all of the path; K and
// Holdout are not used.
func Path(ctx context.Context, problem Problem, settings Settings, path selection.PathSettings) (*selection.PathResult, error) {
	ctx, readings := pass.WithCounts(ctx)
	settings.K = path.KMax
	if err := path.Validate(); err != nil {
		return nil, err
	}
	t, err := newChecked(ctx, &problem, &settings)
	if err != nil {
		return nil, err
	}
	train, err := pass.Collect(ctx, problem.Ratings.Source(), settings.Threads, "copy to memory")
	if err != nil {
		return nil, err
	}
	path.Limits, path.Watch.OnEvent = settings.Limits, settings.OnEvent
	path.OneChoice = train.Observed() >= oneChoiceFrom
	if path.Passes == 0 && settings.TimeLimit == 0 && settings.MaxNodes == 0 {
		path.Passes = max(leastPasses, pathWork/max(train.Observed()*path.KMax, 1))
	}
	if settings.Split == spec.TimeSplit {
		if path.Repeats > 0 {
			return nil, spec.Errorf("repeated hold-outs are drawn at random: leave them out, or the split by time")
		}
		if t.moments, err = evaluate.NewMoments(ctx, problem.Ratings, problem.Times, settings.Threads); err != nil {
			return nil, err
		}
		if t.cuts, err = t.moments.Folds(path.Folds); err != nil {
			return nil, err
		}
	}
	r, err := selection.Path[data.Source](ctx, t, train, path)
	if err != nil {
		return nil, err
	}
	r.Model, r.Weighted, r.ByTime, r.Readings = t.Model.String(), problem.weighted(), t.moments != nil, readings.Of()
	if settings.Loss != loss.Squared {
		r.Measure = settings.Loss.Measure()
	}
	own := t.own(selection.Learned{Gamma0: r.Gamma0, Row: r.RowShrinkage, Column: r.ColumnShrinkage})
	r.Gamma0, r.RowShrinkage, r.ColumnShrinkage = own.Gamma0, own.Row, own.Column
	return r, nil
}

const (
	// oneChoiceFrom is the number of entries from which folds use what is learned on
	// all entries: those that a fold holds out are a fifth of the data at most, and what
	// a few numbers learn of them is nothing then.
	oneChoiceFrom = 100_000

	// Unless a limit is given, the proofs of all k end after pathWork entries were
	// evaluated, each by leastPasses passes at least: a path is there to choose k, and a fit to
	// prove it. It counts passes and not time, so that the same path comes out always.
	pathWork    = 80_000_000
	leastPasses = 40
)
