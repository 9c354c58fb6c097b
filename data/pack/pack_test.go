package pack

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/sourcetest"
	_ "optcomplete/internal/steadyseed"
)

func TestPackIsTheSameSource(t *testing.T) {
	for _, c := range []struct {
		name          string
		rows, columns int
		density       float64
		value         func(*rand.Rand) float64
		options       WriterOptions
		encoding      Encoding
		columnBytes   int
	}{
		{"ratings", 300, 40, 0.3, stars, WriterOptions{}, Dictionary8, 2},
		{"signed zeros", 30, 40, 0.3, zeros, WriterOptions{}, Dictionary8, 2},
		{"many values", 600, 200, 0.3, cents, WriterOptions{}, Dictionary16, 2},
		{"float32", 300, 40, 0.5, single, WriterOptions{}, Float32, 2},
		{"float64", 300, 40, 0.5, double, WriterOptions{}, Float64, 2},
		{"blocks of one row", 300, 40, 0.5, double, WriterOptions{Rows: 1, Observed: 1 << 20}, Float64, 2},
		{"blocks of four rows", 301, 40, 0.5, stars, WriterOptions{Rows: 4, Observed: 1 << 16}, Dictionary8, 2},
		{"values known", 301, 40, 0.5, stars, WriterOptions{Rows: 301, Observed: 4000, Values: []float64{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5}}, Dictionary8, 2},
		{"values thought known", 301, 40, 0.5, cents, WriterOptions{Rows: 301, Observed: 4000, Values: []float64{1}}, Dictionary16, 2},
		{"two-byte columns", 20, 1 << 16, 0.01, stars, WriterOptions{}, Dictionary8, 2},
		{"three-byte columns", 20, 1<<16 + 1, 0.01, stars, WriterOptions{Rows: 4, Observed: 1 << 16}, Dictionary8, 3},
		{"three-byte columns, float64", 7, 200_000, 0.01, double, WriterOptions{}, Float64, 3},
		{"weights", 301, 40, 0.5, stars, WriterOptions{Rows: 4, Observed: 1 << 16, Weighted: true}, Dictionary8, 2},
		{"weights, and values thought known", 301, 40, 0.5, cents, WriterOptions{Rows: 301, Observed: 4000, Values: []float64{1}, Weighted: true}, Dictionary16, 2},
		{"weights, three-byte columns, float64", 7, 200_000, 0.01, double, WriterOptions{Weighted: true}, Float64, 3},
		{"weights of no entries", 10, 10, 1e-12, stars, WriterOptions{Weighted: true}, Dictionary8, 2},
		{"one column", 50, 1, 0.5, double, WriterOptions{}, Dictionary8, 2},
		{"one row", 1, 50, 0.5, stars, WriterOptions{}, Dictionary8, 2},
		{"no entries", 10, 10, 1e-12, stars, WriterOptions{}, Dictionary8, 2},
		{"no rows", 0, 10, 0.5, stars, WriterOptions{}, Dictionary8, 2},
		{"nothing", 0, 0, 0.5, stars, WriterOptions{}, Dictionary8, 2},
		{"no columns", 5, 0, 0.5, stars, WriterOptions{}, Dictionary8, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := random(t, c.rows, c.columns, c.density, c.value)
			if c.options.Weighted {
				m = weighed(t, m)
			}
			f := opened(t, write(t, m, c.options))
			sourcetest.Run(t, f, m)
			if !slices.Equal(f.RowIDs(), ids("r", c.rows)) || !slices.Equal(f.ColumnIDs(), ids("c", c.columns)) {
				t.Error("the ids differ")
			}
			info := f.Info()
			if info.Encoding != c.encoding || info.ColumnBytes != c.columnBytes {
				t.Errorf("stored as %s with columns of %d bytes, want %s and %d", info.Encoding, info.ColumnBytes, c.encoding, c.columnBytes)
			}
			if err := f.Verify(context.Background(), nil); err != nil {
				t.Error(err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if _, _, err := f.Reader().Append(0, nil, nil); c.rows > 0 && !errors.Is(err, ErrClosed) {
				t.Errorf("reading a closed pack: %v", err)
			}
		})
	}
}

// What is written comes back to the bit, whatever the numbers, and the stated
// range is theirs.
func TestEveryBitComesBack(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		columns := rapid.IntRange(1, 12).Draw(rt, "columns")
		value := rapid.OneOf(rapid.Float64(), rapid.Just(1.5), rapid.Just(math.Copysign(0, -1)),
			rapid.Map(rapid.Float32(), func(v float32) float64 { return float64(v) }), rapid.Just(math.SmallestNonzeroFloat64)).
			Filter(func(v float64) bool { return v-v == 0 })
		var entries []data.Entry
		rows := rapid.IntRange(0, 20).Draw(rt, "rows")
		low, high := math.Inf(1), math.Inf(-1)
		for i := range rows {
			for j := range columns {
				if rapid.Bool().Draw(rt, "observed") {
					v := value.Draw(rt, "value")
					low, high = min(low, v), max(high, v)
					entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: v})
				}
			}
		}
		m := must.Get(data.NewMatrix(rows, columns, entries))(rt)
		path := filepath.Join(dir, "x.pack")
		writeTo(t, path, m, WriterOptions{Rows: rapid.IntRange(0, 2).Draw(rt, "expected"), Observed: 1 << 17})
		f := opened(t, path)
		defer f.Close()
		got := must.Get(data.Collect(f, nil))(rt)
		for i := range rows {
			c, v := m.Row(i)
			gc, gv := got.Row(i)
			if !slices.Equal(c, gc) || !slices.EqualFunc(v, gv, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
				rt.Fatalf("row %d is %v %v, want %v %v", i, gc, gv, c, v)
			}
		}
		if info := f.Info(); len(entries) > 0 && (info.Min != low || info.Max != high) {
			rt.Fatalf("range %v to %v, want %v to %v", info.Min, info.Max, low, high)
		}
	})
}

// The writer begins again when its first rows were not like the rest: twice as
// wide, then numbers, then longer numbers; and smaller blocks.
func TestWriterChangesItsMind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pack")
	const columns = 2000
	w := must.Get(Create(path, ids("c", columns), WriterOptions{}))(t)
	defer w.Abort()
	var want [][]float64
	rowIDs := ids("r", 5000)
	row := func(length int, value func(x int) float64) {
		c, v := make([]int32, length), make([]float64, length)
		for x := range c {
			c[x], v[x] = int32(x), value(x)
		}
		must.Do(t, w.Append(rowIDs[len(want)], c, v))
		want = append(want, v)
	}
	encodings := []Encoding{}
	saw := func() {
		if w.stream != nil && (len(encodings) == 0 || encodings[len(encodings)-1] != w.stream.values) {
			encodings = append(encodings, w.stream.values)
		}
	}
	for x := range 600 {
		row(columns, func(int) float64 { return float64(x % 5) })
		saw()
	}
	at := 0
	for range 20 {
		row(columns, func(x int) float64 { return float64(x) })
		saw()
	}
	for range 40 {
		row(columns, func(int) float64 { at++; return float64(at) })
		saw()
	}
	row(3, func(x int) float64 { return 0.1 })
	saw()
	must.Do(t, w.Close())
	if want := []Encoding{Dictionary8, Dictionary16, Float32, Float64}; !slices.Equal(encodings, want) {
		t.Errorf("the encodings were %v, want %v", encodings, want)
	}
	f := opened(t, path)
	reader := f.Reader()
	for i, v := range want {
		_, got, err := reader.Append(i, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, v) {
			t.Fatalf("row %d differs", i)
		}
	}
	if !slices.Equal(f.RowIDs(), rowIDs[:len(want)]) {
		t.Error("the ids differ")
	}
	alone(t, path)
}

func TestLargeRowsAfterSmallOnes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pack")
	const columns = 1 << 16
	w := must.Get(Create(path, ids("c", columns), WriterOptions{Rows: 1, Observed: 1, Values: []float64{1}}))(t)
	defer w.Abort()
	c, v := make([]int32, columns), make([]float64, columns)
	for x := range c {
		c[x], v[x] = int32(x), 1
	}
	const rows = 300
	for i := range rows {
		length := 1
		if i >= 100 {
			length = columns
		}
		must.Do(t, w.Append(strconv.Itoa(i), c[:length], v[:length]))
		if held := len(w.stream.low) * 3; held > blockLimit {
			t.Fatalf("the writer holds %d bytes", held)
		}
	}
	must.Do(t, w.Close())
	f := opened(t, path)
	if n := f.Observed(); n != 100+(rows-100)*columns {
		t.Errorf("%d entries", n)
	}
	if f.Entries(99) != 1 || f.Entries(100) != columns || f.RowIDs()[299] != "299" {
		t.Error("rows are not what was written")
	}
	if info := f.Info(); info.RowsPerBlock >= rows || info.Blocks < 2 {
		t.Errorf("%d blocks of %d rows", info.Blocks, info.RowsPerBlock)
	}
	alone(t, path)
}

// alone checks that nothing but the file is in its folder.
func alone(t *testing.T, path string) {
	t.Helper()
	entries := must.Get(os.ReadDir(filepath.Dir(path)))(t)
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestFloat32RoundsOnRequest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pack")
	w := must.Get(Create(path, ids("c", 3), WriterOptions{Float32: true}))(t)
	defer w.Abort()
	given := []float64{0.1, 2, math.Pi}
	must.Do(t, w.Append("a", []int32{0, 1, 2}, given))
	must.Do(t, w.Close())
	_, got, err := opened(t, path).Reader().Append(0, nil, nil)
	if want := []float64{float64(float32(0.1)), 2, float64(float32(math.Pi))}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
	if given[0] != 0.1 {
		t.Error("the caller's values were changed")
	}
}

func TestWriterRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.pack")
	for name, row := range map[string]struct {
		id      string
		columns []int32
		values  []float64
		options WriterOptions
	}{
		"not a number":    {"a", []int32{0}, []float64{math.NaN()}, WriterOptions{}},
		"infinite":        {"a", []int32{0}, []float64{math.Inf(-1)}, WriterOptions{}},
		"out of order":    {"a", []int32{1, 0}, []float64{1, 2}, WriterOptions{}},
		"twice":           {"a", []int32{1, 1}, []float64{1, 2}, WriterOptions{}},
		"beyond the last": {"a", []int32{3}, []float64{1}, WriterOptions{}},
		"negative":        {"a", []int32{-1}, []float64{1}, WriterOptions{}},
		"no UTF-8":        {"a\xff", []int32{0}, []float64{1}, WriterOptions{}},
		"too large":       {"a", []int32{0}, []float64{1e300}, WriterOptions{Float32: true}},
	} {
		w := must.Get(Create(path, ids("c", 3), row.options))(t)
		first := w.Append(row.id, row.columns, row.values)
		if first == nil {
			t.Errorf("%s: no error", name)
		}
		if err := w.Append("b", []int32{0}, []float64{1}); err != first {
			t.Errorf("%s: the writer goes on after %v", name, first)
		}
		if err := w.Close(); err != first {
			t.Errorf("%s: closed after an error: %v", name, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
	if _, err := Create(filepath.Join(dir, "absent", "x.pack"), nil, WriterOptions{}); err == nil {
		t.Error("no error for a folder that does not exist")
	}
	for name, c := range map[string]struct {
		columns []string
		options WriterOptions
	}{
		"a column id that is no UTF-8":     {[]string{"\xff"}, WriterOptions{}},
		"a listed value that is no number": {nil, WriterOptions{Values: []float64{1, math.NaN()}}},
		"too many listed values":           {nil, WriterOptions{Values: make([]float64, 1<<16+1)}},
		"metadata that is no UTF-8":        {nil, WriterOptions{Metadata: map[string]string{"a": "\xff"}}},
		"too many columns":                 {make([]string, MaxColumns+1), WriterOptions{}},
	} {
		if _, err := Create(path, c.columns, c.options); err == nil {
			t.Errorf("no error for %s", name)
		}
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	for _, value := range []func(*rand.Rand) float64{stars, single} {
		f := opened(t, write(t, random(t, 300, 500, 0.5, value), WriterOptions{Rows: 1 << 4, Observed: blockEntries}))
		reader := f.Reader()
		columns, values := make([]int32, 0, 500), make([]float64, 0, 500)
		i := 0
		if n := testing.AllocsPerRun(1000, func() {
			_, _, _ = reader.Append(i*7919%300, columns, values)
			f.Entries(i % 300)
			i++
		}); n != 0 {
			t.Errorf("%v allocations a row", n)
		}
	}
}
