package tables

import (
	"io"
	"slices"

	"optcomplete/internal/columnar"
	"optcomplete/internal/lists"
	"optcomplete/model"
)

// Wide is the format with a line for each row and a field for each column, the
// rows' ids first.
func (f Format) Wide() Format {
	switch f {
	case CSV:
		return WideCSV
	case RawCSV:
		return WideRawCSV
	case Parquet:
		return WideParquet
	}
	return f
}

// rowField is the name of the field with the rows' ids: row, unless a column has
// that id.
func rowField(m *model.Model) string {
	name := "row"
	for slices.Contains(m.ColumnIDs, name) {
		name += "_"
	}
	return name
}

// wideCSV writes whole rows as lines.
type wideCSV struct {
	m      *model.Model
	rows   []int
	w      io.Writer
	format Format
}

var _ encoder = (*wideCSV)(nil)

func newWideCSV(m *model.Model, rows []int, w io.Writer, format Format) (*wideCSV, error) {
	header := appendField(nil, rowField(m))
	for _, id := range m.ColumnIDs {
		header = appendField(append(header, ','), format.cell(id))
	}
	_, err := w.Write(append(header, '\n'))
	return &wideCSV{m, rows, w, format}, err
}

func (e *wideCSV) prepare(j *job) {
	j.text = j.text[:0]
	width := j.columnHi - j.columnLo
	for x, i := range e.rows[j.rowLo:j.rowHi] {
		j.text = appendField(j.text, e.format.cell(e.m.RowIDs[i]))
		for _, v := range j.values[x*width : (x+1)*width] {
			j.text = appendNumber(append(j.text, ','), v)
		}
		j.text = append(j.text, '\n')
	}
}

func (e *wideCSV) write(j *job) error {
	_, err := e.w.Write(j.text)
	return err
}

func (e *wideCSV) close() error { return nil }

// wideParquet writes whole rows as records.
type wideParquet struct {
	m    *model.Model
	rows []int
	out  *columnar.Writer
}

var _ encoder = (*wideParquet)(nil)

func newWideParquet(m *model.Model, rows []int, w io.Writer) *wideParquet {
	fields := []columnar.Field{{Name: rowField(m), Kind: columnar.Text}}
	for _, id := range m.ColumnIDs {
		fields = append(fields, columnar.Field{Name: id, Kind: columnar.Float})
	}
	return &wideParquet{m, rows, columnar.NewWriter(w, fields)}
}

func (e *wideParquet) prepare(*job) {}

func (e *wideParquet) write(j *job) error {
	ids := lists.Pick(e.m.RowIDs, e.rows[j.rowLo:j.rowHi])
	columns := []any{ids}
	for c := range e.m.ColumnIDs {
		values := make([]float64, len(ids))
		for x := range values {
			values[x] = j.values[x*len(e.m.ColumnIDs)+c]
		}
		columns = append(columns, values)
	}
	return e.out.WriteGroup(columns...)
}

func (e *wideParquet) close() error { return e.out.Close() }
