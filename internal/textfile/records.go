package textfile

import (
	"bytes"
	"io"
)

// Records is a table that is read as if it were text, one record a line.
type Records interface {
	Names() []string                        // of the columns
	Kinds() []Kind                          // of the columns
	Next(fields [][]byte) ([][]byte, error) // appends the fields of the next record, which hold until the next call; or io.EOF
	Record() int                            // the number of the record given last, from 1
	Close()
}

// OpenArrow opens Arrow IPC. Package arrowtext sets it: who imports that reads Arrow
// tables, and who only reads text does not pull Arrow in.
var OpenArrow func(io.Reader) (Records, error)

// OpenParquet opens a Parquet file, likewise.
var OpenParquet func(r io.ReaderAt, size int64) (Records, error)

// UnfitError is returned for a table that is not damaged, but has a column or a cell
// without a text, or is written in a way that is not read here.
type UnfitError struct{ Problem, Remedy string }

func (e *UnfitError) Error() string { return e.Problem }

// Kind is what a column holds, where its text alone does not show it.
type Kind string

// The kinds. Unknown leaves it to the text.
const (
	Unknown  Kind = ""
	Category Kind = "text"
	List     Kind = "list"
	Date     Kind = "date"
)

// The first bytes of the two forms of Arrow IPC. A file is the stream with a mark
// before it, padded to eight bytes, and an index after it.
var (
	ArrowFile   = []byte("ARROW1\x00\x00")
	arrowStream = []byte{0xff, 0xff, 0xff, 0xff}
)

// IsParquet tells whether the first bytes of a file are those of Parquet, also of an
// encrypted one: a page, or its length, follows there, which no text has after PARE.
func IsParquet(head []byte) bool {
	if rest, sealed := bytes.CutPrefix(head, []byte("PARE")); sealed && len(rest) >= 4 {
		return rest[0] == 0x15 || rest[2] == 0 && rest[3] == 0
	}
	return bytes.HasPrefix(head, []byte("PAR1"))
}

// IsArrow tells whether the first bytes of a file are those of Arrow IPC.
func IsArrow(head []byte) bool {
	return bytes.HasPrefix(head, ArrowFile) || bytes.HasPrefix(head, arrowStream)
}
