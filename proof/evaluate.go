package proof

import (
	"context"
	"slices"
)

// Of enumerations: how many selections at once, in all or listed.
const (
	enumerateAtOnce = 1 << 24
	listedAtOnce    = 1 << 20
)

// mostSingles is how many selections may be evaluated one by one because their bound is
// not good enough: more where there are few entries.
func (k *check) mostSingles() int {
	return min(max(1<<12, 1<<24/max(k.Entries.Observed(), 1)), 1<<18)
}

// pending is a leaf to be evaluated, whose selections in terms of units are told by each.
type pending struct {
	*leaf
	each func(func(units []int) bool)
}

// rule bounds what is ruled out of a region, or takes it to be evaluated.
func (k *check) rule(ctx context.Context, r *region, by, of *step) (err error) {
	switch by.kind {
	case byCut:
		k.least = min(k.least, k.cuts[by.cut].bound(r))
	case byEnumeration:
		return k.region(ctx, r)
	case byModel:
		if err := k.endModel(ctx); err != nil {
			return err
		}
		var m *model
		if m, k.own, err = k.cost.model(ctx, r, k.place(k.proof.points[by.cut])); err != nil {
			return err
		}
		if k.model, k.tangents = by, nil; m != nil {
			k.tangents = m.in(r, by.diagonal)
		}
	case byTangent, byList:
		if of == nil || of != k.model {
			k.unproven()
			return nil
		}
		bound := k.own.bound(r)
		if by.kind == byTangent && k.tangents != nil {
			if by != k.last {
				k.last, k.tangent = by, k.tangents.at(by.at)
			}
			bound = k.tangent.bound(r)
		}
		if k.tangents == nil || bound >= k.target || choose(r.free, r.left) > mostListed {
			k.least = min(k.least, bound)
			return nil
		}
		found, floor := k.tangents.list(ctx, r, k.target)
		k.least = min(k.least, floor)
		if k.found = append(k.found, found...); len(k.found) >= listedAtOnce {
			return k.endModel(ctx)
		}
	default:
		k.unproven()
	}
	return ctx.Err()
}

// endModel takes what the last model has not ruled out.
func (k *check) endModel(ctx context.Context) error {
	if len(k.found) == 0 {
		return nil
	}
	slices.SortFunc(k.found, slices.Compare)
	l := &leaf{candidates: k.tangents.features, left: k.tangents.k, list: k.found, units: k.tangents.units}
	k.found = nil
	k.listing += l.count()
	return k.take(ctx, l, l.selections)
}

// unproven is a region that nothing closes.
func (k *check) unproven() {
	k.verdict.Unproven++
	k.least = min(k.least, 0)
}

// region takes all selections of a region.
func (k *check) region(ctx context.Context, r *region) error {
	if k.cost.gamma0 == 0 {
		if l := r.leafOf(k.cost.units); l != nil {
			k.enumerating += l.count()
			return k.take(ctx, l, r.clone().selections)
		}
	}
	all := choose(r.free, r.left) <= float64(k.mostSingles()) // one by one
	if all {
		r.selections(func(units []int) bool { all = all && k.single(units); return all })
	}
	if !all {
		k.unproven()
	} else {
		k.verdict.Enumerated += int(choose(r.free, r.left))
	}
	return nil
}

// single takes a selection to be evaluated by itself, unless they are too many.
func (k *check) single(units []int) bool {
	if !k.meets(units) {
		return true
	}
	if len(k.singles) == k.mostSingles() {
		return false
	}
	k.singles = append(k.singles, point{units: slices.Clone(units), weights: slices.Repeat([]float64{1}, len(units))})
	return true
}

// take adds a leaf, and evaluates all there are once they are many.
func (k *check) take(ctx context.Context, l *leaf, each func(func(units []int) bool)) error {
	k.pending = append(k.pending, pending{l, each})
	k.verdict.Enumerated += int(l.count())
	if k.enumerating < enumerateAtOnce && k.listing < listedAtOnce {
		return nil
	}
	return k.flush(ctx)
}

// flush bounds every selection of the leaves. What elimination does not show to cost as much
// as was claimed is evaluated by itself.
func (k *check) flush(ctx context.Context) error {
	if len(k.pending) == 0 {
		return nil
	}
	var leaves []*leaf
	for _, p := range k.pending {
		leaves = append(leaves, p.leaf)
	}
	floors, err := k.cost.enumerate(ctx, leaves)
	if err != nil {
		return err
	}
	for x, p := range k.pending {
		at := 0
		p.each(func(units []int) bool {
			bound := down(floors[x] - p.gain[at])
			if k.meets(units) && (bound >= k.target || !k.single(units)) {
				k.least = min(k.least, max(bound, 0))
			}
			at++
			return true
		})
	}
	k.pending, k.enumerating, k.listing = nil, 0, 0
	return nil
}

// selections calls f for every selection of a list, until it returns false. The slice is
// reused.
func (l *leaf) selections(f func(units []int) bool) {
	units := make([]int, l.left)
	for _, selection := range l.list {
		for x, place := range selection {
			units[x] = l.units[place]
		}
		if !f(units) {
			return
		}
	}
}

// evaluate bounds selections by their own cuts.
func (k *check) evaluate(ctx context.Context, singles []point) error {
	value := func(at point, p *place) float64 { return k.cost.cut(p).value(at.units) }
	long := mostLongPlaces
	for group := range slices.Chunk(singles, 64) {
		var places, low []*place
		for _, at := range group {
			p := k.place(at)
			p.precise = true
			places = append(places, p)
		}
		if err := k.cost.evaluate(ctx, places); err != nil {
			return err
		}
		for x, at := range group {
			if !(value(at, places[x]) >= k.target) {
				low = append(low, places[x])
			}
		}
		low = low[:min(len(low), long)]
		long -= len(low)
		if err := k.cost.evaluateLong(ctx, low); err != nil {
			return err
		}
		for x, at := range group {
			k.least = min(k.least, max(value(at, places[x]), 0))
		}
	}
	return nil
}
