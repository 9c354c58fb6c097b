package search

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"optcomplete/internal/lists"
)

// Walk searches one cost for several numbers of features, one after the other, and
// shares what it learns: every cut and every cost serve all of them. Each starts
// where Minimize would, and from its neighbours too, so that no k is worse for being
// on a path.
type Walk struct {
	s     *searcher
	found map[int]*Result // by k
}

// NewWalk is of a cost.
func NewWalk(oracle Oracle) *Walk {
	return &Walk{s: newSearcher(oracle), found: map[int]*Result{}}
}

// Path solves every k from 1 (or the number of always selected features) to
// settings.K, each as [Minimize] would, and reuses every cut on the way. The
// limits of the settings apply to each k. When one stops early by a cancelled
// context, it is the last; if it has no selection yet, the k before is.
func Path(ctx context.Context, oracle Oracle, settings Settings) ([]Result, error) {
	w := NewWalk(oracle)
	if err := settings.Validate(oracle.Dim()); err != nil {
		return nil, err
	}
	var ks []int
	for k := max(1, len(lists.Distinct(settings.Always))); k <= settings.K; k++ {
		each := settings
		each.K = k
		result, err := w.Minimize(ctx, each)
		if errors.Is(err, ErrInfeasible) && k < settings.K {
			continue // what is always selected may require more than k features
		}
		if len(ks) > 0 && errors.Is(err, ErrNothingYet) {
			break
		}
		if err != nil {
			return w.results(ks), err
		}
		ks = append(ks, k)
		if result.Status == Interrupted {
			return w.results(ks), nil
		}
	}
	_, err := w.Improve(ctx)
	return w.results(ks), err
}

func (w *Walk) results(ks []int) (all []Result) {
	for _, k := range ks {
		all = append(all, *w.found[k])
	}
	return all
}

// Minimize is the package's Minimize of another k of the walk. What was found and
// proven about this k before is kept: the cost never rises and the bound never falls.
func (w *Walk) Minimize(ctx context.Context, settings Settings) (Result, error) {
	s, k := w.s, settings.K
	before := w.found[k]
	settings.Recorder = nil
	settings.Start = slices.Clone(settings.Start)
	s.greedily, s.from = before == nil, nil
	for _, at := range []int{k, k - 1} {
		if known := w.found[at]; known != nil {
			settings.Start = append(settings.Start, known.Selection)
			if s.from == nil && known.Relaxation != nil {
				s.from = slices.Clone(known.Relaxation)
			}
		}
	}
	result, err := s.minimize(ctx, settings)
	if err != nil {
		return result, err
	}
	if before != nil {
		result.join(before, settings.Gap)
		result.NearTies = ties(result.NearTies, append(before.NearTies, before.Candidate), result.Selection, s.NearTies)
	}
	w.found[k] = &result
	return result, nil
}

// join adds what an earlier search of the same k proved and took.
func (r *Result) join(before *Result, gap float64) {
	if before.Bound > r.Bound {
		r.Bound = before.Bound
		r.Certify(r.Cost, gap)
		if r.Gap <= max(gap, Precision) {
			r.Status = Proven(r.Gap, gap)
		}
	}
	if r.Relaxation == nil {
		r.Relaxation, r.RootGap = before.Relaxation, before.RootGap
	}
	r.Nodes += before.Nodes
	r.Enumerated += before.Enumerated
	r.Passes += before.Passes
	r.Elapsed += before.Elapsed
}

// ties are the near-ties of two searches, without the incumbent.
func ties(a, b []Candidate, incumbent []int, most int) []Candidate {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y Candidate) int {
		return cmp.Or(cmp.Compare(x.Cost, y.Cost), slices.Compare(x.Selection, y.Selection))
	})
	all = slices.CompactFunc(all, func(x, y Candidate) bool { return slices.Equal(x.Selection, y.Selection) })
	all = slices.DeleteFunc(all, func(c Candidate) bool { return slices.Equal(c.Selection, incumbent) })
	return all[:min(len(all), max(most, 0))]
}

// Found is what is known about k; nil: nothing.
func (w *Walk) Found(k int) *Result { return w.found[k] }

// sweeps is how often Improve goes up and down at most.
const sweeps = 4

// Offer makes a selection the best found of its k if it costs less. Of that k
// something must have been found.
func (w *Walk) Offer(ctx context.Context, selection []int) (better bool, err error) {
	s, at := w.s, w.found[len(selection)]
	w.freely()
	s.K = len(selection)
	if !s.rules.Meets(selection) || slices.Equal(selection, at.Selection) {
		return false, nil
	}
	if _, err := s.selection(ctx, selection, "start"); err != nil {
		return false, err
	}
	cost := s.seen[keyOf(selection)].cost
	if cost >= at.Cost {
		return false, nil
	}
	at.NearTies = ties(at.NearTies, []Candidate{at.Candidate}, selection, s.NearTies)
	at.Candidate = Candidate{Selection: selection, Cost: cost}
	at.Certify(cost, 0)
	return true, nil
}

// Improve tries, for every k found so far, its neighbours: the next larger selection
// without the feature that seems to do least, and the next smaller one with the
// feature that seems to do most. It lists the k that it improved.
func (w *Walk) Improve(ctx context.Context) (improved []int, err error) {
	s := w.s
	w.freely()
	try := func(k int, selection []int) (bool, error) {
		if len(selection) != k {
			return false, nil
		}
		better, err := w.Offer(ctx, selection)
		if better && !slices.Contains(improved, k) {
			improved = append(improved, k)
		}
		return better, err
	}
	var ks []int
	for k, at := range w.found {
		if at.Status != Optimal { // what is proven cannot be improved
			ks = append(ks, k)
		}
	}
	slices.Sort(ks)
	slices.Reverse(ks)
	for range sweeps {
		changed := false
		for _, up := range []bool{false, true} {
			for _, k := range ks {
				near := k + 1
				if up {
					near = k - 1
				}
				from := w.found[near]
				if from == nil {
					continue
				}
				c, err := s.cutOf(ctx, from.Selection, "start")
				if err != nil {
					return improved, w.stopped(ctx, err)
				}
				better, err := try(k, neighbour(from.Selection, c.gradient, up, s.Always, s.Never))
				if err != nil {
					return improved, w.stopped(ctx, err)
				}
				changed = changed || better
			}
			slices.Reverse(ks) // down from the largest, up from the smallest
		}
		if !changed {
			break
		}
	}
	return improved, nil
}

// freely lets evaluations be made without limits and events of a search.
func (w *Walk) freely() { w.s.halt, w.s.MaxPasses, w.s.OnEvent = nil, 0, nil }

// stopped is nil for an interrupt: what was found stands.
func (w *Walk) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// neighbour is a selection with one feature more, of the steepest gradient, or with
// one less, of the flattest.
func neighbour(selection []int, gradient []float64, more bool, always, never []int) []int {
	if more {
		best := -1
		for j, g := range gradient {
			if !slices.Contains(selection, j) && !slices.Contains(never, j) && (best < 0 || g < gradient[best]) {
				best = j
			}
		}
		if best < 0 {
			return nil
		}
		out := append(slices.Clone(selection), best)
		slices.Sort(out)
		return out
	}
	drop := -1
	for x, j := range selection {
		if !slices.Contains(always, j) && (drop < 0 || gradient[j] > gradient[selection[drop]]) {
			drop = x
		}
	}
	if drop < 0 {
		return nil
	}
	return slices.Delete(slices.Clone(selection), drop, drop+1)
}
