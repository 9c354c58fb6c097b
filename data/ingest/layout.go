package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"optcomplete/data"
	"optcomplete/internal/textfile"
)

// layout is how the lines of a text hold their entries.
type layout struct {
	delimiter          byte
	double             bool      // the delimiter stands twice, as in MovieLens' "1::1193::5"
	width              int       // fields of a line, counted at each single delimiter
	row, column, value int       // the fields that matter
	time               int       // where times are read: the field that has them; −1: none
	header             bool      // the first line is one
	called             [3]string // the names of row, column and value in the header
	taken              string    // what its names were taken for, where they do not say it

	names  [][]byte // wide: the ids of the columns
	labels []bool   // wide: fields that hold text, and are left out

	rows, columns, entries int // Matrix Market: what the file announces
}

// count is the number of fields as people see them.
func (l *layout) count(fields [][]byte) int {
	if l.double {
		return (len(fields) + 1) / 2
	}
	return len(fields)
}

// doubled tells whether every delimiter stands twice.
func (l *layout) doubled(fields [][]byte) bool {
	for at := 1; at < len(fields); at += 2 {
		if len(fields[at]) > 0 {
			return false
		}
	}
	return true
}

// begin finds the format and the layout from the first line that is not blank,
// and takes what is no entry off the batch. It is false if all lines are blank.
func (in *input) begin(b *batch, s *Settings) (bool, error) {
	line, ok := in.firstLine(b)
	if !ok {
		return false, nil
	}
	if len(line) > data.MaxRatingsLine {
		return false, textfile.TooLong(in.name, b.skip+1, data.MaxRatingsLine)
	}
	if err := textfile.CheckLine(in.name, b.skip+1, line); err != nil {
		return false, err
	}
	if in.format == "" {
		in.format = textFormat(in.name, line)
	}
	if fault := in.checkColumns(s); fault != nil {
		return false, fault
	}
	if in.format == Netflix {
		in.layout.delimiter = ','
		return true, nil
	}
	if in.format == MatrixMarket {
		return true, in.matrixMarket(b)
	}
	if wide, err := in.wide(b, s); wide || err != nil {
		if fault := in.checkColumns(s); fault != nil && err == nil {
			return false, fault
		}
		return wide, err
	}
	if fault := in.delimited(line, b.skip+1, s); fault != nil {
		return false, fault
	}
	if in.layout.header {
		b.note = in.layout.taken
		b.dropLine()
	}
	return true, nil
}

// firstLine drops the blank lines of a batch and copies the first that is not.
func (in *input) firstLine(b *batch) ([]byte, bool) {
	for len(b.text) > 0 {
		line, _, _ := bytes.Cut(b.text, []byte{'\n'})
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if !textfile.Blank(line) {
			return bytes.Clone(line), true
		}
		b.dropLine()
	}
	return nil, false
}

// dropLine takes the first line off the text.
func (b *batch) dropLine() {
	_, b.text, _ = bytes.Cut(b.text, []byte{'\n'})
	b.skip++
}

// delimited finds the layout of a table from its first line.
func (in *input) delimited(line []byte, number int, s *Settings) *data.InputError {
	l := &in.layout
	l.delimiter = s.Delimiter
	switch {
	case l.delimiter != 0:
	case in.format == TSV:
		l.delimiter = '\t'
	case in.format == MovieLens && bytes.Count(line, []byte("::")) >= 2:
		return in.doubleColon(line, number, s)
	default:
		l.delimiter = textfile.DetectDelimiter(line, 3)
	}
	t := in.table(number)
	first, wrong := textfile.Split(line, l.delimiter, nil)
	if wrong != "" {
		return t.Fault(string(wrong), textfile.QuoteRemedy)
	}
	at, fault := t.Locate(first, s.names())
	if fault != nil && !s.named() {
		if known, ok := textfile.Roles(first, textfile.RowRole, textfile.ColumnRole, textfile.ValueRole); ok {
			at, fault = known, nil
		}
	}
	if fault == nil {
		l.header, l.width, l.row, l.column, l.value = true, len(first), at[0], at[1], at[2]
		l.called = [3]string{string(first[at[0]]), string(first[at[1]]), string(first[at[2]])}
		if fault := in.findWeights(first, number, at, s); fault != nil {
			return fault
		}
		return in.findTime(first, number, s)
	}
	if s.named() {
		return fault
	}
	l.width, l.row, l.column, l.value = 3, 0, 1, 2
	if in.format == MovieLens && len(first) == 4 {
		l.width, l.time = 4, 3
	} else if s.times {
		return in.noTimes("the file has no header that names a time")
	}
	header := len(first) >= 3 && isHeader(first[l.column], first[l.value], s)
	if header && endsInWeights(first, s) {
		l.width = len(first)
		if fault := in.findWeights(first, number, []int{0, 1, 2}, s); fault != nil {
			return fault
		}
	} else if fault := in.noWeights("the file has no header", s); fault != nil {
		if header {
			return t.Fault("the header "+data.QuoteList(textfile.Texts(first))+" does not say which are row, column and value beside the weight", "say it with Settings.RowName, Settings.ColumnName and Settings.ValueName")
		}
		return fault
	}
	if len(first) != l.width {
		fault = t.WrongCount(len(first), l.width)
		if len(first) > 3 {
			fault.Remedy = "a header must name which are row, column and value (and weight, if there is one), or Settings.RowName, Settings.ColumnName and Settings.ValueName (and Settings.Weight) say which of its names are; Settings.Format movielens takes row, column, value, time; Settings.Format wide a matrix with a header of column ids"
		}
		return fault
	}
	if l.header = header; l.header {
		quoted := func(at int) string { return data.Quote(string(first[at])) }
		l.called = [3]string{string(first[0]), string(first[1]), string(first[2])}
		l.taken = fmt.Sprintf("%s: the header does not name row, column and value: %s is taken for the row, %s for the column and %s for the value (see Settings.RowName, Settings.ColumnName and Settings.ValueName)",
			in.name, quoted(l.row), quoted(l.column), quoted(l.value))
	}
	return nil
}

// isHeader tells a header from an entry whose value is not a number: the latter
// must not be lost without a word.
func isHeader(column, value []byte, s *Settings) bool {
	if _, wrong := textfile.ParseNumber(value); wrong != textfile.NotNumber {
		return false
	}
	if _, boolean := textfile.Boolean(value); boolean {
		return false
	}
	return !slices.Contains(s.Columns, string(column)) && !slices.Contains(s.Missing, string(value)) && !textfile.MissingWord(value)
}

// doubleColon is the layout of MovieLens' ratings.dat: row::column::value::time.
func (in *input) doubleColon(line []byte, number int, s *Settings) *data.InputError {
	fields := bytes.Split(line, []byte{':'})
	if fault := in.noWeights("the file has no header", s); fault != nil {
		return fault
	}
	in.layout = layout{delimiter: ':', double: true, width: len(fields), column: 2, value: 4, time: 6}
	if count := in.layout.count(fields); count != 3 && count != 4 || !in.layout.doubled(fields) || len(fields)%2 == 0 {
		return in.table(number).Fault("the line is not of the form row::column::value::time", "")
	} else if s.times && count != 4 {
		return in.noTimes("the lines end with the value")
	}
	return nil
}

// matrixMarket reads the banner, the comments and the sizes. The lines that it
// takes off the batch are no entries.
func (in *input) matrixMarket(b *batch) error {
	at := func(problem, remedy string) error { return fault(in.name, b.skip+1, problem, remedy) }
	line, _ := in.firstLine(b)
	kind := strings.Fields(strings.ToLower(string(line)))
	if len(kind) != 5 || kind[0] != "%%matrixmarket" || kind[1] != "matrix" {
		return at("the file does not begin with a Matrix Market header", `its first line must be such as "%%MatrixMarket matrix coordinate real general"`)
	}
	switch {
	case kind[2] != "coordinate":
		return at("the matrix is stored as "+data.Quote(kind[2])+", all entries one after another", "write it as coordinate: only observed entries are wanted")
	case kind[3] == "pattern":
		return at("the matrix has no values: it is a pattern", "write it as real or integer, with a value in each line")
	case kind[3] != "real" && kind[3] != "integer" && kind[3] != "double":
		return at("the values are "+data.Quote(kind[3]), "write them as real or integer")
	case kind[4] != "general":
		return at("the matrix is stored as "+data.Quote(kind[4])+": half of its entries are left out", "write it as general, with every entry")
	}
	b.dropLine()
	for {
		line, ok := in.firstLine(b)
		if !ok {
			return at("the line with the sizes is missing", "after the comments comes a line such as \"100 50 1234\": rows, columns, entries")
		}
		if line[0] == '%' {
			b.dropLine()
			continue
		}
		l := &in.layout
		var more string
		n, _ := fmt.Sscan(string(line)+" .", &l.rows, &l.columns, &l.entries, &more)
		if n != 4 || more != "." || l.rows < 0 || l.columns < 0 || l.entries < 0 {
			return at("the line with the sizes is "+data.Quote(string(line)), "it must hold the numbers of rows, columns and entries")
		}
		b.dropLine()
		return nil
	}
}
