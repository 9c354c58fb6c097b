package data

import (
	"cmp"
	"context"
	"io"

	"optcomplete/internal/textfile"
)

// MaxRatingsLine is the longest line of a ratings or pairs file, in bytes.
const MaxRatingsLine = 1 << 20

// PairsOptions says how to read a file of pairs.
type PairsOptions struct {
	// The names of the two columns in the header. Empty means "row" and "column",
	// or other usual names for them. If one is given, the file must have a header
	// with these names.
	RowName, ColumnName string

	Delimiter byte // 0 means tab, comma or semicolon, as the first line shows

	Context context.Context // ends the reading; nil: nothing does
	// Known tells whether a row or a column of these ids is known. A first line
	// of which neither is, before one of which either is, is a header. May be nil.
	Known func(row, column string) bool
}

// ReadPairs calls each for every line of a file ("-" is standard input) that
// names a row and a column, and stops at the first error, which it returns as it
// is. If the first line names the columns row and column, or user and item, say,
// it is a header and other columns are ignored; else there must be two columns, or
// three of which the last is a value. A file with a header alone has no pairs and
// is no error.
//
// row and column hold during the call only; each must copy what it keeps.
func ReadPairs(path string, options PairsOptions, each func(line int, row, column []byte) error) error {
	return textfile.WithFile(options.Context, path, func(r io.Reader, name string) error {
		return readPairs(r, name, options, each)
	})
}

func readPairs(r io.Reader, name string, options PairsOptions, each func(line int, row, column []byte) error) error {
	in := &pairsReader{PairsOptions: options, each: each}
	in.Table = textfile.Table{Delimiter: options.Delimiter, Least: 2}
	in.Name, in.Limit = name, MaxRatingsLine
	return textfile.WithTable(r, &in.Table, in.read)
}

// pairsReader is a file of pairs being read.
type pairsReader struct {
	textfile.Table
	PairsOptions
	each               func(line int, row, column []byte) error
	width, row, column int
}

func (t *pairsReader) read() error {
	fields, err := t.Next()
	if err == io.EOF {
		return &InputError{File: t.Name, Problem: "is empty", Remedy: "it must hold lines of row, column"}
	}
	if err != nil {
		return err
	}
	header, fault := t.begin(fields)
	if fault != nil {
		return fault
	}
	if !header {
		// The first line may still be a header: the second tells.
		first, line := textfile.Texts(fields), t.Line
		fields, err = t.Next()
		if err != nil && err != io.EOF {
			return err
		}
		if err == io.EOF || len(fields) != t.width || !t.unlike(first, fields) {
			if err := t.take(line, [][]byte{[]byte(first[t.row]), []byte(first[t.column])}, 0, 1); err != nil {
				return err
			}
		}
	} else {
		fields, err = t.Next()
	}
	for ; err == nil; fields, err = t.Next() {
		if len(fields) != t.width {
			return t.WrongCount(len(fields), t.width)
		}
		if err := t.take(t.Line, fields, t.row, t.column); err != nil {
			return err
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// begin finds the columns from the first line, and whether that is a header.
func (t *pairsReader) begin(fields [][]byte) (header bool, fault *InputError) {
	t.width, t.row, t.column = len(fields), 0, 1
	at, fault := t.Locate(fields, []string{cmp.Or(t.RowName, "row"), cmp.Or(t.ColumnName, "column")})
	if fault != nil && t.RowName == "" && t.ColumnName == "" {
		if known, ok := textfile.Roles(fields, textfile.RowRole, textfile.ColumnRole); ok {
			at, fault = known, nil
		}
	}
	if fault == nil {
		t.row, t.column = at[0], at[1]
		return true, nil
	}
	if t.RowName != "" || t.ColumnName != "" {
		return false, fault
	}
	switch len(fields) {
	case 2:
		return false, nil
	case 3: // entries
		_, wrong := textfile.ParseNumber(fields[2])
		_, boolean := textfile.Boolean(fields[2])
		return wrong == textfile.NotNumber && !boolean && !textfile.MissingWord(fields[2]), nil
	}
	fault = t.WrongCount(len(fields), 2)
	if len(fields) > 2 {
		fault.Remedy = "a header must name which are row and column"
	}
	return false, fault
}

// unlike tells whether the first line is of another kind than the second.
func (t *pairsReader) unlike(first []string, second [][]byte) bool {
	return t.Known != nil && !t.Known(first[t.row], first[t.column]) && t.Known(string(second[t.row]), string(second[t.column]))
}

func (t *pairsReader) take(line int, fields [][]byte, row, column int) error {
	if len(fields[row]) == 0 || len(fields[column]) == 0 {
		fault := t.EmptyID(len(fields[row]) == 0)
		fault.Line = line
		return fault
	}
	return t.each(line, fields[row], fields[column])
}
