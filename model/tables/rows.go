package tables

import (
	"fmt"
	"io"

	"optcomplete/model"
	"optcomplete/model/store"
)

// WriteRows writes what the model has of the given rows, as rows.parquet of a
// saved model does: id, entries, effect (not in paper), a coefficient for each
// term, and the factors of the remainder.
func Rows(m *model.Model, w io.Writer, format Format, rows []int) error {
	part := store.RowsOf(m, rows)
	switch format {
	case CSV, RawCSV:
		return writeTable(w, part, format)
	case Parquet:
		return part.Write(w)
	}
	return fmt.Errorf("model: unknown format %v", format)
}

func writeTable(w io.Writer, t *store.Table, format Format) error {
	var line []byte
	for x, name := range t.Header() {
		if x > 0 {
			line = append(line, ',')
		}
		line = appendField(line, format.cell(name))
	}
	for x := range t.Len() {
		id, entries, numbers := t.Row(x)
		line = appendField(append(line, '\n'), format.cell(id))
		line = fmt.Appendf(line, ",%d", entries)
		for _, v := range numbers {
			line = appendNumber(append(line, ','), v)
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	_, err := w.Write(append(line, '\n'))
	return err
}
