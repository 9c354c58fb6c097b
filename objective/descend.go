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
// selections agree share their readings.
func (n *Neighbours) Descend(ctx context.Context, gammas []float64, start [][]int, k int, always, never []int) ([][]int, error) {
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
	open := make([]bool, len(gammas))
	before, explained := make([][]int, len(gammas)), make([]float64, len(gammas)) // the last swap
	for x := range open {
		open[x] = true
		slices.Sort(found[x])
	}
	for {
		first := slices.Index(open, true)
		if first < 0 {
			return found, nil
		}
		selection := slices.Clone(found[first])
		var alike []int
		var at []float64
		for x := range open {
			if open[x] && slices.Equal(found[x], selection) {
				alike, at = append(alike, x), append(at, gammas[x])
			}
		}
		around, err := n.Of(ctx, selection, at, true)
		if err != nil {
			return nil, err
		}
		for y, x := range alike {
			if before[x] != nil && !(around[y].Explained > explained[x]) { // it was rounding: back, or it would never end
				found[x], open[x] = before[x], false
				continue
			}
			before[x], explained[x] = selection, around[y].Explained
			if out, in := n.best(&around[y], selection, always, never); in >= 0 {
				found[x][out] = in
				slices.Sort(found[x])
			} else {
				open[x] = false
			}
		}
	}
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

// best is the swap that explains most: which of the selection goes, and which
// feature comes; -1 if none is worth it.
func (n *Neighbours) best(a *Around, selection, always, never []int) (out, in int) {
	out, in = -1, -1
	most := swapGain * a.Explained
	for x, l := range selection {
		if slices.Contains(always, l) {
			continue
		}
		for j, gain := range a.Swap[x*n.tables.p:][:n.tables.p] {
			if gain > most && !slices.Contains(selection, j) && !slices.Contains(never, j) {
				most, out, in = gain, x, j
			}
		}
	}
	return out, in
}
