package objective

import (
	"context"
	"math"

	"optcomplete/internal/wide"
	"optcomplete/pass"
)

// How far a cut may stay below the cost at its own weights, as a part of it: at a
// selection less than search.Precision, so that its own cut can prove it; between
// selections a cut only has to be useful. An evaluation that leaves more is made
// again with care.
const (
	looseSelection = 3e-10
	looseBetween   = 1e-6
	looseRow       = 1e-11 // of one row
)

// loose is the relative loss that is allowed at the weights.
func loose(weights []float64) float64 {
	for _, s := range weights {
		if s > 0 && s < 1 {
			return looseBetween
		}
	}
	return looseSelection
}

// met tells whether a cost, which may be off by so much, and a cut meet at the
// weights up to the relative loss allowed.
func met(weights []float64, cost, off, constant float64, gradient []float64, allowed float64) bool {
	cut := constant
	for j, s := range weights {
		if s > 0 {
			cut += s * gradient[j]
		}
	}
	return cost-cut+off <= allowed*cost && !math.IsInf(cost, 1) // false for NaN
}

// costError bounds the error of a cost Σ‖a − Vu‖² + Σu²/(γs) that was computed in
// double precision, before its scale. With ε the rounding of a sum over the
// support, a residual is off by at most e = ε(‖a‖ + Σ_j ‖b_j‖|u_j|), where
// Σ_j ‖b_j‖|u_j| ≤ √(γ Σ_j s_j‖b_j‖²)·√(Σ_j u_j²/(γs_j)), and the cost by 2‖r‖e + e².
func costError(w *weighting, gamma float64, weights []float64, norm func(j int) float64, s *sums) float64 {
	reach := 0.0
	for _, j := range w.support {
		reach += gamma * weights[j] * norm(j)
	}
	e := 1.2e-16 * float64(len(w.support)+2+w.more) * (math.Sqrt(s.squares) + math.Sqrt(reach*s.penalty))
	return 2*math.Sqrt(s.cost)*e + e*e
}

// tight tells whether an evaluation, before its scale, needs no care.
func (o *Exact) tight(w *weighting, weights []float64, cost, constant float64, gradient []float64, sum *sums) bool {
	scale := 1 / (float64(o.n) * float64(o.m))
	off := costError(w, o.gamma, weights, func(j int) float64 { return o.norm[j] }, sum) * scale
	return met(weights, cost, off, constant, gradient, loose(weights))
}

// carefully evaluates row by row. A row whose cost and cut do not meet in double
// precision is solved with more digits. Costs are rounded up and cuts down.
func (o *Exact) carefully(ctx context.Context, w *weighting, weights, gradient []float64) (cost, constant float64, err error) {
	sum, err := pass.One[*sums](ctx, o.matrix, o.threads, &evaluation{Of: o.described(), Weights: weights, Careful: true, at: w})
	if err != nil {
		return 0, 0, err
	}
	delta := o.delta()
	scale := 1 / (float64(o.n) * float64(o.m))
	for j := range gradient {
		gradient[j] = max(-sum.gradient[j]*scale*(1+delta), -steepest)
	}
	return sum.cost * scale * (1 + delta), (sum.constant - delta*sum.size) * scale, nil
}

// steepest is the steepest gradient that is reported; see package wide.
const steepest = 1e300

// careful adds the rows of a chunk, one by one. The gradient is γΣ(b_jᵀr)², raised
// by what rounding may have taken away, and size what the constants add up to.
func (k *worker) careful(c *pass.Chunk, weights []float64, total *sums) {
	rows := k.order[c.Number]
	one := k.newSums(false)
	cut := make([]float64, k.p)
	for at := range rows {
		clear(one.gradient)
		*one = sums{gradient: one.gradient}
		k.panel.empty()
		k.solve(c, rows[at:at+1], false, one)
		k.take(one)
		gradient := k.arrange(one.gradient)
		columns, _ := k.entries(0)
		cost, constant := k.outward(one, gradient, len(columns), weights, cut)
		if !met(weights, cost, 0, constant, cut, looseRow) {
			found := wide.Evaluate(k.regression(c, rows[at]), &wide.Penalty{Gamma: k.gamma, Weights: weights})
			cost, constant = found.Cost, found.Constant
			for j, slope := range found.Slope {
				cut[j] = -slope
			}
		}
		if none := one.squares * (1 + k.delta()); !(cost <= none) {
			cost = none // no coefficients at all cost no more
		}
		total.cost += cost
		total.constant += constant
		total.size += math.Abs(constant)
		for j, g := range cut {
			total.gradient[j] -= g
		}
	}
}

// outward is the cost and the cut of one row of this many entries, rounded outwards.
func (k *worker) outward(one *sums, gradient []float64, entries int, weights, cut []float64) (cost, constant float64) {
	delta := 1.2e-16 * (16 + float64(k.weighing()) + 4*math.Sqrt(float64(entries)))
	norm := func(j int) float64 { return k.norm[j] / float64(k.longest) * float64(entries) }
	root := math.Sqrt(one.squares)
	residual := one.size / (root + math.Sqrt(one.squares+one.size)) // ‖r‖, as size = 2‖a‖‖r‖ + ‖r‖²
	if one.size == 0 {
		residual = 0
	}
	for j := range cut {
		z := math.Sqrt(gradient[j]) + delta*math.Sqrt(norm(j))*residual
		cut[j] = max(-k.gamma*z*z*(1+delta), -steepest)
	}
	cost = one.cost + costError(&k.weighting, k.gamma, weights, norm, one)
	return cost * (1 + delta), one.constant - delta*one.size
}

// regression is one row, for package wide.
func (k *worker) regression(c *pass.Chunk, row int32) *wide.Regression {
	columns, values := c.Row(int(row))
	return &wide.Regression{P: k.p, Values: values, Scale: k.lanes[0].roots, Feature: func(e, j int) (x, y float64) { return k.at(int(columns[e]), j), 1 }}
}

// down lowers a number by its rounding.
func down(x float64) float64 { return x - 2.3e-16*math.Abs(x) }

// entered are products that can give the entries they were made of.
type entered interface {
	Entries() int
	Regression(ctx context.Context) (*wide.Regression, error)
}

// carefulWork is the most multiplications that an evaluation with more digits may
// take: a fraction of a second. Beyond it the search may end at a numerical limit.
const carefulWork = 5e6

// carefully evaluates the regression from its entries, with as many digits as it
// takes. It is not ok where they are not to be had, or too many.
func (o *Quadratic) carefully(ctx context.Context, weights []float64) (found wide.Evaluation, ok bool, err error) {
	from, ok := o.products.(entered)
	if !ok {
		return found, false, nil
	}
	support := wide.Support(weights)
	if float64(from.Entries())*(float64(o.p)+float64(support*support)) > carefulWork {
		return found, false, nil
	}
	in, err := from.Regression(ctx)
	if err != nil {
		return found, false, err
	}
	return wide.Evaluate(in, &wide.Penalty{Gamma: o.gamma, Weights: weights}), true, nil
}

// hard evaluates a selection that products in double precision say too little of;
// it is not ok where they say enough, or no more can be known.
func (o *Quadratic) hard(ctx context.Context, selection []int) (found wide.Evaluation, ok bool, err error) {
	weights, gradient := make([]float64, o.p), make([]float64, o.p)
	for _, j := range selection {
		weights[j] = 1
	}
	cost, constant, err := o.fast(ctx, weights, gradient, nil)
	if err != nil || cost.tight(weights, constant, gradient) {
		return found, false, err
	}
	return o.carefully(ctx, weights)
}

// Cost is the cost of a selection where the products in double precision say too
// little of it; not ok means that they say enough, or that no more can be known.
func (o *Quadratic) Cost(ctx context.Context, selection []int) (cost float64, ok bool, err error) {
	found, ok, err := o.hard(ctx, selection)
	return found.Cost * o.scale, ok, err
}
