package textfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"optcomplete/internal/amount"
	"optcomplete/internal/lists"
	"optcomplete/internal/memory"
	"optcomplete/internal/record"
)

// Table gives the lines of a text table as fields, or the records of an Arrow
// or Parquet table as if they were lines: the names of its columns first, then one after
// another, numbered from 1.
type Table struct {
	LineReader
	Delimiter byte // 0 until the first line shows it
	Least     int  // the fewest fields the table can have, to detect the delimiter
	fields    [][]byte
	records   *record.Texts
	form      string // of the records: Arrow or Parquet
	begun     bool   // the names of the records' columns were given
}

// WithTable unpacks r and hands it to read as a table.
func WithTable(r io.Reader, t *Table, read func() error) error {
	if file, size, ok := parquetFile(r); ok && record.OpenParquet != nil {
		return t.withRecords(func() (record.Table, error) { return record.OpenParquet(file, size) }, "Parquet", read)
	}
	text, release, err := Unpack(r, t.Name)
	if err != nil {
		return err
	}
	defer release()
	if head, _ := text.Peek(8); record.IsArrow(head) {
		if record.OpenArrow == nil {
			return NoArrow(t.Name)
		}
		return t.withRecords(func() (record.Table, error) { return record.OpenArrow(text) }, "Arrow", read)
	}
	t.text = text
	return read()
}

// parquetFile tells whether r is a Parquet file that can be read at any place.
func parquetFile(r io.Reader) (file io.ReaderAt, size int64, ok bool) {
	if a, ok := r.(*asking); ok { // its lines are asked for one by one
		r = a.from
	}
	at, isAt := r.(io.ReaderAt)
	seeker, seeks := r.(io.Seeker)
	if !isAt || !seeks {
		return nil, 0, false
	}
	head := make([]byte, 8)
	if n, _ := at.ReadAt(head, 0); !record.IsParquet(head[:n]) {
		return nil, 0, false
	}
	size, err := seeker.Seek(0, io.SeekEnd)
	return at, size, err == nil
}

// withRecords hands a table of records to read.
func (t *Table) withRecords(open func() (record.Table, error), form string, read func() error) error {
	t.form = form
	from, err := open()
	if err != nil {
		return t.damaged(err)
	}
	defer from.Close()
	if t.records, err = record.NewTexts(from); err != nil {
		return t.damaged(err)
	}
	defer t.records.Close()
	return read()
}

// NoArrow is the fault of an Arrow table, of a program that does not read them.
func NoArrow(name string) *InputError {
	return &InputError{File: name, Problem: "is an Arrow table, which this program does not read", Remedy: "write it as CSV or Parquet, or import optcomplete/data/arrowfile"}
}

// damaged is the error of a table of records that cannot be read on.
func (t *Table) damaged(err error) error {
	if over := new(memory.OverError); errors.As(err, &over) {
		return ReadError(t.Name, t.Line, err)
	}
	if unfit := new(record.UnfitError); errors.As(err, &unfit) {
		return t.Fault(err.Error(), unfit.Remedy)
	}
	return &InputError{File: t.Name, Line: t.Line, Problem: "cannot be read as " + t.form + ": " + err.Error(), Remedy: "check that it is complete and not damaged", Err: err}
}

// Forms are those of the columns of records; nil for text.
func (t *Table) Forms() []record.Form {
	if t.records == nil {
		return nil
	}
	return t.records.Forms
}

// nextRecord is Next of an Arrow table.
func (t *Table) nextRecord() ([][]byte, error) {
	if !t.begun {
		t.begun = true
		t.fields = t.fields[:0]
		for _, name := range t.records.Names {
			t.fields = append(t.fields, []byte(name))
		}
		return t.fields, nil
	}
	if err := memory.Check(); err != nil {
		return nil, t.damaged(err)
	}
	fields, err := t.records.Next(t.fields[:0])
	t.Line = t.records.Record
	switch {
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil:
		return nil, t.damaged(err)
	}
	t.fields = fields
	return fields, nil
}

// Next gives the fields of the next line that is not blank, or io.EOF. They hold
// until the next call.
func (t *Table) Next() ([][]byte, error) {
	if t.records != nil {
		return t.nextRecord()
	}
	line, err := t.LineReader.Next()
	if err != nil {
		return nil, err
	}
	if t.Delimiter == 0 {
		t.Delimiter = DetectDelimiter(line, t.Least)
	}
	var fault SplitFault
	t.fields, fault = Split(line, t.Delimiter, t.fields[:0])
	if fault != "" {
		return nil, t.Fault(string(fault), QuoteRemedy)
	}
	return t.fields, nil
}

// Fault is an error on the current line.
func (t *Table) Fault(problem, remedy string) *InputError {
	return &InputError{File: t.Name, Line: t.Line, Problem: problem, Remedy: remedy}
}

// WrongCount is the fault of a line with too many or too few fields.
func (t *Table) WrongCount(got, want int) *InputError {
	remedy := "quote fields that contain " + t.delimiterName()
	if got < want {
		remedy = "fields are separated by " + t.delimiterName()
	}
	return t.Fault(fmt.Sprintf("the line has %s where %d are expected", Counted(got, "field"), want), remedy)
}

// EmptyID is the fault of a line without a row or a column.
func (t *Table) EmptyID(row bool) *InputError {
	which := "column"
	if row {
		which = "row"
	}
	return t.Fault("the "+which+" id is empty", "fill it in or leave the line out")
}

func (t *Table) delimiterName() string {
	switch t.Delimiter {
	case '\t':
		return "tabs"
	case ',':
		return "commas"
	case ';':
		return "semicolons"
	case ' ':
		return "spaces"
	default:
		return Quote(string(rune(t.Delimiter)))
	}
}

// Counted writes a number of things: "1 field", "2 fields".
func Counted(n int, what string) string {
	return amount.Of(n, what, what+"s")
}

// WrongValue is the fault of an entry whose value is no finite number.
func (t *Table) WrongValue(value []byte, wrong NumberFault) *InputError {
	if len(value) == 0 {
		return t.Fault("the value is blank", `leave the line out, or use Settings.Missing "" to treat it as unknown`)
	}
	remedy := NumberRemedy(value)
	if remedy == "" && wrong != TooLarge && len(value) <= ShownBytes {
		remedy = "use Settings.Missing " + shellWord(value) + " to treat it as unknown"
	}
	return t.Fault("value "+Quote(value)+" "+string(wrong), remedy)
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

// Texts copies fields out of the line's buffer.
func Texts(fields [][]byte) []string {
	return lists.Each(fields, func(f []byte) string { return string(f) })
}

// Locate finds the named columns in a header, whatever their case unless that
// is ambiguous. If one is not there, or is there twice, the fault says which.
func (t *Table) Locate(header [][]byte, names []string) (at []int, fault *InputError) {
	have := Texts(header)
	for _, name := range names {
		exact := func(s string) bool { return s == name }
		same := func(s string) bool { return strings.EqualFold(s, name) }
		match := exact
		if !slices.ContainsFunc(have, exact) {
			match = same
		}
		i := slices.IndexFunc(have, match)
		if i < 0 {
			return nil, t.Fault("the header has no column "+Quote(name), "it has "+QuoteList(have))
		}
		if slices.ContainsFunc(have[i+1:], match) {
			return nil, t.Fault("the header has the column "+Quote(name)+" twice", "rename one of them")
		}
		at = append(at, i)
	}
	return at, nil
}
