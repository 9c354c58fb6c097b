package data

import (
	"context"
	"io"

	"optcomplete/internal/textfile"
)

// MaxRatingsLine is the longest line of a ratings or pairs file, in bytes.
const MaxRatingsLine = 1 << 20

// PairsOptions says how to read a file of pairs.
type PairsOptions struct {
	// The names of the two columns in the header. Empty means "row" and "column".
	// If one is given, the file must have a header with these names.
	RowName, ColumnName string

	Delimiter byte // 0 means tab, comma or semicolon, as the first line shows

	Context context.Context // ends the reading; nil: nothing does
}

// ReadPairs calls each for every line of a file ("-" is standard input) that
// names a row and a column, and stops at the first error, which it returns as it
// is. If the first line names the columns row and column it is a header and
// other columns are ignored; else there must be two columns and no header. A
// file with a header alone has no pairs and is no error.
//
// row and column hold during the call only; each must copy what it keeps.
func ReadPairs(path string, options PairsOptions, each func(line int, row, column []byte) error) error {
	return textfile.WithFile(options.Context, path, func(r io.Reader, name string) error {
		return readPairs(r, name, options, each)
	})
}

func readPairs(r io.Reader, name string, options PairsOptions, each func(line int, row, column []byte) error) error {
	in := &textfile.Table{Delimiter: options.Delimiter, Least: 2}
	in.Name, in.Limit = name, MaxRatingsLine
	return textfile.WithTable(r, in, func() error { return pairs(in, options, each) })
}

func pairs(t *textfile.Table, options PairsOptions, each func(line int, row, column []byte) error) error {
	fields, err := t.Next()
	if err == io.EOF {
		return &InputError{File: t.Name, Problem: "is empty", Remedy: "it must hold lines of row, column"}
	}
	if err != nil {
		return err
	}
	width, rowAt, columnAt := 2, 0, 1
	at, fault := t.Locate(fields, []string{or(options.RowName, "row"), or(options.ColumnName, "column")})
	switch {
	case fault == nil:
		width, rowAt, columnAt = len(fields), at[0], at[1]
		fields, err = t.Next()
	case options.RowName != "" || options.ColumnName != "":
		return fault
	case len(fields) > 2:
		fault = t.WrongCount(len(fields), 2)
		fault.Remedy = "a header must name which are row and column"
		return fault
	}
	for ; err == nil; fields, err = t.Next() {
		if len(fields) != width {
			return t.WrongCount(len(fields), width)
		}
		row, column := fields[rowAt], fields[columnAt]
		if len(row) == 0 || len(column) == 0 {
			return t.EmptyID(len(row) == 0)
		}
		if err := each(t.Line, row, column); err != nil {
			return err
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

func or(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}
