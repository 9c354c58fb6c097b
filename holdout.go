package optcomplete

import (
	"context"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/model"
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
