package columnar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"optcomplete/internal/must"
)

// TestOtherProgramsReadWhatIsWritten has Arrow's own Parquet reader read columns
// of several pages: texts of which few occur, one text alone, long ones, and numbers.
func TestOtherProgramsReadWhatIsWritten(t *testing.T) {
	const n = 2*pageValues + 5
	many := make([]string, 3000)
	for x := range many {
		many[x] = fmt.Sprint("text ", x)
	}
	texts, ints, floats := make([]string, n), make([]int32, n), make([]float64, n)
	codes, none, occurring := make([]int32, n), make([]int32, n), make([]string, n)
	for i := range n {
		texts[i] = strings.Repeat("é", i%7)
		ints[i], floats[i] = int32(i-10), float64(i)/3-1
		codes[i], none[i] = int32(i*i%1000+17), 5
		occurring[i] = many[codes[i]]
	}
	floats[3], texts[4] = math.NaN(), "not UTF-8: \xff"
	var out bytes.Buffer
	w := NewWriter(&out, []Field{{"texts", Text}, {"ints", Int}, {"floats", Float}, {"codes", Text}, {"one", Text}})
	empty := []any{[]string{}, []int32{}, []float64{}, Coded{}, Coded{}}
	full := []any{texts, ints, floats, Coded{many, codes}, Coded{many, none}}
	for _, group := range [][]any{empty, full, full} {
		must.Do(t, w.WriteGroup(group...))
	}
	must.Do(t, w.Close())
	texts[4] = "not UTF-8: \uFFFD"

	f := must.Get(file.NewParquetReader(bytes.NewReader(out.Bytes())))(t)
	group := f.MetaData().RowGroup(1)
	if f.NumRowGroups() != 2 || group.NumRows() != n {
		t.Fatalf("%d row groups, the second of %d rows", f.NumRowGroups(), group.NumRows())
	}
	for x, want := range []string{"[ - éééééé]", fmt.Sprint("[-10 ", n-11, "]"), fmt.Sprint("[-1 ", floats[n-1], "]"), fmt.Sprintf("[%s - %s]", slices.Min(occurring), slices.Max(occurring)), "[text 5 - text 5]"} {
		c := must.Get(group.ColumnChunk(x))(t)
		s := must.Get(c.Statistics())(t)
		got := ""
		switch s := s.(type) {
		case *metadata.Int32Statistics:
			got = fmt.Sprint([]int32{s.Min(), s.Max()})
		case *metadata.Float64Statistics:
			got = fmt.Sprint([]float64{s.Min(), s.Max()})
		case *metadata.ByteArrayStatistics:
			got = fmt.Sprintf("[%s - %s]", s.Min(), s.Max())
		}
		if got != want {
			t.Errorf("column %d reaches over %s, not %s", x, got, want)
		}
	}
	arrows := must.Get(pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator))(t)
	table := must.Get(arrows.ReadTable(context.Background()))(t)
	for x := range 5 {
		row := 0
		for _, part := range table.Column(x).Data().Chunks() {
			for i := range part.Len() {
				at := row % n
				var same bool
				switch part := part.(type) {
				case *array.String:
					same = part.Value(i) == []string{texts[at], "", "", many[codes[at]], many[5]}[x]
				case *array.Int32:
					same = part.Value(i) == ints[at]
				case *array.Float64:
					same = math.Float64bits(part.Value(i)) == math.Float64bits(floats[at])
				}
				if !same {
					t.Fatalf("row %d of column %d is %s", row, x, part.ValueStr(i))
				}
				row++
			}
		}
		if row != 2*n {
			t.Fatalf("column %d has %d rows", x, row)
		}
	}
	must.Do(t, readAll(out.Bytes()))
}

// full is a writer with room for so many bytes.
type full int

func (f *full) Write(b []byte) (int, error) {
	if *f -= full(len(b)); *f < 0 {
		return 0, os.ErrClosed
	}
	return len(b), nil
}

func TestFailureOfWritingIsToldOnce(t *testing.T) {
	for _, room := range []full{0, 4, 10, 40} {
		w := NewWriter(&room, []Field{{"a", Int}})
		if err := w.WriteGroup([]int32{1, 2, 3}); !errors.Is(err, os.ErrClosed) {
			t.Fatalf("%v", err)
		}
		if err := w.Close(); err != nil {
			t.Fatalf("told again: %v", err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	const n = 1 << 20
	columns, floats := make([]int32, n), make([]float64, n)
	ids := make([]string, 10_000)
	for x := range ids {
		ids[x] = fmt.Sprintf("column%05d", x)
	}
	for i := range columns {
		columns[i], floats[i] = int32(i*7919%len(ids)), 1/float64(i+1)
	}
	b.SetBytes(n)
	for b.Loop() {
		room := full(math.MaxInt)
		w := NewWriter(&room, []Field{{"column", Text}, {"held_out", Int}, {"value", Float}})
		must.Do(b, w.WriteGroup(Coded{ids, columns}, columns, floats))
	}
}
