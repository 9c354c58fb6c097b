package synth

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/sourcetest"
)

func source(t testing.TB, c Config) *Source {
	t.Helper()
	s := must.Get(NewSource(c))(t)
	return s
}

// Rows on demand are the rows in memory, for every generator, also where a row
// has several blocks and where nothing is missing.
func TestSourcesAreTheirInstances(t *testing.T) {
	for name, c := range map[string]Config{
		"paper":  {Rows: 300, Columns: 70, Features: 9, K: 3, Missing: 0.9, Noise: 0.1, Seed: 3},
		"full":   {Rows: 20, Columns: 30, Features: 9, K: 3, Noise: 0.1, Seed: 3},
		"blocks": {Rows: 12, Columns: 3*blockColumns + 5, Features: 4, K: 2, Missing: 0.9, Noise: 0.1, Seed: 3},
	} {
		t.Run(name, func(t *testing.T) {
			sourcetest.Run(t, source(t, c), generate(t, c).Ratings.Matrix())
		})
	}
	in := films(t, 100, 60)
	t.Run("films", func(t *testing.T) { sourcetest.Run(t, in.Source, in.Ratings.Matrix()) })
}

func TestPaperValuesAreFloat32(t *testing.T) {
	in := generate(t, Config{Rows: 50, Columns: 100, Features: 9, K: 3, Missing: 0.5, Noise: 0.1, Seed: 3})
	for i := range in.Rows {
		_, values := in.Ratings.Matrix().Row(i)
		for _, v := range values {
			if float64(float32(v)) != v {
				t.Fatalf("%v is no float32", v)
			}
		}
	}
}

// The table of skips never changes what the logarithm says.
func TestSkipsAreThoseOfTheLogarithm(t *testing.T) {
	s := random.New(5)
	for _, missing := range []float64{1e-9, 0.05, 0.2, 0.5, 0.95, 0.999, 1 - 1e-9} {
		k := newSkips(missing)
		known := 0
		for range 20000 {
			bits := s.Uint64()
			if s.Intn(2) == 0 { // next to an end of a cell
				bits = bits>>(64-skipBits)<<(64-skipBits) - uint64(s.Intn(3))<<11
			}
			if got, want := k.of(bits, 1000), k.exactly(bits, 1000); got != want {
				t.Fatalf("μ = %v: %#x skips %d, want %d", missing, bits, got, want)
			}
		}
		for _, g := range k.table {
			if g >= 0 {
				known++
			}
		}
		t.Logf("μ = %v: %.1f %% of the cells are known", missing, 100*float64(known)/float64(len(k.table)))
		if missing == 0.95 && known < len(k.table)*95/100 {
			t.Errorf("only %d cells are known", known)
		}
	}
}

// True features that are made anew give the same bits as the table of them.
func TestProductsWithoutTheTable(t *testing.T) {
	s := source(t, Config{Rows: 9, Columns: 500, Features: 70, K: 67, Missing: 0.5, Seed: 9})
	u := s.Coefficients(4)
	var columns []int32
	for j := range int32(500) {
		columns = append(columns, j)
	}
	want, got := make([]float64, 500), make([]float64, 500)
	s.products(u, columns, want)
	s.chosen = nil
	s.products(u, columns, got)
	if !slices.Equal(got, want) {
		t.Error("the products differ")
	}
}

// Text that is made in blocks is the text of the instance.
func TestWriteRatings(t *testing.T) {
	for _, c := range []Config{
		{Rows: 3000, Columns: 100, Features: 5, K: 3, Missing: 0.7, Noise: 0.1, Seed: 3},
		{Rows: 3, Columns: 30, Features: 5, K: 3, Missing: 0.95, Noise: 0.1, Seed: 4},
	} {
		in := generate(t, c)
		var want, got bytes.Buffer
		must.Do(t, data.WriteRatings(&want, in.Ratings))
		entries, err := source(t, c).WriteRatings(context.Background(), &got)
		if err != nil || entries != in.Ratings.Observed() || !bytes.Equal(want.Bytes(), got.Bytes()) {
			t.Errorf("%d entries in %d bytes, want %d in %d: %v", entries, got.Len(), in.Ratings.Observed(), want.Len(), err)
		}
		if _, err := in.WriteRatings(context.Background(), fullDisk{}); err == nil {
			t.Error("nothing is said of a full disk")
		}
		stopped, stop := context.WithCancel(context.Background())
		stop()
		if _, err := in.WriteRatings(stopped, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped: %v", err)
		}
	}
}

// A source too large to count says the expected number, and its missing entries
// are missing.
func TestGiantSource(t *testing.T) {
	c := Config{Rows: 1_000_000, Columns: 50_000, Features: 3, K: 2, Missing: 0.95, Noise: 0.1, Seed: 3}
	s := source(t, c)
	if s.Counted() || s.Observed() != 2_500_000_000 {
		t.Fatalf("%d entries are observed, counted: %v", s.Observed(), s.Counted())
	}
	columns, _ := s.Row(777_777)
	if got := s.Entries(777_777); got != len(columns) || got < 2200 || got > 2800 {
		t.Errorf("a row of %d entries is said to have %d", len(columns), got)
	}
	entries := s.TestEntries(500)
	if len(entries) != 500 || !cmp.Equal(entries, s.TestEntries(500)) {
		t.Fatalf("%d test entries", len(entries))
	}
	for x, e := range entries {
		observed, _ := s.Row(int(e.Row))
		if slices.Contains(observed, e.Column) || e.Value != s.Noisy(int(e.Row), int(e.Column)) || e.NoiseFree != s.NoiseFree(int(e.Row), int(e.Column)) {
			t.Errorf("(%d,%d) is observed, or has other values", e.Row, e.Column)
		}
		if x > 0 && entries[x-1].Row > e.Row {
			t.Error("the entries are not in order")
		}
	}
	if _, err := s.Collect(); err == nil {
		t.Error("the source was collected")
	}
}

// BenchmarkRows makes rows of the paper's largest instances on one core.
func BenchmarkRows(b *testing.B) {
	for name, c := range map[string]Config{
		"m=1e3": {Rows: 1e6, Columns: 1e3, Features: 10, K: 10, Missing: 0.95, Noise: 0.01, Seed: 1},
		"m=1e4": {Rows: 1e6, Columns: 1e4, Features: 10, K: 10, Missing: 0.95, Noise: 0.01, Seed: 1},
		"m=1e6": {Rows: 1e6, Columns: 1e6, Features: 10, K: 10, Missing: 0.95, Noise: 0.01, Seed: 1},
	} {
		b.Run(name, func(b *testing.B) {
			s := source(b, c)
			reader := s.Reader()
			var columns []int32
			var values []float64
			made, i := 0, 0
			for b.Loop() {
				columns, values, _ = reader.Append(i, columns[:0], values[:0])
				made += len(columns)
				i++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(made), "ns/entry")
		})
	}
}
