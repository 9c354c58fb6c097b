package objective

import (
	"context"
	"slices"

	"optcomplete/internal/kernel"
)

// RowCosts is the part of the cost that each row of the matrix has at the
// weights, not divided by n·m: their sum is n·m times the cost.
func (o *Exact) RowCosts(ctx context.Context, weights []float64) ([]float64, error) {
	costs := make([]float64, o.n)
	w := o.newWeighting(weights)
	for _, k := range o.workers {
		k.prepare(w, false)
	}
	err := o.inChunks(ctx, func(thread, c int) error {
		k := o.workers[thread]
		var s sums
		for group := range slices.Chunk(o.chunks[c], kernel.Lanes) {
			k.panel.empty() // correlations are not needed
			if err := k.solve(group, false, &s); err != nil {
				return err
			}
			for lane, i := range group {
				costs[i] = k.costs[lane]
			}
		}
		return nil
	})
	return costs, err
}

// Removals is the cost of a selection without each of its features in turn, no
// other taking its place, in one pass. With K = I/γ + G_i[S,S] and u = K⁻¹y_i[S],
// row i explains u_j²/(K⁻¹)_jj less without feature j.
func (o *Exact) Removals(ctx context.Context, selection []int) ([]float64, error) {
	weights := make([]float64, o.p)
	for _, j := range selection {
		weights[j] = 1
	}
	w := o.newWeighting(weights)
	for _, k := range o.workers {
		k.prepare(w, true)
	}
	type part struct {
		cost float64
		lost []float64
	}
	parts := make([]part, len(o.chunks))
	err := o.inChunks(ctx, func(thread, c int) (err error) {
		parts[c].lost = make([]float64, len(selection))
		parts[c].cost, err = o.workers[thread].removals(o.chunks[c], parts[c].lost)
		return err
	})
	if err != nil {
		return nil, err
	}
	cost, costs := 0.0, make([]float64, len(selection))
	for _, p := range parts {
		cost += p.cost
		for x, lost := range p.lost {
			costs[x] += lost
		}
	}
	for x := range costs {
		costs[x] = (cost + costs[x]) / (float64(o.n) * float64(o.m))
	}
	return costs, nil
}
