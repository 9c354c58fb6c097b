package ingest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"optcomplete/data"
	"optcomplete/internal/arrowtext"
	"optcomplete/internal/textfile"
)

// schema is what is known about the columns of a table before it is read.
type schema struct {
	names    []string
	numbers  []bool // may hold values
	fraction []bool // cannot hold ids
}

// wideRecord tells whether a table is a wide matrix, and which column holds the
// ids of the rows. It is one if it is asked for, if most of its columns are known,
// if pandas wrote it with an index, or if its second column cannot hold ids.
func (in *input) wideRecord(t schema, s *Settings) (columns []int, ok bool, err error) {
	if s.named() || len(t.names) < 2 {
		return nil, false, nil
	}
	row := 0
	for x, name := range t.names {
		if name == arrowtext.PandasIndex {
			row = x
		}
	}
	columns = []int{row}
	var names [][]byte
	var labels []string
	for x, name := range t.names {
		switch {
		case x == row:
		case t.numbers[x]:
			columns, names = append(columns, x), append(names, []byte(name))
		default:
			labels = append(labels, name)
		}
	}
	known := mostlyKnown(names, s.Columns)
	sure := len(labels) == 0 && (t.names[row] == arrowtext.PandasIndex || len(t.names) > 3 && t.fraction[columns[1]])
	if !in.asWide && !known && !sure {
		return nil, false, nil
	}
	if x := slices.IndexFunc(labels, func(name string) bool { return slices.Contains(s.Columns, name) }); x >= 0 || len(names) == 0 {
		return nil, false, fault(in.name, 0, "the table is no wide matrix: a column beside the rows' ids holds no numbers", "leave it out, or name Settings.RowName, Settings.ColumnName and Settings.ValueName")
	}
	in.layout.taken = fmt.Sprintf("%s is read as a wide matrix: a record for each row, with values of %s (%s, …); nulls are no entries%s",
		in.name, textfile.Counted(len(names), "column"), data.Quote(string(names[0])), leftOut(labels))
	return columns, true, nil
}

// parseWideRecord takes the records of a wide matrix: a row's id and its values.
func (w *worker) parseWideRecord(b *batch) {
	defer b.record.Release()
	defer func() {
		if r := recover(); r != nil {
			errors.As(b.file.damaged(broken(r)), &b.fault)
		}
	}()
	w.fleeting = true
	defer func() { w.fleeting = false }()
	rows, err := w.idsOf(b, 0, w.rows)
	if err != nil {
		errors.As(err, &b.fault)
		return
	}
	values := make([]func(int) (float64, bool), b.record.NumCols())
	for x := 1; x < len(values); x++ {
		if values[x], err = numberOf(b.file, b.record.Column(x)); err != nil {
			errors.As(err, &b.fault)
			return
		}
	}
	for at := range int(b.record.NumRows()) {
		b.lines++
		row := rows.text(at)
		if len(row) == 0 {
			b.fault = w.table(b).EmptyID(true)
			return
		}
		for x := 1; x < len(values); x++ {
			v, null := values[x](at)
			if null || v != v {
				continue
			}
			b.given++
			column := []byte(b.record.ColumnName(x))
			key, j, ok := w.columnOf(b, column)
			if b.fault != nil {
				return
			}
			if !ok {
				continue
			}
			if v-v != 0 {
				b.fault = w.table(b).WrongValue(data.AppendNumber(nil, v), textfile.NotFinite)
				return
			}
			w.put(b, row, column, key, j, v)
		}
	}
}

// arrowSchema is the schema of an Arrow table.
func arrowSchema(fields []arrow.Field) (t schema) {
	for _, f := range fields {
		t.names = append(t.names, f.Name)
		fraction := arrow.IsFloating(f.Type.ID()) || arrow.IsDecimal(f.Type.ID())
		t.fraction = append(t.fraction, fraction)
		t.numbers = append(t.numbers, fraction || arrow.IsInteger(f.Type.ID()) || f.Type.ID() == arrow.BOOL)
	}
	return t
}
