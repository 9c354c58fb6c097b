package data

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// table gives the lines of a text table as fields.
type table struct {
	lineReader
	delimiter byte // 0 until the first line shows it
	least     int  // the fewest fields the table can have, to detect the delimiter
	fields    [][]byte
}

// withTable unpacks r and hands it to read as a table.
func withTable(r io.Reader, t *table, read func() error) error {
	text, release, err := unpack(r, t.name)
	if err != nil {
		return err
	}
	defer release()
	t.text = text
	return read()
}

// next gives the fields of the next line that is not blank, or io.EOF. They hold
// until the next call.
func (t *table) next() ([][]byte, error) {
	line, err := t.lineReader.next()
	if err != nil {
		return nil, err
	}
	if t.delimiter == 0 {
		t.delimiter = detectDelimiter(line, t.least)
	}
	var fault splitFault
	t.fields, fault = split(line, t.delimiter, t.fields[:0])
	if fault != "" {
		return nil, t.fault(string(fault), quoteRemedy)
	}
	return t.fields, nil
}

// fault is an error on the current line.
func (t *table) fault(problem, remedy string) *InputError {
	return &InputError{File: t.name, Line: t.line, Problem: problem, Remedy: remedy}
}

// wrongCount is the fault of a line with too many or too few fields.
func (t *table) wrongCount(got, want int) *InputError {
	remedy := "quote fields that contain " + t.delimiterName()
	if got < want {
		remedy = "fields are separated by " + t.delimiterName()
	}
	return t.fault(fmt.Sprintf("the line has %s where %d are expected", counted(got, "field"), want), remedy)
}

func (t *table) emptyID(row bool) *InputError {
	which := "column"
	if row {
		which = "row"
	}
	return t.fault("the "+which+" id is empty", "fill it in or leave the line out")
}

func (t *table) delimiterName() string {
	switch t.delimiter {
	case '\t':
		return "tabs"
	case ',':
		return "commas"
	case ';':
		return "semicolons"
	default:
		return quote(string(rune(t.delimiter)))
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// texts copies fields out of the line's buffer.
func texts(fields [][]byte) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = string(f)
	}
	return out
}

// locate finds the named columns in a header, whatever their case unless that
// is ambiguous. If one is not there, or is there twice, the fault says which.
func (t *table) locate(header [][]byte, names []string) (at []int, fault *InputError) {
	have := texts(header)
	for _, name := range names {
		exact := func(s string) bool { return s == name }
		same := func(s string) bool { return strings.EqualFold(s, name) }
		match := exact
		if !slices.ContainsFunc(have, exact) {
			match = same
		}
		i := slices.IndexFunc(have, match)
		if i < 0 {
			return nil, t.fault("the header has no column "+quote(name), "it has "+quoteList(have))
		}
		if slices.ContainsFunc(have[i+1:], match) {
			return nil, t.fault("the header has the column "+quote(name)+" twice", "rename one of them")
		}
		at = append(at, i)
	}
	return at, nil
}
