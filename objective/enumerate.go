package objective

import (
	"cmp"
	"context"
	"math"
	"slices"

	"optcomplete/internal/kernel"
)

// Limits of an enumeration. The slices make the sums independent of the number
// of threads; each has an accumulator for every selection.
const (
	enumerateSlices = 16
	enumerateMost   = 1 << 20 // selections in one call
	enumerateFound  = 1 << 12 // selections returned by one call
	gramBytes       = 1 << 30 // memory for the rows' products B_iᵀB_i
	gramFeatures    = 256     // with more features, products are made as needed
	gramAfter       = 3       // kept from the third enumeration on: one or two would not repay it
)

// grams holds, for groups of eight rows, what an enumeration needs of them:
// the packed triangles of G_i = B_iᵀB_i and y_i = B_iᵀa_i, lanes side by side.
type grams struct {
	groups  [][]int32
	stride  int       // numbers of one group
	values  []float64 // of all groups, or nil: made for each enumeration
	calls   int       // enumerations so far
	squares float64   // Σ ‖a_i‖²
	rounded float64   // Σ ‖a_i‖²·max_j G_i[j,j]
}

// Effort estimates how long Enumerate takes for left out of free features, as
// a multiple of an evaluation with a support of two dozen features. It counts
// operations, so it is the same on every machine; +Inf means never.
func (o *Exact) Effort(freeFeatures, left int) float64 {
	selections := kernel.Choose(freeFeatures, left)
	if selections > enumerateMost {
		return math.Inf(1)
	}
	const support = 24
	rows := 0.0
	for _, chunk := range o.chunks {
		rows += float64(len(chunk))
	}
	entries := float64(o.matrix.Observed())
	pass := entries*(support*support/2+support+float64(o.p)) + rows*support*support*support/2
	work := rows*3*selections + (rows+entries/2)*float64(freeFeatures*freeFeatures)
	return work / max(pass, 1)
}

// Enumerate computes the cost of every selection of the features in and left
// of the candidates, in one pass over the rows. It returns, by rising cost,
// those whose cost may be below the given one and the best keep of the others.
// A true cost differs from the one returned by at most margin, and a selection
// that is not returned costs at least rest.
//
// The rows are solved through their products G_i and not through residuals, so
// digits cancel: with K_S = I/γ + G_i[S,S] and u = K_S⁻¹y_i[S], a relative error
// δ of elimination changes yᵀu by at most δ·tr(K_S)·‖u‖², and ‖u‖² ≤ γ‖a_i‖².
// That is what margin adds up.
func (o *Exact) Enumerate(ctx context.Context, in, candidates []int, left int, below float64, keep int) (selections [][]int, costs []float64, margin, rest float64, err error) {
	count := int(kernel.Choose(len(candidates), left))
	if left < 1 || count < 1 || count > enumerateMost {
		panic("objective: not a number of selections to enumerate")
	}
	if o.grams == nil {
		if o.grams, err = o.newGrams(ctx); err != nil {
			return nil, nil, 0, 0, err
		}
	}
	if o.grams.calls++; o.grams.calls == gramAfter {
		if err = o.keepProducts(ctx); err != nil {
			return nil, nil, 0, 0, err
		}
	}
	k := float64(len(in) + left)
	scale := 1 / (float64(o.n) * float64(o.m))
	margin = 8 * 1.2e-16 * k * k * (o.grams.squares + o.gamma*o.grams.rounded) * scale

	order := append(slices.Clone(candidates), in...) // those in are eliminated first, from the end
	slicesOf := min(enumerateSlices, max(1, len(o.grams.groups)))
	gains := make([][]float64, slicesOf)
	enumerators := make([]*enumerator, len(o.workers))
	err = o.inTurn(ctx, slicesOf, func(thread, c int) error {
		if enumerators[thread] == nil {
			enumerators[thread] = o.newEnumerator(order)
		}
		gains[c] = make([]float64, count)
		lo, hi := c*len(o.grams.groups)/slicesOf, (c+1)*len(o.grams.groups)/slicesOf
		base := 0.0
		for g := lo; g < hi && ctx.Err() == nil; g++ {
			more, err := enumerators[thread].group(g, gains[c], len(candidates), left)
			if err != nil {
				return err
			}
			base += more
		}
		for i := range gains[c] {
			gains[c][i] += base
		}
		return nil
	})
	if err != nil {
		return nil, nil, 0, 0, err
	}
	all := gains[0]
	for _, g := range gains[1:] {
		for i, x := range g {
			all[i] += x
		}
	}
	for i, gain := range all {
		all[i] = (o.grams.squares - gain) * scale
	}
	selections, costs, rest = pick(all, in, candidates, left, below+margin, keep)
	return selections, costs, margin, rest - margin, nil
}

// pick finds the selections that cost less than below, and the best keep of the
// others, and names them. rest is the least cost of those left out.
func pick(all []float64, in, candidates []int, left int, below float64, keep int) (selections [][]int, costs []float64, rest float64) {
	var found []int
	better := func(a, b int) int {
		if c := cmp.Compare(all[a], all[b]); c != 0 {
			return c
		}
		return a - b
	}
	rest = math.Inf(1)
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
	shrink(max(needed, min(keep, len(found))))
	for _, i := range found {
		selection := slices.Clone(in)
		costs = append(costs, all[i])
		// The place is Σ Choose(c_x, x) over the chosen candidates: undo it.
		c := len(candidates)
		for x := left; x >= 1; x-- {
			for c--; int(kernel.Choose(c, x)) > i; c-- {
			}
			i -= int(kernel.Choose(c, x))
			selection = append(selection, candidates[c])
		}
		slices.Sort(selection)
		selections = append(selections, selection)
	}
	return selections, costs, rest
}

// newGrams divides the rows into groups and adds up what margin needs.
func (o *Exact) newGrams(ctx context.Context) (*grams, error) {
	g := &grams{stride: (kernel.Tri(o.p) + o.p) * kernel.Lanes}
	for _, chunk := range o.chunks {
		for len(chunk) > 0 {
			n := min(kernel.Lanes, len(chunk))
			g.groups = append(g.groups, chunk[:n])
			chunk = chunk[n:]
		}
	}
	sums := make([][2]float64, len(o.chunks))
	err := o.inChunks(ctx, func(thread, c int) error {
		k := o.workers[thread]
		diagonal := make([]float64, o.p)
		for group := range slices.Chunk(o.chunks[c], kernel.Lanes) {
			if err := k.read(group); err != nil {
				return err
			}
			for lane := range group {
				columns, values := k.entries(lane)
				for j := range diagonal {
					diagonal[j] = 0
					b := o.b[o.place(j):]
					for _, c := range columns {
						x := b[int(c)*o.block]
						diagonal[j] += x * x
					}
				}
				s := squares(values)
				sums[c][0] += s
				if o.p > 0 {
					sums[c][1] += s * slices.Max(diagonal)
				}
			}
		}
		return nil
	})
	for _, s := range sums {
		g.squares += s[0]
		g.rounded += s[1]
	}
	return g, err
}

// keepProducts computes the products of all rows, if there is room for them.
func (o *Exact) keepProducts(ctx context.Context) error {
	g := o.grams
	if o.p > gramFeatures || float64(len(g.groups))*float64(g.stride)*8 > gramBytes {
		return nil
	}
	values := make([]float64, len(g.groups)*g.stride)
	every := make([]int, o.p)
	for j := range every {
		every[j] = j
	}
	err := o.inTurn(ctx, len(g.groups), func(thread, c int) error {
		at := values[c*g.stride:][:g.stride]
		return o.workers[thread].products(at[:kernel.Tri(o.p)*kernel.Lanes], at[kernel.Tri(o.p)*kernel.Lanes:], g.groups[c], every)
	})
	if err == nil {
		g.values = values
	}
	return err
}

// products adds G_i and y_i over the given features, for each row of a group.
func (w *worker) products(k, y []float64, group []int32, features []int) error {
	if err := w.read(group); err != nil {
		return err
	}
	width := kernel.GramWidth(len(features))
	places := w.columnFeatures.places(features)
	w.v = grow(w.v, w.longest*width)
	for lane := range group {
		columns, values := w.entries(lane)
		for e, c := range columns {
			b := w.b[int(c)*w.block:]
			row := w.v[e*width:]
			for x, place := range places {
				row[x] = b[place]
				y[x*kernel.Lanes+lane] += values[e] * b[place]
			}
		}
		kernel.Gram(k, lane, w.v, len(columns), width, len(features))
	}
	return nil
}

// enumerator walks the selections of one group of rows after the other.
type enumerator struct {
	*worker
	kernel.Subsets
	order []int // candidates, then the features already in
}

func (o *Exact) newEnumerator(order []int) *enumerator {
	return &enumerator{worker: o.newWorker(), order: order}
}

// group adds what each selection explains in one group of rows, and returns
// what the features already in explain.
func (w *enumerator) group(at int, gains []float64, candidates, left int) (float64, error) {
	n := len(w.order)
	k, y := w.Load(n)
	if all := w.grams.values; all != nil {
		from := all[at*w.grams.stride:][:w.grams.stride]
		fromY := from[kernel.Tri(w.p)*kernel.Lanes:]
		for x, j := range w.order {
			copy(y[x*kernel.Lanes:(x+1)*kernel.Lanes], fromY[j*kernel.Lanes:])
			for z, l := range w.order[:x+1] {
				copy(k[(kernel.Tri(x)+z)*kernel.Lanes:][:kernel.Lanes], from[(kernel.Tri(max(j, l))+min(j, l))*kernel.Lanes:])
			}
		}
	} else {
		clear(k)
		clear(y)
		if err := w.products(k, y, w.grams.groups[at], w.order); err != nil {
			return 0, err
		}
	}
	for x := range n {
		diagonal := k[(kernel.Tri(x)+x)*kernel.Lanes:][:kernel.Lanes]
		for lane := range diagonal {
			diagonal[lane] += 1 / w.gamma
		}
	}
	base := 0.0
	for n > candidates {
		base += w.Eliminate(n)
		n--
	}
	w.Gains(gains, candidates, left)
	return base, nil
}
