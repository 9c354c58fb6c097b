package milp

import (
	"container/heap"
	"math"
	"slices"
)

// candidates is how many fractional features are looked at by a dual simplex
// step before one is branched on.
const candidates = 12

// learn records how much a branching raised the bound.
func (t *tree) learn(at *node, rise float64) {
	if at.parent == nil || len(at.fixed) != 1 {
		return
	}
	j, v := at.fixed[0]>>1, at.fixed[0]&1
	side := &t.down[j]
	if v == 1 {
		side = &t.up[j]
	}
	side.sum += max(rise, 0)
	side.n++
}

// branch splits the node on one feature, keeps one child for later and returns
// the other.
func (t *tree) branch(at *node) *node {
	j, down, up := t.pick()
	saved := t.l.save()
	out := &node{parent: at, fixed: []int32{int32(j) << 1}, basis: saved, bound: at.bound}
	in := &node{parent: at, fixed: []int32{int32(j)<<1 | 1}, basis: saved, bound: at.bound}
	at.basis = nil
	first, later, v := in, out, 1.0
	if down < up {
		first, later, v = out, in, 0
	}
	heap.Push(&t.open, later)
	t.l.fix(j, v)
	return first
}

// pick chooses the feature to branch on by how much both children raise the
// bound in one long dual simplex step, and returns these rises.
func (t *tree) pick() (feature int, down, up float64) {
	l := t.l
	type option struct {
		position int
		score    float64
	}
	var options []option
	for i := 1; i < len(l.basic); i++ {
		j := l.basic[i]
		x := l.x[i]
		if l.lower[j] == l.upper[j] || x < 1e-9 || x > 1-1e-9 {
			continue
		}
		score := min(x, 1-x)
		if d, u := t.down[j], t.up[j]; d.n > 0 && u.n > 0 {
			score += 1e3 * (d.sum / float64(d.n)) * (u.sum / float64(u.n)) / (1 + math.Abs(l.x[0]))
		}
		options = append(options, option{i, score})
	}
	slices.SortStableFunc(options, func(a, b option) int {
		if a.score > b.score {
			return -1
		} else if a.score < b.score {
			return 1
		}
		return 0
	})
	if len(options) > candidates {
		options = options[:candidates]
	}
	feature = -1
	best := math.Inf(-1)
	tiny := 1e-9 * (1 + math.Abs(l.x[0]))
	for _, o := range options {
		d, u := l.look(o.position)
		if score := max(d, tiny) * max(u, tiny); score > best {
			best, feature, down, up = score, l.basic[o.position], d, u
		}
	}
	if feature >= 0 {
		return feature, down, up
	}
	// All weights are integral, yet the proof fell short of the limit (by
	// rounding, or an early stop): any free feature will do.
	p := &t.proof
	least := math.Inf(1)
	for _, j := range p.order {
		if l.lower[j] != l.upper[j] {
			if a := math.Abs(p.key[j] - p.last); feature < 0 || a < least {
				least, feature = a, j
			}
		}
	}
	return feature, 1, 0
}

// look returns by how much the bound would rise at least if the basic feature
// at a position were fixed to 0 and to 1.
func (l *relaxation) look(position int) (down, up float64) {
	r := &l.ray
	r.leaving = position
	l.aim()
	r.sign, r.slope = 1, l.x[position]
	down = math.Inf(1)
	if l.test() {
		down = r.gain
	}
	r.sign, r.slope = -1, 1-l.x[position]
	up = math.Inf(1)
	if l.test() {
		up = r.gain
	}
	return down, up
}
