package tables

import (
	"fmt"
	"io"
	"strconv"

	"optcomplete/internal/columnar"
	"optcomplete/model"
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

// newTable begins a table with these fields, that is written some rows at a time.
func newTable(w io.Writer, format Format, fields []columnar.Field) (store.GroupWriter, error) {
	switch format {
	case Parquet:
		return columnar.NewWriter(w, fields), nil
	case CSV, RawCSV:
		out := &csvTable{w: w, format: format}
		for x, f := range fields {
			out.field(x, f.Name)
		}
		return out, out.end()
	}
	return nil, fmt.Errorf("model: unknown format %v", format)
}

// csvTable writes groups of rows as a columnar.Writer does, as lines.
type csvTable struct {
	w      io.Writer
	format Format
	text   []byte
}

// WriteGroup writes rows, of which it is given the columns.
func (t *csvTable) WriteGroup(columns ...any) error {
	for row := 0; ; row++ {
		for x, column := range columns {
			switch c := column.(type) {
			case []string:
				if row == len(c) {
					return t.flush()
				}
				t.field(x, c[row])
			case columnar.Coded:
				if row == len(c.Codes) {
					return t.flush()
				}
				t.field(x, c.Texts[c.Codes[row]])
			case []int32:
				t.text = strconv.AppendInt(append(t.text, ','), int64(c[row]), 10)
			case []float64:
				t.text = appendNumber(append(t.text, ','), c[row])
			}
		}
		t.text = append(t.text, '\n')
	}
}

// field appends a text, the first of a line or another.
func (t *csvTable) field(at int, text string) {
	if at > 0 {
		t.text = append(t.text, ',')
	}
	t.text = appendField(t.text, t.format.cell(text))
}

// end ends a line.
func (t *csvTable) end() error {
	t.text = append(t.text, '\n')
	return t.flush()
}

func (t *csvTable) flush() error {
	_, err := t.w.Write(t.text)
	t.text = t.text[:0]
	return err
}

// Close has nothing to do.
func (t *csvTable) Close() error { return nil }

// Rows writes what the model has of the given rows, as rows.parquet of a
// saved model does: id, entries, effect (not in paper), a coefficient for each
// term, and the factors of the remainder.
func Rows(m *model.Model, w io.Writer, format Format, rows []int) error {
	part := store.RowsOf(m, rows)
	out, err := newTable(w, format, part.Fields())
	if err != nil {
		return err
	}
	return part.WriteTo(out)
}
