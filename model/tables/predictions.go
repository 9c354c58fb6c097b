package tables

import (
	"io"

	"optcomplete/internal/columnar"
	"optcomplete/result"
)

// predictionsInGroup is how many predictions are written together.
const predictionsInGroup = 1 << 16

// PredictionWriter writes predictions as a table with the columns row, column,
// prediction and basis, and low and high if there are intervals.
type PredictionWriter struct {
	w      io.Writer // of CSV
	format Format
	line   []byte

	out                 *columnar.Writer // of Parquet
	rows, columns, base []string
	values, low, high   []float64

	intervals bool
}

// NewPredictionWriter begins a table.
func NewPredictionWriter(w io.Writer, format Format, intervals bool) (*PredictionWriter, error) {
	if format != Parquet {
		head := "row,column,prediction,basis"
		if intervals {
			head += ",low,high"
		}
		_, err := io.WriteString(w, head+"\n")
		return &PredictionWriter{w: w, format: format, intervals: intervals}, err
	}
	fields := []columnar.Field{
		{Name: "row", Kind: columnar.Text},
		{Name: "column", Kind: columnar.Text},
		{Name: "prediction", Kind: columnar.Float},
		{Name: "basis", Kind: columnar.Text},
	}
	if intervals {
		fields = append(fields, columnar.Field{Name: "low", Kind: columnar.Float}, columnar.Field{Name: "high", Kind: columnar.Float})
	}
	return &PredictionWriter{out: columnar.NewWriter(w, fields), intervals: intervals}, nil
}

// Write writes a prediction.
func (p *PredictionWriter) Write(row, column string, a result.Answer) error {
	if p.out == nil {
		p.line = append(appendField(p.line[:0], p.format.cell(row)), ',')
		p.line = append(appendField(p.line, p.format.cell(column)), ',')
		p.line = append(appendNumber(p.line, a.Value), ',')
		p.line = append(p.line, a.Basis.String()...)
		if p.intervals {
			p.line = appendNumber(append(p.line, ','), a.Low)
			p.line = appendNumber(append(p.line, ','), a.High)
		}
		p.line = append(p.line, '\n')
		_, err := p.w.Write(p.line)
		return err
	}
	p.rows, p.columns = append(p.rows, row), append(p.columns, column)
	p.values, p.base = append(p.values, a.Value), append(p.base, a.Basis.String())
	p.low, p.high = append(p.low, a.Low), append(p.high, a.High)
	if len(p.rows) < predictionsInGroup {
		return nil
	}
	return p.flush()
}

func (p *PredictionWriter) flush() error {
	group := []any{p.rows, p.columns, p.values, p.base}
	if p.intervals {
		group = append(group, p.low, p.high)
	}
	err := p.out.WriteGroup(group...)
	p.low, p.high = p.low[:0], p.high[:0]
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
