package data

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"optcomplete/internal/textfile"
)

// RowsOptions says how to read a plain table.
type RowsOptions struct {
	Skip      []string        // columns to leave out, such as ids
	Delimiter byte            // 0 means tab, comma or semicolon, as the header shows
	Context   context.Context // ends the reading; nil: nothing does
}

// ReadRows reads a plain table, a header and then one line for each row, from a
// file ("-" is standard input). Its rows have no ids of their own: they are
// numbered, and stay in the order of the file.
func ReadRows(path string, options RowsOptions) (*RawTable, error) {
	var table *RawTable
	err := textfile.WithFile(options.Context, path, func(r io.Reader, name string) (err error) {
		in := &rowsReader{}
		in.Name, in.Limit, in.Delimiter, in.Least = name, MaxFeaturesLine, options.Delimiter, 2
		err = textfile.WithTable(r, &in.Table, func() error { return in.readAll(options.Skip) })
		table = &RawTable{File: name, IDs: in.ids, Names: in.names, Cells: in.cells, Lines: in.lines}
		if kinds := in.Forms(); kinds != nil {
			for _, f := range in.keep {
				table.Kinds = append(table.Kinds, string(kinds[f]))
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return table, nil
}

// Without takes the field at a place out of the table: the rest of it, and the
// cells of that field.
func (t *RawTable) Without(field int) (rest *RawTable, cells []string) {
	rest = &RawTable{File: t.File, IDs: t.IDs, Names: slices.Delete(slices.Clone(t.Names), field, field+1), Lines: t.Lines}
	if t.Kinds != nil {
		rest.Kinds = slices.Delete(slices.Clone(t.Kinds), field, field+1)
	}
	rest.Cells = make([]string, 0, len(t.IDs)*len(rest.Names))
	for i := range t.IDs {
		row := t.Row(i)
		cells = append(cells, row[field])
		rest.Cells = append(append(rest.Cells, row[:field]...), row[field+1:]...)
	}
	return rest, cells
}

// Numbers are the cells of a table that holds nothing but numbers. Otherwise the
// error names the first that is none.
func (t *RawTable) Numbers() ([]float64, error) {
	p := len(t.Names)
	values := make([]float64, len(t.Cells))
	for at, cell := range t.Cells {
		v, err := t.Number(at/p, t.Names[at%p], cell)
		if err != nil {
			return nil, err
		}
		values[at] = v
	}
	return values, nil
}

// Number is a cell of row i that must be a number, in the column that is named.
func (t *RawTable) Number(i int, column, cell string) (float64, error) {
	field := []byte(cell)
	v, wrong := textfile.ParseNumber(field)
	if wrong == "" {
		return v, nil
	}
	fault := &InputError{File: t.File, Line: t.Lines[i], Problem: "column " + textfile.Quote(column) + " is blank", Remedy: "fill it in or leave the line out"}
	if cell != "" {
		fault.Problem = "column " + textfile.Quote(column) + ": " + textfile.Quote(field) + " " + string(wrong)
		if remedy := textfile.NumberRemedy(field); remedy != "" {
			fault.Remedy = remedy
		} else if wrong == textfile.NotNumber && !textfile.MissingWord(field) {
			fault.Remedy = "correct it or leave the line out"
		}
	}
	return 0, fault
}

// rowsReader is a plain table being read.
type rowsReader struct {
	textfile.Table
	names, ids, cells []string
	keep              []int // the fields that are read
	lines             []int
	text              strings.Builder // of one line
}

func (in *rowsReader) readAll(skip []string) error {
	fields, err := in.Next()
	if err == io.EOF {
		return &InputError{File: in.Name, Problem: "is empty", Remedy: "it must hold a header and a line for each row"}
	}
	if err != nil {
		return err
	}
	width := len(fields)
	if fault := in.header(fields, skip); fault != nil {
		return fault
	}
	for fields, err = in.Next(); err == nil; fields, err = in.Next() {
		if len(fields) != width {
			return in.WrongCount(len(fields), width)
		}
		in.take(fields)
	}
	if err != io.EOF {
		return err
	}
	if len(in.ids) == 0 {
		return &InputError{File: in.Name, Problem: "has a header but no lines after it"}
	}
	return nil
}

// take takes the cells of one line, which share one string. Its number has as many
// digits as the others', so that numbers are in order as texts too.
func (in *rowsReader) take(fields [][]byte) {
	in.text.Reset()
	for _, f := range in.keep {
		in.text.Write(fields[f])
	}
	rest := in.text.String()
	for _, f := range in.keep {
		in.cells = append(in.cells, rest[:len(fields[f])])
		rest = rest[len(fields[f]):]
	}
	in.ids, in.lines = append(in.ids, fmt.Sprintf("%012d", len(in.ids)+1)), append(in.lines, in.Line)
}

// header takes the names of the columns.
func (in *rowsReader) header(fields [][]byte, skip []string) *InputError {
	left := make(map[string]bool, len(skip))
	for _, name := range skip {
		left[name] = true
	}
	at := map[string]int{}
	for f, name := range textfile.Texts(fields) {
		if first, again := at[name]; again {
			return in.Fault(fmt.Sprintf("fields %d and %d of the header are both named %s", first+1, f+1, textfile.Quote(name)), "rename or remove one of them")
		}
		at[name] = f
		if left[name] {
			continue
		}
		if name == "" {
			return in.Fault(fmt.Sprintf("the header's field %d is empty", f+1), "give every column a name")
		}
		in.names = append(in.names, name)
		in.keep = append(in.keep, f)
	}
	for _, name := range skip {
		if _, there := at[name]; !there {
			return in.Fault("the header has no column "+textfile.Quote(name), "it has "+textfile.QuoteList(textfile.Texts(fields)))
		}
	}
	if len(in.names) == 0 {
		return in.Fault("no column is left to read", "skip fewer of them")
	}
	return nil
}
