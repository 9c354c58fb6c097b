package twosided

import (
	"context"

	"optcomplete/objective"
	"optcomplete/result"
)

// Part is what one product adds to a prediction.
type Part struct {
	Name        string  `json:"name"` // row feature × column feature
	Coefficient float64 `json:"coefficient"`
	Row         float64 `json:"row"`    // the row's feature
	Column      float64 `json:"column"` // the column's feature
	Value       float64 `json:"value"`  // the product of the three
}

// Explain takes one prediction apart: the parts add up to it. The errors are
// those of Predict.
func (m *Model) Explain(row, column string) (parts []Part, prediction float64, err error) {
	if prediction, err = m.Predict(row, column); err != nil {
		return nil, 0, err
	}
	x, b := m.Rows.Row(m.row[row]), m.Columns.Row(m.column[column])
	for i, c := range m.coefficientOf {
		p := Part{Name: m.Summary.Selected[i], Coefficient: c, Row: x[m.rowAt[i]], Column: b[m.colAt[i]]}
		p.Value = c * p.Row * p.Column
		parts = append(parts, p)
	}
	return parts, prediction, nil
}

// removal costs the selection without each of its products in turn.
func (s *sides) removal(ctx context.Context, oracle *objective.Quadratic, selection []int) ([]result.Removal, error) {
	weights, gradient := make([]float64, oracle.Dim()), make([]float64, oracle.Dim())
	for _, j := range selection {
		weights[j] = 1
	}
	var out []result.Removal
	for _, j := range selection {
		weights[j] = 0
		cost, _, err := oracle.Eval(ctx, weights, gradient)
		if err != nil {
			return nil, err
		}
		weights[j] = 1
		out = append(out, result.Removal{Name: s.name(j), Cost: cost})
	}
	return out, nil
}
