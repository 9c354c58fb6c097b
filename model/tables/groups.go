package tables

import (
	"fmt"
	"io"
	"strconv"

	"optcomplete/internal/columnar"
	"optcomplete/model/store"
)

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
