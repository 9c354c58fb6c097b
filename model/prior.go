package model

import (
	"context"

	"optcomplete/data"
)

// Prior is what is known of a row's coefficients before its entries are seen:
// normal with this mean and covariance, the entries with noise of this variance.
type Prior struct {
	Mean       []float64 `json:"mean"`       // d
	Covariance []float64 `json:"covariance"` // d×d, row by row
	Noise      float64   `json:"noise"`      // variance of an entry's noise
}

// priorSteps is how many steps of expectation-maximisation are taken at most.
const priorSteps = 40

// LearnPrior learns the prior from all rows by expectation-maximisation (a
// linear mixed model, Laird and Ware 1982), and returns with it every row's
// coefficients: the mean of its posterior. values are what the design is to
// explain; design has a row of d numbers for each column of the matrix. At most
// the given number of steps are taken; zero means 40.
//
// The result is finite and the same for any number of threads. A row without
// entries gets the prior's mean.
func LearnPrior(ctx context.Context, values *data.Matrix, design []float64, d, steps, threads int) (*Prior, []float64, error) {
	n, _ := values.Dims()
	if steps == 0 {
		steps = priorSteps
	}
	p := startPrior(values, design, d)
	coefficients := make([]float64, n*d)
	moments := make([]*priorSums, (n+rowBlock-1)/rowBlock)
	for step, last := 1, false; ; step++ {
		if err := p.invert(); err != nil {
			return nil, nil, err
		}
		err := forBlocks(ctx, n, threads, func() func(lo, hi int) error {
			s := newPosterior(d)
			return func(lo, hi int) error {
				sums := newPriorSums(d)
				for i := lo; i < hi; i++ {
					at, a := values.Row(i)
					u := coefficients[i*d : (i+1)*d]
					s.solve(p, design, at, a, u)
					if len(at) > 0 && !last {
						sums.add(s, p, design, at, a, u)
					}
				}
				moments[lo/rowBlock] = sums
				return nil
			}
		})
		if err != nil {
			return nil, nil, err
		}
		if last {
			return &p.Prior, coefficients, nil
		}
		total := newPriorSums(d)
		for _, sums := range moments {
			total.merge(sums)
		}
		// After the last step the rows are solved once more, so that the
		// coefficients are those of the prior that is returned.
		last = !p.maximise(total) || step == steps
	}
}

// Posterior is the mean of a row's coefficients given its entries: the fit of
// one row by itself.
func (p *Prior) Posterior(design []float64, at []int32, a []float64) ([]float64, error) {
	state := &priorState{Prior: *p}
	if err := state.invert(); err != nil {
		return nil, err
	}
	u := make([]float64, len(p.Mean))
	newPosterior(len(p.Mean)).solve(state, design, at, a, u)
	return u, nil
}
