package proof

import (
	"context"
	"math"
	"slices"
)

// How much is done for one model: nodes times the square of the features, and
// selections that are not ruled out.
const (
	modelWork  = 1 << 30
	mostListed = 1 << 15
)

// modelTree lists the selections of a region that a model does not rule out, by
// branch and bound.
//
// For any A that is Q but for its diagonal, d = diag(Q − A) and a selection s,
//
//	(s−w)ᵀQ(s−w) = (s−w)ᵀA(s−w) + Σ_j d_j ((1 − 2w_j)s_j + w_j²).
//
// If a computed Cholesky factorisation of A goes to its end, A + τI is positive
// semidefinite for τ = 2γ_{f+1}·tr A (Higham, theorem 10.3), and then for every y
//
//	(s−w)ᵀA(s−w) ≥ 2(y−w)ᵀA(s−w) − (y−w)ᵀA(y−w) − τ‖s−y‖²,
//
// a tangent, whose least value in a region is found by sorting. Nothing depends on which
// y are taken, and on which A.
type modelTree struct {
	*model
	a, d     []float64
	target   float64
	base     float64   // the value of no unit, and
	own      []float64 // what each adds to it, beside 2Q_jl for every pair
	margin   float64   // by which rounding may have raised any bound
	ctx      context.Context
	nodes    int
	most     int
	floor    float64 // least bound of what was ruled out
	found    [][]int // places of the units of the others
	gradient []float64
	moving   []float64
	away     []float64
	sorted   []float64
}

// list runs the tree in a region, from the target on. Not ok: it would take too long,
// or the context was cancelled.
func (m *model) list(ctx context.Context, r *region, target float64) (found [][]int, floor float64, ok bool) {
	f := len(m.units)
	t := &modelTree{model: m, ctx: ctx, target: target, floor: math.Inf(1), most: modelWork / (f*f + 1)}
	t.gradient, t.moving, t.away = make([]float64, f), make([]float64, f), make([]float64, f)
	trace, ok := t.flatten()
	if !ok {
		return nil, 0, false
	}
	t.base, t.own, t.d = m.constant, make([]float64, f), make([]float64, f)
	largest, steepest, far := 0.0, 0.0, 3*float64(m.k)
	for x := range f {
		sum := 0.0
		for y, w := range m.w {
			sum += m.q[x*f+y] * w
			largest = max(largest, math.Abs(m.q[x*f+y]), math.Abs(t.a[x*f+y]))
		}
		t.base += m.w[x] * sum
		t.own[x] = m.q[x*f+x] - m.slope[x] - 2*sum
		t.d[x] = m.q[x*f+x] - t.a[x*f+x]
		steepest = max(steepest, m.slope[x])
		far += m.w[x]
	}
	// Every value is a sum of products that go through no more than 4f + 40 roundings; they
	// are the constant, k slopes, and elements of Q, A or d between weights whose sum is no
	// more than far, on both sides.
	size := math.Abs(m.constant) + float64(m.k)*steepest + 4*largest*(far+1)*(far+1)
	t.margin = 4*gam(4*f+40)*size + 2*gam(f+2)*trace*far + tiny
	if !(t.margin < math.Inf(1)) {
		return nil, 0, false
	}
	own := &region{state: make([]int8, f), free: f, left: m.k}
	for x, u := range m.units {
		if r.state[u] == within {
			own.fix(x, within)
		}
	}
	ok = t.visit(own, slices.Clone(m.w))
	return t.found, t.floor, ok
}

// flatten finds A: of each feature, some times in turn, a part of the room that its
// diagonal has, 1/(A⁻¹)_jj, is taken away; then as much is added as makes A definite.
func (t *modelTree) flatten() (trace float64, ok bool) {
	const part, rounds = 0.3, 12
	f := len(t.units)
	mean := 0.0
	for x := range f {
		mean += t.q[x*f+x] / float64(f)
	}
	raise := func(a []float64, by float64) {
		for x := range f {
			a[x*f+x] += by * mean
		}
	}
	t.a = slices.Clone(t.q)
	raise(t.a, 1e-9)
	l, columns, inverse := slices.Clone(t.a), make([]float64, f*f), make([]float64, f*f)
	if positive(l, f) {
		invert(l, columns, f)
		for x := range f {
			for y := range f {
				for i := max(x, y); i < f; i++ {
					inverse[x*f+y] += columns[x*f+i] * columns[y*f+i]
				}
			}
		}
		row := make([]float64, f)
		for range rounds {
			for x := range f {
				less := part / inverse[x*f+x]
				t.a[x*f+x] -= less
				copy(row, inverse[x*f:])
				for y := range f { // A⁻¹ after the change (Sherman and Morrison)
					by := less / (1 - part) * row[y]
					for z, v := range row {
						inverse[y*f+z] += by * v
					}
				}
			}
		}
	}
	for by := 1e-7; by < 1e4; by *= 10 {
		raise(t.a, by)
		copy(l, t.a)
		if positive(l, f) {
			for x := range f {
				trace += math.Abs(t.a[x*f+x])
			}
			return trace, true
		}
	}
	return 0, false
}

// tangent is that at y: its least value in the region, and its slopes there. taken and
// next are the slopes between which the free units that are selected end.
func (t *modelTree) tangent(r *region, y []float64) (value, taken, next float64) {
	f := len(t.units)
	sum := 0.0
	for x, v := range y {
		t.away[x] = v - t.w[x]
		if sum += v; !(v >= 0 && v <= 1) || sum > 2*float64(t.k) {
			return math.Inf(-1), 0, 0 // the margin is not made for that
		}
	}
	value = t.constant
	t.sorted = t.sorted[:0]
	inside := 0.0
	for x, w := range t.w {
		along := 0.0
		for z, v := range t.a[x*f:][:f] {
			along += v * t.away[z]
		}
		t.gradient[x] = t.d[x]*(1-2*w) - t.slope[x] + 2*along
		value += t.d[x]*w*w - along*(y[x]+w)
		switch r.state[x] {
		case free:
			t.sorted = append(t.sorted, t.gradient[x])
		case within:
			inside += t.gradient[x]
		}
	}
	value += inside
	slices.Sort(t.sorted)
	taken, next = math.Inf(-1), math.Inf(1)
	for x, g := range t.sorted {
		if x == r.left {
			next = g
			break
		}
		value += g
		taken = g
	}
	if value -= t.margin; math.IsNaN(value) {
		value = math.Inf(-1)
	}
	return value, taken, next
}

// visit rules out or lists the selections of a region; y is where it begins.
func (t *modelTree) visit(r *region, y []float64) bool {
	if t.nodes++; t.nodes > t.most || t.nodes%256 == 0 && t.ctx.Err() != nil {
		return false
	}
	var fixed []int
	defer func() {
		for x := len(fixed) - 1; x >= 0; x-- {
			r.release(fixed[x])
		}
	}()
	for narrowed := true; narrowed; {
		if r.empty() {
			return true
		}
		if r.left <= 2 || r.left == r.free {
			return t.leaf(r)
		}
		conform(y, r)
		value, taken, next := t.relax(r, y)
		if value >= t.target {
			t.floor = min(t.floor, value)
			return true
		}
		before := len(fixed)
		for x, g := range t.gradient {
			if r.state[x] != free || r.left == 0 || r.left == r.free {
				continue
			}
			to, bound := without, value+(g-taken)
			if g < next {
				to, bound = within, value+(next-g)
			}
			if bound >= t.target {
				t.floor = min(t.floor, bound)
				r.fix(x, to)
				fixed = append(fixed, x)
			}
		}
		narrowed = len(fixed) > before
	}
	branch, score := -1, -1.0
	for x, v := range y {
		if s := v * (1 - v) * math.Abs(t.own[x]); r.state[x] == free && s > score {
			branch, score = x, s
		}
	}
	if branch < 0 {
		branch = slices.Index(r.state, free)
	}
	for _, to := range []int8{within, without} {
		r.fix(branch, to)
		ok := t.visit(r, slices.Clone(y))
		r.release(branch)
		if !ok {
			return false
		}
	}
	return true
}

// conform moves y into the region's relaxation.
func conform(y []float64, r *region) {
	sum, left, count := 0.0, float64(r.left), float64(r.free)
	for x, state := range r.state {
		if state == free {
			y[x] = min(max(y[x], 0), 1)
			sum += y[x]
		} else {
			y[x] = 0
			if state == within {
				y[x] = 1
			}
		}
	}
	for x, state := range r.state {
		switch {
		case state != free:
		case sum > left:
			y[x] *= left / sum
		case sum < left:
			y[x] = min(1, y[x]+(1-y[x])*(left-sum)/(count-sum))
		}
	}
}

// relax moves y towards the least value of the region's relaxation, by weight that goes
// from one unit to another, and gives the last tangent, or the first that is enough.
func (t *modelTree) relax(r *region, y []float64) (value, taken, next float64) {
	f := len(t.units)
	for step := 0; ; step++ {
		if step%8 == 0 {
			if value, taken, next = t.tangent(r, y); value >= t.target {
				return value, taken, next
			}
			copy(t.moving, t.gradient)
		}
		i, steepest, flattest := -1, math.Inf(1), math.Inf(-1)
		for x, g := range t.moving {
			if r.state[x] == free {
				if y[x] < 1 && g < steepest {
					i, steepest = x, g
				}
				if y[x] > 0 {
					flattest = max(flattest, g)
				}
			}
		}
		j, gain, move := -1, 0.0, 0.0
		if i >= 0 && step < 4*r.free && flattest-steepest > 1e-4*math.Abs(steepest) {
			for x, g := range t.moving {
				if diff := g - steepest; r.state[x] == free && y[x] > 0 && diff > 0 {
					curve := max(2*(t.a[i*f+i]+t.a[x*f+x]-2*t.a[i*f+x]), 1e-300)
					if by := diff * diff / curve; by > gain {
						j, gain, move = x, by, diff/curve
					}
				}
			}
		}
		if j < 0 {
			if step%8 != 0 {
				value, taken, next = t.tangent(r, y)
			}
			return value, taken, next
		}
		move = min(move, 1-y[i], y[j])
		y[i] = min(y[i]+move, 1)
		if y[j] -= move; y[j] < 1e-12 {
			y[j] = 0
		}
		for x := range f {
			t.moving[x] += 2 * move * (t.a[i*f+x] - t.a[j*f+x])
		}
	}
}

// leaf looks at every selection of a region with no choice, or two units left to select
// or fewer.
func (t *modelTree) leaf(r *region) bool {
	var inside, others []int
	left := r.left
	for x, state := range r.state {
		if state == free && left < r.free {
			others = append(others, x)
		} else if state != without {
			inside = append(inside, x)
		}
	}
	value := t.base
	for i, x := range inside {
		value += t.with(inside[:i], x)
	}
	if left == 0 || left == r.free {
		return t.offer(value, inside)
	}
	for i, x := range others {
		one := value + t.with(inside, x)
		if left == 1 {
			if !t.offer(one, inside, x) {
				return false
			}
			continue
		}
		for _, y := range others[:i] {
			if !t.offer(one+t.with(inside, y)+2*t.q[x*len(t.units)+y], inside, x, y) {
				return false
			}
		}
	}
	return true
}

// with is what a unit adds to the value of others.
func (t *modelTree) with(others []int, x int) float64 {
	sum := t.own[x]
	for _, y := range others {
		sum += 2 * t.q[x*len(t.units)+y]
	}
	return sum
}

// offer rules a selection out by its value, or lists it unless there are too many.
func (t *modelTree) offer(value float64, inside []int, more ...int) bool {
	if value -= t.margin; value >= t.target {
		t.floor = min(t.floor, value)
		return true
	}
	selection := slices.Concat(inside, more)
	slices.Sort(selection)
	t.found = append(t.found, selection)
	return len(t.found) <= mostListed
}
