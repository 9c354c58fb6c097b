package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"optcomplete/internal/memory"
)

// Table is a table by columns.
type Table interface {
	Columns() []Column
	Rows() int64 // as announced; negative: not announced

	// Scan reads columns together, batches of at most this many rows one after the
	// other. The vectors of a batch are its receiver's to keep. A damaged table is
	// an error, never a panic.
	Scan(ctx context.Context, columns []int, rows int, yield func([]Vector) error) error
	Close() error
}

// OpenArrow opens Arrow IPC of either form; nil: it is not read.
var OpenArrow func(r io.Reader) (Table, error)

// OpenParquet opens a Parquet file; nil: it is not read.
var OpenParquet func(r io.ReaderAt, size int64) (Table, error)

// Column is a column of a table.
type Column struct {
	Name   string // names of nested columns are joined by dots
	Kind   Kind
	List   bool // it holds lists: several values a row, or none
	Nested bool // it is part of a structure, other than a plain list
	Coded  bool // its values are places in a dictionary: it is categorical
}

// Kind is what a column holds.
type Kind int

const (
	Text   Kind = iota // strings, or bytes
	Int                // whole numbers, up to 64 bits
	Uint               // whole numbers without a sign
	Float              // numbers
	Bool               // true or false
	Number             // decimals: numbers written exactly
	Date               // days since 1970-01-01
	Time               // moments since 1970-01-01, in a unit of the column
	Other              // anything else
)

func (k Kind) String() string {
	return [...]string{"text", "whole numbers", "whole numbers", "numbers", "true or false", "decimal numbers", "dates", "times", "something else"}[k]
}

// UnfitError is returned for a table that is not damaged, but has a column or a cell
// without a text, or is written in a way that is not read here.
type UnfitError struct{ Problem, Remedy string }

func (e *UnfitError) Error() string { return e.Problem }

// Recovered makes an error of a panic: decoders panic on some damaged files. One of the
// program's own making, such as an index that a damaged table led out of range, is told
// in words.
func Recovered(err *error) {
	r := recover()
	if r == nil {
		return
	}
	if over, is := r.(*memory.OverError); is {
		*err = over
	} else if _, own := r.(runtime.Error); own {
		*err = errors.New("its parts contradict each other")
	} else {
		*err = fmt.Errorf("%v", r)
	}
}

// PandasIndex is the column that pandas writes the ids of its rows to.
const PandasIndex = "__index_level_0__"

// The first bytes of the two forms of Arrow IPC. A file is the stream with a mark
// before it, padded to eight bytes, and an index after it.
var (
	ArrowFile   = []byte("ARROW1\x00\x00")
	arrowStream = []byte{0xff, 0xff, 0xff, 0xff}
)

// IsArrow tells whether the first bytes of a file are those of Arrow IPC.
func IsArrow(head []byte) bool {
	return bytes.HasPrefix(head, ArrowFile) || bytes.HasPrefix(head, arrowStream)
}

// IsParquet tells whether the first bytes of a file are those of Parquet, also of an
// encrypted one: a page, or its length, follows there, which no text has after PARE.
func IsParquet(head []byte) bool {
	if rest, sealed := bytes.CutPrefix(head, []byte("PARE")); sealed && len(rest) >= 4 {
		return rest[0] == 0x15 || rest[2] == 0 && rest[3] == 0
	}
	return bytes.HasPrefix(head, []byte("PAR1"))
}
