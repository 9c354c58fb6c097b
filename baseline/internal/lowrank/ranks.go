package lowrank

import "math"

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
