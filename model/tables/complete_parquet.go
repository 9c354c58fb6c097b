package tables

import (
	"io"

	"optcomplete/internal/columnar"
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
	out  *columnar.Writer
}

var _ encoder = (*parquetEncoder)(nil)

func newParquetEncoder(m *model.Model, rows []int, w io.Writer) *parquetEncoder {
	return &parquetEncoder{m: m, rows: rows, out: columnar.NewWriter(w, []columnar.Field{
		{Name: "row", Kind: columnar.Text, Repeats: true},
		{Name: "column", Kind: columnar.Text, Repeats: true},
		{Name: "value", Kind: columnar.Float},
	})}
}

func (e *parquetEncoder) prepare(*job) {}

func (e *parquetEncoder) write(j *job) error {
	width := j.columnHi - j.columnLo
	rowIDs := make([]string, 0, j.rowHi-j.rowLo)
	for _, i := range e.rows[j.rowLo:j.rowHi] {
		rowIDs = append(rowIDs, e.m.RowIDs[i])
	}
	return e.out.WriteGroup(
		columnar.Coded{Texts: rowIDs, N: j.cells(), At: func(cell int) int { return cell / width }},
		columnar.Coded{Texts: e.m.ColumnIDs[j.columnLo:j.columnHi], N: j.cells(), At: func(cell int) int { return cell % width }},
		j.values,
	)
}

func (e *parquetEncoder) close() error { return e.out.Close() }
