package evaluate

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/internal/random"
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
func ScoreErrors(s data.Source, predict func(row int, columns []int32, out []float64), threads int) (*Errors, error) {
	rows, _ := s.Dims()
	keys := data.KeysOf(s)
	parts := make([]sums, data.Blocks(rows))
	squares := make([][errorGroups]float64, len(parts))
	err := data.ForBlocks(context.Background(), s, threads, func(r *data.RowReader) func(lo, hi int) error {
		score := rowScorer(r, predict)
		return func(lo, hi int) error {
			block := lo / data.BlockRows
			for i := lo; i < hi; i++ {
				row, err := score(i)
				if err != nil {
					return err
				}
				if row.entries > 0 {
					parts[block].merge(&row)
					squares[block][random.Hash(groupStream, keys.Row(i))%errorGroups] += row.square
				}
			}
			return nil
		}
	})
	out := &Errors{Metrics: total(parts)}
	for b := range squares {
		for g, square := range squares[b] {
			out.squares[g] += square
		}
	}
	return out, err
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
