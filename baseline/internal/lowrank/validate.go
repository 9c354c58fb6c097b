package lowrank

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/pass"
	"optcomplete/result"
)

// Validation holds a fifth of the entries out, as the paper does, and keeps both parts in memory if they fit.
func Validation(ctx context.Context, source data.Source, seed uint64, memory int64) (evaluate.Part, error) {
	part, err := evaluate.Validation(ctx, source, 0, 0, seed, 0)
	if memory == 0 {
		memory = Memory
	}
	if err != nil || !fits(source, memory) {
		return part, err
	}
	if part.Train, err = pass.Collect(ctx, part.Train, 0, "copy to memory"); err != nil {
		return part, err
	}
	part.Held, err = pass.Collect(ctx, part.Held, 0, "copy to memory")
	return part, err
}

// Path is the λ to try below the one at which nothing is left: in small steps at
// first, because sparse and noisy data want a λ next to it, then in larger ones,
// down to next to nothing, which data without noise want.
func Path(top float64) []float64 {
	const first, points = 0.9, 15
	out := make([]float64, points)
	for x := range out {
		top *= math.Pow(first, float64(x+1))
		out[x] = top
	}
	return out
}

// Empty tells that a part has nothing to fit on or nothing to validate on.
func Empty(p evaluate.Part) bool { return p.Train.Observed() == 0 || p.Held.Observed() == 0 }

// Range is the range that predictions are kept in if they are to be clipped, that
// of the values; nil: any.
func Range(ctx context.Context, source data.Source, clip bool, threads int) (*result.Range, error) {
	if !clip {
		return nil, nil
	}
	survey, err := pass.Survey(ctx, source, threads)
	if err != nil || survey.Total == 0 {
		return nil, err
	}
	return &result.Range{Low: survey.Low, High: survey.High}, nil
}

// Clip keeps values in a range; nil: any.
func Clip(values []float64, r *result.Range) {
	if r == nil {
		return
	}
	for x, v := range values {
		values[x] = min(max(v, r.Low), r.High)
	}
}

// Ranks are the ranks to try: the one given, or first, 2·first, ... up to last or
// most, whichever is less.
func Ranks(given, first, last, most int) []int {
	if given > 0 {
		return []int{given}
	}
	out := []int{max(1, min(first, most))}
	for r := 2 * first; r <= last && r < 2*most; r *= 2 {
		out = append(out, min(r, most))
	}
	return out
}

const (
	worthy   = 1e-3 // by which a larger rank must be better to go on
	hopeless = 0.1  // by which a trial is worse than another of the same rank to be given up
)

// Race tries ranks in several trials (ways to centre) side by side. try returns
// the least error of a trial at a rank. A trial ends when a larger rank does not
// help it, or when another is better by far at the same rank.
func Race(ranks []int, trials int, try func(trial, rank int) (float64, error)) error {
	before := make([]float64, trials)
	on := make([]bool, trials)
	for x := range trials {
		before[x], on[x] = math.Inf(1), true
	}
	for _, rank := range ranks {
		now := make([]float64, trials)
		best := math.Inf(1)
		for x := range trials {
			if !on[x] {
				continue
			}
			var err error
			if now[x], err = try(x, rank); err != nil {
				return err
			}
			best = min(best, now[x])
		}
		for x := range trials {
			if !on[x] {
				continue
			}
			on[x] = now[x] <= (1-worthy)*before[x] && now[x] <= (1+hopeless)*best
			before[x] = now[x]
		}
	}
	return nil
}
