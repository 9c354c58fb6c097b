package evaluate

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/pass"
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

// Predict writes the predictions of a row for the given columns, increasing, to
// out. Many goroutines call it at once.
type Predict = func(row int, columns []int32, out []float64)

// Score compares predictions with all observed entries of s. An interrupt does
// not end it.
func Score(ctx context.Context, s data.Source, predict Predict, threads int) (Metrics, error) {
	part, err := pass.One[*sums](context.WithoutCancel(ctx), s, threads, Scoring(predict))
	if err != nil {
		return Metrics{}, err
	}
	return total([]sums{*part}), nil
}

// Scoring is the pass of Score, to be read together with others; ScoreOf is its
// result.
func Scoring(predict Predict) pass.Pass {
	return &pass.Fold[*sums]{
		Called: "scores", Fresh: func() *sums { return new(sums) },
		Begin: func() func(part *sums, i int, columns []int32, values []float64) error {
			score := rowScorer(predict)
			return func(part *sums, i int, columns []int32, values []float64) error {
				row := score(i, columns, values)
				part.merge(&row)
				return nil
			}
		},
	}
}

// ScoreOf is what Scoring found.
func ScoreOf(part pass.Part) Metrics { return total([]sums{*part.(*sums)}) }

// Merge adds other rows.
func (s *sums) Merge(o pass.Part) { s.merge(o.(*sums)) }

// rowScorer gives the errors of one row after the other.
func rowScorer(predict Predict) func(i int, columns []int32, values []float64) sums {
	var out []float64
	return func(i int, columns []int32, values []float64) (s sums) {
		if len(columns) == 0 {
			return s
		}
		if cap(out) < len(columns) {
			out = make([]float64, 2*len(columns))
		}
		out = out[:len(columns)]
		predict(i, columns, out)
		s.add(values, out)
		return s
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
