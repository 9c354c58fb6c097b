package proof

import (
	"context"
	"math"
	"slices"
)

// mostListed is how many selections of a region are looked at by a model.
const mostListed = 1 << 20

// tangents is a model in the region that it was made for. Its value at a selection is
//
//	base + Σ_j single_j + 2 Σ_{j<l} Q_jl   over the units selected of those free in the region.
//
// For any A that is Q but for its diagonal, this is base + Σ_j (single_j − A_jj) s_j + sᵀAs. If a
// computed Cholesky factorisation of A goes to its end, A + τI is positive semidefinite for
// τ = 2γ_{f+1}·tr A (Higham, theorem 10.3), and then for every y
//
//	sᵀAs ≥ 2yᵀAs − yᵀAy − τ‖s−y‖²,
//
// a tangent, whose least value in a region is found by sorting. Nothing depends on which
// y are taken, and on which A.
type tangents struct {
	*model
	free   []int // places of the units that are free in the region
	place  []int // of each unit among all of the model
	base   float64
	single []float64
	a      []float64 // of the free ones; nil: it is not positive semidefinite
	margin float64   // by which rounding may have raised any value
}

// in is the model in its region, with a diagonal of A.
func (m *model) in(r *region, diagonal []float64) *tangents {
	f := len(m.units)
	t := &tangents{model: m, place: slices.Repeat([]int{none}, len(r.state))}
	var inside []int
	own, largest, steepest, far := make([]float64, f), 0.0, 0.0, 3*float64(m.k)
	t.base = m.constant
	for x, u := range m.units {
		sum := 0.0
		for y, w := range m.w {
			sum += m.q[x*f+y] * w
			largest = max(largest, math.Abs(m.q[x*f+y]))
		}
		t.base += m.w[x] * sum
		own[x] = m.q[x*f+x] - m.slope[x] - 2*sum
		steepest = max(steepest, m.slope[x])
		far += m.w[x]
		if t.place[u] = x; r.state[u] == free {
			t.free = append(t.free, x)
		} else {
			inside = append(inside, x)
		}
	}
	with := func(x int, others []int) float64 {
		sum := own[x]
		for _, y := range others {
			sum += 2 * m.q[x*f+y]
		}
		return sum
	}
	for i, x := range inside {
		t.base += with(x, inside[:i])
	}
	for _, x := range t.free {
		t.single = append(t.single, with(x, inside))
	}
	trace := t.flatten(diagonal)
	for _, v := range t.a {
		largest = max(largest, math.Abs(v))
	}
	// Every value is a sum of products that go through no more than 4f + 40 roundings; they
	// are the constant, k slopes, and elements of Q or A between weights whose sum is no
	// more than far, on both sides.
	size := math.Abs(m.constant) + float64(m.k)*steepest + 4*largest*(far+1)*(far+1)
	t.margin = 4*gam(4*f+40)*size + 2*gam(f+2)*trace*far + tiny
	return t
}

// flatten makes A with the diagonal, or a little more where rounding has made it indefinite.
func (t *tangents) flatten(diagonal []float64) (trace float64) {
	f := len(t.free)
	if len(diagonal) != f {
		return 0
	}
	a, mean := make([]float64, f*f), 0.0
	for x, i := range t.free {
		for y, j := range t.free {
			a[x*f+y] = t.q[i*len(t.units)+j]
		}
		a[x*f+x] = diagonal[x]
		mean += math.Abs(diagonal[x]) / float64(f)
	}
	for by := 1e-10; by < 1e-5; by *= 10 {
		if factor(slices.Clone(a), f, false) {
			t.a = a
			for x := range f {
				trace += math.Abs(a[x*f+x])
			}
			return trace
		}
		for x := range f {
			a[x*f+x] += by * mean
		}
	}
	return 0
}

// at is the tangent at a point, as a cut of the units. One that the margin is not made for
// says nothing.
func (t *tangents) at(p point) *cut {
	f := len(t.free)
	y, slope := make([]float64, f), make([]float64, len(t.place))
	weights := make(map[int]float64, len(p.units))
	for x, u := range p.units {
		weights[u] = p.weights[x]
	}
	sum, fits := 0.0, t.a != nil
	for x, place := range t.free {
		y[x] = weights[t.units[place]]
		sum += y[x]
		fits = fits && y[x] <= 1
	}
	constant := math.Inf(-1)
	if fits && sum <= 2*float64(t.k) {
		constant = t.base - t.margin
		for x, place := range t.free {
			along := 0.0
			for z, v := range t.a[x*f:][:f] {
				along += v * y[z]
			}
			slope[t.units[place]] = t.a[x*f+x] - t.single[x] - 2*along
			constant -= y[x] * along
		}
	}
	out := &cut{constant: constant, slope: slope}
	out.sort()
	return out
}

// list bounds the selections of a part of the region that the model rules out, and lists the
// others, by their places.
func (t *tangents) list(ctx context.Context, r *region, target float64) (found [][]int, floor float64) {
	f := len(t.units)
	floor = math.Inf(1)
	among := make([]int, f) // the place of each among the free ones, from 1
	for x, place := range t.free {
		among[place] = x + 1
	}
	r.selections(func(units []int) bool {
		var places []int
		value := t.base
		for _, u := range units {
			x := t.place[u]
			if x == none { // it has no room: its family is full
				return true
			}
			if among[x] > 0 {
				sum := t.single[among[x]-1]
				for _, y := range places {
					if among[y] > 0 {
						sum += 2 * t.q[x*f+y]
					}
				}
				value += sum
			}
			places = append(places, x)
		}
		if value -= t.margin; value >= target {
			floor = min(floor, value)
		} else {
			found = append(found, places)
		}
		return ctx.Err() == nil
	})
	return found, floor
}
