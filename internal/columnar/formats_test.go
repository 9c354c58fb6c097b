package columnar

import (
	"bytes"
	"context"
	"encoding/binary"
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
	parquetgo "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"

	"optcomplete/internal/must"
	"optcomplete/internal/record"
)

// anyColumn is a column as another program writes it: cell x, and what is read.
type anyColumn struct {
	name   string
	of     arrow.DataType
	kind   Kind
	append func(to array.Builder, x int)
	want   func(x int) string
	other  parquet.Encoding // a way to write it other than plain and by a dictionary, if there is one
}

func text(x int) string { return fmt.Sprint("é", x*x%77, "text"[:x%5]) }

// flag is in runs of many lengths, and then in none.
func flag(x int) bool { return x < 250 && x/19%2 == 1 || x >= 250 && x*x%7 < 3 }

// anyColumns are columns of every kind that is read.
func anyColumns() []anyColumn {
	whole := func(x int) int64 { return int64(x*x%1000 - 300) }
	sprint := func(x int) string { return fmt.Sprint(whole(x)) }
	return []anyColumn{
		{"int8", arrow.PrimitiveTypes.Int8, Int, func(b array.Builder, x int) { b.(*array.Int8Builder).Append(int8(x)) }, func(x int) string { return fmt.Sprint(int8(x)) }, parquet.Encodings.Plain},
		{"int32", arrow.PrimitiveTypes.Int32, Int, func(b array.Builder, x int) { b.(*array.Int32Builder).Append(int32(whole(x))) }, sprint, parquet.Encodings.Plain},
		{"int64", arrow.PrimitiveTypes.Int64, Int, func(b array.Builder, x int) { b.(*array.Int64Builder).Append(whole(x) << 20) }, func(x int) string { return fmt.Sprint(whole(x) << 20) }, parquet.Encodings.Plain},
		{"split64", arrow.PrimitiveTypes.Int64, Int, func(b array.Builder, x int) { b.(*array.Int64Builder).Append(whole(x)) }, sprint, parquet.Encodings.ByteStreamSplit},
		{"uint32", arrow.PrimitiveTypes.Uint32, Uint, func(b array.Builder, x int) { b.(*array.Uint32Builder).Append(math.MaxUint32 - uint32(x)) }, func(x int) string { return fmt.Sprint(math.MaxUint32 - uint32(x)) }, parquet.Encodings.Plain},
		{"uint64", arrow.PrimitiveTypes.Uint64, Uint, func(b array.Builder, x int) { b.(*array.Uint64Builder).Append(math.MaxUint64 - uint64(x)) }, func(x int) string { return fmt.Sprint(uint64(math.MaxUint64 - uint64(x))) }, parquet.Encodings.Plain},
		{"half", arrow.FixedWidthTypes.Float16, Float, func(b array.Builder, x int) { b.(*array.Float16Builder).Append(float16.New(float32(x%64) / 4)) }, func(x int) string { return fmt.Sprint(float64(x%64) / 4) }, parquet.Encodings.ByteStreamSplit},
		{"float", arrow.PrimitiveTypes.Float32, Float, func(b array.Builder, x int) { b.(*array.Float32Builder).Append(float32(x) / 3) }, func(x int) string { return fmt.Sprint(float64(float32(x) / 3)) }, parquet.Encodings.ByteStreamSplit},
		{"double", arrow.PrimitiveTypes.Float64, Float, func(b array.Builder, x int) { b.(*array.Float64Builder).Append(float64(x) / 3) }, func(x int) string { return fmt.Sprint(float64(x) / 3) }, parquet.Encodings.ByteStreamSplit},
		{"bool", arrow.FixedWidthTypes.Boolean, Bool, func(b array.Builder, x int) { b.(*array.BooleanBuilder).Append(flag(x)) }, func(x int) string { return map[bool]string{true: "1", false: "0"}[flag(x)] }, parquet.Encodings.RLE},
		{"text", arrow.BinaryTypes.String, Text, func(b array.Builder, x int) { b.(*array.StringBuilder).Append(text(x)) }, text, parquet.Encodings.Plain},
		{"bytes", arrow.BinaryTypes.Binary, Text, func(b array.Builder, x int) { b.(*array.BinaryBuilder).Append([]byte(text(x))) }, text, parquet.Encodings.Plain},
		{"fixed", &arrow.FixedSizeBinaryType{ByteWidth: 3}, Text, func(b array.Builder, x int) { b.(*array.FixedSizeBinaryBuilder).Append(fmt.Appendf(nil, "%03d", x%50)) }, func(x int) string { return fmt.Sprintf("%03d", x%50) }, parquet.Encodings.ByteStreamSplit},
		{"decimal", &arrow.Decimal128Type{Precision: 20, Scale: 2}, Number, func(b array.Builder, x int) { b.(*array.Decimal128Builder).Append(decimal128.FromI64(whole(x))) }, func(x int) string { return fmt.Sprint(float64(whole(x)) / 100) }, parquet.Encodings.Plain},
		{"date", arrow.FixedWidthTypes.Date32, Date, func(b array.Builder, x int) { b.(*array.Date32Builder).Append(arrow.Date32(whole(x))) }, sprint, parquet.Encodings.Plain},
		{"milli", &arrow.TimestampType{Unit: arrow.Millisecond}, Time, func(b array.Builder, x int) { b.(*array.TimestampBuilder).Append(arrow.Timestamp(whole(x))) }, sprint, parquet.Encodings.Plain},
		{"micro", &arrow.TimestampType{Unit: arrow.Microsecond}, Time, func(b array.Builder, x int) { b.(*array.TimestampBuilder).Append(arrow.Timestamp(whole(x))) }, sprint, parquet.Encodings.Plain},
		{"nano", &arrow.TimestampType{Unit: arrow.Nanosecond}, Time, func(b array.Builder, x int) { b.(*array.TimestampBuilder).Append(arrow.Timestamp(whole(x))) }, sprint, parquet.Encodings.Plain},
		{"time", arrow.FixedWidthTypes.Time64us, Other, func(b array.Builder, x int) { b.(*array.Time64Builder).Append(arrow.Time64(x)) }, nil, parquet.Encodings.Plain},
	}
}

// cellOf is value x of a vector, as text.
func cellOf(v *Vector, x int) string {
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
	const rows = 500
	columns := anyColumns()
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.of}, arrow.Field{Name: c.name + " with gaps", Type: c.of, Nullable: true}, arrow.Field{Name: c.name + " in lists", Type: arrow.ListOf(c.of), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	gap := func(x int) bool { return x%7 == 2 || x > 200 && x < 400 }
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
				if way != x%3 { // each encoding with some of them is enough
					continue
				}
				settings := []parquet.WriterProperty{
					parquet.WithDataPageVersion(version), parquet.WithCompression(codec), parquet.WithDataPageSize(400), parquet.WithBatchSize(64),
					parquet.WithMaxRowGroupLength(300), parquet.WithDictionaryDefault(way == 0), parquet.WithPageIndexEnabled(codec == compress.Codecs.Gzip),
				}
				for _, c := range columns {
					for _, path := range []string{c.name, c.name + " with gaps", c.name + " in lists.list.element"} {
						if way == 2 {
							settings = append(settings, parquet.WithEncodingFor(path, c.other))
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

// TestDifferences reads columns written as differences, by parquet-go: the writer of
// Arrow fails on some, as its memory happens to be.
func TestDifferences(t *testing.T) {
	type row struct {
		Whole  int64   `parquet:"whole,delta"`
		Narrow int32   `parquet:"narrow,delta"`
		Gap    int64   `parquet:"gap,optional,delta"`
		Text   string  `parquet:"text,delta"`
		Fixed  [4]byte `parquet:"fixed,delta"`
	}
	rows := make([]row, 3000)
	for x := range rows {
		large := int64(uint64(x) * 0x9e3779b97f4a7c15) // far up and down
		rows[x] = row{Whole: large, Narrow: int32(large >> 32), Text: text(x)}
		copy(rows[x].Fixed[:], fmt.Sprintf("%04d", x))
		if x%3 > 0 {
			rows[x].Gap = rows[x].Whole
		}
	}
	for version := 1; version <= 2; version++ {
		var out bytes.Buffer
		w := parquetgo.NewGenericWriter[row](&out, parquetgo.DataPageVersion(version), parquetgo.PageBufferSize(2000), parquetgo.Compression(&parquetgo.Snappy))
		must.Get(w.Write(rows))(t)
		must.Do(t, w.Close())
		f := must.Get(NewFile(bytes.NewReader(out.Bytes()), int64(out.Len())))(t)
		at := 0
		must.Do(t, f.Scan(context.Background(), []int{0, 1, 2, 3, 4}, 999, func(v []Vector) error {
			for x := range v[0].Len() {
				r, gap := rows[at], "missing"
				if r.Gap != 0 {
					gap = fmt.Sprint(r.Gap)
				}
				for c, want := range []string{fmt.Sprint(r.Whole), fmt.Sprint(r.Narrow), gap, r.Text, string(r.Fixed[:])} {
					if got := cellOf(&v[c], x); got != want {
						t.Fatalf("version %d, row %d, column %q: %q, not %q", version, at, f.Columns[c].Name, got, want)
					}
				}
				at++
			}
			return nil
		}))
		if at != len(rows) {
			t.Errorf("%d rows", at)
		}
		for c, want := range []format.Encoding{format.DeltaBinaryPacked, format.DeltaBinaryPacked, format.DeltaBinaryPacked, format.DeltaByteArray, format.DeltaByteArray} {
			if got := must.Get(f.pages(0, c))(t)[0].encoding; got != want {
				t.Errorf("column %q is written as %v", f.Columns[c].Name, got)
			}
		}
	}
}

// TestWideDifferencesOfNarrowNumbers: DuckDB writes whole numbers of 32 bits with
// differences of 33, others let them overflow.
func TestWideDifferencesOfNarrowNumbers(t *testing.T) {
	want := []int64{math.MinInt32}
	for x := range int64(300) {
		want = append(want, []int64{math.MaxInt32, math.MinInt32, 1 << 20 * x, -7 * x}[x%4])
	}
	data := must.Get(new(delta.BinaryPackedEncoding).EncodeInt64(nil, want))(t)
	// 128 values in 4 parts, 301 in all, the first, the least difference; then the bits of each part.
	at := len(binary.AppendVarint(binary.AppendVarint(binary.AppendUvarint([]byte{128, 1, 4}, 301), math.MinInt32), math.MinInt32-math.MaxInt32))
	if data[at] != 33 {
		t.Fatalf("the differences have %d bits", data[at])
	}
	for _, kind := range []Kind{Int, Uint} {
		v := must.Get((&Column{Column: record.Column{Kind: kind}, stored: format.Int32}).decode(format.DeltaBinaryPacked, data, len(want)))(t)
		for x, got := range v.Ints {
			if kind == Int && got != want[x] || kind == Uint && got != int64(uint32(want[x])) {
				t.Fatalf("%v: value %d is %d, not %d", kind, x, got, want[x])
			}
		}
		if v.Len() != len(want) {
			t.Errorf("%d values", v.Len())
		}
	}
}

// TestLengthsBeforeTexts reads texts written with all their lengths first.
func TestLengthsBeforeTexts(t *testing.T) {
	stops := []uint32{0, 1, 1, 5, 9}
	data := must.Get(new(delta.LengthByteArrayEncoding).EncodeByteArray(nil, []byte("abcdefghi"), stops))(t)
	v := must.Get((&Column{Column: record.Column{Kind: Text}, stored: format.ByteArray}).decode(format.DeltaLengthByteArray, data, 4))(t)
	if got := fmt.Sprint(cellOf(&v, 0), ",", cellOf(&v, 1), ",", cellOf(&v, 2), ",", cellOf(&v, 3)); got != "a,,bcde,fghi" {
		t.Error(got)
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
			if got := cellOf(&batch[0], x); got != want(row) {
				t.Fatalf("%s: row %d is %q, not %q", name, row, got, want(row))
			}
			expected := func(x int) string {
				if gap(x) {
					return "missing"
				}
				return want(x)
			}
			if got := cellOf(&batch[1], x); got != expected(row) {
				t.Fatalf("%s with gaps: row %d is %q, not %q", name, row, got, expected(row))
			}
			if row%5 != 4 {
				for y := range row % 4 {
					if got := cellOf(lists, value); got != expected(row+y) {
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
