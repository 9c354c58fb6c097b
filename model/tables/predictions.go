package tables

import (
	"io"

	"optcomplete/internal/columnar"
	"optcomplete/result"
)

// predictionsInGroup is how many predictions are written together.
const predictionsInGroup = 1 << 16

// PredictionWriter writes predictions as a table with the columns row, column,
// prediction and basis, and what Intervals says.
type PredictionWriter struct {
	w      io.Writer // of CSV
	format Format
	line   []byte

	out                 *columnar.Writer // of Parquet
	rows, columns, base []string
	values              []float64
	bounds              [len(boundNames)][]float64

	intervals Intervals
}

// Intervals says which ones a table of predictions has.
type Intervals int

const (
	NoIntervals    Intervals = 0
	WithIntervals  Intervals = 2 // low and high
	CountIntervals Intervals = 4 // also count_low and count_high
)

var boundNames = [...]string{"low", "high", "count_low", "count_high"}

// NewPredictionWriter begins a table.
func NewPredictionWriter(w io.Writer, format Format, intervals Intervals) (*PredictionWriter, error) {
	if format != Parquet {
		head := "row,column,prediction,basis"
		for _, name := range boundNames[:intervals] {
			head += "," + name
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
	for _, name := range boundNames[:intervals] {
		fields = append(fields, columnar.Field{Name: name, Kind: columnar.Float})
	}
	return &PredictionWriter{out: columnar.NewWriter(w, fields), intervals: intervals}, nil
}

// Write writes a prediction.
func (p *PredictionWriter) Write(row, column string, a result.Answer) error {
	bounds := [...]float64{a.Low, a.High, a.CountLow, a.CountHigh}
	if p.out == nil {
		p.line = append(appendField(p.line[:0], p.format.cell(row)), ',')
		p.line = append(appendField(p.line, p.format.cell(column)), ',')
		p.line = append(appendNumber(p.line, a.Value), ',')
		p.line = append(p.line, a.Basis.String()...)
		for _, x := range bounds[:p.intervals] {
			p.line = appendNumber(append(p.line, ','), x)
		}
		p.line = append(p.line, '\n')
		_, err := p.w.Write(p.line)
		return err
	}
	p.rows, p.columns = append(p.rows, row), append(p.columns, column)
	p.values, p.base = append(p.values, a.Value), append(p.base, a.Basis.String())
	for at, x := range bounds[:p.intervals] {
		p.bounds[at] = append(p.bounds[at], x)
	}
	if len(p.rows) < predictionsInGroup {
		return nil
	}
	return p.flush()
}

func (p *PredictionWriter) flush() error {
	group := []any{p.rows, p.columns, p.values, p.base}
	for at := range p.intervals {
		group = append(group, p.bounds[at])
	}
	err := p.out.WriteGroup(group...)
	for at := range p.bounds {
		p.bounds[at] = p.bounds[at][:0]
	}
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
