package formulation

import (
	"context"
	"errors"
	"time"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/remainder"
	"optcomplete/spec"
)

const (
	rehearsalEntries = 100_000 // that a rehearsal is made on, about
	rehearsalShare   = 20      // of what is left it gets at most one in this many
	extraShare       = 20      // as have the diagnostics
	mostReserved     = 2       // and the fit of every row
	rehearsalMargin  = 1.2     // a fit takes so much longer than its rehearsal, at worst
)

// reserve keeps back from the search what fitting every row will take, by a
// rehearsal on some of the rows, and a little for diagnostics.
func (t *task) reserve(ctx context.Context, s *selector, train data.Source, c choices) (refit, extra time.Duration, err error) {
	left := t.clock.Left()
	short, cancel := context.WithTimeout(ctx, left/rehearsalShare)
	defer cancel()
	took, err := t.rehearse(short, train, s, c)
	if err != nil && short.Err() == nil {
		return 0, 0, err
	}
	refit = min(time.Duration(float64(took)*rehearsalMargin), left/mostReserved)
	if err != nil { // it did not even end: a long fit
		refit = left / mostReserved
	}
	return refit, left / extraShare, nil
}

// rehearse fits and scores some selection on some of the rows, and tells how long
// that would take on all.
func (t *task) rehearse(ctx context.Context, train data.Source, s *selector, c choices) (time.Duration, error) {
	part, err := evaluate.Validation(ctx, train, 0.2, rehearsalEntries, t.Seed, t.Threads)
	if err != nil || part.Train.Observed() == 0 {
		return 0, err
	}
	any := make([]int, t.K)
	for u := range any {
		any[u] = u
	}
	if t.ResidualRank != 0 {
		with := *t
		with.refit = spec.LearnedPrior
		t = &with
	}
	ctx = pass.WithLabel(ctx, "rehearsal") // it reads this part, not the data
	start := time.Now()
	members := t.members(any)
	parts, err := t.parts(ctx, part.Train, any, c)
	if err != nil {
		return 0, err
	}
	if t.ResidualRank != 0 {
		others, _, err := t.others(ctx, s, any, mostOthers)
		if err == nil {
			err = t.fitRemainder(ctx, part.Train, s, any, others, parts, nil)
		}
		if err != nil && !errors.Is(err, remainder.ErrPrecision) {
			return 0, err
		}
	}
	if _, err := evaluate.Score(ctx, part.Train, parts.Predictor(estimate.Chosen(t.features, members), len(members)), t.Threads); err != nil {
		return 0, err
	}
	return time.Duration(float64(time.Since(start)) * float64(train.Observed()) / float64(part.Train.Observed())), nil
}
