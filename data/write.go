package data

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"optcomplete/internal/textfile"
)

// WriteRatings writes the observed entries as CSV, row by row, such that
// ReadRatings gives them back bit for bit. Rows without an entry leave no trace.
// An id that no line of text can hold (empty, with a line break or a NUL byte,
// or not UTF-8) is an error.
func WriteRatings(w io.Writer, r *Ratings) error {
	columns, err := encodeAll(r.ColumnIDs)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, textfile.BufferBytes)
	out.WriteString("row,column,value\n")
	var row, line []byte
	for i, id := range r.RowIDs {
		if row, err = AppendField(row[:0], id); err != nil {
			return err
		}
		at, values := r.Matrix().Row(i)
		for e, j := range at {
			line = append(append(line[:0], row...), ',')
			line = append(append(line, columns[j]...), ',')
			line = append(AppendNumber(line, values[e]), '\n')
			out.Write(line)
		}
	}
	return out.Flush() // a bufio.Writer keeps its first error
}

// WriteFeatures writes the feature table as CSV, such that ReadFeatures gives it
// back bit for bit. An id or name that no line of text can hold is an error.
func WriteFeatures(w io.Writer, f *Features) error {
	out := bufio.NewWriterSize(w, textfile.BufferBytes)
	line := []byte("column")
	var err error
	for _, name := range f.Names {
		if line, err = AppendField(append(line, ','), name); err != nil {
			return err
		}
	}
	out.Write(append(line, '\n'))
	for j, id := range f.IDs {
		if line, err = AppendField(line[:0], id); err != nil {
			return err
		}
		for _, v := range f.Row(j) {
			line = AppendNumber(append(line, ','), v)
		}
		out.Write(append(line, '\n'))
	}
	return out.Flush()
}

func encodeAll(ids []string) ([][]byte, error) {
	out := make([][]byte, len(ids))
	for i, id := range ids {
		var err error
		if out[i], err = AppendField(nil, id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// AppendField appends an id or a name as a CSV field, in quotes if it needs them.
func AppendField(line []byte, text string) ([]byte, error) {
	switch {
	case text == "":
		return nil, fmt.Errorf("data: an empty id or name cannot be written")
	case strings.ContainsAny(text, "\n\r\x00") || !utf8.ValidString(text):
		return nil, fmt.Errorf("data: %s cannot be written: it holds a line break, a NUL byte or bytes that are not UTF-8", textfile.Quote(text))
	}
	// Tabs and semicolons too: the reader would count them to find the delimiter.
	// A byte-order mark at the very beginning would be taken off.
	if !strings.ContainsAny(text, "\",;\t\ufeff") && text[0] != ' ' && text[len(text)-1] != ' ' {
		return append(line, text...), nil
	}
	line = append(line, '"')
	for _, part := range bytes.SplitAfter([]byte(text), []byte{'"'}) {
		line = append(line, part...)
		if bytes.HasSuffix(part, []byte{'"'}) {
			line = append(line, '"')
		}
	}
	return append(line, '"'), nil
}

// AppendNumber appends the shortest decimal that reads back as the same number,
// with an exponent only where the number is very large or small.
func AppendNumber(line []byte, v float64) []byte {
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e15) {
		format = 'e'
	}
	return strconv.AppendFloat(line, v, format, -1, 64)
}
