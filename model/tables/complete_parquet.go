package tables

import (
	"io"

	"optcomplete/internal/columnar"
	"optcomplete/internal/lists"
	"optcomplete/model"
)

// parquetCells is the number of cells in a row group of a completed matrix:
// about 16 MB in memory.
const parquetCells = 1 << 20

// parquetEncoder hands ids over as texts and places, so that no id is copied
// once per cell.
type parquetEncoder struct {
	m    *model.Model
	rows []int
	mark bool
	out  *columnar.Writer
}

var _ encoder = (*parquetEncoder)(nil)

func newParquetEncoder(m *model.Model, rows []int, w io.Writer, mark bool) *parquetEncoder {
	fields := []columnar.Field{
		{Name: "row", Kind: columnar.Text},
		{Name: "column", Kind: columnar.Text},
		{Name: "value", Kind: columnar.Float},
	}
	if mark {
		fields = append(fields, columnar.Field{Name: "observed", Kind: columnar.Int})
	}
	return &parquetEncoder{m: m, rows: rows, mark: mark, out: columnar.NewWriter(w, fields)}
}

func (e *parquetEncoder) prepare(*job) {}

func (e *parquetEncoder) write(j *job) error {
	width := j.columnHi - j.columnLo
	rowIDs := lists.Pick(e.m.RowIDs, e.rows[j.rowLo:j.rowHi])
	rows, columns := make([]int32, j.cells()), make([]int32, j.cells())
	for cell := range rows {
		rows[cell], columns[cell] = int32(cell/width), int32(cell%width)
	}
	fields := []any{columnar.Coded{Texts: rowIDs, Codes: rows}, columnar.Coded{Texts: e.m.ColumnIDs[j.columnLo:j.columnHi], Codes: columns}, j.values}
	if e.mark {
		fields = append(fields, j.observed)
	}
	return e.out.WriteGroup(fields...)
}

func (e *parquetEncoder) close() error { return e.out.Close() }
