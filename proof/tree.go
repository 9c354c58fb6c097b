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
	}
}

func (r *region) release(unit int) {
	if r.state[unit] == within {
		r.in = r.in[:len(r.in)-1]
		r.left++
	}
	r.state[unit] = free
	r.free++
}

func (r *region) empty() bool { return r.left < 0 || r.left > r.free }

// root is all selections that the problem allows.
func (p *Problem) root(units int) *region {
	r := &region{state: make([]int8, units), free: units, left: p.K}
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

// bound is the least value of the cut over the region, or less; +Inf where the
// region has no selections.
func (c *cut) bound(r *region) float64 {
	if r.empty() {
		return math.Inf(1)
	}
	value := c.constant
	for _, u := range r.in {
		value = down(value - c.slope[u])
	}
	left := r.left
	for _, u := range c.order {
		if left == 0 {
			break
		}
		if r.state[u] == free {
			value = down(value - c.slope[u])
			left--
		}
	}
	return value
}

// visitor is called once for each region that is ruled out, with its cut, or none
// if the region is to be enumerated. With model, it is ruled out by the model from there.
type visitor func(r *region, cut int, model bool)

// unproven stands for the cut of a region that nothing closes.
const unproven = -2

// walk goes through the tree from the root. Whatever the proof says, the regions
// visited cover all selections.
func (p *Proof) walk(root *region, tell visitor) error {
	seen := make(map[int]bool, len(p.nodes))
	var visit func(label int, r *region) error
	visit = func(label int, r *region) error {
		if seen[label] {
			return fmt.Errorf("node %d is reached twice", label)
		}
		seen[label] = true
		n := p.nodes[label]
		if n == nil {
			n = &node{split: none, cut: none}
		}
		fixed := 0
		defer func() {
			for ; fixed > 0; fixed-- {
				r.release(n.fixes[fixed-1].unit)
			}
		}()
		for _, f := range n.fixes {
			if r.state[f.unit] != free {
				return fmt.Errorf("node %d fixes %d, which is fixed already", label, f.unit)
			}
			to, other := within, without
			if !f.in {
				to, other = without, within
			}
			r.fix(f.unit, other)
			tell(r, f.cut, false)
			r.release(f.unit)
			r.fix(f.unit, to)
			fixed++
		}
		switch {
		case r.empty():
		case n.split != none:
			if r.state[n.split] != free {
				return fmt.Errorf("node %d splits on %d, which is fixed already", label, n.split)
			}
			r.fix(n.split, within)
			err := visit(n.inside, r)
			r.release(n.split)
			if err != nil {
				return err
			}
			r.fix(n.split, without)
			err = visit(n.outside, r)
			r.release(n.split)
			return err
		case n.enumerated:
			tell(r, none, false)
		case n.cut != none:
			tell(r, n.cut, n.model)
		default:
			tell(r, unproven, false)
		}
		return nil
	}
	return visit(0, root)
}

// leafOf is the region as something to enumerate; nil if it is too large, or has
// units of several features.
func (r *region) leafOf(units [][]int) *leaf {
	l := &leaf{left: r.left}
	for u, state := range r.state {
		if state == without {
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
	for u, state := range r.state {
		if state == free {
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
