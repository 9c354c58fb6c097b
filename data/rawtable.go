package data

import (
	"fmt"
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
