package ingest

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"optcomplete/data"
	"optcomplete/internal/amount"
)

// Settings says how to read entries. The zero value detects the format, takes
// any column, and treats whatever is wrong as an error.
type Settings struct {
	// Format is one of Formats; empty means as the name and the content show.
	Format string

	// The names of the three columns in a header or a Parquet schema. Empty
	// means "row", "column" and "value". If any is given, the input must have
	// columns with these names.
	RowName, ColumnName, ValueName string

	TimeName string // of the column that Times reads; empty: a usual name such as timestamp or date
	times    bool   // read the times instead of the values

	// Weight is the column that has the weights of entries; empty: one that is
	// called weight or weights, if there is one. NoWeights: there are none.
	Weight string

	Missing   []string // values that mean unknown: such entries are left out
	Delimiter byte     // of text; 0 means tab, comma or semicolon, as the first line shows

	// Columns are the known columns, in their order: nil means that every column
	// is taken, in the canonical order of ids. An entry of another column is an
	// error unless one of the next two is set.
	Columns     []string
	DropUnknown bool   // leave out entries of other columns
	AnyColumn   bool   // take other columns too: they come after the known ones, in canonical order
	Where       string // what has the known columns, for errors; empty means "the feature table"

	Duplicates Duplicates // what to do with two entries of one row and column

	Float32 bool // Pack rounds values to float32, which halves their size

	Threads int // goroutines that parse; 0 means one for each processor

	// Memory is about how many bytes to use at most, besides the ids of rows and
	// columns; the entries that do not fit are put into a temporary file. 0 means
	// no limit. Ratings ignores it: what it gives is in memory anyway.
	Memory int64
	Temp   string // folder of that file; empty means where the output goes

	// Progress, if not nil, is called now and then with how far a phase is: of Reading
	// the bytes of the input, of Writing the entries. total is 0 where nobody
	// knows it, as for standard input. It is called by one goroutine at a time.
	Progress func(done, total int64, phase Phase)
}

// Phase is what is being done.
type Phase string

// The phases, in their order.
const (
	Reading Phase = "reading"
	Writing Phase = "writing"
)

// Duplicates says what becomes of several entries of one row and column.
type Duplicates int

// Refuse is the default: an error that names both places. Of the others "first"
// and "last" are in the order of the input.
const (
	Refuse Duplicates = iota
	First
	Last
	Mean

	latest // the largest: of times, when all of a mean was known
)

var duplicatesNames = []string{"error", "first", "last", "mean"}

func (d Duplicates) String() string { return duplicatesNames[d] }

// ParseDuplicates reads the name of a choice.
func ParseDuplicates(name string) (Duplicates, error) {
	if d := slices.Index(duplicatesNames, name); d >= 0 {
		return Duplicates(d), nil
	}
	return 0, fmt.Errorf("%q must be one of %s", name, strings.Join(duplicatesNames, ", "))
}

// named tells whether the caller named a column.
func (s *Settings) named() bool { return s.RowName != "" || s.ColumnName != "" || s.ValueName != "" }

func (s *Settings) names() []string {
	return []string{cmp.Or(s.RowName, "row"), cmp.Or(s.ColumnName, "column"), cmp.Or(s.ValueName, "value")}
}

func (s *Settings) threads() int {
	if s.Threads > 0 {
		return s.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// Report counts what was read and what was left out: Lines = Entries + Missing +
// Zeros + UnknownEntries + Duplicates.
type Report struct {
	Lines           int       // entries of the input, of whatever kind: lines, records, packed entries
	Entries         int       // observed entries kept
	Missing         int       // entries left out because their value means unknown
	Zeros           int       // entries left out because their weight is 0
	Weighted        bool      // entries have weights
	UnknownEntries  int       // entries left out because their column is not known
	UnknownColumns  int       // distinct such columns
	UnknownExamples []string  // the first few of them
	Duplicates      int       // entries merged into, or replaced by, another of the same row and column
	Bytes           int64     // read, before decompression
	Called          [3]string // the names of row, column and value in the header, if there is one
	Notes           []string  // how the input was understood, where it left room for doubt
	Codes           []string  // warnings of values that look as if they meant unknown
}

// unknownExamples is how many ids Report.UnknownExamples holds at most.
const unknownExamples = 5

// Warnings says in words what was left out, and which values look as if they should be.
func (r *Report) Warnings() []string {
	var out []string
	if r.UnknownEntries > 0 {
		out = append(out, fmt.Sprintf("%s of %s without features (such as %s)%s",
			amount.Of(r.UnknownEntries, "entry", "entries"), amount.Of(r.UnknownColumns, "column", "columns"), strings.Join(r.UnknownExamples, ", "), data.LeftOut))
	}
	if r.Missing > 0 {
		out = append(out, amount.Of(r.Missing, "entry", "entries")+" with a missing value"+data.LeftOut)
	}
	if r.Zeros > 0 {
		out = append(out, amount.Of(r.Zeros, "entry", "entries")+" of weight 0"+data.LeftOut)
	}
	if r.Duplicates > 0 {
		out = append(out, amount.Of(r.Duplicates, "entry was a duplicate of another and was merged", "entries were duplicates of others and were merged"))
	}
	return append(out, r.Codes...)
}

// fault is an InputError of a file; see data.InputError.
func fault(file string, line int, problem, remedy string) *data.InputError {
	return &data.InputError{File: file, Line: line, Problem: problem, Remedy: remedy}
}
