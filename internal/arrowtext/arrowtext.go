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
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"

	"optcomplete/internal/memory"
	"optcomplete/internal/textfile"
)

func init() {
	textfile.OpenArrow = func(r io.Reader) (textfile.Records, error) {
		records, err := Records(r)
		if err != nil {
			return nil, err
		}
		return New(records)
	}
}

// Records opens Arrow IPC of either form.
func Records(r io.Reader) (array.RecordReader, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	if head, _ := buffered.Peek(len(textfile.ArrowFile)); bytes.Equal(head, textfile.ArrowFile) {
		if _, err := buffered.Discard(len(textfile.ArrowFile)); err != nil {
			return nil, err
		}
	}
	// The dictionaries of one message may be replaced by those of another.
	return ipc.NewReader(buffered, ipc.WithDelayReadSchema(false), ipc.WithAllocator(&asking{}))
}

// asking takes memory only where it is allowed: a table may announce any amount. The
// panic becomes the error of the reader.
type asking struct{ arrowmemory.GoAllocator }

func (a *asking) Allocate(size int) []byte {
	if err := memory.Take(int64(size)); err != nil {
		panic(err)
	}
	return a.GoAllocator.Allocate(size)
}

func (a *asking) Reallocate(size int, b []byte) []byte {
	if err := memory.Take(int64(size)); err != nil {
		panic(err)
	}
	return a.GoAllocator.Reallocate(size, b)
}

// Separator stands between the parts of a list.
const Separator = '|'

// Reader gives the records of a table as text.
type Reader struct {
	from   array.RecordReader
	batch  arrow.RecordBatch
	names  []string
	kinds  []textfile.Kind
	cells  []cell // of the batch
	row    int    // the next of the batch
	record int    // the number of the record given last, from 1
	text   []byte
	ends   []int
}

// New reads what Records opened. A column of a type that has no text is an error.
func New(from array.RecordReader) (*Reader, error) {
	r := &Reader{from: from}
	for _, field := range from.Schema().Fields() {
		kind, ok := kindOf(field.Type)
		if !ok {
			return nil, &textfile.UnfitError{Problem: fmt.Sprintf("column %q holds %s: a table may hold numbers, text, categories, lists and dates", field.Name, field.Type), Remedy: "leave it out, or make text or a number of it"}
		}
		r.names, r.kinds = append(r.names, field.Name), append(r.kinds, kind)
	}
	return r, nil
}

// Names are those of the columns.
func (r *Reader) Names() []string { return r.names }

// Kinds are those of the columns.
func (r *Reader) Kinds() []textfile.Kind { return r.kinds }

// Next appends the fields of the next record, or gives io.EOF. They hold until
// the next call. A damaged table may make the decoder panic: that is an error.
func (r *Reader) Next(fields [][]byte) (_ [][]byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			if over, is := p.(*memory.OverError); is {
				err = over
				return
			}
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
	r.record++
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

// Record is the number of the record given last, from 1.
func (r *Reader) Record() int { return r.record }

// Close lets go of the records.
func (r *Reader) Close() { r.from.Release() }
