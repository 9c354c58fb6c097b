package proof

import (
	"fmt"
	"math"
	"slices"
)

// region is selections of k units: those in are in each, those out in none.
type region struct {
	state []int8
	in    []int // units, in the order they were fixed
	free  int
	left  int // how many free units must still be selected

	family []int // of each unit, from 0, or none; nil: there are no families
	room   []int // of each family, how many more of its units may be selected
}

const (
	free int8 = iota
	within
	without
)

func (r *region) fix(unit int, to int8) {
	r.state[unit] = to
	r.free--
	if to == within {
		r.in = append(r.in, unit)
		r.left--
		r.enter(unit, 1)
	}
}

// enter counts a unit that comes in, or goes.
func (r *region) enter(unit, by int) {
	if r.family != nil && r.family[unit] != none {
		r.room[r.family[unit]] -= by
	}
}

// open tells whether a unit is free, and its family not full.
func (r *region) open(unit int) bool {
	return r.state[unit] == free && (r.family == nil || r.family[unit] == none || r.room[r.family[unit]] > 0)
}

func (r *region) release(unit int) {
	if r.state[unit] == within {
		r.in = r.in[:len(r.in)-1]
		r.left++
		r.enter(unit, -1)
	}
	r.state[unit] = free
	r.free++
}

// empty tells that the region has no selections.
func (r *region) empty() bool {
	most := r.free
	if r.family != nil {
		room := slices.Clone(r.room)
		for u, f := range r.family {
			if f == none || r.state[u] != free {
				continue
			}
			if room[f]--; room[f] < 0 {
				most--
			}
		}
	}
	return r.left < 0 || r.left > most || slices.ContainsFunc(r.room, func(room int) bool { return room < 0 })
}

// root is all selections that the problem allows.
func (p *Problem) root(units int) *region {
	r := &region{state: make([]int8, units), free: units, left: p.K}
	if len(p.Families) > 0 {
		r.family = slices.Repeat([]int{none}, units)
	}
	for f, of := range p.Families {
		r.room = append(r.room, of.Most)
		for _, u := range of.Units {
			r.family[u] = f
		}
	}
	for _, u := range sorted(p.Always) {
		r.fix(u, within)
	}
	for _, u := range sorted(p.Never) {
		r.fix(u, without)
	}
	if p.Gammas != nil { // the level of a row is in every selection
		r.left++
		r.fix(units-1, within)
	}
	return r
}

// meets tells whether a selection has no more of a family than it may.
func (p *Problem) meets(units []int) bool {
	for _, f := range p.Families {
		more := f.Most
		for _, u := range f.Units {
			if slices.Contains(units, u) {
				more--
			}
		}
		if more < 0 {
			return false
		}
	}
	return true
}

// value is the cut's at a selection, or less.
func (c *cut) value(units []int) float64 {
	value := c.constant
	for _, u := range units {
		value = down(value - c.slope[u])
	}
	return value
}

// bound is the least value of the cut over the region, or less; +Inf where the
// region has no selections. Taking the steepest that a family has room for is the least:
// families share no units.
func (c *cut) bound(r *region) float64 {
	if r.empty() {
		return math.Inf(1)
	}
	value := c.value(r.in)
	left, room := r.left, slices.Clone(r.room)
	for _, u := range c.order {
		if left == 0 {
			break
		}
		if r.state[u] != free {
			continue
		}
		if r.family != nil && r.family[u] != none {
			if room[r.family[u]] == 0 {
				continue
			}
			room[r.family[u]]--
		}
		value = down(value - c.slope[u])
		left--
	}
	return value
}

// visitor is called once for each region that is ruled out, with what rules it out, and for
// each region that has a model from there on. Model is the last of these above the region.
type visitor func(r *region, by, model *step)

// walk goes through the tree from the root. Whatever the proof says, the regions
// visited cover all selections.
func (p *Proof) walk(root *region, tell visitor) error {
	seen := make(map[int]bool, len(p.nodes))
	var visit func(label int, r *region, model *step) error
	visit = func(label int, r *region, model *step) error {
		if seen[label] {
			return fmt.Errorf("node %d is reached twice", label)
		}
		seen[label] = true
		n := p.nodes[label]
		if n == nil {
			n = &node{}
		}
		var fixed []int
		defer func() {
			for x := len(fixed) - 1; x >= 0; x-- {
				r.release(fixed[x])
			}
		}()
		for x := range n.steps {
			s := &n.steps[x]
			if s.kind == byModel {
				model = s
				tell(r, s, model)
				continue
			}
			for y, unit := range slices.Concat(s.within, s.without) {
				if r.state[unit] != free {
					return fmt.Errorf("node %d fixes %d, which is fixed already", label, unit)
				}
				to, other := within, without
				if y >= len(s.within) {
					to, other = without, within
				}
				r.fix(unit, other)
				tell(r, s, model)
				r.release(unit)
				r.fix(unit, to)
				fixed = append(fixed, unit)
			}
		}
		if r.empty() {
			return nil
		}
		if !n.ended {
			tell(r, &step{kind: byNothing}, model)
			return nil
		}
		s := &n.steps[len(n.steps)-1]
		if s.kind != split {
			tell(r, s, model)
			return nil
		}
		if r.state[s.unit] != free {
			return fmt.Errorf("node %d splits on %d, which is fixed already", label, s.unit)
		}
		for _, part := range []struct {
			label int
			to    int8
		}{{s.inside, within}, {s.outside, without}} {
			r.fix(s.unit, part.to)
			err := visit(part.label, r, model)
			r.release(s.unit)
			if err != nil {
				return err
			}
		}
		return nil
	}
	return visit(0, root, nil)
}

// leafOf is the region as something to enumerate; nil if it is too large, or has
// units of several features.
func (r *region) leafOf(units [][]int) *leaf {
	l := &leaf{left: r.left}
	for u, state := range r.state {
		if state == without || state == free && !r.open(u) {
			continue
		}
		if len(units[u]) != 1 {
			return nil
		}
		if state == within {
			l.in = append(l.in, units[u][0])
		} else {
			l.candidates = append(l.candidates, units[u][0])
		}
	}
	if l.left == 0 { // a single selection: its last unit is the only candidate
		if len(l.in) == 0 {
			return nil
		}
		last := len(l.in) - 1
		l.candidates, l.in, l.left = l.in[last:], l.in[:last], 1
	}
	if l.count() > mostEnumerated {
		return nil
	}
	return l
}

// selections calls f for every selection of the region, in lexicographic order of
// the free units, until it returns false. The slice is reused.
func (r *region) selections(f func(units []int) bool) {
	var candidates []int
	for u := range r.state {
		if r.open(u) {
			candidates = append(candidates, u)
		}
	}
	selection := make([]int, 0, len(r.in)+r.left)
	var choose func(from, left int, chosen []int) bool
	choose = func(from, left int, chosen []int) bool {
		if left == 0 {
			selection = append(append(selection[:0], r.in...), chosen...)
			slices.Sort(selection)
			return f(selection)
		}
		for x := from; x+left <= len(candidates); x++ {
			if !choose(x+1, left-1, append(chosen, candidates[x])) {
				return false
			}
		}
		return true
	}
	choose(0, r.left, make([]int, 0, r.left))
}
