package arrowfile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"optcomplete/internal/must"
	"optcomplete/internal/record"
)

// columns are arrays of two values and one that is missing, of every type, and how they
// read.
var columns = []struct {
	of   arrow.DataType
	json string
	want [3]string
}{
	{arrow.BinaryTypes.String, `["a", null, "bc"]`, [3]string{"a", "", "bc"}},
	{arrow.BinaryTypes.LargeString, `["a", null, "bc"]`, [3]string{"a", "", "bc"}},
	{arrow.BinaryTypes.StringView, `["a", null, "longer than twelve bytes"]`, [3]string{"a", "", "longer than twelve bytes"}},
	{arrow.BinaryTypes.Binary, `["YQ==", null, "YmM="]`, [3]string{"a", "", "bc"}},
	{&arrow.FixedSizeBinaryType{ByteWidth: 2}, `["YWI=", null, "Y2Q="]`, [3]string{"ab", "", "cd"}},
	{arrow.PrimitiveTypes.Int8, `[-7, null, 8]`, [3]string{"-7", "", "8"}},
	{arrow.PrimitiveTypes.Int16, `[-7, null, 8]`, [3]string{"-7", "", "8"}},
	{arrow.PrimitiveTypes.Int32, `[-7, null, 8]`, [3]string{"-7", "", "8"}},
	{arrow.PrimitiveTypes.Int64, `[-7, null, 8]`, [3]string{"-7", "", "8"}},
	{arrow.PrimitiveTypes.Uint8, `[200, null, 8]`, [3]string{"200", "", "8"}},
	{arrow.PrimitiveTypes.Uint16, `[60000, null, 8]`, [3]string{"60000", "", "8"}},
	{arrow.PrimitiveTypes.Uint32, `[4000000000, null, 8]`, [3]string{"4000000000", "", "8"}},
	{arrow.PrimitiveTypes.Uint64, `[18446744073709551615, null, 8]`, [3]string{"18446744073709551615", "", "8"}},
	{arrow.FixedWidthTypes.Float16, `[0.5, null, -2]`, [3]string{"0.5", "", "-2"}},
	{arrow.PrimitiveTypes.Float32, `[0.5, null, -2]`, [3]string{"0.5", "", "-2"}},
	{arrow.PrimitiveTypes.Float64, `[0.1, null, 1e300]`, [3]string{"0.1", "", "1e+300"}},
	{&arrow.Decimal128Type{Precision: 9, Scale: 2}, `["1.25", null, "-3.00"]`, [3]string{"1.25", "", "-3"}},
	{arrow.FixedWidthTypes.Boolean, `[true, null, false]`, [3]string{"1", "", "0"}},
	{arrow.FixedWidthTypes.Date32, `["1969-12-31", null, "2024-02-29"]`, [3]string{"1969-12-31", "", "2024-02-29"}},
	{arrow.FixedWidthTypes.Date64, `["1969-12-31", null, "2024-02-29"]`, [3]string{"1969-12-31", "", "2024-02-29"}},
	{arrow.FixedWidthTypes.Timestamp_ms, `["1969-12-31T23:59:59.5Z", null, "2024-02-29T00:00:00Z"]`, [3]string{"1969-12-31", "", "2024-02-29"}},
	{arrow.ListOf(arrow.PrimitiveTypes.Int64), `[[1, null, 2], null, []]`, [3]string{"1||2", "", ""}},
	{arrow.FixedSizeListOf(2, arrow.BinaryTypes.String), `[["a", "b"], null, ["c", "d"]]`, [3]string{"a|b", "", "c|d"}},
	{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `["u", null, "v"]`, [3]string{"u", "", "v"}},
	{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.PrimitiveTypes.Int64}, `[20, null, 30]`, [3]string{"20", "", "30"}},
}

// tableOf writes the columns, each three times over, as one record batch.
func tableOf(t *testing.T) []byte {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for x, c := range columns {
		text := "[" + strings.Join([]string{c.json[1 : len(c.json)-1], c.json[1 : len(c.json)-1], c.json[1 : len(c.json)-1]}, ", ") + "]"
		a, _, err := array.FromJSON(memory.DefaultAllocator, c.of, strings.NewReader(text))
		if err != nil {
			t.Fatal(c.of, err)
		}
		fields, arrays = append(fields, arrow.Field{Name: fmt.Sprint(x), Type: c.of, Nullable: true}), append(arrays, a)
	}
	schema := arrow.NewSchema(fields, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	must.Do(t, w.Write(array.NewRecordBatch(schema, arrays, 9)))
	must.Do(t, w.Close())
	return out.Bytes()
}

// TestEveryTypeIsRead reads each type, with what is missing, in slices that begin anywhere.
func TestEveryTypeIsRead(t *testing.T) {
	content := tableOf(t)
	texts := must.Get(record.NewTexts(must.Get(open(bytes.NewReader(content)))(t)))(t)
	defer texts.Close()
	for row := range 9 {
		fields := must.Get(texts.Next(nil))(t)
		for x, c := range columns {
			if string(fields[x]) != c.want[row%3] {
				t.Errorf("%v: row %d is %q, not %q", c.of, row, fields[x], c.want[row%3])
			}
		}
	}
	if _, err := texts.Next(nil); err != io.EOF {
		t.Error(err)
	}
	var all []int
	for x := range columns {
		all = append(all, x)
	}
	whole := must.Get(open(bytes.NewReader(content)))(t)
	sliced := must.Get(open(bytes.NewReader(content)))(t)
	var want record.Vector
	must.Do(t, whole.Scan(context.Background(), all[:1], 9, func(batch []record.Vector) error { want = batch[0]; return nil }))
	var got []string
	must.Do(t, sliced.Scan(context.Background(), all, 2, func(batch []record.Vector) error {
		for x := range batch[0].Rows() {
			got = append(got, string(batch[0].Text(x)))
		}
		return nil
	}))
	var expected []string
	for x := range 9 {
		expected = append(expected, string(want.Text(x)))
	}
	if d := cmp.Diff(expected, got); d != "" {
		t.Error(d)
	}
}

// TestDamagedTablesAreErrors changes every byte of a table's body: it is read, or an error,
// and nothing panics.
func TestDamagedTablesAreErrors(t *testing.T) {
	content := tableOf(t)
	body := 1000 // at the end; what stands before it is the library's to understand
	for at := len(content) - body; at < len(content); at++ {
		damaged := bytes.Clone(content)
		damaged[at] ^= 0x55
		table, err := open(bytes.NewReader(damaged))
		if err != nil {
			continue
		}
		texts, err := record.NewTexts(table)
		for err == nil {
			_, err = texts.Next(nil)
		}
	}
}
