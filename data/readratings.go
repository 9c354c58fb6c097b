package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"optcomplete/internal/textfile"
)

// MaxRatingsLine is the longest line of a ratings or pairs file, in bytes.
const MaxRatingsLine = 1 << 20

// RatingsOptions says how to read a ratings file. The zero value reads three
// columns row, column, value and treats whatever is wrong as an error.
type RatingsOptions struct {
	// The names of the three columns in the header. Empty means "row", "column"
	// and "value". If any is given, the file must have a header with these names.
	RowName, ColumnName, ValueName string

	Missing     []string // values that mean unknown: such entries are left out
	DropUnknown bool     // leave out entries of columns without features
	AnyColumn   bool     // columns without features too: they come after the others, in the order of their first entry
	Where       string   // what has the known columns, for errors; empty means "the feature table"
	Delimiter   byte     // 0 means tab, comma or semicolon, as the first line shows
}

// named tells whether the caller named a column.
func (o *RatingsOptions) named() bool {
	return o.RowName != "" || o.ColumnName != "" || o.ValueName != ""
}

func (o *RatingsOptions) names() []string {
	return []string{or(o.RowName, "row"), or(o.ColumnName, "column"), or(o.ValueName, "value")}
}

func or(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}

// RatingsReport counts what was read and what was left out:
// Lines = Entries + Missing + UnknownEntries.
type RatingsReport struct {
	Lines           int      // lines with an entry: not the header, not blank lines
	Entries         int      // observed entries kept
	Missing         int      // entries left out because their value means unknown
	UnknownEntries  int      // entries left out because their column has no features
	UnknownColumns  int      // distinct columns without features
	UnknownExamples []string // the first few of them
}

// unknownExamples is how many ids RatingsReport.UnknownExamples holds at most.
const unknownExamples = 5

// ReadRatings reads the observed entries from a file ("-" is standard input).
// The columns of the matrix are those of the feature table, in its order, also
// those without an entry; its rows are those with an entry, in the order of
// their first one. The first line is a header if it names row, column and value,
// in any order among others, or else if its third field is not a number.
func ReadRatings(path string, features *Features, options RatingsOptions) (*Ratings, *RatingsReport, error) {
	var ratings *Ratings
	var report *RatingsReport
	err := textfile.WithFile(path, func(r io.Reader, name string) (err error) {
		ratings, report, err = readRatings(r, name, features, options)
		return err
	})
	return ratings, report, err
}

func readRatings(r io.Reader, name string, features *Features, options RatingsOptions) (*Ratings, *RatingsReport, error) {
	in := newRatingsReader(name, features, options)
	if err := textfile.WithTable(r, &in.Table, in.readAll); err != nil {
		return nil, nil, err
	}
	return in.finish(features)
}

// ratingsReader is a ratings file being read.
type ratingsReader struct {
	textfile.Table
	options RatingsOptions
	report  RatingsReport
	maxRows int

	width, rowAt, columnAt, valueAt int // number of fields, and where the three stand

	columns map[string]int32
	known   int      // columns of the feature table
	added   []string // columns without features that were taken
	rows    map[string]int32
	rowIDs  []string
	lastRow int32 // of the line before; −1 at first
	entries []Entry
	lines   lineIndex
	unknown map[string]struct{}
}

func newRatingsReader(name string, features *Features, options RatingsOptions) *ratingsReader {
	in := &ratingsReader{
		options: options,
		maxRows: math.MaxInt32,
		known:   len(features.IDs),
		columns: make(map[string]int32, len(features.IDs)),
		rows:    map[string]int32{},
		lastRow: -1,
		unknown: map[string]struct{}{},
	}
	in.Name, in.Limit, in.Delimiter, in.Least = name, MaxRatingsLine, options.Delimiter, 3
	for j, id := range features.IDs {
		in.columns[id] = int32(j)
	}
	return in
}

func (in *ratingsReader) readAll() error {
	fields, err := in.Next()
	if err == io.EOF {
		return &InputError{File: in.Name, Problem: "is empty", Remedy: "it must hold lines of row, column, value"}
	}
	if err != nil {
		return err
	}
	header, fault := in.layout(fields)
	if fault != nil {
		return fault
	}
	if header {
		fields, err = in.Next()
		if err == io.EOF {
			return &InputError{File: in.Name, Problem: "has a header but no entries"}
		}
	}
	for ; err == nil; fields, err = in.Next() {
		if fault := in.entry(fields); fault != nil {
			return fault
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// layout finds the three columns from the first line and tells whether it is a
// header.
func (in *ratingsReader) layout(first [][]byte) (header bool, fault *InputError) {
	at, fault := in.Locate(first, in.options.names())
	if fault == nil {
		in.width, in.rowAt, in.columnAt, in.valueAt = len(first), at[0], at[1], at[2]
		return true, nil
	}
	if in.options.named() {
		return false, fault
	}
	in.width, in.rowAt, in.columnAt, in.valueAt = 3, 0, 1, 2
	if len(first) != 3 {
		fault = in.WrongCount(len(first), 3)
		if len(first) > 3 {
			fault.Remedy = "a header must name which are row, column and value"
		}
		return false, fault
	}
	return in.isHeader(first), nil
}

// isHeader tells a header from an entry whose value is not a number: the latter
// must not be lost without a word.
func (in *ratingsReader) isHeader(first [][]byte) bool {
	value := first[in.valueAt]
	if _, fault := textfile.ParseNumber(value); fault != textfile.NotNumber {
		return false
	}
	_, known := in.columns[string(first[in.columnAt])]
	return !known && !in.isMissing(value) && !textfile.MissingWord(value)
}

func (in *ratingsReader) isMissing(value []byte) bool {
	for _, token := range in.options.Missing {
		if string(value) == token {
			return true
		}
	}
	return false
}

// entry takes one line.
func (in *ratingsReader) entry(fields [][]byte) *InputError {
	if len(fields) != in.width {
		return in.WrongCount(len(fields), in.width)
	}
	in.report.Lines++
	row, column, value := fields[in.rowAt], fields[in.columnAt], fields[in.valueAt]
	if len(row) == 0 || len(column) == 0 {
		return in.EmptyID(len(row) == 0)
	}
	j, known := in.columns[string(column)]
	if !known {
		if !in.options.AnyColumn {
			return in.unknownColumn(column)
		}
		id := string(column)
		j = int32(in.known + len(in.added))
		in.columns[id], in.added = j, append(in.added, id)
	}
	if in.isMissing(value) {
		in.report.Missing++
		return nil
	}
	v, wrong := textfile.ParseNumber(value)
	if wrong != "" {
		return in.wrongValue(value, wrong)
	}
	i, fault := in.rowIndex(row)
	if fault != nil {
		return fault
	}
	in.lines.add(len(in.entries), in.Line)
	if len(in.entries) == cap(in.entries) {
		in.entries = slices.Grow(in.entries, max(1024, len(in.entries))) // append alone copies a large slice five times
	}
	in.entries = append(in.entries, Entry{Row: i, Column: j, Value: v})
	return nil
}

// rowIndex finds the index of a row, a new one for a new row. Files are often
// sorted by row, so the row of the line before is tried first.
func (in *ratingsReader) rowIndex(id []byte) (int32, *InputError) {
	if in.lastRow >= 0 && in.rowIDs[in.lastRow] == string(id) {
		return in.lastRow, nil
	}
	i, known := in.rows[string(id)]
	if !known {
		if len(in.rowIDs) >= in.maxRows {
			return 0, in.Fault(fmt.Sprintf("there are more than %d rows", in.maxRows), "split the file by rows")
		}
		i = int32(len(in.rowIDs))
		text := string(id)
		in.rowIDs = append(in.rowIDs, text)
		in.rows[text] = i
	}
	in.lastRow = i
	return i, nil
}

func (in *ratingsReader) unknownColumn(id []byte) *InputError {
	if !in.options.DropUnknown {
		return in.Fault("column "+textfile.Quote(id)+" is not in "+or(in.options.Where, "the feature table"), "use --drop-unknown to leave such entries out")
	}
	in.report.UnknownEntries++
	if _, seen := in.unknown[string(id)]; !seen {
		text := string(id)
		in.unknown[text] = struct{}{}
		in.report.UnknownColumns++
		if len(in.report.UnknownExamples) < unknownExamples {
			in.report.UnknownExamples = append(in.report.UnknownExamples, text)
		}
	}
	return nil
}

func (in *ratingsReader) wrongValue(value []byte, wrong textfile.NumberFault) *InputError {
	if len(value) == 0 {
		return in.Fault("the value is blank", `leave the line out, or use --missing "" to treat it as unknown`)
	}
	remedy := textfile.NumberRemedy(value)
	if remedy == "" && wrong != textfile.TooLarge && len(value) <= textfile.ShownBytes {
		remedy = "use --missing " + shellWord(value) + " to treat it as unknown"
	}
	return in.Fault("value "+textfile.Quote(value)+" "+string(wrong), remedy)
}

// shellWord writes a word as it has to be typed.
func shellWord(word []byte) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("/.-+_:#", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if bytes.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 && word[0] != '#' {
		return string(word)
	}
	return "'" + strings.ReplaceAll(string(word), "'", `'\''`) + "'"
}

// finish builds the matrix of the entries.
func (in *ratingsReader) finish(features *Features) (*Ratings, *RatingsReport, error) {
	in.report.Entries = len(in.entries)
	if len(in.entries) == 0 {
		return nil, nil, &InputError{
			File:    in.Name,
			Problem: fmt.Sprintf("no entries are left: %d are of columns without features, %d are missing", in.report.UnknownEntries, in.report.Missing),
			Remedy:  "check that the column ids are those of the feature table",
		}
	}
	columnIDs := features.IDs
	if len(in.added) > 0 {
		columnIDs = slices.Concat(columnIDs, in.added)
	}
	matrix, err := NewMatrix(len(in.rowIDs), len(columnIDs), in.entries)
	var twice *DuplicateError
	switch {
	case errors.As(err, &twice):
		e := in.entries[twice.Second]
		return nil, nil, &InputError{
			File: in.Name, Line: in.lines.line(twice.Second),
			Problem: fmt.Sprintf("row %s, column %s was already given on line %d",
				textfile.Quote(in.rowIDs[e.Row]), textfile.Quote(columnIDs[e.Column]), in.lines.line(twice.First)),
			Remedy: "keep one of the two lines",
			Err:    err,
		}
	case err != nil:
		return nil, nil, &InputError{File: in.Name, Problem: err.Error(), Err: err}
	}
	return &Ratings{Matrix: matrix, RowIDs: in.rowIDs, ColumnIDs: columnIDs}, &in.report, nil
}

// lineIndex finds the line that an entry stood on. Most entries stand on the
// line after the one before them, so only where that fails is kept.
type lineIndex struct{ jumps []lineJump }

type lineJump struct{ entry, line int }

func (x *lineIndex) add(entry, line int) {
	if n := len(x.jumps); n > 0 && line-x.jumps[n-1].line == entry-x.jumps[n-1].entry {
		return
	}
	x.jumps = append(x.jumps, lineJump{entry, line})
}

func (x *lineIndex) line(entry int) int {
	at, found := slices.BinarySearchFunc(x.jumps, entry, func(j lineJump, entry int) int { return j.entry - entry })
	if !found {
		at--
	}
	return x.jumps[at].line + entry - x.jumps[at].entry
}

// Warnings says what was left out, in words; nothing if nothing was.
func (r *RatingsReport) Warnings() []string {
	var out []string
	if r.UnknownEntries > 0 {
		out = append(out, fmt.Sprintf("%d entries of %d columns without features were left out (such as %s)",
			r.UnknownEntries, r.UnknownColumns, strings.Join(r.UnknownExamples, ", ")))
	}
	if r.Missing > 0 {
		out = append(out, fmt.Sprintf("%d entries with a missing value were left out", r.Missing))
	}
	return out
}
