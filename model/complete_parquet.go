package model

import (
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// parquetCells is the number of cells in a row group of a completed matrix:
// about 16 MB in memory.
const parquetCells = 1 << 20

var idType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

// parquetEncoder hands ids over as dictionary and indices, so that no id is
// copied or hashed once per cell. The file's columns are plain strings.
type parquetEncoder struct {
	m      *Model
	rows   []int
	schema *arrow.Schema
	out    *pqarrow.FileWriter
}

var _ encoder = (*parquetEncoder)(nil)

func newParquetEncoder(m *Model, rows []int, w io.Writer) (*parquetEncoder, error) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "row", Type: idType},
		{Name: "column", Type: idType},
		{Name: "value", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	props := parquet.NewWriterProperties(
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithDictionaryFor("value", false),
		// Every row group spans the same columns: their range tells nothing.
		parquet.WithStatsFor("column", false),
		// A row group has at most parquetCells different ids: always worth it.
		parquet.WithDictionaryPageSizeLimit(1<<30),
		parquet.WithMaxRowGroupLength(parquetCells),
	)
	out, err := pqarrow.NewFileWriter(schema, onlyWriter{w}, props, pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	return &parquetEncoder{m: m, rows: rows, schema: schema, out: out}, nil
}

func (e *parquetEncoder) prepare(*job) {}

func (e *parquetEncoder) write(j *job) error {
	height, width := j.rowHi-j.rowLo, j.columnHi-j.columnLo
	rowIDs := make([]string, height)
	for at, i := range e.rows[j.rowLo:j.rowHi] {
		rowIDs[at] = e.m.RowIDs[i]
	}
	row := dictionary(rowIDs, j.cells(), func(cell int) int32 { return int32(cell / width) })
	defer row.Release()
	column := dictionary(e.m.ColumnIDs[j.columnLo:j.columnHi], j.cells(), func(cell int) int32 { return int32(cell % width) })
	defer column.Release()
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(j.values, nil)
	value := b.NewArray()
	defer value.Release()

	record := array.NewRecordBatch(e.schema, []arrow.Array{row, column, value}, int64(j.cells()))
	defer record.Release()
	return e.out.Write(record)
}

func (e *parquetEncoder) close() error { return e.out.Close() }

// dictionary returns an array of n strings, the cell's being ids[at(cell)].
func dictionary(ids []string, n int, at func(cell int) int32) arrow.Array {
	values := array.NewStringBuilder(memory.DefaultAllocator)
	defer values.Release()
	values.Reserve(len(ids))
	for _, id := range ids {
		values.Append(strings.ToValidUTF8(id, "\uFFFD"))
	}
	indices := array.NewInt32Builder(memory.DefaultAllocator)
	defer indices.Release()
	indices.Reserve(n)
	for cell := range n {
		indices.UnsafeAppend(at(cell))
	}
	v, i := values.NewArray(), indices.NewArray()
	defer v.Release()
	defer i.Release()
	return array.NewDictionaryArray(idType, i, v)
}
