package ingest

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"optcomplete/internal/arrowtext"
	"optcomplete/internal/memory"
)

// readArrow hands the records of Arrow IPC, of the stream or the file form, to
// the pipe: in slices, because a table often is one record batch. A damaged table
// may make the decoder panic: that is an error of the table.
func (in *input) readArrow(r io.Reader, p *pipe) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = in.damaged(broken(r))
		}
	}()
	batches, err := arrowtext.Records(&counted{r, p})
	if err != nil {
		return in.damaged(err)
	}
	defer batches.Release()
	fields := batches.Schema().Fields()
	at, parse, err := in.tableColumns(arrowSchema(fields), p.settings)
	if err != nil {
		return err
	}
	taken := make([]arrow.Field, len(at))
	for x, column := range at {
		taken[x] = fields[column]
	}
	schema := arrow.NewSchema(taken, nil)
	for batches.Next() {
		whole := batches.RecordBatch()
		columns := make([]arrow.Array, len(at))
		for x, column := range at {
			columns[x] = whole.Column(column)
		}
		record := array.NewRecordBatch(schema, columns, whole.NumRows())
		err := in.emitSlices(p, record, rowsOf(at), parse)
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
func (in *input) emitSlices(p *pipe, record arrow.RecordBatch, rows int, parse func(*worker, *batch)) error {
	for from := int64(0); from < record.NumRows(); from += int64(rows) {
		b, err := p.next()
		if err != nil {
			return err
		}
		b.record, b.parse, b.note = record.NewSlice(from, min(from+int64(rows), record.NumRows())), parse, in.note()
		if err := p.emit(in, b); err != nil {
			return err
		}
	}
	return nil
}

// broken is what a panic of a decoder says: nothing where it is of the program's own
// making, such as an index that a damaged table led out of range.
func broken(r any) error {
	if err, is := r.(*memory.OverError); is {
		return err
	}
	if _, own := r.(runtime.Error); own {
		return errors.New("its parts contradict each other")
	}
	return fmt.Errorf("%v", r)
}
