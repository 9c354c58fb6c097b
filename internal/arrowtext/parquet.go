package arrowtext

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"optcomplete/internal/columnar"
	"optcomplete/internal/textfile"
)

func init() {
	textfile.OpenParquet = func(r io.ReaderAt, size int64) (textfile.Records, error) {
		records, err := parquetRecords(r, size)
		if err != nil {
			return nil, err
		}
		return New(records)
	}
}

// PandasIndex is the column that pandas writes the ids of its rows to.
const PandasIndex = "__index_level_0__"

// parquetBatch is how many records of a Parquet file are read together.
const parquetBatch = 1 << 12

// parquetReader gives the records of a Parquet file one batch after the other.
type parquetReader struct {
	schema *arrow.Schema
	next   func() (arrow.RecordBatch, error, bool)
	stop   func()
	batch  arrow.RecordBatch
	err    error
}

func parquetRecords(r io.ReaderAt, size int64) (*parquetReader, error) {
	file, err := columnar.NewFile(r, size)
	if err != nil {
		return nil, err
	}
	var columns []int
	var none []columnar.Vector
	for x, c := range file.Columns {
		if c.Nested || c.Kind == columnar.Other {
			return nil, &textfile.UnfitError{Problem: fmt.Sprintf("column %q is nested, or of a type that has no text: a table may hold numbers, text, lists and dates", c.Name), Remedy: "leave it out, or make text or a number of it"}
		}
		if c.Name == PandasIndex { // the ids of the rows, which pandas writes last
			columns = slices.Insert(columns, 0, x)
			continue
		}
		columns = append(columns, x)
	}
	for _, x := range columns {
		none = append(none, columnar.Vector{Kind: file.Columns[x].Kind})
	}
	p := &parquetReader{schema: file.Record(columns, none).Schema()}
	p.next, p.stop = iter.Pull2(func(yield func(arrow.RecordBatch, error) bool) {
		err := file.Scan(context.Background(), columns, parquetBatch, func(batch []columnar.Vector) error {
			if !yield(file.Record(columns, batch), nil) {
				return io.EOF
			}
			return nil
		})
		if err != nil && err != io.EOF {
			yield(nil, err)
		}
	})
	return p, nil
}

func (p *parquetReader) Retain()                        {}
func (p *parquetReader) Release()                       { p.stop() }
func (p *parquetReader) Schema() *arrow.Schema          { return p.schema }
func (p *parquetReader) RecordBatch() arrow.RecordBatch { return p.batch }
func (p *parquetReader) Record() arrow.RecordBatch      { return p.batch }
func (p *parquetReader) Err() error                     { return p.err }

func (p *parquetReader) Next() bool {
	batch, err, more := p.next()
	p.batch, p.err = batch, err
	return more && err == nil
}
