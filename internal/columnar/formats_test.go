package columnar

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"optcomplete/internal/must"
)

// anyColumn is a column as another program writes it: cell x, and what is read.
type anyColumn struct {
	name   string
	of     arrow.DataType
	kind   Kind
	append func(to array.Builder, x int)
	want   func(x int) string
	delta  parquet.Encoding // a way to write it other than plain and by a dictionary
}

func text(x int) string { return fmt.Sprint("é", x*x%77, "text"[:x%5]) }

// flag is in runs of many lengths, and then in none.
func flag(x int) bool { return x < 350 && x/19%2 == 1 || x >= 350 && x*x%7 < 3 }

// anyColumns are columns of every kind that is read.
func anyColumns() []anyColumn {
	whole := func(x int) int64 { return int64(x*x%1000 - 300) }
	sprint := func(x int) string { return fmt.Sprint(whole(x)) }
	return []anyColumn{
		{"int8", arrow.PrimitiveTypes.Int8, Int, func(b array.Builder, x int) { b.(*array.Int8Builder).Append(int8(x)) }, func(x int) string { return fmt.Sprint(int8(x)) }, parquet.Encodings.DeltaBinaryPacked},
		{"int32", arrow.PrimitiveTypes.Int32, Int, func(b array.Builder, x int) { b.(*array.Int32Builder).Append(int32(whole(x))) }, sprint, parquet.Encodings.DeltaBinaryPacked},
		{"int64", arrow.PrimitiveTypes.Int64, Int, func(b array.Builder, x int) { b.(*array.Int64Builder).Append(whole(x) << 20) }, func(x int) string { return fmt.Sprint(whole(x) << 20) }, parquet.Encodings.DeltaBinaryPacked},
		{"split64", arrow.PrimitiveTypes.Int64, Int, func(b array.Builder, x int) { b.(*array.Int64Builder).Append(whole(x)) }, sprint, parquet.Encodings.ByteStreamSplit},
		{"uint32", arrow.PrimitiveTypes.Uint32, Uint, func(b array.Builder, x int) { b.(*array.Uint32Builder).Append(math.MaxUint32 - uint32(x)) }, func(x int) string { return fmt.Sprint(math.MaxUint32 - uint32(x)) }, parquet.Encodings.Plain},
		{"uint64", arrow.PrimitiveTypes.Uint64, Uint, func(b array.Builder, x int) { b.(*array.Uint64Builder).Append(math.MaxUint64 - uint64(x)) }, func(x int) string { return fmt.Sprint(uint64(math.MaxUint64 - uint64(x))) }, parquet.Encodings.DeltaBinaryPacked},
		{"half", arrow.FixedWidthTypes.Float16, Float, func(b array.Builder, x int) { b.(*array.Float16Builder).Append(float16.New(float32(x%64) / 4)) }, func(x int) string { return fmt.Sprint(float64(x%64) / 4) }, parquet.Encodings.ByteStreamSplit},
		{"float", arrow.PrimitiveTypes.Float32, Float, func(b array.Builder, x int) { b.(*array.Float32Builder).Append(float32(x) / 3) }, func(x int) string { return fmt.Sprint(float64(float32(x) / 3)) }, parquet.Encodings.ByteStreamSplit},
		{"double", arrow.PrimitiveTypes.Float64, Float, func(b array.Builder, x int) { b.(*array.Float64Builder).Append(float64(x) / 3) }, func(x int) string { return fmt.Sprint(float64(x) / 3) }, parquet.Encodings.ByteStreamSplit},
		{"bool", arrow.FixedWidthTypes.Boolean, Bool, func(b array.Builder, x int) { b.(*array.BooleanBuilder).Append(flag(x)) }, func(x int) string { return map[bool]string{true: "1", false: "0"}[flag(x)] }, parquet.Encodings.RLE},
		{"text", arrow.BinaryTypes.String, Text, func(b array.Builder, x int) { b.(*array.StringBuilder).Append(text(x)) }, text, parquet.Encodings.DeltaLengthByteArray},
		{"bytes", arrow.BinaryTypes.Binary, Text, func(b array.Builder, x int) { b.(*array.BinaryBuilder).Append([]byte(text(x))) }, text, parquet.Encodings.DeltaByteArray},
		{"fixed", &arrow.FixedSizeBinaryType{ByteWidth: 3}, Text, func(b array.Builder, x int) { b.(*array.FixedSizeBinaryBuilder).Append(fmt.Appendf(nil, "%03d", x%50)) }, func(x int) string { return fmt.Sprintf("%03d", x%50) }, parquet.Encodings.ByteStreamSplit},
		{"decimal", &arrow.Decimal128Type{Precision: 20, Scale: 2}, Number, func(b array.Builder, x int) { b.(*array.Decimal128Builder).Append(decimal128.FromI64(whole(x))) }, func(x int) string { return fmt.Sprint(float64(whole(x)) / 100) }, parquet.Encodings.Plain},
		{"date", arrow.FixedWidthTypes.Date32, Date, func(b array.Builder, x int) { b.(*array.Date32Builder).Append(arrow.Date32(whole(x))) }, sprint, parquet.Encodings.DeltaBinaryPacked},
		{"milli", &arrow.TimestampType{Unit: arrow.Millisecond}, Time, func(b array.Builder, x int) { b.(*array.TimestampBuilder).Append(arrow.Timestamp(whole(x))) }, func(x int) string { return fmt.Sprint(whole(x) * 1e6) }, parquet.Encodings.Plain},
		{"micro", &arrow.TimestampType{Unit: arrow.Microsecond}, Time, func(b array.Builder, x int) { b.(*array.TimestampBuilder).Append(arrow.Timestamp(whole(x))) }, func(x int) string { return fmt.Sprint(whole(x) * 1e3) }, parquet.Encodings.DeltaBinaryPacked},
		{"nano", &arrow.TimestampType{Unit: arrow.Nanosecond}, Time, func(b array.Builder, x int) { b.(*array.TimestampBuilder).Append(arrow.Timestamp(whole(x))) }, sprint, parquet.Encodings.Plain},
		{"time", arrow.FixedWidthTypes.Time64us, Other, func(b array.Builder, x int) { b.(*array.Time64Builder).Append(arrow.Time64(x)) }, nil, parquet.Encodings.Plain},
	}
}

// cell is value x of a vector, as text.
func (v *Vector) cell(x int) string {
	switch {
	case v.Null != nil && v.Null[x]:
		return "missing"
	case v.Kind == Text:
		return string(v.Text(x))
	case v.Kind == Float || v.Kind == Number:
		return strconv.FormatFloat(v.Floats[x], 'g', -1, 64)
	case v.Kind == Uint:
		return fmt.Sprint(uint64(v.Ints[x]))
	}
	return fmt.Sprint(v.Ints[x])
}

// TestWhatOtherProgramsWrite has Arrow's own writer write columns of every type,
// with gaps, without, and in lists, by each encoding, compression and version of pages.
func TestWhatOtherProgramsWrite(t *testing.T) {
	const rows = 700
	columns := anyColumns()
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.of}, arrow.Field{Name: c.name + " with gaps", Type: c.of, Nullable: true}, arrow.Field{Name: c.name + " in lists", Type: arrow.ListOf(c.of), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	gap := func(x int) bool { return x%7 == 2 || x > 300 && x < 500 }
	for i, c := range columns {
		for x := range rows {
			c.append(builder.Field(3*i), x)
			if gap(x) {
				builder.Field(3*i + 1).AppendNull()
			} else {
				c.append(builder.Field(3*i+1), x)
			}
			list := builder.Field(3*i + 2).(*array.ListBuilder)
			if x%5 == 4 {
				list.AppendNull()
				continue
			}
			list.Append(true)
			for y := range x % 4 {
				if gap(x + y) {
					list.ValueBuilder().AppendNull()
				} else {
					c.append(list.ValueBuilder(), x+y)
				}
			}
		}
	}
	record := builder.NewRecordBatch()
	codecs := []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Zstd, compress.Codecs.Lz4Raw}
	for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
		for way := range 3 {
			for x, codec := range codecs {
				if way != x%3 && way != 0 { // each encoding with some of them is enough
					continue
				}
				settings := []parquet.WriterProperty{
					parquet.WithDataPageVersion(version), parquet.WithCompression(codec), parquet.WithDataPageSize(400), parquet.WithBatchSize(64),
					parquet.WithMaxRowGroupLength(400), parquet.WithDictionaryDefault(way == 0), parquet.WithPageIndexEnabled(codec == compress.Codecs.Gzip),
				}
				for _, c := range columns {
					for _, path := range []string{c.name, c.name + " with gaps", c.name + " in lists.list.element"} {
						if way == 2 {
							settings = append(settings, parquet.WithEncodingFor(path, c.delta))
						}
						if c.name == "bool" {
							settings = append(settings, parquet.WithDictionaryFor(path, false))
						}
					}
				}
				var out bytes.Buffer
				w := must.Get(pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(settings...), pqarrow.DefaultWriterProps()))(t)
				if err := w.Write(record); err != nil {
					t.Fatal(version, way, codec, err)
				}
				must.Do(t, w.Close())
				f := must.Get(NewFile(bytes.NewReader(out.Bytes()), int64(out.Len())))(t)
				if f.Rows() != rows || f.Groups() != 2 || len(f.Columns) != 3*len(columns) {
					t.Fatalf("%d rows in %d groups, %d columns", f.Rows(), f.Groups(), len(f.Columns))
				}
				for i, c := range columns {
					name := fmt.Sprint(c.name, " by ", codec, ", version ", version, ", way ", way)
					if got := f.Columns[3*i]; got.Kind != c.kind {
						t.Fatalf("%s holds %v", name, got.Kind)
					}
					if c.kind != Other {
						compareColumn(t, name, f, 3*i, c.want, gap)
					}
				}
			}
		}
	}
}

// compareColumn reads a column without gaps and what follows it: with gaps, and in lists.
func compareColumn(t *testing.T, name string, f *File, at int, want func(int) string, gap func(int) bool) {
	t.Helper()
	if !f.Columns[at+2].List {
		t.Fatalf("%s: there are no lists", name)
	}
	row := 0
	err := f.Scan(context.Background(), []int{at, at + 1, at + 2}, 123, func(batch []Vector) error {
		lists, value := &batch[2], 0
		for x := range batch[0].Len() {
			if got := batch[0].cell(x); got != want(row) {
				t.Fatalf("%s: row %d is %q, not %q", name, row, got, want(row))
			}
			expected := func(x int) string {
				if gap(x) {
					return "missing"
				}
				return want(x)
			}
			if got := batch[1].cell(x); got != expected(row) {
				t.Fatalf("%s with gaps: row %d is %q, not %q", name, row, got, expected(row))
			}
			if row%5 != 4 {
				for y := range row % 4 {
					if got := lists.cell(value); got != expected(row+y) {
						t.Fatalf("%s in lists: row %d has %q, not %q", name, row, got, expected(row+y))
					}
					value++
				}
			}
			if lists.Ends[x] != value {
				t.Fatalf("%s in lists: row %d ends at %d, not %d", name, row, lists.Ends[x], value)
			}
			row++
		}
		return nil
	})
	if err != nil || row != int(f.Rows()) {
		t.Fatalf("%s: %d rows, %v", name, row, err)
	}
}
