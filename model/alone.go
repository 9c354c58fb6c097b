package model

import (
	"optcomplete/model/estimate"
)

// Alone is the model with one row in place of all its rows: folded in from these entries, as
// WithRows does it. It shares what it has of columns, so that it takes as long as one small
// solve, however many rows the model has. columns are indices in the model, increasing; weights
// are nil if there are none. The model itself is not changed.
//
// An error is a *RangeError, or one of reading the model.
func (m *Model) Alone(id string, columns []int32, values, weights []float64) (*Model, error) {
	f, err := m.folder()
	if err != nil {
		return nil, err
	}
	k := m.K()
	u, v := make([]float64, k), make([]float64, m.Factors())
	effect, err := f.fold(columns, values, weights, u)
	if err != nil {
		return nil, err
	}
	if len(v) > 0 {
		f.remainder(columns, values, weights, effect, u, v)
	}
	if _, _, err := m.SeenAndFitted(); err != nil { // with the weights of the columns
		return nil, err
	}
	out := m.copy()
	out.whole = m.all()
	out.RowIDs, out.Entries, out.Summary.Rows = []string{id}, []int32{int32(len(columns))}, 1
	out.Coefficients, out.RowRemainder = &estimate.RowMatrix{K: k, Values: u}, v
	if m.RowEffects != nil {
		out.RowEffects = []float64{effect}
	}
	own := Seen{columns: [][]int32{columns}}
	if weights != nil {
		own.weights = [][]float64{weights}
	}
	out.entries.read, out.entries.seen, out.entries.fitted = nil, own, own
	return out, nil
}
