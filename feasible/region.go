package feasible

import (
	"cmp"
	"math"
	"slices"
)

// Region is a part of the search space: selections of k features that
// contain those fixed in and none of those fixed out.
type Region struct {
	State []int8 // of each feature
	Left  int    // how many free features must still be selected
	Free  int    // how many features are free
}

// States of a feature in a region.
const (
	Free int8 = iota
	In        // in every selection of the region
	Out       // in none
)

// Clone is a copy that shares nothing.
func (r Region) Clone() Region {
	r.State = slices.Clone(r.State)
	return r
}

// Fix takes feature j out of the free ones.
func (r *Region) Fix(j int, to int8) {
	if r.State[j] == to {
		return
	}
	r.State[j] = to
	r.Free--
	if to == In {
		r.Left--
	}
}

// Empty tells that no selection is left.
func (r *Region) Empty() bool { return r.Left < 0 || r.Left > r.Free }

// Inside is the features of every selection of the region, increasing.
func (r *Region) Inside() []int {
	var list []int
	for j, s := range r.State {
		if s == In {
			list = append(list, j)
		}
	}
	return list
}

// Open is the free features, increasing.
func (r *Region) Open() []int {
	var list []int
	for j, s := range r.State {
		if s == Free {
			list = append(list, j)
		}
	}
	return list
}

// Single tells that just one selection is left, and returns it.
func (r *Region) Single() ([]int, bool) {
	if r.Left != 0 && r.Left != r.Free {
		return nil, false
	}
	var selection []int
	for j, s := range r.State {
		if s == In || (s == Free && r.Left > 0) {
			selection = append(selection, j)
		}
	}
	return selection, true
}

// Completions is the number of selections in the region, +Inf when huge.
func (r *Region) Completions() float64 {
	n := 1.0
	for i := range min(r.Left, r.Free-r.Left) {
		n *= float64(r.Free-i) / float64(i+1)
	}
	return n
}

// Bounder computes bounds of cuts over regions, reusing its memory. Rules, if there are
// any, are those whose families it knows.
type Bounder struct {
	Rules *Rules

	values      []float64 // of the free features
	taken, next float64
	order       []int     // with families: the free features by rising gradient
	took        []bool    // which of them were taken
	room        []int     // of each family
	most, least []float64 // of each family, the largest gradient taken and the smallest not
}

// Least is the least value of a cut over the region, lowered by the rounding
// of the sums: constant + Σ over fixed-in + the least `Left` free gradients, of each
// family no more than it may have. (What requirements allow may be less: the value is a
// bound all the same.)
// It also returns the largest gradient that was taken and the smallest that
// could take its place (−Inf, +Inf where there is none).
func (b *Bounder) Least(constant float64, gradient []float64, r *Region) (value, taken, next float64) {
	value, size := constant, math.Abs(constant)
	terms := 2 + r.Left
	b.values = b.values[:0]
	for j, s := range r.State {
		switch s {
		case In:
			value += gradient[j]
			size += math.Abs(gradient[j])
			terms++
		case Free:
			b.values = append(b.values, gradient[j])
		}
	}
	taken, next = math.Inf(-1), math.Inf(1)
	if b.families() {
		b.choose(gradient, r)
		taken, next = b.taken, b.next
	} else if r.Left > 0 {
		selectSmallest(b.values, r.Left)
	}
	for _, g := range b.values[:r.Left] {
		value += g
		size += math.Abs(g)
		taken = max(taken, g)
	}
	if !b.families() {
		for _, g := range b.values[r.Left:] {
			next = min(next, g)
		}
	}
	b.taken, b.next = taken, next
	return value - 1.2e-16*float64(terms)*size, taken, next
}

// Other is what it adds to the least value computed last that a free feature with this
// gradient goes the other way, which is to.
func (b *Bounder) Other(j int, gradient float64) (to int8, more float64) {
	if b.families() {
		return b.swap(j, gradient)
	}
	if gradient >= b.next {
		return Out, gradient - b.taken
	}
	return In, b.next - gradient
}

func (b *Bounder) families() bool { return b.Rules != nil && len(b.Rules.set.Families) > 0 }

// choose puts the gradients that the least selection takes first. Taking the smallest
// that a family has room for is exact, as the families are disjoint: what may be selected
// is a matroid.
func (b *Bounder) choose(gradient []float64, r *Region) {
	families := b.Rules.set.Families
	b.room, b.most, b.least = b.room[:0], b.most[:0], b.least[:0]
	for f := range families {
		b.room = append(b.room, b.Rules.room(f, r))
		b.most, b.least = append(b.most, math.Inf(-1)), append(b.least, math.Inf(1))
	}
	b.order = b.order[:0]
	for j, s := range r.State {
		if s == Free {
			b.order = append(b.order, j)
		}
	}
	slices.SortStableFunc(b.order, func(x, y int) int { return cmp.Compare(gradient[x], gradient[y]) })
	b.took = append(b.took[:0], make([]bool, len(r.State))...)
	left := r.Left
	var others []float64
	b.values, b.taken, b.next = b.values[:0], math.Inf(-1), math.Inf(1)
	for _, j := range b.order {
		f, g := b.Rules.family[j], gradient[j]
		if left > 0 && (f < 0 || b.room[f] > 0) {
			left--
			b.took[j] = true
			b.values = append(b.values, g)
			b.taken = g
			if f >= 0 {
				b.room[f]--
				b.most[f] = max(b.most[f], g)
			}
			continue
		}
		others = append(others, g)
		if f >= 0 {
			b.least[f] = min(b.least[f], g)
		}
	}
	for _, j := range b.order {
		if f := b.Rules.family[j]; !b.took[j] && (f < 0 || b.room[f] > 0) {
			b.next = gradient[j]
			break
		}
	}
	b.values = append(b.values, others...) // where the families have too little room, the region is empty
}

// swap is Other among families: what comes in takes the place of one of its own family
// where that is full; what goes is followed by one that a family has room for, or of its own.
func (b *Bounder) swap(j int, gradient float64) (to int8, more float64) {
	f := b.Rules.family[j]
	full := f >= 0 && b.room[f] == 0
	switch {
	case !b.took[j] && full:
		return Out, gradient - b.most[f]
	case !b.took[j]:
		return Out, gradient - b.taken
	}
	next := b.next
	if f >= 0 {
		next = min(next, b.least[f])
	}
	return In, next - gradient
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
