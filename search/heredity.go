package search

import (
	"fmt"
	"slices"
)

// Requirement says that a feature may be selected only together with others:
// with all of its parents (strong heredity), or with at least one of them
// (weak). A feature may have several requirements; they must not form a cycle.
type Requirement struct {
	Feature int
	Parents []int
	Any     bool // one of the parents is enough
}

// heredity keeps the requirements of a search. It only ever takes selections
// away: it fixes features that the requirements decide and refuses selections
// that break them. Bounds are those of the search without requirements, over
// smaller regions, and so stay true. A nil heredity requires nothing.
type heredity struct {
	rules []Requirement // the parents' rules before the children's
	of    [][]int       // rules of each feature
}

// newHeredity checks the requirements of p features and puts them in order.
func newHeredity(p int, requires []Requirement) (*heredity, error) {
	if len(requires) == 0 {
		return nil, nil
	}
	given := make([][]int, p)
	for i, rule := range requires {
		for _, j := range append([]int{rule.Feature}, rule.Parents...) {
			if j < 0 || j >= p {
				panic(fmt.Sprintf("search: feature %d of %d", j, p))
			}
		}
		given[rule.Feature] = append(given[rule.Feature], i)
	}
	h := &heredity{of: make([][]int, p)}
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

// meets tells whether a selection keeps the requirements.
func (h *heredity) meets(selection []int) bool {
	if h == nil {
		return true
	}
	for _, j := range selection {
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

// propagate fixes in a region what the requirements decide, until nothing
// changes. If no selection of the region can keep them, the region is left
// empty (the reverse is found by splitting).
func (h *heredity) propagate(r *region) {
	if h == nil {
		return
	}
	for changed := true; changed && !r.empty(); {
		changed = false
		for i := range h.rules {
			was := r.free
			if !h.apply(&h.rules[i], r) {
				r.left = -1
				return
			}
			changed = changed || r.free != was
		}
		if h.tooMany(r) {
			changed = true
		}
	}
}

// apply fixes what one rule decides; false means that the region breaks it.
func (h *heredity) apply(rule *Requirement, r *region) bool {
	j := rule.Feature
	if r.state[j] == out {
		return true
	}
	inside, open, last := 0, 0, -1
	for _, parent := range rule.Parents {
		switch r.state[parent] {
		case in:
			inside++
		case free:
			open++
			last = parent
		}
	}
	possible := inside+open == len(rule.Parents)
	if rule.Any {
		possible = inside > 0 || open > 0 && (r.left > 0 || r.state[j] == free)
	}
	switch {
	case !possible && r.state[j] == in:
		return false
	case !possible:
		r.fix(j, out)
	case r.state[j] == free:
	case !rule.Any:
		for _, parent := range rule.Parents {
			if r.state[parent] == free {
				r.fix(parent, in)
			}
		}
	case inside == 0 && open == 1:
		r.fix(last, in)
	}
	return true
}

// tooMany fixes out the features that would bring more with them than the
// region has left, and tells whether there were any.
func (h *heredity) tooMany(r *region) bool {
	found := false
	for i := range h.rules {
		j := h.rules[i].Feature
		if r.state[j] == free && h.count(j, r) > r.left {
			r.fix(j, out)
			found = true
		}
	}
	return found
}

// countDepth is how many generations of parents count looks at.
const countDepth = 3

// count is the least number of free features, itself included, that come with
// feature j: never more than there truly are.
func (h *heredity) count(j int, r *region) int { return h.countTo(countDepth, j, r) }

func (h *heredity) countTo(depth, j int, r *region) int {
	if r.state[j] != free {
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
			if r.state[parent] == out {
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

// take fixes feature j in with all it requires; of parents of which one is
// enough, the one that brings least, or else stands first in the order. It
// returns the region, and false if it has no room for them.
func (h *heredity) take(r region, j int, rank []int) (region, bool) {
	r = r.clone()
	work := []int{j}
	for len(work) > 0 {
		j, work = work[len(work)-1], work[:len(work)-1]
		if r.state[j] == out {
			return r, false
		}
		r.fix(j, in)
		for _, i := range h.of[j] {
			work = append(work, h.missing(&h.rules[i], &r, rank)...)
		}
	}
	return r, r.left >= 0
}

// missing is the parents to take for a rule of a feature that is in.
func (h *heredity) missing(rule *Requirement, r *region, rank []int) []int {
	var open []int
	for _, parent := range rule.Parents {
		switch {
		case rule.Any && r.state[parent] == in:
			return nil
		case r.state[parent] != in && (!rule.Any || r.state[parent] == free):
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

// complete makes a selection of the region that keeps the requirements: what
// is fixed in and what that requires, then features in the given order with
// what they require, as there is room. It returns nil if it finds none.
func (h *heredity) complete(r region, order []int) []int {
	rank := make([]int, len(r.state))
	for x := range rank {
		rank[x] = len(order)
	}
	for x, j := range order {
		rank[j] = x
	}
	ok := true
	for j, state := range r.state {
		if state == in && len(h.of[j]) > 0 {
			if r, ok = h.take(r, j, rank); !ok {
				return nil
			}
		}
	}
	for progress := true; progress && r.left > 0; {
		progress = false
		for _, j := range order {
			if r.left == 0 {
				break
			}
			if r.state[j] != free || h.count(j, &r) > r.left {
				continue
			}
			if with, ok := h.take(r, j, rank); ok {
				r, progress = with, true
			}
		}
	}
	if selection := r.fixedIn(); r.left == 0 && h.meets(selection) {
		return selection
	}
	return nil
}
