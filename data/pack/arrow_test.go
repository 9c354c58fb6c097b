package pack

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"optcomplete/internal/must"
)

// arrowRow reads a row of a batch as any Arrow program would.
func arrowRow(entries *array.List, x int) (columns []int, names []string, values []float64) {
	lo, hi := entries.ValueOffsets(x)
	item := entries.ListValues().(*array.Struct)
	for at := int(lo); at < int(hi); at++ {
		switch c := item.Field(0).(type) {
		case *array.Dictionary:
			code := c.GetValueIndex(at)
			columns = append(columns, code)
			names = append(names, c.Dictionary().(*array.String).Value(code))
		case *array.Uint16:
			columns = append(columns, int(c.Value(at))+int(item.Field(1).(*array.Uint8).Value(at))<<16)
		}
		field, _ := item.DataType().(*arrow.StructType).FieldIdx("value")
		switch v := item.Field(field).(type) {
		case *array.Dictionary:
			values = append(values, v.Dictionary().(*array.Float64).Value(v.GetValueIndex(at)))
		case *array.Float32:
			values = append(values, float64(v.Value(at)))
		case *array.Float64:
			values = append(values, v.Value(at))
		}
	}
	return columns, names, values
}

// arrowNumbers reads a field of a row of a batch as any Arrow program would.
func arrowNumbers(entries *array.List, x int, name string) (numbers []float64) {
	lo, hi := entries.ValueOffsets(x)
	item := entries.ListValues().(*array.Struct)
	at, ok := item.DataType().(*arrow.StructType).FieldIdx(name)
	for ; ok && lo < hi; lo++ {
		numbers = append(numbers, item.Field(at).(*array.Float64).Value(int(lo)))
	}
	return numbers
}

// Arrow's own library reads a pack as a plain Arrow file and finds the same.
func TestPackIsAnArrowFile(t *testing.T) {
	for _, columns := range []int{30, 70_000} {
		for encoding, value := range map[Encoding]func(*rand.Rand) float64{Dictionary8: stars, Dictionary16: cents, Float32: single, Float64: double} {
			m := random(t, 90, columns, 20/float64(columns), value)
			o := WriterOptions{Rows: 32, Observed: blockEntries, Metadata: map[string]string{"source": "test"}}
			if encoding == Dictionary16 {
				o.Values = make([]float64, 257)
				for x := range o.Values {
					o.Values[x] = float64(x) / 100
				}
			}
			if encoding != Float32 {
				o.Weighted = true
				m = weighed(t, m)
			}
			path := write(t, m, o)
			if got := opened(t, path).Info().Encoding; got != encoding && encoding != Dictionary8 {
				t.Fatalf("stored as %s, want %s", got, encoding)
			}
			file := must.Get(os.Open(path))(t)
			defer file.Close()
			// Not NewMappedFileReader: that of v18.8.0 panics on any dictionary.
			r := must.Get(ipc.NewFileReader(file))(t)
			if v, ok := r.Schema().Metadata().GetValue("source"); !ok || v != "test" {
				t.Error("the metadata is not in the schema")
			}
			rowIDs, columnIDs := ids("r", 90), ids("c", columns)
			row := 0
			for b := range r.NumRecords() {
				batch := must.Get(r.RecordBatchAt(b))(t)
				entries := batch.Column(int(batch.NumCols()) - 1).(*array.List)
				for x := range int(batch.NumRows()) {
					if id := batch.Column(0).(*array.String).Value(x); id != rowIDs[row] {
						t.Errorf("row %d is %q", row, id)
					}
					c, names, v := arrowRow(entries, x)
					wantColumns, wantValues := m.Row(row)
					if len(c) != len(wantColumns) || !slices.Equal(v, wantValues) {
						t.Fatalf("%s: row %d has the values %v, want %v", encoding, row, v, wantValues)
					}
					for y := range c {
						if c[y] != int(wantColumns[y]) || names != nil && names[y] != columnIDs[c[y]] {
							t.Fatalf("%s: row %d has the columns %v, want %v", encoding, row, c, wantColumns)
						}
					}
					if got := arrowNumbers(entries, x, "weight"); !slices.Equal(got, m.RowWeights(row)) {
						t.Fatalf("%s: row %d has the weights %v, want %v", encoding, row, got, m.RowWeights(row))
					}
					row++
				}
				if columns > maxNarrow {
					ids := batch.Column(1).(*array.Dictionary)
					if ids.NullN() != ids.Len() || ids.Dictionary().(*array.String).Value(columns-1) != columnIDs[columns-1] {
						t.Error("the column ids are not in their dictionary")
					}
				}
				batch.Release()
			}
			if row != 90 {
				t.Errorf("%d rows", row)
			}
			r.Close()
		}
	}
}
