package data

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"optcomplete/internal/textfile"
)

// RawTable is a feature table as it stands in its file: text, nothing
// understood yet. Package encode turns it into Features.
type RawTable struct {
	File  string   // as the user named it, for errors; "stdin" for standard input
	IDs   []string // m ids of the matrix's columns
	Names []string // p names of its fields, without the id's
	Cells []string // m×p, row by row; "" is a blank
	Lines []int    // m: the line of each id in the file, for errors
	// Kinds says what the fields hold where the table says so itself, as Arrow
	// does: "text" (one of a few), "list" (with | between) or "date"; "" for what
	// the cells show. nil means all of them.
	Kinds []string
}

// NewRawTable checks the shape: ids × names cells. Its lines are numbered as in
// a file with a header. A wrong length is a programming error and panics.
func NewRawTable(file string, ids, names, cells []string) *RawTable {
	if len(cells) != len(ids)*len(names) {
		panic(fmt.Sprintf("data: %d cells for %d ids × %d fields", len(cells), len(ids), len(names)))
	}
	lines := make([]int, len(ids))
	for j := range lines {
		lines[j] = j + 2
	}
	return &RawTable{File: file, IDs: ids, Names: names, Cells: cells, Lines: lines}
}

// Dims returns the number of ids m and of fields p.
func (t *RawTable) Dims() (ids, fields int) { return len(t.IDs), len(t.Names) }

// Row returns the p cells of id j. They must not be changed.
func (t *RawTable) Row(j int) []string {
	p := len(t.Names)
	return t.Cells[j*p : (j+1)*p : (j+1)*p]
}

// canonical is the table with its lines in the canonical order of their ids.
func (t *RawTable) canonical() *RawTable {
	order := Order(t.IDs)
	if order == nil {
		return t
	}
	return t.Some(order)
}

// Some is the table of some of the lines, in the order given.
func (t *RawTable) Some(lines []int32) *RawTable {
	out := &RawTable{File: t.File, Names: t.Names, Kinds: t.Kinds, Cells: make([]string, 0, len(lines)*len(t.Names))}
	for _, j := range lines {
		out.IDs, out.Lines = append(out.IDs, t.IDs[j]), append(out.Lines, t.Lines[j])
		out.Cells = append(out.Cells, t.Row(int(j))...)
	}
	return out
}

// ReadRawTable reads a feature table as ReadFeatures does, with the same errors,
// but takes every cell as the text that it is.
func ReadRawTable(path string, options FeaturesOptions) (*RawTable, error) {
	return textfile.FromFile(options.Context, path, func(r io.Reader, name string) (*RawTable, error) { return readRawTable(r, name, options) })
}

func readRawTable(r io.Reader, name string, options FeaturesOptions) (*RawTable, error) {
	in := &rawReader{}
	in.seen, in.idName = map[string]int{}, options.ID
	in.Name, in.Limit, in.Delimiter, in.Least = name, MaxFeaturesLine, options.Delimiter, 2
	if err := textfile.WithTable(r, &in.Table, func() error { return in.readAll(in.cellsOf) }); err != nil {
		return nil, err
	}
	table := &RawTable{File: name, IDs: in.ids, Names: in.names, Cells: in.cells, Lines: in.lines}
	if kinds := in.Forms(); kinds != nil {
		for _, kind := range idFirst(slices.Clone(kinds), in.idAt)[1:] {
			table.Kinds = append(table.Kinds, string(kind))
		}
	}
	return table.canonical(), nil
}

// rawReader is a raw table being read.
type rawReader struct {
	featuresReader
	cells []string
	lines []int
	text  strings.Builder // of one line
}

// cellsOf takes the cells of one line. They share one string, because most are
// far shorter than what a string of their own would cost.
func (in *rawReader) cellsOf(fields [][]byte) *InputError {
	if fault := in.id(fields); fault != nil {
		return fault
	}
	in.text.Reset()
	for _, field := range fields[1:] {
		in.text.Write(field)
	}
	rest := in.text.String()
	for _, field := range fields[1:] {
		in.cells = append(in.cells, rest[:len(field)])
		rest = rest[len(field):]
	}
	in.lines = append(in.lines, in.Line)
	return nil
}

// ParseNumber reads a decimal number exactly as the readers do. If the text is
// none, problem completes a sentence about it ("is not a number") and remedy
// says what to do, where that is known.
func ParseNumber(text string) (value float64, problem, remedy string) {
	field := []byte(text)
	value, fault := textfile.ParseNumber(field)
	if fault != "" {
		remedy = textfile.NumberRemedy(field)
	}
	return value, string(fault), remedy
}

// MissingWord tells whether a text is empty or one of the usual ways to say that
// a number is not known: NA, N/A, null, NaN and the like, in any case.
func MissingWord(text string) bool {
	return textfile.MissingWord([]byte(text)) || strings.EqualFold(text, "nan")
}

// Quote shows a user's text in a message: in quotes, control characters escaped,
// shortened when long.
func Quote(text string) string { return textfile.Quote(text) }

// QuoteList shows names in a message, the first few only.
func QuoteList(names []string) string { return textfile.QuoteList(names) }
