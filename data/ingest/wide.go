package ingest

import (
	"bytes"
	"fmt"

	"optcomplete/data"
	"optcomplete/internal/textfile"
)

// A wide matrix has a line for each row, its id first, and a header of the ids of
// the columns. What is blank, or a usual word for it such as NA, is no entry. The
// header may lack the field above the rows' ids, as write.table of R writes it,
// with spaces between.

// wideLines is how many lines are looked at to tell a wide matrix.
const wideLines = 50

// wide tells whether the text of a batch begins as a wide matrix does, and takes
// its layout from it. Asked for, it says what is wrong if it does not.
func (in *input) wide(b *batch, s *Settings) (bool, error) {
	asked := in.format == Wide
	if !asked && in.format != CSV && in.format != TSV || s.named() {
		return false, nil
	}
	lines := firstLines(b.text, wideLines)
	l, ok := wideLayout(lines, s.Delimiter)
	if !ok || !asked && !likelyWide(l, lines, s) {
		if asked {
			return false, fault(in.name, b.skip+1, "the file is no wide matrix", "it must have a header of column ids, and lines of a row's id and a value, or a blank, for each column")
		}
		return false, nil
	}
	seen := map[string]bool{}
	for _, id := range l.names {
		if len(id) == 0 || seen[string(id)] {
			if !asked {
				return false, nil
			}
			return false, fault(in.name, b.skip+1, "the header of column ids has "+data.Quote(string(id))+" twice, or a blank", "give every column an id of its own")
		}
		seen[string(id)] = true
	}
	in.format, in.layout = Wide, l
	b.note = fmt.Sprintf("%s is read as a wide matrix: a line for each row, with values of %s (%s, …); blanks and NA are no entries (Settings.Format csv reads lines of row, column, value)",
		in.name, textfile.Counted(len(l.names), "column"), data.Quote(string(l.names[0])))
	b.dropLine()
	return true, nil
}

// firstLines are the first whole lines of a text that are not blank.
func firstLines(text []byte, most int) (lines [][]byte) {
	for len(text) > 0 && len(lines) < most {
		line, rest, whole := bytes.Cut(text, []byte{'\n'})
		if !whole && len(lines) >= 2 {
			break // it may go on behind the batch
		}
		text = rest
		if line = bytes.TrimSuffix(line, []byte{'\r'}); !textfile.Blank(line) {
			lines = append(lines, bytes.Clone(line))
		}
	}
	return lines
}

// wideLayout is the layout of a wide matrix that begins with these lines.
func wideLayout(lines [][]byte, delimiter byte) (l layout, ok bool) {
	if len(lines) < 2 {
		return l, false
	}
	l.delimiter = delimiter
	if l.delimiter == 0 {
		if l.delimiter = textfile.DetectDelimiter(lines[0], 3); bytes.IndexByte(lines[0], l.delimiter) < 0 {
			l.delimiter = ' '
			if bytes.IndexByte(lines[1], '\t') >= 0 {
				l.delimiter = '\t' // one column only
			}
		}
	}
	header, wrong := textfile.Split(bytes.Clone(lines[0]), l.delimiter, nil)
	first, wrongToo := textfile.Split(bytes.Clone(lines[1]), l.delimiter, nil)
	if wrong != "" || wrongToo != "" {
		return l, false
	}
	switch len(first) {
	case len(header) + 1: // R
	case len(header):
		l.called[0] = string(header[0])
		header = header[1:]
	default:
		return l, false
	}
	l.width, l.names, l.header = len(first), header, true
	return l, len(header) >= 1
}

// likelyWide tells a wide matrix from lines of a row, a column, a value and more:
// no names of those, no row twice, numbers or blanks everywhere, and more than
// three fields unless the header has no name for the first, or names columns that
// are known.
func likelyWide(l layout, lines [][]byte, s *Settings) bool {
	head, _ := textfile.Split(bytes.Clone(lines[0]), l.delimiter, nil)
	if endsInProperties(head, s) && asksForProperties(s) {
		return false // asked for, so it is no column of a matrix
	}
	cornerless := len(head) == len(l.names) || len(head[0]) == 0 || mostlyKnown(l.names, s.Columns)
	if l.width <= 3 && !cornerless {
		return false
	}
	roles := 0
	for _, name := range head {
		if textfile.RoleOf(string(name)) != textfile.NoRole {
			roles++
		}
	}
	if roles >= 2 && l.width <= 8 && !cornerless {
		return false
	}
	seen, numbers, named := map[string]bool{}, 0, false
	for _, name := range l.names {
		if _, wrong := textfile.ParseNumber(name); wrong != "" {
			named = true
		}
	}
	for _, line := range lines[1:] {
		fields, wrong := textfile.Split(bytes.Clone(line), l.delimiter, nil)
		if wrong != "" || len(fields) != l.width || seen[string(fields[0])] {
			return false
		}
		seen[string(fields[0])] = true
		for _, value := range fields[1:] {
			_, notNumber := textfile.ParseNumber(value)
			_, boolean := textfile.Boolean(value)
			switch {
			case notNumber == "" || boolean:
				numbers++
			case notNumber == textfile.NotFinite || textfile.MissingWord(value):
			default:
				return false
			}
		}
	}
	// Ids of columns that are all numbers may be values: then the first field says it.
	return numbers > 0 && (named || cornerless || notNumeric(head[0]))
}

// mostlyKnown tells whether most of the names are ids of known columns.
func mostlyKnown(names [][]byte, columns []string) bool {
	known := make(map[string]bool, len(columns))
	for _, id := range columns {
		known[id] = true
	}
	count := 0
	for _, name := range names {
		if known[string(name)] {
			count++
		}
	}
	return 2*count > len(names)
}

func notNumeric(field []byte) bool {
	_, wrong := textfile.ParseNumber(field)
	return wrong != ""
}

// parseWide takes lines of a row's id and its values.
func (w *worker) parseWide(b *batch) {
	l := &b.file.layout
	quoted := bytes.IndexByte(b.text, '"') >= 0
	w.eachLine(b, nil, func(line []byte) {
		fields, wrong := textfile.Split(line, l.delimiter, w.fields[:0])
		w.fields = fields
		if wrong != "" && quoted {
			w.fail(b, string(wrong), textfile.QuoteRemedy)
			return
		}
		if len(fields) != l.width {
			b.fault = w.table(b).WrongCount(len(fields), l.width)
			return
		}
		for x, value := range fields[1:] {
			if b.fault != nil {
				return
			}
			if !w.isMissing(value) && blankValue(value) {
				continue
			}
			w.entry(b, fields[0], l.names[x], value, nil)
		}
	})
}

// blankValue tells whether a cell of a wide matrix says that nothing is known.
func blankValue(value []byte) bool {
	if textfile.MissingWord(value) {
		return true
	}
	_, wrong := textfile.ParseNumber(value)
	return wrong == textfile.NotFinite && bytes.EqualFold(value, []byte("nan"))
}
