package objective

import (
	"cmp"
	"context"
	"math"
	"slices"

	"optcomplete/internal/kernel"
	"optcomplete/pass"
	"optcomplete/search"
)

// Limits of an enumeration. Its parts have a number for every selection, so they
// are few, and of many rows.
const (
	enumerateParts = 16
	enumerateRows  = 64
	enumerateMost  = 1 << 20 // selections in one call
	enumerateFound = 1 << 12 // selections returned by one call
	gramBytes      = 1 << 30 // memory for the rows' products B_iᵀB_i
	gramFeatures   = 256     // with more features, products are made as needed
	enumerateReach = 1e10    // the largest γ‖b_j‖²: beyond it eliminations without residuals lose all digits,
	wideReach      = 1e26    // and beyond this also those with 106 bits
	gramAfter      = 3       // kept from the third enumeration on: one or two would not repay it
)

// grams is what enumerations keep of the rows: for groups of eight of them, the
// packed triangles of G_i = B_iᵀB_i and y_i = B_iᵀa_i, lanes side by side.
type grams struct {
	norms  *rowNorms
	calls  int         // enumerations so far
	fit    bool        // there is room for the products of all rows
	keep   bool        // they are kept
	values [][]float64 // of each chunk's groups one after the other; nil: not made yet
}

// keeping is what enumerations and models keep of the rows.
func (o *Exact) keeping() *grams {
	if o.grams == nil {
		groups := 0
		for _, rows := range o.order {
			groups += (len(rows) + kernel.Lanes - 1) / kernel.Lanes
		}
		o.grams = &grams{values: make([][]float64, len(o.order))}
		o.grams.fit = o.p <= gramFeatures && float64(groups)*float64(o.gramStride())*8 <= gramBytes
	}
	return o.grams
}

// eliminationError is by how much what selections of k features explain may be off.
func (o *Exact) eliminationError(k float64) float64 {
	return float64(8+o.weighing()) * 1.2e-16 * k * k * (o.grams.norms.Squares + o.gamma*o.grams.norms.Rounded)
}

// gramStride is how many numbers one group takes.
func (o *Exact) gramStride() int { return (kernel.Tri(o.p) + o.p) * kernel.Lanes }

// Effort estimates how long Enumerate takes for left out of free features, as
// a multiple of an evaluation with a support of two dozen features. It counts
// operations, so it is the same on every machine; +Inf means never.
func (o *Exact) Effort(freeFeatures, left int) float64 {
	selections := kernel.Choose(freeFeatures, left)
	most := wideReach
	if o.heaviest > 0 { // features times the roots of weights are no more exact than numbers are
		most = enumerateReach
	}
	if selections > enumerateMost || o.reach() > most {
		return math.Inf(1)
	}
	const support = 24
	rows := float64(o.rows)
	entries := float64(o.matrix.Observed())
	pass := entries*(support*support/2+support+float64(o.p)) + rows*support*support*support/2
	work := rows*kernel.Effort(freeFeatures, left) + (rows+entries/2)*float64(freeFeatures*freeFeatures)
	return work / max(pass, 1)
}

// reach is the largest γ‖b_j‖² of any row: so many times larger than a rounding
// error is the error of an elimination.
func (o *Exact) reach() float64 { return o.gamma * slices.Max(o.norm) }

// Enumerate computes the cost of every selection of a region, in one pass over the
// rows; see search.Enumerator.
//
// The rows are solved through their products G_i and not through residuals, so
// digits cancel: with K_S = I/γ + G_i[S,S] and u = K_S⁻¹y_i[S], a relative error
// δ of elimination changes yᵀu by at most δ·tr(K_S)·‖u‖², and ‖u‖² ≤ γ‖a_i‖².
// That is what margin adds up. Where it would be too much the eliminations have 106
// bits.
func (o *Exact) Enumerate(ctx context.Context, r search.Region) (search.Listing, error) {
	count := int(kernel.Choose(len(r.Candidates), r.Left))
	if r.Left < 1 || count < 1 || count > enumerateMost {
		panic("objective: not a number of selections to enumerate")
	}
	g := o.keeping()
	if g.calls++; g.calls >= gramAfter {
		g.keep = g.fit
	}
	order := append(slices.Clone(r.Candidates), r.In...) // those in are eliminated first, from the end
	passes := []pass.Pass{&enumeration{Of: o.described(), Order: order, Candidates: len(r.Candidates), Left: r.Left, Wide: o.reach() > enumerateReach}}
	if g.norms == nil {
		passes = append(passes, &norming{Of: o.described()})
	}
	parts, err := pass.Run(ctx, o.matrix, o.threads, passes...)
	if err != nil {
		return search.Listing{}, err
	}
	if g.norms == nil {
		g.norms = parts[1].(*rowNorms)
	}
	k := float64(len(r.In) + r.Left)
	scale := 1 / (float64(o.n) * float64(o.m))
	margin := o.eliminationError(k) * scale
	if o.reach() > enumerateReach { // 106 bits, but for the sums over the rows
		margin = (8*k*k*(1.2e-16*g.norms.Squares+0x1p-100*o.gamma*g.norms.Rounded) + o.delta()*g.norms.Squares) * scale
	}
	gains := parts[0].(*gainsPart)
	all := gains.Gains
	for i, gain := range all {
		all[i] = (g.norms.Squares - (gains.Base + gain)) * scale
	}
	return pick(all, r, margin), nil
}

// pick lists of all costs of a region, which are right within margin, those that are
// wanted.
func pick(all []float64, r search.Region, margin float64) search.Listing {
	below := r.Below + margin
	var found []int
	better := func(a, b int) int {
		if c := cmp.Compare(all[a], all[b]); c != 0 {
			return c
		}
		return a - b
	}
	rest := math.Inf(1)
	shrink := func(to int) {
		slices.SortFunc(found, better)
		if len(found) > to {
			rest = min(rest, all[found[to]])
			found = found[:to]
		}
	}
	threshold := math.Inf(1) // once there are enough, only better ones can matter
	for i, cost := range all {
		if !(cost < threshold) {
			rest = min(rest, cost)
			continue
		}
		found = append(found, i)
		if len(found) == 2*enumerateFound {
			shrink(enumerateFound)
			threshold = all[found[len(found)-1]]
		}
	}
	shrink(enumerateFound)
	needed := 0
	for needed < len(found) && all[found[needed]] < below {
		needed++
	}
	shrink(max(needed, min(r.Keep, len(found))))
	out := search.Listing{Margin: margin, Rest: rest - margin}
	for _, i := range found {
		selection := slices.Clone(r.In)
		out.Costs = append(out.Costs, all[i])
		// The place is Σ Choose(c_x, x) over the chosen candidates: undo it.
		c := len(r.Candidates)
		for x := r.Left; x >= 1; x-- {
			for c--; int(kernel.Choose(c, x)) > i; c-- {
			}
			i -= int(kernel.Choose(c, x))
			selection = append(selection, r.Candidates[c])
		}
		slices.Sort(selection)
		out.Selections = append(out.Selections, selection)
	}
	return out
}
