package evaluate

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
)

// LeaveOneOut is the errors of predicting every entry of s from the others of its
// row. Levels, if not nil, are subtracted from the values of each row first.
// Predictions are kept within the range, unless that is nil. An interrupt ends it.
func LeaveOneOut(ctx context.Context, s data.Source, fit *estimate.LeaveOut, levels []float64, clip *result.Range, threads int) (*Errors, error) {
	part, err := pass.One[*errorSums](ctx, s, threads, leavingOut{pass.Share(fit), pass.Share(levels), clip, shareKeys(s)})
	if err != nil {
		return nil, err
	}
	return part.errors(), nil
}

// leavingOut is the pass of LeaveOneOut.
type leavingOut struct {
	Fit    *pass.Shared[*estimate.LeaveOut]
	Levels *pass.Shared[[]float64]
	Clip   *result.Range
	Keys   *pass.Shared[data.KeyTable]
}

// Start makes a worker.
func (p leavingOut) Start(*pass.Input) (pass.Worker, error) {
	fit, levels, keys := p.Fit.Get().Clone(), p.Levels.Get(), p.Keys.Get()
	var left, errors []float64
	return pass.EachWeighed(func() *errorSums { return new(errorSums) }, func(part *errorSums, i int, columns []int32, values, weights []float64) error {
		if len(columns) == 0 {
			return nil
		}
		left, errors = append(left[:0], values...), append(errors[:0], values...)
		if len(levels) > 0 {
			for x := range left {
				left[x] -= levels[i]
			}
		}
		fit.Errors(columns, left, weights, errors)
		square, count := 0.0, float64(len(columns))
		if weights != nil {
			count = floats.Sum(weights)
		}
		for x, e := range errors {
			if p.Clip != nil {
				e = values[x] - min(max(values[x]-e, p.Clip.Low), p.Clip.High)
			}
			if e *= e; !(e < maxError*maxError) {
				e = maxError * maxError
			}
			if weights != nil {
				e *= weights[x]
			}
			square += e
		}
		part.Scores.Sums.Entries += len(columns)
		part.Scores.Sums.Count += count
		part.Scores.Sums.Square += square
		group := random.Hash(groupStream, keys.Row(i)) % errorGroups
		part.Squares[group] += square
		part.Counts[group] += count
		return nil
	}), nil
}

func init() { pass.Register("leave one out", leavingOut{}, new(errorSums)) }
