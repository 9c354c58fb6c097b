package model

import (
	"io"

	"optcomplete/internal/columnar"
)

// predictionsInGroup is how many predictions are written together.
const predictionsInGroup = 1 << 16

// PredictionWriter writes predictions as a table with the columns row, column,
// prediction and basis.
type PredictionWriter struct {
	w      io.Writer // of CSV
	format Format
	line   []byte

	out                 *columnar.Writer // of Parquet
	rows, columns, base []string
	values              []float64
}

// NewPredictionWriter begins a table.
func NewPredictionWriter(w io.Writer, format Format) (*PredictionWriter, error) {
	if format != Parquet {
		_, err := io.WriteString(w, "row,column,prediction,basis\n")
		return &PredictionWriter{w: w, format: format}, err
	}
	return &PredictionWriter{out: columnar.NewWriter(w, []columnar.Field{
		{Name: "row", Kind: columnar.Text, Repeats: true},
		{Name: "column", Kind: columnar.Text, Repeats: true},
		{Name: "prediction", Kind: columnar.Float},
		{Name: "basis", Kind: columnar.Text, Repeats: true},
	})}, nil
}

// Write writes a prediction.
func (p *PredictionWriter) Write(row, column string, a Answer) error {
	if p.out == nil {
		p.line = append(appendField(p.line[:0], p.format.cell(row)), ',')
		p.line = append(appendField(p.line, p.format.cell(column)), ',')
		p.line = append(appendNumber(p.line, a.Value), ',')
		p.line = append(append(p.line, a.Basis.String()...), '\n')
		_, err := p.w.Write(p.line)
		return err
	}
	p.rows, p.columns = append(p.rows, row), append(p.columns, column)
	p.values, p.base = append(p.values, a.Value), append(p.base, a.Basis.String())
	if len(p.rows) < predictionsInGroup {
		return nil
	}
	return p.flush()
}

func (p *PredictionWriter) flush() error {
	err := p.out.WriteGroup(p.rows, p.columns, p.values, p.base)
	p.rows, p.columns, p.values, p.base = p.rows[:0], p.columns[:0], p.values[:0], p.base[:0]
	return err
}

// Close ends the table.
func (p *PredictionWriter) Close() error {
	if p.out == nil {
		return nil
	}
	if len(p.rows) > 0 {
		if err := p.flush(); err != nil {
			return err
		}
	}
	return p.out.Close()
}
