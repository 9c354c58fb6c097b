package objective

import (
	"context"
	"math"
	"slices"

	"optcomplete/internal/kernel"
	"optcomplete/search"
)

// Effort estimates how long Enumerate takes for left out of free features, as a
// multiple of an evaluation and what the search does with it; +Inf means never.
func (o *Quadratic) Effort(freeFeatures, left int) float64 {
	selections := kernel.Choose(freeFeatures, left)
	largest := 0.0
	for _, norm := range o.norm {
		largest = max(largest, o.gamma*norm*norm)
	}
	if selections > enumerateMost || largest > enumerateReach || float64(o.columns.most) < 2*float64(freeFeatures) {
		return math.Inf(1)
	}
	work := 4*selections + float64(freeFeatures*freeFeatures)*2
	return work / (64*float64(o.p) + 8000)
}

// Enumerate computes the cost of every selection of a region; see search.Enumerator. Digits cancel as in [Exact.Enumerate],
// and margin adds up the same.
func (o *Quadratic) Enumerate(ctx context.Context, r search.Region) (search.Listing, error) {
	candidates := r.Candidates
	count := int(kernel.Choose(len(candidates), r.Left))
	if r.Left < 1 || count < 1 || count > enumerateMost {
		panic("objective: not a number of selections to enumerate")
	}
	order := append(slices.Clone(candidates), r.In...) // those in are eliminated first, from the end
	slots, err := o.columns.need(ctx, order, o.likely)
	if err != nil {
		return search.Listing{}, err
	}
	walk := subsetWalk{floor: 1 / o.gamma}
	first := walk.room(0, len(order))
	largest := 0.0
	for x, slot := range slots {
		column := o.columns.at(slot)
		for y, j := range order[:x+1] {
			first.k[kernel.Tri(x)+y] = column[j]
		}
		largest = max(largest, first.k[kernel.Tri(x)+x])
		first.k[kernel.Tri(x)+x] += 1 / o.gamma
		first.y[x] = o.y[order[x]]
	}
	base := 0.0
	for n := len(order); n > len(candidates); n-- {
		base += walk.eliminate(0, 0, n-1)
	}
	costs := make([]float64, count)
	walk.gains(0, costs, len(candidates), r.Left, base)
	if err := ctx.Err(); err != nil {
		return search.Listing{}, err
	}
	for i, gain := range costs {
		costs[i] = (o.squares - gain) * o.scale
	}
	k := float64(len(r.In) + r.Left)
	margin := (8*k*k*1.2e-16 + o.products.Rounding()*k) * o.squares * (1 + o.gamma*largest) * o.scale
	return pick(costs, r, margin), nil
}

// subsetWalk is [kernel.Subsets] for a single row: the same walk over all
// choices of features, by Schur complements, on plain numbers.
//
// No pivot is below 1/γ in exact arithmetic, so one that rounding takes there is
// raised to it: that is nearer the truth, and nothing becomes infinite.
type subsetWalk struct {
	levels []*subsetLevel
	floor  float64
}

// subsetLevel is the problem on the features that are left: a packed triangle,
// its right-hand side and a copy of its diagonal.
type subsetLevel struct{ k, y, diagonal []float64 }

func (s *subsetWalk) room(depth, n int) *subsetLevel {
	for len(s.levels) <= depth {
		s.levels = append(s.levels, &subsetLevel{})
	}
	l := s.levels[depth]
	if len(l.y) < n {
		l.k = make([]float64, kernel.Tri(n))
		l.y, l.diagonal = make([]float64, n), make([]float64, n)
	}
	return l
}

// eliminate writes level to as level from without feature b and those after it,
// and returns y_b²/K_bb.
func (s *subsetWalk) eliminate(from, to, b int) float64 {
	dst := s.room(to, b)
	src := s.levels[from]
	row := src.k[kernel.Tri(b):][:b+1]
	inverse := 1 / max(row[b], s.floor)
	h := src.y[b] * inverse
	gain := src.y[b] * h
	for i := range b {
		dst.y[i] = src.y[i] - h*row[i]
		c := row[i] * inverse
		out, in := dst.k[kernel.Tri(i):][:i+1], src.k[kernel.Tri(i):][:i+1]
		for j, x := range in {
			out[j] = x - c*row[j]
		}
	}
	return gain
}

// gains writes what each choice of left out of n features explains, before
// included; the places are those of [kernel.Subsets.Gains].
func (s *subsetWalk) gains(depth int, out []float64, n, left int, before float64) {
	l := s.levels[depth]
	switch left {
	case 1:
		for a := range n {
			out[a] = before + l.y[a]*l.y[a]/max(l.k[kernel.Tri(a)+a], s.floor)
		}
	case 2:
		for a := range n {
			l.diagonal[a] = l.k[kernel.Tri(a)+a]
		}
		for b := 1; b < n; b++ {
			row := l.k[kernel.Tri(b):]
			w := 1 / max(row[b], s.floor)
			h := l.y[b] * w
			sum := before + l.y[b]*h
			to := out[kernel.Tri(b-1):][:b]
			y, diagonal, row := l.y[:b], l.diagonal[:b], row[:b]
			for a, t := range row {
				num, pivot := y[a]-t*h, diagonal[a]-t*t*w
				if pivot < s.floor {
					pivot = s.floor
				}
				to[a] = sum + num*num/pivot
			}
		}
	default:
		for b := left - 1; b < n; b++ {
			gain := s.eliminate(depth, depth+1, b)
			s.gains(depth+1, out[int(kernel.Choose(b, left)):], b, left-1, before+gain)
		}
	}
}
