package objective

import (
	"context"
	"math"

	"optcomplete/internal/wide"
	"optcomplete/pass"
)

// tight tells whether an evaluation needs no care; see costError. A row's own
// coefficients and the population's are penalised apart.
func (o *Pooled) tight(at *pooledPoint, weights []float64, cost, constant float64, gradient []float64, sum *sums) bool {
	scale := 1 / (float64(o.rows.n) * float64(o.rows.m))
	reach := 0.0 // of the population: as costError's, of all entries
	for x, j := range at.support {
		reach += o.norm[j] * at.mu[x] * at.mu[x]
	}
	more := *sum
	more.squares = math.Pow(math.Sqrt(sum.squares)+math.Sqrt(float64(len(at.support))*reach), 2)
	off := costError(&at.weighting, o.rows.gamma, weights, func(j int) float64 { return o.rows.norm[j] }, &more) * scale
	return met(weights, cost, off, constant, gradient, loose(weights))
}

// carefully evaluates from the entries with as many digits as it takes. Where that
// would take too long the evaluation stays as it is given.
func (o *Pooled) carefully(ctx context.Context, weights []float64, cost, constant float64, gradient []float64) (float64, float64, error) {
	entries := float64(o.rows.matrix.Observed())
	rows := float64(o.rows.rows)
	t := float64(wide.Support(weights))
	if entries*(float64(o.rows.p)+t*t)+rows*t*t*t > carefulWork {
		return cost, constant, nil
	}
	in, err := o.regression(ctx)
	if err != nil {
		return 0, 0, err
	}
	found := wide.Evaluate(in, &wide.Penalty{Gamma: o.rows.gamma, Gamma0: o.gamma0, Weights: weights})
	scale := 1 / (float64(o.rows.n) * float64(o.rows.m))
	for j, slope := range found.Slope {
		gradient[j] = max(-slope*scale*(1+4e-16), -steepest)
	}
	return found.Cost * scale, down(down(found.Constant * scale)), nil
}

// regression is all entries, for package wide. They are read once.
func (o *Pooled) regression(ctx context.Context) (*wide.Regression, error) {
	if o.entries != nil {
		return o.entries, nil
	}
	all, err := pass.One[*listed](ctx, o.rows.matrix, o.rows.threads, listing{})
	if err != nil {
		return nil, err
	}
	in := &wide.Regression{P: o.rows.p, Values: all.Values}
	if o.rows.heaviest > 0 { // weights count
		in.Scale = rootsOf(all.Weights)
	}
	row := -1 // of those with entries
	for e, i := range all.Rows {
		if e == 0 || i != all.Rows[e-1] {
			row++
		}
		in.Rows = append(in.Rows, row)
	}
	in.Feature = func(e, j int) (x, y float64) { return o.rows.at(int(all.Columns[e]), j), 1 }
	o.entries = in
	return in, nil
}
