package data

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"optcomplete/internal/textfile"
)

// MaxFeaturesLine is the longest line of a feature table, in bytes.
const MaxFeaturesLine = 16 << 20

// FeaturesOptions says how to read a feature table.
type FeaturesOptions struct {
	ID        string          // name of the field that holds the ids; "" means the first
	Delimiter byte            // 0 means tab, comma, semicolon or space, as the header shows
	Context   context.Context // ends the reading; nil: nothing does
}

// ReadFeatures reads the feature table from a file ("-" is standard input): a
// header, then one line for each column of the matrix, its id first and its
// features after it, unless options name the field of the id. The name of the first column is free. The columns come in the
// canonical order of their ids, whatever the order of the lines.
func ReadFeatures(path string, options FeaturesOptions) (*Features, error) {
	return textfile.FromFile(options.Context, path, func(r io.Reader, name string) (*Features, error) { return readFeatures(r, name, options) })
}

func readFeatures(r io.Reader, name string, options FeaturesOptions) (*Features, error) {
	in := featureReader(name, options)
	var values []float64
	in.take = func(fields [][]byte) *InputError {
		for f, at := range in.keep {
			v, wrong := textfile.ParseNumber(fields[at])
			if wrong != "" {
				return in.wrongCell(f, fields[at], wrong)
			}
			values = append(values, v)
		}
		return nil
	}
	if err := textfile.WithTable(r, &in.Table, in.readAll); err != nil {
		return nil, err
	}
	return NewFeatures(in.table.IDs, in.table.Names, values).canonical(), nil
}

// ReadRawTable reads a feature table as ReadFeatures does, with the same errors,
// but takes every cell as the text that it is.
func ReadRawTable(path string, options FeaturesOptions) (*RawTable, error) {
	return textfile.FromFile(options.Context, path, func(r io.Reader, name string) (*RawTable, error) { return readRawTable(r, name, options) })
}

func readRawTable(r io.Reader, name string, options FeaturesOptions) (*RawTable, error) {
	in := featureReader(name, options)
	in.take = in.cells
	if err := textfile.WithTable(r, &in.Table, in.readAll); err != nil {
		return nil, err
	}
	return in.table.canonical(), nil
}

func featureReader(name string, options FeaturesOptions) *tableReader {
	in := &tableReader{table: &RawTable{File: name}, seen: map[string]int{}, idName: options.ID, of: "column"}
	in.Name, in.Limit, in.Delimiter, in.Least = name, MaxFeaturesLine, options.Delimiter, 2
	return in
}

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
	return textfile.FromFile(options.Context, path, func(r io.Reader, name string) (*RawTable, error) {
		in := featureReader(name, FeaturesOptions{Delimiter: options.Delimiter})
		in.plain, in.skip, in.of, in.take = true, options.Skip, "row", in.cells
		if err := textfile.WithTable(r, &in.Table, in.readAll); err != nil {
			return nil, err
		}
		return in.table, nil
	})
}

// tableReader is a table being read: of features, with an id in each line, or a plain
// one.
type tableReader struct {
	textfile.Table
	table  *RawTable
	take   func(fields [][]byte) *InputError // of a line, what is beside its id
	idName string                            // "" means the first field
	plain  bool                              // there are no ids
	skip   []string                          // fields to leave out
	of     string                            // what a line is for

	idAt, width int            // the place of the id; the fields of a line
	keep        []int          // those that are read
	seen        map[string]int // the line of each id
	text        strings.Builder
}

// readAll takes the header and hands every line after it to take.
func (in *tableReader) readAll() error {
	fields, err := in.Next()
	if err == io.EOF {
		return &InputError{File: in.Name, Problem: "is empty", Remedy: "it must hold a header and a line for each " + in.of}
	}
	if err != nil {
		return err
	}
	if fault := in.header(textfile.Texts(fields)); fault != nil {
		return fault
	}
	for fields, err = in.Next(); err == nil; fields, err = in.Next() {
		if len(fields) != in.width {
			return in.WrongCount(len(fields), in.width)
		}
		if fault := in.id(fields); fault != nil {
			return fault
		}
		if fault := in.take(fields); fault != nil {
			return fault
		}
	}
	if err != io.EOF {
		return err
	}
	if len(in.table.IDs) == 0 {
		return &InputError{File: in.Name, Problem: "has a header but no lines after it"}
	}
	return nil
}

// header takes the names of the fields. They are counted with the id as the first.
func (in *tableReader) header(names []string) *InputError {
	in.width = len(names)
	place, empty, remedy := 0, "", "give every column a name"
	if in.plain {
		in.idAt = -1
	} else {
		if len(names) < 2 {
			return in.Fault("there is no feature: the header has one field", "the first is the id, the others are features")
		}
		if in.idName != "" {
			if in.idAt = slices.Index(names, in.idName); in.idAt < 0 {
				return in.Fault("the header has no field "+textfile.Quote(in.idName)+" for the ids", "it has "+textfile.QuoteList(names))
			}
		}
		place, empty, remedy = 1, ", a feature name,", "give every feature a name"
	}
	at := make(map[string]int, len(names))
	forms := in.Forms()
	for f, name := range names {
		if f == in.idAt {
			continue
		}
		place++
		if first, again := at[name]; again {
			return in.Fault(fmt.Sprintf("fields %d and %d of the header are both named %s", first, place, textfile.Quote(name)), "rename or remove one of them")
		}
		if at[name] = place; slices.Contains(in.skip, name) {
			continue
		}
		if name == "" {
			return in.Fault(fmt.Sprintf("the header's field %d%s is empty", place, empty), remedy)
		}
		in.table.Names, in.keep = append(in.table.Names, name), append(in.keep, f)
		if forms != nil {
			in.table.Kinds = append(in.table.Kinds, string(forms[f]))
		}
	}
	for _, name := range in.skip {
		if at[name] == 0 {
			return in.Fault("the header has no column "+textfile.Quote(name), "it has "+textfile.QuoteList(names))
		}
	}
	if len(in.keep) == 0 {
		return in.Fault("no column is left to read", "skip fewer of them")
	}
	return nil
}

// id takes the id of a line. In a plain table it is the line's number, with as many
// digits as the others', so that numbers are in order as texts too.
func (in *tableReader) id(fields [][]byte) *InputError {
	t := in.table
	if in.plain {
		t.IDs, t.Lines = append(t.IDs, fmt.Sprintf("%012d", len(t.IDs)+1)), append(t.Lines, in.Line)
		return nil
	}
	id := string(fields[in.idAt])
	if len(id) == 0 {
		return in.Fault("the id is empty", "fill it in or leave the line out")
	}
	if first, again := in.seen[id]; again {
		return in.Fault(fmt.Sprintf("id %s was already given on line %d", textfile.Quote(id), first), "keep one of the two lines")
	}
	in.seen[id] = in.Line
	t.IDs, t.Lines = append(t.IDs, id), append(t.Lines, in.Line)
	return nil
}

// cells takes the cells of one line. They share one string, because most are far shorter
// than what a string of their own would cost.
func (in *tableReader) cells(fields [][]byte) *InputError {
	in.text.Reset()
	for _, f := range in.keep {
		in.text.Write(fields[f])
	}
	rest := in.text.String()
	for _, f := range in.keep {
		in.table.Cells = append(in.table.Cells, rest[:len(fields[f])])
		rest = rest[len(fields[f]):]
	}
	return nil
}

func (in *tableReader) wrongCell(f int, field []byte, wrong textfile.NumberFault) *InputError {
	const fill = "fill it in, as optcomplete features FILE -o encoded.csv does, or leave the line out and use Settings.DropUnknown"
	feature := "feature " + textfile.Quote(in.table.Names[f])
	if len(field) == 0 {
		return in.Fault(feature+" is blank", fill)
	}
	remedy := textfile.NumberRemedy(field)
	switch {
	case remedy != "":
	case wrong == textfile.NotFinite || textfile.MissingWord(field):
		remedy = fill
	case wrong == textfile.NotNumber:
		remedy = "make a 0/1 feature of each category, as optcomplete features FILE -o encoded.csv does"
	}
	return in.Fault(feature+": "+textfile.Quote(field)+" "+string(wrong), remedy)
}
