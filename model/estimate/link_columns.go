package estimate

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/pass"
)

// Of counts, the mean and the column effects that were fitted before any feature have a
// part of what features do in them: the rate of a column that some like much and others
// little is large on average, because exponentials are. linkSweeps turns of fitting
// columns and rows take that out, or fewer if nothing changes. (Of other losses it is
// little, and what validation chose the shrinkages for is better left as it was.)
const linkSweeps = 6

// fitLevels fits the mean and the column effects again, beside the rows' effects and
// coefficients. At the optimum, effects of rows and of columns have a mean of zero.
func (f *rowFit) fitLevels(ctx context.Context, survey *data.Survey, shrinkage float64, threads int) error {
	if survey.Total == 0 {
		return nil
	}
	kappa := f.Link.Kappa(f.Mean)
	penalty := kappa * shrinkage
	m := len(survey.Columns)
	for range linkSweeps {
		part, err := pass.One[*pass.Sums](ctx, f.values, threads, linkTurn{f})
		if err != nil {
			return err
		}
		old := f.Columns.Get()
		columns := make([]float64, m) // passes may share the old ones
		mean, seen, far := 0.0, 0.0, 0.0
		for c, count := range survey.Columns {
			if count > 0 {
				if !math.IsInf(shrinkage, 1) {
					columns[c] = old[c] + levelStep(f.Link.Scaled, part.Values[c]+2*penalty*old[c], part.Values[m+c]+2*penalty, survey.Count(c)*2*kappa)
				}
				mean += columns[c]
				seen++
			}
		}
		mean /= seen
		for c, count := range survey.Columns {
			if count > 0 {
				columns[c] -= mean
				far = max(far, math.Abs(columns[c]-old[c]))
			}
		}
		mean += part.Values[2*m] / part.Values[2*m+1]
		far = max(far, math.Abs(mean))
		f.Mean, f.Columns = f.Mean+mean, pass.Share(columns)
		if far <= levelsNear*f.Link.Step() {
			break
		}
	}
	return nil
}

// linkTurn fits rows beside the mean and the column effects as they are, and adds up by
// columns the slopes of the losses there, then their curvatures, then the rows' effects
// and their number.
type linkTurn struct{ Rows *rowFit }

// Cost is two numbers for each column.
func (p linkTurn) Cost(in *pass.Input) int {
	_, m := in.Source.Dims()
	return 2 * m
}

// Start makes a worker.
func (p linkTurn) Start(in *pass.Input) (pass.Worker, error) {
	_, m := in.Source.Dims()
	solver, solve := p.Rows.solveLink()
	u := make([]float64, p.Rows.K)
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(2*m + 2) }, func(part *pass.Sums, _ int, at []int32, a, weights []float64) error {
		effect, _, ok := solve(at, a, weights, u)
		if !ok || len(at) == 0 {
			return nil // said when the rows are fitted
		}
		part.Values[2*m] += effect
		part.Values[2*m+1]++
		solver.slopes(a)
		for e, c := range at {
			part.Values[c] += solver.alpha[e]
			part.Values[m+int(c)] += solver.h[e]
		}
		return nil
	}), nil
}

func init() { pass.Register("effects", linkTurn{}, new(pass.Sums)) }
