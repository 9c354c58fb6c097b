package tables

import (
	"io"

	"optcomplete/model"
	"optcomplete/model/store"
)

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
