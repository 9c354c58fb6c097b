package arrowtext

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// The first bytes of the two forms. A file is the stream with a mark before it,
// padded to eight bytes, and an index after it.
var (
	fileMark   = []byte("ARROW1\x00\x00")
	streamMark = []byte{0xff, 0xff, 0xff, 0xff}
)

// Is tells whether the first bytes of a file are those of Arrow IPC.
func Is(head []byte) bool {
	return bytes.HasPrefix(head, fileMark) || bytes.HasPrefix(head, streamMark)
}

// Records opens Arrow IPC of either form.
func Records(r io.Reader) (array.RecordReader, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	if head, _ := buffered.Peek(len(fileMark)); bytes.Equal(head, fileMark) {
		if _, err := buffered.Discard(len(fileMark)); err != nil {
			return nil, err
		}
	}
	// The dictionaries of one message may be replaced by those of another.
	return ipc.NewReader(buffered, ipc.WithDelayReadSchema(false))
}

// Kind is what a column holds, where its text alone does not show it.
type Kind string

// The kinds. Unknown leaves it to the text.
const (
	Unknown  Kind = ""
	Category Kind = "text"
	List     Kind = "list"
	Date     Kind = "date"
)

// Separator stands between the parts of a list.
const Separator = '|'

// Reader gives the records of a table as text.
type Reader struct {
	from   array.RecordReader
	batch  arrow.RecordBatch
	names  []string
	kinds  []Kind
	cells  []cell // of the batch
	row    int    // the next of the batch
	Record int    // the number of the record given last, from 1
	text   []byte
	ends   []int
}

// New reads what Records opened. A column of a type that has no text is an error.
func New(from array.RecordReader) (*Reader, error) {
	r := &Reader{from: from}
	for _, field := range from.Schema().Fields() {
		kind, ok := kindOf(field.Type)
		if !ok {
			return nil, fmt.Errorf("column %q holds %s: a table may hold numbers, text, categories, lists and dates", field.Name, field.Type)
		}
		r.names, r.kinds = append(r.names, field.Name), append(r.kinds, kind)
	}
	return r, nil
}

// Names are those of the columns.
func (r *Reader) Names() []string { return r.names }

// Kinds are those of the columns.
func (r *Reader) Kinds() []Kind { return r.kinds }

// Next appends the fields of the next record, or gives io.EOF. They hold until
// the next call. A damaged table may make the decoder panic: that is an error.
func (r *Reader) Next(fields [][]byte) (_ [][]byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	for r.batch == nil || r.row == int(r.batch.NumRows()) {
		if !r.from.Next() {
			if err := r.from.Err(); err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			return nil, io.EOF
		}
		r.batch, r.row, r.cells = r.from.RecordBatch(), 0, r.cells[:0]
		for _, column := range r.batch.Columns() {
			r.cells = append(r.cells, cellOf(column))
		}
	}
	r.Record++
	r.text, r.ends = r.text[:0], r.ends[:0]
	for f, of := range r.cells {
		if r.text, err = of(r.row, r.text); err != nil {
			return nil, fmt.Errorf("column %q: %w", r.names[f], err)
		}
		r.ends = append(r.ends, len(r.text))
	}
	r.row++
	start := 0
	for _, end := range r.ends {
		fields, start = append(fields, r.text[start:end]), end
	}
	return fields, nil
}

// Close lets go of the records.
func (r *Reader) Close() { r.from.Release() }
