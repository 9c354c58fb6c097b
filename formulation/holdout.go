package formulation

import (
	"context"

	"optcomplete/checkpoint"
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
func (f *fitting) divide(ctx context.Context) (when *model.TimeSplit, err error) {
	source := f.problem.Ratings.Source()
	check := func(ctx context.Context) error { return checkEntries(ctx, f.problem, f.Settings) }
	parts := func(ctx context.Context) (err error) {
		if f.train, err = nearby(ctx, source, f.Memory, f.Threads); err == nil {
			f.train, f.held, when, err = holdOut(ctx, f.problem, f.train, f.Settings)
		}
		return err
	}
	_, inMemory := source.(*data.Matrix)
	if inMemory && f.Holdout == 0 && f.Checkpoint == "" && f.Gamma > 0 && f.Model.AsGiven() {
		f.check = check
		return when, parts(ctx)
	}
	f.check = func(ctx context.Context) error {
		_, err := pass.Survey(ctx, f.train, f.Threads) // the rows are fitted with it
		return err
	}
	err = pass.Together(ctx, check, parts)
	return when, err
}

// entryBytes is what an entry takes in memory during a fit: itself, in a hold-out
// split, and what the effects leave of it.
const entryBytes = 12 + 12 + 8

// nearby reads a source into memory if it fits, and is to be read here.
func nearby(ctx context.Context, s data.Source, limit int64, threads int) (data.Source, error) {
	if limit == 0 {
		limit = memory.Default()
	}
	if _, ok := s.(*data.Matrix); ok || pass.Remote(ctx) || float64(s.Observed())*entryBytes > float64(limit) {
		return s, nil
	}
	return pass.Collect(ctx, s, threads, "copy to memory")
}

// fingerprint tells the run from others.
func fingerprint(ctx context.Context, problem Problem, s *Settings) (string, error) {
	entries, err := checkpoint.Entries(ctx, s.Threads, problem.Ratings, problem.Times)
	return checkpoint.Fingerprint(entries, problem, *s), err
}
