package model

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/pass"
)

// Effects are what rows and columns bring along whatever the features say:
// value = mean + row effect + column effect + rest.
type Effects struct {
	Mean    float64   // of all entries
	Rows    []float64 // n
	Columns []float64 // m
}

// effectSweeps is how often rows and columns are fitted in turn. The effects
// change by less than a thousandth of the noise after a few.
const effectSweeps = 10

// FitEffects fits shrunken effects to the observed entries: it minimises
//
//	Σ (a_ij − mean − r_i − c_j)² + rowShrinkage·Σ r_i² + columnShrinkage·Σ c_j²
//
// by turns, so a shrinkage is the number of entries at which an effect is
// believed by half. Rows and columns without entries have effect 0.
//
// It reads the source once for each turn, and once before.
func FitEffects(ctx context.Context, s data.Source, rowShrinkage, columnShrinkage float64, threads int) (*Effects, error) {
	n, m := s.Dims()
	e := &Effects{Rows: make([]float64, n), Columns: make([]float64, m)}
	survey, err := pass.Survey(ctx, s, threads)
	if err != nil || survey.Total == 0 {
		return e, err
	}
	e.Mean = survey.Mean()
	sums := survey.Sums // of the values less mean and row effect, by column
	for c, count := range survey.Columns {
		sums[c] -= e.Mean * float64(count)
	}
	sweeps := effectSweeps
	if math.IsInf(rowShrinkage, 1) || math.IsInf(columnShrinkage, 1) {
		sweeps = 1 // there are no turns to take
	}
	for range sweeps {
		for c, count := range survey.Columns {
			if count > 0 {
				e.Columns[c] = sums[c] / (float64(count) + columnShrinkage)
			}
		}
		sums, err = byColumn(ctx, s, threads, func() addRow {
			return func(i int, at []int32, values, sums []float64) {
				if len(at) == 0 {
					return
				}
				rest := 0.0
				for x, c := range at {
					rest += values[x] - e.Mean - e.Columns[c]
				}
				e.Rows[i] = rest / (float64(len(at)) + rowShrinkage)
				by := e.Mean + e.Rows[i]
				for x, c := range at {
					sums[c] += values[x] - by
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

// Of the parts that sums by column are made of: their number, and that of their
// numbers together.
const (
	columnParts   = 64
	columnNumbers = 1 << 23
)

// addRow adds something of the entries of row i to sums by column.
type addRow func(i int, at []int32, values, sums []float64)

// byColumn adds something of every entry up by its column; start is called once
// by each goroutine. The result is the same for any number of threads.
func byColumn(ctx context.Context, s data.Source, threads int, start func() addRow) ([]float64, error) {
	n, m := s.Dims()
	partial := make([][]float64, max(1, min(columnParts, columnNumbers/max(m, 1), data.Blocks(n))))
	err := data.ForParts(ctx, s, len(partial), threads, func(r *data.RowReader) func(part, lo, hi int) error {
		add := start()
		return func(part, lo, hi int) error {
			sums := make([]float64, m)
			for i := lo; i < hi; i++ {
				at, values, err := r.Row(i)
				if err != nil {
					return err
				}
				add(i, at, values, sums)
			}
			partial[part] = sums
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	for _, part := range partial[1:] {
		axpy(1, part, partial[0])
	}
	return partial[0], nil
}

// Predict is evaluate.Score's predictor from the effects alone.
func (e *Effects) Predict(row int, columns []int32, out []float64) {
	for x, c := range columns {
		out[x] = e.Mean + e.Rows[row] + e.Columns[c]
	}
}

// Residuals is what the effects leave.
func (e *Effects) Residuals(s data.Source) data.Source {
	return data.Map(s, func(i int, c int32, value float64) float64 {
		return value - (e.Mean + e.Columns[c]) - e.Rows[i]
	})
}
