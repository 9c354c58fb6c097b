package estimate

import (
	"context"

	"optcomplete/data"
	"optcomplete/pass"
)

// Prior is what is known about a row's coefficients before its entries are seen:
// normal with this mean and covariance, the entries with noise of this variance.
type Prior struct {
	Mean       []float64 `json:"mean"`       // d
	Covariance []float64 `json:"covariance"` // d×d, row by row
	Noise      float64   `json:"noise"`      // variance of an entry's noise
}

// priorSteps is how many steps of expectation-maximisation are taken at most,
// in each turn of fitting column effects and rows.
const priorSteps = 20

// learnPrior learns the prior from all rows by expectation-maximisation (a
// linear mixed model, Laird and Ware 1982). values are what the design is to
// explain; design has a row of d numbers for each column of the matrix. At most
// the given number of steps are taken; zero means 20.
//
// The result is finite and the same for any number of threads.
func learnPrior(ctx context.Context, values data.Source, design []float64, d, steps, threads int, most int64) (*priorState, error) {
	survey, err := pass.Survey(ctx, values, threads)
	if err != nil {
		return nil, err
	}
	l := newLearner(values, design, d, threads, most)
	start, err := startPrior(ctx, values, survey, design, d, threads)
	if err != nil {
		return nil, err
	}
	return l.learn(ctx, values, start, steps, false)
}
