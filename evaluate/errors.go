package evaluate

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/pass"
)

// errorGroups is the number of groups of rows whose errors are told apart.
const errorGroups = 64

const groupStream = 0x67726f7570 // "group"

// Errors are the errors of predictions, also by groups of rows: with those of
// other predictions of the same entries they tell whether a difference is more
// than chance.
type Errors struct {
	Metrics
	squares [errorGroups]float64 // sums of squared errors
}

// ScoreErrors is Score that keeps the errors by groups of rows, which are drawn by
// their ids.
func ScoreErrors(ctx context.Context, s data.Source, predict Predict, threads int) (*Errors, error) {
	keys := data.KeysOf(s)
	part, err := pass.One[*errorSums](context.WithoutCancel(ctx), s, threads, &pass.Fold[*errorSums]{
		Called: "scores", Fresh: func() *errorSums { return new(errorSums) },
		Begin: func() func(part *errorSums, i int, columns []int32, values []float64) error {
			score := rowScorer(predict)
			return func(part *errorSums, i int, columns []int32, values []float64) error {
				if row := score(i, columns, values); row.entries > 0 {
					part.sums.merge(&row)
					part.squares[random.Hash(groupStream, keys.Row(i))%errorGroups] += row.square
				}
				return nil
			}
		},
	})
	if err != nil {
		return nil, err
	}
	return &Errors{Metrics: total([]sums{part.sums}), squares: part.squares}, nil
}

// errorSums is the errors of some rows.
type errorSums struct {
	sums    sums
	squares [errorGroups]float64
}

// Merge adds other rows.
func (e *errorSums) Merge(o pass.Part) {
	after := o.(*errorSums)
	e.sums.merge(&after.sums)
	for g, square := range after.squares {
		e.squares[g] += square
	}
}

// Better tells whether the errors are less than others of the same entries by more
// than one standard error of the difference.
func (e *Errors) Better(than *Errors) bool {
	sum, square := 0.0, 0.0
	for g := range e.squares {
		d := than.squares[g] - e.squares[g]
		sum += d
		square += d * d
	}
	// The variance of a sum of G differences is G times theirs.
	variance := (square - sum*sum/errorGroups) * errorGroups / (errorGroups - 1)
	return sum > math.Sqrt(math.Max(variance, 0))
}
