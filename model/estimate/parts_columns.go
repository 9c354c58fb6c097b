package estimate

import (
	"context"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/pass"
)

// refreshColumns fits the column effects to what the rows leave, and unless it
// is fixed learns their shrinkage beside them: the noise over the variance of
// the effects. As the population's coefficients explain a part of the column
// effects, what is left of them deserves more shrinkage than effects alone do.
func (p *Parts) refreshColumns(ctx context.Context, s data.Source, survey *data.Survey, design *pass.Shared[[]float64], prior *priorState, r Recipe) error {
	_, columns := s.Dims()
	part, err := pass.One[*pass.Sums](ctx, s, r.Threads, columnsLeft{Mean: p.Mean, Columns: pass.Share(p.ColumnEffects), Design: design, Prior: prior.Prior})
	if err != nil {
		return err
	}
	sum := part.Values
	p.ColumnEffects = make([]float64, columns) // others have the old ones
	noise := prior.Noise
	for step := range shrinkageSteps {
		square, with := 0.0, 0.0 // Σ of the effects' posterior second moments
		for c := range columns {
			p.ColumnEffects[c] = 0
			if survey.Columns[c] > 0 {
				weight := survey.Count(c) + p.ColumnShrinkage
				p.ColumnEffects[c] = sum[c] / weight
				square += p.ColumnEffects[c]*p.ColumnEffects[c] + noise/weight
				with++
			}
		}
		if r.FixedShrinkage || step == shrinkageSteps-1 || !(square > tiny) {
			break
		}
		p.ColumnShrinkage = min(noise/(square/with), maxShrinkage*survey.Unit())
	}
	return nil
}

// columnsLeft adds up by columns what the rows leave, each with its posterior mean
// given what the column effects as they are leave of its entries.
type columnsLeft struct {
	Mean    float64
	Columns *pass.Shared[[]float64]
	Design  *pass.Shared[[]float64]
	Prior   Prior
}

// Cost is a number for each column.
func (p columnsLeft) Cost(in *pass.Input) int {
	_, m := in.Source.Dims()
	return m
}

// Start makes a worker.
func (p columnsLeft) Start(in *pass.Input) (pass.Worker, error) {
	_, m := in.Source.Dims()
	d, design, effects := len(p.Prior.Mean), p.Design.Get(), p.Columns.Get()
	prior := &priorState{Prior: p.Prior}
	if err := prior.invert(); err != nil {
		return nil, err
	}
	row, u, roots := newPosterior(d), make([]float64, d), newRooted(d)
	var a []float64
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(m) }, func(part *pass.Sums, _ int, at []int32, values, weights []float64) error {
		if len(at) == 0 {
			return nil
		}
		a = dense.Resize(a, len(at))
		for e, c := range at {
			a[e] = values[e] - p.Mean - effects[c]
		}
		x, on, y := roots.row(design, at, a, weights)
		row.solve(prior, x, on, y, u)
		for e, c := range at {
			left := values[e] - p.Mean - dense.Dot(design[int(c)*d:][:d], u)
			if weights != nil {
				left *= weights[e]
			}
			part.Values[c] += left
		}
		return nil
	}), nil
}

func init() { pass.Register("column effects", columnsLeft{}, new(pass.Sums)) }
