package formulation

import (
	"context"
	"errors"
	"time"

	"optcomplete/evaluate"
	"optcomplete/pass"
	"optcomplete/remainder"
	"optcomplete/selection"
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
func (f *fitting) reserve(ctx context.Context, _ *selection.Cost) (refit, extra time.Duration, err error) {
	left := f.clock.Left()
	short, cancel := context.WithTimeout(ctx, left/rehearsalShare)
	defer cancel()
	took, err := f.rehearse(short)
	if err != nil && short.Err() == nil {
		return 0, 0, err
	}
	refit = min(time.Duration(float64(took)*rehearsalMargin), left/mostReserved)
	if err != nil { // it did not even end: a long fit
		refit = left / mostReserved
	}
	return refit, left / extraShare, nil
}

// rehearse fits and scores the first selection there is on some of the rows, and tells how
// long that would take on all.
func (f *fitting) rehearse(ctx context.Context) (time.Duration, error) {
	part, err := evaluate.Validation(ctx, f.train, 0.2, rehearsalEntries, f.Seed, f.Threads)
	if err != nil || part.Train.Observed() == 0 {
		return 0, err
	}
	first := make([]int, f.K)
	for u := range first {
		first[u] = u
	}
	ctx = pass.WithLabel(ctx, "rehearsal") // it reads this part, not the data
	start := time.Now()
	parts, err := f.formulation.parts(ctx, part.Train, first, f.c)
	if err != nil {
		return 0, err
	}
	if f.ResidualRank != 0 {
		others, _, err := f.others(ctx, f.cost, first, mostOthers)
		if err == nil {
			err = f.fitRemainder(ctx, part.Train, f.cost, first, others, f.c, parts, nil)
		}
		if err != nil && !errors.Is(err, remainder.ErrPrecision) {
			return 0, err
		}
	}
	if _, err := evaluate.Score(ctx, part.Train, f.predictor(parts, first), f.Threads); err != nil {
		return 0, err
	}
	return time.Duration(float64(time.Since(start)) * float64(f.train.Observed()) / float64(part.Train.Observed())), nil
}
