package diagnose

import (
	"context"
	"errors"

	"optcomplete/data"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/pass"
	"optcomplete/result"
)

// coverages are the probabilities that CoverageOf looks at.
var coverages = []float64{0.5, 0.8, 0.95}

// CoverageOf compares intervals with entries that the model was not fitted on; nil
// if it has none to tell, or if they are of probabilities, which nobody observes. It does not depend on the number of threads.
func Coverage(ctx context.Context, m *model.Model, held data.Source, threads int) ([]result.Coverage, error) {
	if m.LossOf().Loss == loss.Logistic {
		return nil, nil
	}
	counts := m.LossOf().Loss == loss.Poisson
	if _, err := m.Intervals(); errors.Is(err, model.ErrNoIntervals) || errors.Is(err, model.ErrEntriesUnknown) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	part, err := pass.One[*pass.Sums](ctx, held, threads, &pass.Fold[*pass.Sums]{
		Called: "coverage", Fresh: func() *pass.Sums { return pass.NewSums(1 + 2*len(coverages)) },
		Begin: func() func(part *pass.Sums, i int, at []int32, values []float64) error {
			x, err := m.Intervals()
			return func(part *pass.Sums, i int, at []int32, values []float64) error {
				if err != nil {
					return err
				}
				for e, c := range at {
					a := m.AnswerAt(i, int(c))
					part.Values[0]++
					for y, probability := range coverages {
						sure, err := x.Of(a, i, int(c), probability)
						if err != nil {
							return err
						}
						low, high := sure.Low, sure.High
						if counts {
							low, high = sure.CountLow, sure.CountHigh
						}
						part.Values[2+2*y] += high - low
						if values[e] >= low && values[e] <= high {
							part.Values[1+2*y]++
						}
					}
				}
				return nil
			}
		},
	})
	if err != nil || part.Values[0] == 0 {
		return nil, err
	}
	var out []result.Coverage
	for y, probability := range coverages {
		out = append(out, result.Coverage{Probability: probability, Covered: part.Values[1+2*y] / part.Values[0], Width: part.Values[2+2*y] / part.Values[0]})
	}
	return out, nil
}
