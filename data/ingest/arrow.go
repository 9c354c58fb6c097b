package ingest

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"optcomplete/internal/arrowtext"
)

// readArrow hands the records of Arrow IPC, of the stream or the file form, to
// the pipe: in slices, because a table often is one record batch. A damaged table
// may make the decoder panic: that is an error of the table.
func (in *input) readArrow(r io.Reader, p *pipe) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = in.damaged(fmt.Errorf("%v", r))
		}
	}()
	batches, err := arrowtext.Records(&counted{r, p})
	if err != nil {
		return in.damaged(err)
	}
	defer batches.Release()
	fields := batches.Schema().Fields()
	names := make([]string, len(fields))
	for x, field := range fields {
		names[x] = field.Name
	}
	at, err := in.recordColumns(names, p.settings)
	if err != nil {
		return err
	}
	schema := arrow.NewSchema([]arrow.Field{fields[at[0]], fields[at[1]], fields[at[2]]}, nil)
	for batches.Next() {
		whole := batches.RecordBatch()
		record := array.NewRecordBatch(schema, []arrow.Array{whole.Column(at[0]), whole.Column(at[1]), whole.Column(at[2])}, whole.NumRows())
		err := in.emitSlices(p, record)
		record.Release()
		if err != nil {
			return err
		}
	}
	if err := batches.Err(); err != nil && !errors.Is(err, io.EOF) {
		return in.damaged(err)
	}
	return nil
}

// emitSlices cuts a record into batches.
func (in *input) emitSlices(p *pipe, record arrow.RecordBatch) error {
	for from := int64(0); from < record.NumRows(); from += recordRows {
		b, err := p.next()
		if err != nil {
			return err
		}
		b.record, b.parse = record.NewSlice(from, min(from+recordRows, record.NumRows())), (*worker).parseRecord
		if err := p.emit(in, b); err != nil {
			return err
		}
	}
	return nil
}
