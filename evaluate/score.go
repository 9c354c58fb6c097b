package evaluate

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/result"
)

// Metrics is result.Metrics: a saved model holds them, and packages import only
// what stands above them.
type Metrics = result.Metrics

// maxError is what an absolute or relative error counts as if it is larger or
// not a number: its square, summed over any number of entries, stays finite,
// and no one can mistake the result for a good one.
const maxError = 1e140

// sums of the errors e over the entries of some rows.
type sums struct {
	entries, zeros             int
	relative, square, absolute float64
}

// Score compares predictions with all observed entries of s. predict writes the
// predictions of a row for the given columns, increasing, to out; it is called
// by that many goroutines at once (threads; 0 means 1).
func Score(s data.Source, predict func(row int, columns []int32, out []float64), threads int) (Metrics, error) {
	rows, _ := s.Dims()
	parts := make([]sums, data.Blocks(rows))
	err := data.ForBlocks(context.Background(), s, threads, func(r *data.RowReader) func(lo, hi int) error {
		score := rowScorer(r, predict)
		return func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				row, err := score(i)
				if err != nil {
					return err
				}
				parts[lo/data.BlockRows].merge(&row)
			}
			return nil
		}
	})
	return total(parts), err
}

// rowScorer gives the errors of one row after the other.
func rowScorer(r *data.RowReader, predict func(row int, columns []int32, out []float64)) func(i int) (sums, error) {
	var out []float64
	return func(i int) (sums, error) {
		columns, values, err := r.Row(i)
		if err != nil || len(columns) == 0 {
			return sums{}, err
		}
		if cap(out) < len(columns) {
			out = make([]float64, 2*len(columns))
		}
		out = out[:len(columns)]
		predict(i, columns, out)
		var row sums
		row.add(values, out)
		return row, nil
	}
}

func (s *sums) add(values, predictions []float64) {
	for at, v := range values {
		e := clamp(math.Abs(predictions[at] - v))
		s.entries++
		s.absolute += e
		s.square += e * e
		if v == 0 {
			s.zeros++
		} else {
			s.relative += clamp(e / math.Abs(v))
		}
	}
}

func (s *sums) merge(o *sums) {
	s.entries += o.entries
	s.zeros += o.zeros
	s.relative += o.relative
	s.square += o.square
	s.absolute += o.absolute
}

func clamp(e float64) float64 {
	if e <= maxError {
		return e
	}
	return maxError
}

// total adds the parts up, in order, and turns them into means.
func total(parts []sums) Metrics {
	var t sums
	for _, p := range parts {
		t.merge(&p)
	}
	out := Metrics{Entries: t.entries, MAPESkipped: t.zeros}
	if t.entries > 0 {
		out.RMSE = math.Sqrt(t.square / float64(t.entries))
		out.MAE = t.absolute / float64(t.entries)
	}
	if counted := t.entries - t.zeros; counted > 0 {
		out.MAPE = t.relative / float64(counted)
	}
	return out
}
