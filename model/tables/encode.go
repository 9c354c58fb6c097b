package tables

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"optcomplete/internal/columnar"
	"optcomplete/internal/lists"
	"optcomplete/model"
)

// parquetCells is the number of cells in a row group of a completed matrix:
// about 16 MB in memory.
const parquetCells = 1 << 20

// encoder writes chunks in a format. prepare may be called by many goroutines
// at once; write is called by one, in reading order.
type encoder struct {
	m      *model.Model
	rows   []int
	format Format
	mark   bool             // of observed cells
	w      io.Writer        // of text
	out    *columnar.Writer // of Parquet; nil: the format is text
	ids    [][]byte         // of a long text: every column's id, quoted, between its two commas
}

// newEncoder begins a table, of chunks of at most as many cells.
func newEncoder(m *model.Model, w io.Writer, format Format, rows []int, mark bool) (e *encoder, cells int, err error) {
	e = &encoder{m: m, rows: rows, format: format, mark: mark, w: w}
	fields := e.fields()
	switch format {
	case CSV, RawCSV, WideCSV, WideRawCSV:
		if cells = 1 << 14; e.wide() {
			cells = max(cells, len(m.ColumnIDs)) // whole rows
		} else {
			e.ids = lists.Each(m.ColumnIDs, func(id string) []byte { return append(appendField([]byte{','}, format.cell(id)), ',') })
		}
		var header []byte
		for x, f := range fields {
			if x > 0 {
				header = append(header, ',')
			}
			header = appendField(header, format.cell(f.Name))
		}
		_, err = w.Write(append(header, '\n'))
	case Parquet, WideParquet:
		if cells = parquetCells; e.wide() {
			cells = max(cells, len(m.ColumnIDs))
		}
		e.out = columnar.NewWriter(w, fields)
	default:
		err = fmt.Errorf("model: unknown format %v", format)
	}
	return e, cells, err
}

// Wide is the format with a line for each row and a field for each column, the
// rows' ids first.
func (f Format) Wide() Format {
	if f <= RawCSV {
		return map[Format]Format{CSV: WideCSV, RawCSV: WideRawCSV, Parquet: WideParquet}[f]
	}
	return f
}

// wide tells whether there is a field for each column.
func (e *encoder) wide() bool { return e.format == e.format.Wide() }

// fields are those of the table. That of the rows' ids is called row, unless a column has that
// id.
func (e *encoder) fields() []columnar.Field {
	fields := []columnar.Field{{Name: "row", Kind: columnar.Text}}
	if e.wide() {
		for slices.Contains(e.m.ColumnIDs, fields[0].Name) {
			fields[0].Name += "_"
		}
		for _, id := range e.m.ColumnIDs {
			fields = append(fields, columnar.Field{Name: id, Kind: columnar.Float})
		}
		return fields
	}
	fields = append(fields, columnar.Field{Name: "column", Kind: columnar.Text}, columnar.Field{Name: "value", Kind: columnar.Float})
	if e.mark {
		fields = append(fields, columnar.Field{Name: "observed", Kind: columnar.Int})
	}
	return fields
}

// prepare makes the text of a chunk.
func (e *encoder) prepare(j *job) {
	if e.out != nil {
		return
	}
	text, width := j.text[:0], j.columnHi-j.columnLo
	var row []byte
	for x, i := range e.rows[j.rowLo:j.rowHi] {
		row = appendField(row[:0], e.format.cell(e.m.RowIDs[i]))
		values := j.values[x*width:][:width]
		if e.wide() {
			text = append(text, row...)
			for _, v := range values {
				text = appendNumber(append(text, ','), v)
			}
			text = append(text, '\n')
			continue
		}
		for c, v := range values {
			text = append(append(text, row...), e.ids[j.columnLo+c]...)
			if text = appendNumber(text, v); e.mark {
				text = append(text, ',', '0'+byte(j.observed[x*width+c]))
			}
			text = append(text, '\n')
		}
	}
	j.text = text
}

// write writes a chunk. Ids go to Parquet as texts and places, so that none is copied once per
// cell.
func (e *encoder) write(j *job) error {
	if e.out == nil {
		_, err := e.w.Write(j.text)
		return err
	}
	ids, width := lists.Pick(e.m.RowIDs, e.rows[j.rowLo:j.rowHi]), j.columnHi-j.columnLo
	if e.wide() {
		group := []any{ids}
		for c := range width {
			values := make([]float64, len(ids))
			for x := range values {
				values[x] = j.values[x*width+c]
			}
			group = append(group, values)
		}
		return e.out.WriteGroup(group...)
	}
	rows, columns := make([]int32, j.cells()), make([]int32, j.cells())
	for cell := range rows {
		rows[cell], columns[cell] = int32(cell/width), int32(cell%width)
	}
	group := []any{columnar.Coded{Texts: ids, Codes: rows}, columnar.Coded{Texts: e.m.ColumnIDs[j.columnLo:j.columnHi], Codes: columns}, j.values}
	if e.mark {
		group = append(group, j.observed)
	}
	return e.out.WriteGroup(group...)
}

func (e *encoder) close() error {
	if e.out == nil {
		return nil
	}
	return e.out.Close()
}

// appendField appends a CSV field (RFC 4180), quoted if it has to be. Outer
// spaces are quoted too, because some readers trim them.
func appendField(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n") && s == strings.TrimSpace(s) {
		return append(b, s...)
	}
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}

// appendNumber appends the shortest decimal that reads back as the same number,
// with an exponent only for very large and very small ones.
func appendNumber(b []byte, x float64) []byte {
	format := byte('f')
	if size := math.Abs(x); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, x, format, -1, 64)
}
