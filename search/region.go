package search

import (
	"math"
	"slices"
)

// A region is a part of the search space: selections of k features that
// contain those fixed in and none of those fixed out.
type region struct {
	state []int8 // of each feature
	left  int    // how many free features must still be selected
	free  int    // how many features are free
}

const (
	free int8 = iota
	in        // in every selection of the region
	out       // in none
)

func newRegion(p, k int, always, never []int) region {
	r := region{state: make([]int8, p), left: k, free: p}
	for _, j := range always {
		r.fix(j, in)
	}
	for _, j := range never {
		r.fix(j, out)
	}
	return r
}

func (r region) clone() region {
	r.state = slices.Clone(r.state)
	return r
}

// fix takes feature j out of the free ones.
func (r *region) fix(j int, to int8) {
	if r.state[j] == to {
		return
	}
	r.state[j] = to
	r.free--
	if to == in {
		r.left--
	}
}

// empty tells that no selection is left.
func (r *region) empty() bool { return r.left < 0 || r.left > r.free }

// fixedIn is the features of every selection of the region, increasing.
func (r *region) fixedIn() []int {
	var list []int
	for j, s := range r.state {
		if s == in {
			list = append(list, j)
		}
	}
	return list
}

// freeOnes is the free features, increasing.
func (r *region) freeOnes() []int {
	var list []int
	for j, s := range r.state {
		if s == free {
			list = append(list, j)
		}
	}
	return list
}

// single tells that just one selection is left, and returns it.
func (r *region) single() ([]int, bool) {
	if r.left != 0 && r.left != r.free {
		return nil, false
	}
	var selection []int
	for j, s := range r.state {
		if s == in || (s == free && r.left > 0) {
			selection = append(selection, j)
		}
	}
	return selection, true
}

// completions is the number of selections in the region, +Inf when huge.
func (r *region) completions() float64 {
	n := 1.0
	for i := range min(r.left, r.free-r.left) {
		n *= float64(r.free-i) / float64(i+1)
	}
	return n
}

// bounder computes bounds of cuts over regions, reusing its memory.
type bounder struct {
	free []float64
}

// bound is the least value of the cut over the region, lowered by the rounding
// of the sums: constant + Σ over fixed-in + the least `left` free gradients.
// It also returns the largest gradient that was taken and the smallest that
// was not (−Inf, +Inf where there is none), which price the other choices.
func (b *bounder) bound(c *cut, r *region) (value, taken, next float64) {
	value, size := c.constant, math.Abs(c.constant)
	terms := 2 + r.left
	b.free = b.free[:0]
	for j, s := range r.state {
		switch s {
		case in:
			value += c.gradient[j]
			size += math.Abs(c.gradient[j])
			terms++
		case free:
			b.free = append(b.free, c.gradient[j])
		}
	}
	taken, next = math.Inf(-1), math.Inf(1)
	if r.left > 0 {
		selectSmallest(b.free, r.left)
		for _, g := range b.free[:r.left] {
			value += g
			size += math.Abs(g)
			taken = max(taken, g)
		}
	}
	for _, g := range b.free[r.left:] {
		next = min(next, g)
	}
	return value - 1.2e-16*float64(terms)*size, taken, next
}

// selectSmallest reorders x so that its k smallest values stand first.
func selectSmallest(x []float64, k int) {
	lo, hi := 0, len(x)
	for hi-lo > 16 {
		// median of three as the pivot
		a, b, c := x[lo], x[(lo+hi)/2], x[hi-1]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi-1
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j+1:
			hi = j + 1
		case k >= i:
			lo = i
		default:
			return
		}
	}
	slices.Sort(x[lo:hi])
}
