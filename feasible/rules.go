package feasible

import (
	"fmt"
	"slices"
)

// Rules keep a set in a search. They only ever take selections
// away: they fix features that the set decides and refuse selections
// that break it. Bounds without requirements, over the
// smaller Regions, stay true.
type Rules struct {
	set    Set
	rules  []Requirement // the parents' before the children's
	of     [][]int       // rules of each feature
	family []int         // of each feature; −1: none
	plain  bool          // there are no requirements and no families
}

// New checks a set and makes its rules.
func New(set Set) (*Rules, error) {
	if err := set.Validate(); err != nil {
		return nil, err
	}
	p, requires := set.P, set.Requires
	h := &Rules{set: set, of: make([][]int, p), family: slices.Repeat([]int{-1}, p)}
	h.plain = len(requires)+len(set.Families) == 0
	for f := range set.Families {
		for _, j := range set.Families[f].Members {
			h.family[j] = f
		}
	}
	given := make([][]int, p)
	for i, rule := range requires {
		given[rule.Feature] = append(given[rule.Feature], i)
	}
	const entered, done = 1, 2
	mark := make([]int8, p)
	var visit func(j int) error
	visit = func(j int) error {
		switch mark[j] {
		case entered:
			return fmt.Errorf("%w: feature %d requires itself, directly or through others", ErrInfeasible, j)
		case done:
			return nil
		}
		mark[j] = entered
		for _, i := range given[j] {
			for _, parent := range requires[i].Parents {
				if err := visit(parent); err != nil {
					return err
				}
			}
		}
		mark[j] = done
		for _, i := range given[j] {
			h.of[j] = append(h.of[j], len(h.rules))
			h.rules = append(h.rules, requires[i])
		}
		return nil
	}
	for j := range p {
		if err := visit(j); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// Meets tells whether a selection counts, however many features it has.
func (h *Rules) Meets(selection []int) bool {
	for _, j := range h.set.Always {
		if !slices.Contains(selection, j) {
			return false
		}
	}
	for _, j := range h.set.Never {
		if slices.Contains(selection, j) {
			return false
		}
	}
	if h.plain {
		return true
	}
	count := make([]int, len(h.set.Families))
	for _, j := range selection {
		if f := h.family[j]; f >= 0 {
			if count[f]++; count[f] > h.set.Families[f].Most {
				return false
			}
		}
		for _, i := range h.of[j] {
			has := func(parent int) bool { return slices.Contains(selection, parent) }
			lacks := func(parent int) bool { return !has(parent) }
			rule := &h.rules[i]
			if rule.Any && !slices.ContainsFunc(rule.Parents, has) || !rule.Any && slices.ContainsFunc(rule.Parents, lacks) {
				return false
			}
		}
	}
	return true
}

// Propagate fixes in a region what the set decides, until nothing
// changes. If no selection of the region can keep it, the region is left
// empty (the reverse is found by splitting).
func (h *Rules) Propagate(r *Region) {
	if h.plain {
		return
	}
	for changed := true; changed && !r.Empty(); {
		changed = false
		for i := range h.rules {
			was := r.Free
			if !h.apply(&h.rules[i], r) {
				r.Left = -1
				return
			}
			changed = changed || r.Free != was
		}
		if h.tooMany(r) {
			changed = true
		}
		most := r.Free
		for f := range h.set.Families {
			room, open := h.room(f, r), 0
			for _, j := range h.set.Families[f].Members {
				if r.State[j] == Free && room == 0 {
					r.Fix(j, Out)
					changed = true
				} else if r.State[j] == Free {
					open++
				}
			}
			most -= max(0, open-room)
			if room < 0 {
				most = -1
			}
		}
		if min(most, r.Free) < r.Left {
			r.Left = -1
		}
	}
}

// room is how many more features of a family a selection may have.
func (h *Rules) room(f int, r *Region) int {
	room := h.set.Families[f].Most
	for _, j := range h.set.Families[f].Members {
		if r.State[j] == In {
			room--
		}
	}
	return room
}

// apply fixes what one rule decides; false means that the region breaks it.
func (h *Rules) apply(rule *Requirement, r *Region) bool {
	j := rule.Feature
	if r.State[j] == Out {
		return true
	}
	inside, open, last := 0, 0, -1
	for _, parent := range rule.Parents {
		switch r.State[parent] {
		case In:
			inside++
		case Free:
			open++
			last = parent
		}
	}
	possible := inside+open == len(rule.Parents)
	if rule.Any {
		possible = inside > 0 || open > 0 && (r.Left > 0 || r.State[j] == Free)
	}
	switch {
	case !possible && r.State[j] == In:
		return false
	case !possible:
		r.Fix(j, Out)
	case r.State[j] == Free:
	case !rule.Any:
		for _, parent := range rule.Parents {
			if r.State[parent] == Free {
				r.Fix(parent, In)
			}
		}
	case inside == 0 && open == 1:
		r.Fix(last, In)
	}
	return true
}

// tooMany fixes out the features that would bring more with them than the
// region has left, and tells whether there were any.
func (h *Rules) tooMany(r *Region) bool {
	found := false
	for i := range h.rules {
		j := h.rules[i].Feature
		if r.State[j] == Free && h.count(j, r) > r.Left {
			r.Fix(j, Out)
			found = true
		}
	}
	return found
}

// countDepth is how many generations of parents count looks at.
const countDepth = 3

// count is the least number of free features, itself included, that come with
// feature j: never more than there truly are.
func (h *Rules) count(j int, r *Region) int { return h.countTo(countDepth, j, r) }

func (h *Rules) countTo(depth, j int, r *Region) int {
	if r.State[j] != Free {
		return 0
	}
	if depth == 0 {
		return 1
	}
	more := 0
	for _, i := range h.of[j] {
		rule := &h.rules[i]
		open, deepest, nearest := 0, 0, -1
		for _, parent := range rule.Parents {
			if r.State[parent] == Out {
				continue
			}
			n := h.countTo(depth-1, parent, r)
			if n > 0 {
				open++
			}
			deepest = max(deepest, n)
			if nearest < 0 || n < nearest {
				nearest = n
			}
		}
		if rule.Any {
			more = max(more, nearest)
		} else {
			more = max(more, open, deepest)
		}
	}
	return more + 1
}

// Take fixes a free feature in, with what it requires; if there is no room for
// that, it is fixed out.
func (h *Rules) Take(r *Region, j int) {
	if h.plain {
		r.Fix(j, In)
		return
	}
	with, ok := h.take(*r, j, make([]int, h.set.P))
	if ok {
		*r = with
	} else {
		r.Fix(j, Out)
	}
	h.Propagate(r)
}

// take fixes feature j in with all it requires; of parents of which one is
// enough, the one that brings least, or else stands first in the order. It
// returns the region, and false if it has no room for them.
func (h *Rules) take(r Region, j int, rank []int) (Region, bool) {
	r = r.Clone()
	work := []int{j}
	for len(work) > 0 {
		j, work = work[len(work)-1], work[:len(work)-1]
		if r.State[j] == Out {
			return r, false
		}
		r.Fix(j, In)
		if f := h.family[j]; f >= 0 && h.room(f, &r) < 0 {
			return r, false
		}
		for _, i := range h.of[j] {
			work = append(work, h.missing(&h.rules[i], &r, rank)...)
		}
	}
	return r, r.Left >= 0
}

// missing is the parents to take for a rule of a feature that is in.
func (h *Rules) missing(rule *Requirement, r *Region, rank []int) []int {
	var open []int
	for _, parent := range rule.Parents {
		switch {
		case rule.Any && r.State[parent] == In:
			return nil
		case r.State[parent] != In && (!rule.Any || r.State[parent] == Free):
			open = append(open, parent)
		}
	}
	if !rule.Any || len(open) == 0 {
		return open
	}
	return []int{slices.MinFunc(open, func(a, b int) int {
		if d := h.count(a, r) - h.count(b, r); d != 0 {
			return d
		}
		return rank[a] - rank[b]
	})}
}

// Complete makes a selection of the region that counts: what
// is fixed in and what that requires, then features in the given order with
// what they require, as there is room. It returns nil if it finds none.
func (h *Rules) Complete(r Region, order []int) []int {
	if h.plain {
		r = r.Clone()
		for _, j := range order {
			if r.Left > 0 && r.State[j] == Free {
				r.Fix(j, In)
			}
		}
		return r.Inside()
	}
	rank := make([]int, len(r.State))
	for x := range rank {
		rank[x] = len(order)
	}
	for x, j := range order {
		rank[j] = x
	}
	ok := true
	for j, state := range r.State {
		if state == In && len(h.of[j]) > 0 {
			if r, ok = h.take(r, j, rank); !ok {
				return nil
			}
		}
	}
	for progress := true; progress && r.Left > 0; {
		progress = false
		for _, j := range order {
			if r.Left == 0 {
				break
			}
			if r.State[j] != Free || h.count(j, &r) > r.Left {
				continue
			}
			if with, ok := h.take(r, j, rank); ok {
				r, progress = with, true
			}
		}
	}
	if selection := r.Inside(); r.Left == 0 && h.Meets(selection) {
		return selection
	}
	return nil
}
