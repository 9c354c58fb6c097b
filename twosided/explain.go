package twosided

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
