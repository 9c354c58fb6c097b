package tables

import (
	"io"

	"optcomplete/internal/columnar"
	"optcomplete/model/store"
	"optcomplete/result"
)

// predictionsInGroup is how many predictions are written together.
const predictionsInGroup = 1 << 16

// PredictionWriter writes predictions as a table with the columns row, column,
// prediction and basis, and what Intervals says.
type PredictionWriter struct {
	out                 store.GroupWriter
	rows, columns, base []string
	values              []float64
	bounds              [len(boundNames)][]float64
	intervals           Intervals
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
	fields := []columnar.Field{
		{Name: "row", Kind: columnar.Text},
		{Name: "column", Kind: columnar.Text},
		{Name: "prediction", Kind: columnar.Float},
		{Name: "basis", Kind: columnar.Text},
	}
	for _, name := range boundNames[:intervals] {
		fields = append(fields, columnar.Field{Name: name, Kind: columnar.Float})
	}
	out, err := newTable(w, format, fields)
	return &PredictionWriter{out: out, intervals: intervals}, err
}

// Write writes a prediction.
func (p *PredictionWriter) Write(row, column string, a result.Answer) error {
	p.rows, p.columns = append(p.rows, row), append(p.columns, column)
	p.values, p.base = append(p.values, a.Value), append(p.base, a.Basis.String())
	for at, x := range []float64{a.Low, a.High, a.CountLow, a.CountHigh}[:p.intervals] {
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
	if len(p.rows) > 0 {
		if err := p.flush(); err != nil {
			return err
		}
	}
	return p.out.Close()
}
