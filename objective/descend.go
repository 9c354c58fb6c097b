package objective

import (
	"context"
	"slices"
)

// swapGain is how much more of the values a swap must explain to be made,
// relatively: well above rounding.
const swapGain = 1e-9

// Descend finds, for each γ, a selection of k features that no swap of one feature
// makes cheaper, from the start that is given for it; with none, all of them from
// one that is grown by the feature that explains most at the middle γ. Features
// always selected are never swapped out, and those never selected not in. γ whose
// selections agree share their readings. With a limit, so many readings at each γ, and the
// best swap of the last: then there may be others.
func (n *Neighbours) Descend(ctx context.Context, gammas []float64, start [][]int, k int, always, never []int, limit int) ([][]int, error) {
	found := make([][]int, len(gammas))
	for x := range found {
		if start[x] != nil {
			found[x] = slices.Clone(start[x])
		}
	}
	if len(gammas) == 0 {
		return found, nil
	}
	if slices.ContainsFunc(found, func(s []int) bool { return s == nil }) {
		grown, err := n.grow(ctx, gammas[len(gammas)/2], k, always, never)
		if err != nil {
			return nil, err
		}
		for x := range found {
			if found[x] == nil {
				found[x] = slices.Clone(grown)
			}
		}
	}
	walks := make([]walk, len(gammas))
	for x := range walks {
		slices.Sort(found[x])
		walks[x] = walk{open: true, at: found[x], left: limit}
	}
	for {
		first := slices.IndexFunc(walks, func(w walk) bool { return w.open })
		if first < 0 {
			for x, w := range walks {
				found[x] = w.at
			}
			return found, nil
		}
		selection := walks[first].at
		var alike []int
		var at []float64
		for x, w := range walks {
			if w.open && slices.Equal(w.at, selection) {
				alike, at = append(alike, x), append(at, gammas[x])
			}
		}
		around, err := n.Of(ctx, selection, at, true)
		if err != nil {
			return nil, err
		}
		for y, x := range alike {
			walks[x].step(around[y].Explained, func() []swap { return n.swaps(&around[y], selection, always, never) })
		}
	}
}

// swap is one feature for another.
type swap struct {
	out, in int
	gain    float64 // of what is explained
}

// walk is where the descent at one γ is.
type walk struct {
	open      bool
	at        []int   // the selection to look around next
	before    []int   // the one before, where the swaps were found; nil: none
	explained float64 // there
	single    swap    // the best of them; its gain is exact, that of several together is not
	several   bool    // more than that one was made
	left      int     // readings, if there is a limit
}

// step goes on from a selection that explains this much, or back.
func (w *walk) step(explained float64, swaps func() []swap) {
	w.left--
	if w.left == 0 {
		w.open = false
	}
	if w.before != nil && explained < w.explained+w.single.gain/2 {
		if w.several { // they do not add up: only the best
			w.at, w.several = swapped(w.before, w.single), false
			return
		}
		if !(explained > w.explained) { // it was rounding: back, or it would never end
			w.at, w.open = w.before, false
			return
		}
	}
	found := swaps()
	if !w.open {
		found = found[:min(len(found), 1)]
	}
	if len(found) == 0 {
		w.open = false
		return
	}
	w.before, w.explained, w.single, w.several = w.at, explained, found[0], len(found) > 1
	w.at = swapped(w.at, found...)
}

// swapped is the selection with features swapped.
func swapped(selection []int, by ...swap) []int {
	out := slices.Clone(selection)
	for _, s := range by {
		out[slices.Index(out, s.out)] = s.in
	}
	slices.Sort(out)
	return out
}

// grow is the greedy selection of k features.
func (n *Neighbours) grow(ctx context.Context, gamma float64, k int, always, never []int) ([]int, error) {
	selection := slices.Clone(always)
	slices.Sort(selection)
	selection = slices.Compact(selection)
	for len(selection) < k {
		around, err := n.Of(ctx, selection, []float64{gamma}, false)
		if err != nil {
			return nil, err
		}
		best := -1
		for j, gain := range around[0].Add {
			if !slices.Contains(selection, j) && !slices.Contains(never, j) && (best < 0 || gain > around[0].Add[best]) {
				best = j
			}
		}
		selection = append(selection, best)
	}
	slices.Sort(selection)
	return selection, nil
}

// swaps are the one that explains most, and then those of other features that explain
// at least half as much more; none if none is worth it.
func (n *Neighbours) swaps(a *Around, selection, always, never []int) []swap {
	var found []swap
	least := swapGain * a.Explained
	for {
		best := swap{gain: least}
		for x, l := range selection {
			if slices.Contains(always, l) || slices.ContainsFunc(found, func(s swap) bool { return s.out == l }) {
				continue
			}
			for j, gain := range a.Swap[x*n.tables.p:][:n.tables.p] {
				if gain > best.gain && !slices.Contains(selection, j) && !slices.Contains(never, j) && !slices.ContainsFunc(found, func(s swap) bool { return s.in == j }) {
					best = swap{l, j, gain}
				}
			}
		}
		if !(best.gain > least) {
			return found
		}
		found = append(found, best)
		least = max(least, found[0].gain/2)
	}
}
