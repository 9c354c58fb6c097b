package evaluate

import (
	"context"

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
	keys := data.KeysOf(s)
	part, err := pass.One[*errorSums](ctx, s, threads, &pass.Fold[*errorSums]{
		Called: "leave one out", Fresh: func() *errorSums { return new(errorSums) },
		Begin: func() func(part *errorSums, i int, columns []int32, values []float64) error {
			mine := fit.Clone()
			var left, errors []float64
			return func(part *errorSums, i int, columns []int32, values []float64) error {
				if len(columns) == 0 {
					return nil
				}
				left, errors = append(left[:0], values...), append(errors[:0], values...)
				if levels != nil {
					for x := range left {
						left[x] -= levels[i]
					}
				}
				mine.Errors(columns, left, errors)
				square := 0.0
				for x, e := range errors {
					if clip != nil {
						e = values[x] - min(max(values[x]-e, clip.Low), clip.High)
					}
					if e *= e; !(e < maxError*maxError) {
						e = maxError * maxError
					}
					square += e
				}
				part.Scores.Sums.Entries += len(columns)
				part.Scores.Sums.Count += float64(len(columns))
				part.Scores.Sums.Square += square
				group := random.Hash(groupStream, keys.Row(i)) % errorGroups
				part.Squares[group] += square
				part.Counts[group] += float64(len(columns))
				return nil
			}
		},
	})
	if err != nil {
		return nil, err
	}
	return part.errors(), nil
}
