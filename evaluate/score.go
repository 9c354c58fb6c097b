package evaluate

import (
	"context"
	"encoding/gob"
	"math"

	"optcomplete/data"
	"optcomplete/loss"
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

// sums of the errors e over the entries of some rows, and of their losses where
// those are not squares.
type sums struct {
	Entries, Zeros             int
	Count, Counted             float64 // of all entries and of those that are not 0: their number, or their weight
	Weighted                   bool    // entries have weights
	Relative, Square, Absolute float64
	Losses                     losses
}

// Score compares predictions with all observed entries of s, in the terms of their
// loss too (see LossOf). An interrupt does not end it.
func Score(ctx context.Context, s data.Source, by Predictor, threads int) (Metrics, error) {
	part, err := pass.One[*scores](context.WithoutCancel(ctx), s, threads, scoring{by})
	if err != nil {
		return Metrics{}, err
	}
	return part.metrics(), nil
}

// Scoring is the pass of Score, to be read together with others; ScoreOf is its
// result.
func Scoring(by Predictor) pass.Pass { return scoring{by} }

// scoring adds up the errors of predictions.
type scoring struct{ By Predictor }

// Start makes a worker.
func (p scoring) Start(*pass.Input) (pass.Worker, error) {
	score, l := rowScorer(p.By), LossOf(p.By)
	return pass.EachWeighed(func() *scores { return newScores(l) }, func(part *scores, i int, columns []int32, values, weights []float64) error {
		row, predictions := score(i, columns, values, weights)
		part.add(&row, values, predictions, weights)
		return nil
	}), nil
}

func init() { pass.Register("scores", scoring{}, new(scores)) }

// ScoreOf is what Scoring found.
func ScoreOf(part pass.Part) Metrics { return part.(*scores).metrics() }

// rowScorer gives the errors of one row after the other, and its predictions.
func rowScorer(by Predictor) func(i int, columns []int32, values, weights []float64) (sums, []float64) {
	var out []float64
	l := LossOf(by)
	return func(i int, columns []int32, values, weights []float64) (s sums, predictions []float64) {
		if len(columns) == 0 {
			return s, nil
		}
		if cap(out) < len(columns) {
			out = make([]float64, 2*len(columns))
		}
		out = out[:len(columns)]
		by.PredictRow(i, columns, out)
		s.add(values, out, weights)
		s.Losses.add(l, values, out, weights)
		return s, out
	}
}

// add adds entries, by their weights if those are not nil.
func (s *sums) add(values, predictions, weights []float64) {
	s.Weighted = s.Weighted || weights != nil
	for at, v := range values {
		e, w := clamp(math.Abs(predictions[at]-v)), weightAt(weights, at)
		s.Entries++
		s.Count += w
		s.Absolute += w * e
		s.Square += w * (e * e)
		if v == 0 {
			s.Zeros++
		} else {
			s.Counted += w
			s.Relative += w * clamp(e/math.Abs(v))
		}
	}
}

// weightAt is the weight of an entry: 1 if there are none.
func weightAt(weights []float64, at int) float64 {
	if weights == nil {
		return 1
	}
	return weights[at]
}

func (s *sums) merge(o *sums) {
	s.Entries += o.Entries
	s.Zeros += o.Zeros
	s.Count += o.Count
	s.Counted += o.Counted
	s.Weighted = s.Weighted || o.Weighted
	s.Relative += o.Relative
	s.Square += o.Square
	s.Absolute += o.Absolute
	s.Losses.merge(&o.Losses)
}

func clamp(e float64) float64 {
	if e <= maxError {
		return e
	}
	return maxError
}

// metrics turns the sums into means.
func (s *sums) metrics() Metrics {
	out := Metrics{Entries: s.Entries, MAPESkipped: s.Zeros, Weighted: s.Weighted}
	if s.Entries > 0 {
		out.RMSE = math.Sqrt(s.Square / s.Count)
		out.MAE = s.Absolute / s.Count
	}
	if s.Entries > s.Zeros {
		out.MAPE = result.RelativeOf(s.Relative / s.Counted)
	}
	return out
}

// Predictor predicts the entries of rows, from any number of goroutines at once. It
// is part of a pass: its type is registered with encoding/gob, which can send it,
// and what is large is shared (see pass.Shared). One that is neither serves readings
// of this process only.
type Predictor interface {
	// PredictRow writes the predictions of a row for the given columns, increasing,
	// to out.
	PredictRow(row int, columns []int32, out []float64)
}

// LossOf is what predictions were made by, where who makes them tells: squared
// errors if not.
func LossOf(by any) loss.Scaled {
	if of, ok := by.(interface{ LossOf() loss.Scaled }); ok {
		return of.LossOf()
	}
	return loss.Scaled{}
}

// Picked predicts for some of the rows, which follow each other.
type Picked struct {
	By   Predictor
	Rows []int // of By
}

// PredictRow predicts for the row that was picked.
func (p Picked) PredictRow(row int, columns []int32, out []float64) {
	p.By.PredictRow(p.Rows[row], columns, out)
}

// LossOf is that of the predictor.
func (p Picked) LossOf() loss.Scaled { return LossOf(p.By) }

func init() { gob.Register(Picked{}) }
