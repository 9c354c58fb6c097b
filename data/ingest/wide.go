package ingest

import (
	"bytes"
	"fmt"
	"slices"

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
	l.findLabels(lines, s.Columns)
	if _, long := textfile.Roles(l.names, textfile.ColumnRole, textfile.ValueRole); !asked && (long || !mostlyKnown(l.columnNames(), s.Columns)) {
		clear(l.labels)
	}
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
	columns := l.columnNames()
	if len(columns) == 0 {
		return false, fault(in.name, b.skip+1, "the file is no wide matrix: every field beside the rows' ids holds text", "")
	}
	in.format, in.layout = Wide, l
	b.note = fmt.Sprintf("%s is read as a wide matrix: a line for each row, with values of %s (%s, …); blanks and NA are no entries%s (Settings.Format csv reads lines of row, column, value)",
		in.name, textfile.Counted(len(columns), "column"), data.Quote(string(columns[0])), leftOut(l.labelNames()))
	b.dropLine()
	return true, nil
}

// leftOut says which fields of a wide matrix hold text.
func leftOut(labels []string) string {
	if len(labels) == 0 {
		return ""
	}
	return "; text is left out: " + data.QuoteList(labels)
}

// columnNames are the ids of the columns of a wide matrix, without its labels.
func (l *layout) columnNames() (ids [][]byte) {
	for x, id := range l.names {
		if !l.labels[x] {
			ids = append(ids, id)
		}
	}
	return ids
}

func (l *layout) labelNames() (names []string) {
	for x, name := range l.names {
		if l.labels[x] {
			names = append(names, string(name))
		}
	}
	return names
}

// findLabels finds the fields, of no known column, that hold text in some of the lines
// after the header.
func (l *layout) findLabels(lines [][]byte, known []string) {
	l.labels = make([]bool, len(l.names))
	for _, line := range lines[min(1, len(lines)):] {
		fields, _ := textfile.Split(bytes.Clone(line), l.delimiter, nil)
		for x := 1; x < len(fields) && x <= len(l.names); x++ {
			l.labels[x-1] = l.labels[x-1] || notValue(fields[x]) && !slices.Contains(known, string(l.names[x-1]))
		}
	}
}

// notValue tells whether a cell holds neither a value nor a blank.
func notValue(cell []byte) bool {
	_, notNumber := textfile.ParseNumber(cell)
	_, boolean := textfile.Boolean(cell)
	return notNumber != "" && !boolean && notNumber != textfile.NotFinite && !textfile.MissingWord(cell)
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
	if endsInWeights(head, s) && s.asksForWeights() {
		return false // asked for, so it is no column of a matrix
	}
	cornerless := len(head) == len(l.names) || len(head[0]) == 0 || mostlyKnown(l.columnNames(), s.Columns)
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
		for x, value := range fields[1:] {
			switch {
			case l.labels[x]:
			case notValue(value):
				return false
			case !blankValue(value):
				numbers++
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
			if l.labels[x] || !w.isMissing(value) && blankValue(value) {
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
