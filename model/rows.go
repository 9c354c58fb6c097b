package model

import (
	"fmt"
	"io"
)

// WriteRows writes what the model has of the given rows, as rows.parquet of a
// saved model does: id, entries, effect (not in paper), a coefficient for each
// term, and the factors of the remainder.
func (m *Model) WriteRows(w io.Writer, format Format, rows []int) error {
	k := m.K()
	part := m.rowSchema()
	for _, i := range rows {
		part.ids, part.entries = append(part.ids, m.RowIDs[i]), append(part.entries, m.Entries[i])
		part.values = append(part.values, m.coefficients(i, k)...)
		if part.effect {
			part.effects = append(part.effects, m.RowEffects[i])
		}
		part.factors = append(part.factors, m.RowRemainder[i*part.remainder:(i+1)*part.remainder]...)
	}
	switch format {
	case CSV, RawCSV:
		return part.writeCSV(w, format)
	case Parquet:
		return part.write(w)
	}
	return fmt.Errorf("model: unknown format %v", format)
}

func (t *table) writeCSV(w io.Writer, format Format) error {
	line := append([]byte(t.id), ",entries"...)
	if t.effect {
		line = append(line, ",effect"...)
	}
	for _, name := range t.names {
		line = appendField(append(line, ','), format.cell(name))
	}
	for x, id := range t.ids {
		line = appendField(append(line, '\n'), format.cell(id))
		line = fmt.Appendf(line, ",%d", t.entries[x])
		if t.effect {
			line = appendNumber(append(line, ','), t.effects[x])
		}
		for f := range t.names {
			values, width, at := t.column(f)
			line = appendNumber(append(line, ','), values[x*width+at])
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	_, err := w.Write(append(line, '\n'))
	return err
}
