package formulation

import (
	"context"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/memory"
	"optcomplete/model"
	"optcomplete/pass"
	"optcomplete/spec"
)

// holdOut keeps entries aside to score on, as the settings say: held is nil if none
// are. when is nil unless they are the latest.
func holdOut(ctx context.Context, problem Problem, all data.Source, s *Settings) (train, held data.Source, when *model.TimeSplit, err error) {
	if s.Holdout == 0 {
		return all, nil, nil, nil
	}
	if s.Split == spec.RandomSplit {
		train, held, err = evaluate.Split(ctx, all, s.Holdout, s.Seed, s.Threads)
		return train, held, nil, err
	}
	moments, err := evaluate.NewMoments(ctx, problem.Ratings, problem.Times, s.Threads)
	if err != nil {
		return nil, nil, nil, err
	}
	past, future, from, err := moments.Split(ctx, all, s.Holdout, s.Threads)
	if err != nil {
		return nil, nil, nil, err
	}
	return past, future, &model.TimeSplit{From: from, Moment: evaluate.Moment(from), Without: moments.Without}, nil
}

// divide brings the entries near and holds some of them out. They are checked in the
// same reading. Where there is none, because the entries are in memory and all are
// trained on, they are checked later: in the first reading of the search, if that is
// the first there is.
func (t *task) divide(ctx context.Context, problem Problem) (train, held data.Source, when *model.TimeSplit, later func(context.Context) error, err error) {
	source := problem.Ratings.Source()
	check := func(ctx context.Context) error { return checkEntries(ctx, problem, t.Settings) }
	parts := func(ctx context.Context) (err error) {
		if train, err = nearby(ctx, source, t.Memory, t.Threads); err == nil {
			train, held, when, err = holdOut(ctx, problem, train, t.Settings)
		}
		return err
	}
	_, inMemory := source.(*data.Matrix)
	if inMemory && t.Holdout == 0 && t.Checkpoint == "" && t.Gamma > 0 && t.Model.AsGiven() {
		err = parts(ctx)
		return train, held, when, check, err
	}
	err = pass.Together(ctx, check, parts)
	return train, held, when, func(ctx context.Context) error {
		_, err := pass.Survey(ctx, train, t.Threads) // the rows are fitted with it
		return err
	}, err
}

// entryBytes is what an entry takes in memory during a fit: itself, in a hold-out
// split, and what the effects leave of it.
const entryBytes = 12 + 12 + 8

// nearby reads a source into memory if it fits, and is to be read here.
func nearby(ctx context.Context, s data.Source, limit int64, threads int) (data.Source, error) {
	if limit == 0 {
		limit = memory.Free() / 2
	}
	if _, ok := s.(*data.Matrix); ok || pass.Remote(ctx) || float64(s.Observed())*entryBytes > float64(limit) {
		return s, nil
	}
	return pass.Collect(ctx, s, threads, "copy to memory")
}
