package model

import (
	"optcomplete/data"
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
func FitEffects(m *data.Matrix, rowShrinkage, columnShrinkage float64) *Effects {
	n, columns := m.Dims()
	e := &Effects{Rows: make([]float64, n), Columns: make([]float64, columns)}
	if m.Observed() == 0 {
		return e
	}
	count := make([]float64, columns)
	for i := range n {
		at, values := m.Row(i)
		for x, c := range at {
			e.Mean += values[x]
			count[c]++
		}
	}
	e.Mean /= float64(m.Observed())
	sum := make([]float64, columns)
	for range effectSweeps {
		clear(sum)
		for i := range n {
			at, values := m.Row(i)
			for x, c := range at {
				sum[c] += values[x] - e.Mean - e.Rows[i]
			}
		}
		for c := range e.Columns {
			if count[c] > 0 {
				e.Columns[c] = sum[c] / (count[c] + columnShrinkage)
			}
		}
		for i := range n {
			at, values := m.Row(i)
			if len(at) == 0 {
				continue
			}
			rest := 0.0
			for x, c := range at {
				rest += values[x] - e.Mean - e.Columns[c]
			}
			e.Rows[i] = rest / (float64(len(at)) + rowShrinkage)
		}
	}
	return e
}

// Predict is evaluate.Score's predictor from the effects alone.
func (e *Effects) Predict(row int, columns []int32, out []float64) {
	for x, c := range columns {
		out[x] = e.Mean + e.Rows[row] + e.Columns[c]
	}
}

// Residuals is the matrix of what the effects leave. Without rows, the row
// effects are left in.
func (e *Effects) Residuals(m *data.Matrix, rows bool) *data.Matrix {
	return m.Map(func(i int, c int32, value float64) float64 {
		value -= e.Mean + e.Columns[c]
		if rows {
			value -= e.Rows[i]
		}
		return value
	})
}
