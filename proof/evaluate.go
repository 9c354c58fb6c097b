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

// modelledAt is a region that the model from the weights of a cut ends.
type modelledAt struct {
	*region
	cut int
}

// model bounds what the model of a region rules out, and lists what it does not: nil if that
// is nothing. Where it does not rule out enough, the cut bounds the region.
func (k *check) model(ctx context.Context, r modelledAt) (*leaf, error) {
	m, own, err := k.cost.model(ctx, r.region, k.place(k.proof.points[r.cut]))
	if err != nil {
		return nil, err
	}
	if m != nil {
		found, floor, ok := m.list(ctx, r.region, k.target)
		if ok {
			k.least = min(k.least, floor)
			if len(found) == 0 {
				return nil, nil
			}
			slices.SortFunc(found, slices.Compare)
			return &leaf{candidates: m.features, left: m.k, list: found, units: m.units}, nil
		}
	}
	k.least = min(k.least, own.bound(r.region))
	return nil, ctx.Err()
}

// enumerate bounds every selection of the regions, and of those modelled what is not
// ruled out. What elimination does not show to cost as much as was claimed is evaluated by
// itself.
func (k *check) enumerate(ctx context.Context, regions []*region, modelled []modelledAt) error {
	var singles []point
	mostSingles := k.mostSingles()
	add := func(units []int) bool {
		if !k.meets(units) {
			return true
		}
		if len(singles) == mostSingles {
			return false
		}
		singles = append(singles, point{units: slices.Clone(units), weights: slices.Repeat([]float64{1}, len(units))})
		return true
	}
	for len(regions)+len(modelled) > 0 {
		var leaves []*leaf
		var each []func(func(units []int) bool)
		total := 0.0
		take := func(l *leaf, selections func(func(units []int) bool)) {
			leaves, each = append(leaves, l), append(each, selections)
			total += l.count()
			k.verdict.Enumerated += int(l.count())
		}
		for ; len(regions) > 0 && total < enumerateAtOnce; regions = regions[1:] {
			r := regions[0]
			l := (*leaf)(nil)
			if k.cost.gamma0 == 0 {
				l = r.leafOf(k.cost.units)
			}
			if l != nil {
				take(l, r.selections)
				continue
			}
			all := choose(r.free, r.left) <= float64(mostSingles) // one by one
			if all {
				r.selections(func(units []int) bool { all = all && add(units); return all })
			}
			if !all {
				k.verdict.Unproven++
				k.least = min(k.least, 0)
			} else {
				k.verdict.Enumerated += int(choose(r.free, r.left))
			}
		}
		for ; len(modelled) > 0 && total < listedAtOnce; modelled = modelled[1:] {
			l, err := k.model(ctx, modelled[0])
			if err != nil {
				return err
			}
			if l != nil {
				take(l, l.selections)
			}
		}
		floors, err := k.cost.enumerate(ctx, leaves)
		if err != nil {
			return err
		}
		for x, l := range leaves {
			at := 0
			each[x](func(units []int) bool {
				bound := down(floors[x] - l.gain[at])
				if k.meets(units) && (bound >= k.target || !add(units)) {
					k.least = min(k.least, max(bound, 0))
				}
				at++
				return true
			})
		}
	}
	return k.evaluate(ctx, singles)
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
	value := func(at point, p *place) float64 {
		own := k.cost.cut(p)
		value := own.constant
		for _, u := range at.units {
			value = down(value - own.slope[u])
		}
		return value
	}
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
