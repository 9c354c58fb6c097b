package ingest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
)

// sound checks what no input may break: the matrix is in order and finite, the
// report adds up, and an error is one of the input.
func sound(t *testing.T, got *data.Ratings, report *Report, err error) {
	t.Helper()
	if err != nil {
		inputError(t, err)
		return
	}
	rows, columns := got.Dims()
	if rows != len(got.RowIDs) || columns != len(got.ColumnIDs) || got.Observed() != report.Entries ||
		report.Lines != report.Entries+report.Missing+report.UnknownEntries+report.Duplicates {
		t.Fatalf("%d×%d, %+v", rows, columns, report)
	}
	for i := range rows {
		at, values := got.Matrix().Row(i)
		if len(at) == 0 || !slices.IsSorted(at) || slices.ContainsFunc(values, func(v float64) bool { return v-v != 0 }) {
			t.Fatalf("row %d is %v %v", i, at, values)
		}
	}
}

// fuzzText fuzzes a reader of text.
func fuzzText(f *testing.F, format string, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := Settings{Format: format, Duplicates: Last, Threads: 2}
		got, report, err := streamOf("r", bytes.NewReader(text), s).ratings(context.Background())
		sound(t, got, report, err)
		if err != nil {
			return
		}
		// One goroutine reads the same as two.
		s.Threads = 1
		again, _, err := streamOf("r", bytes.NewReader(text), s).ratings(context.Background())
		if err != nil || !slices.Equal(cells(got), cells(again)) {
			t.Fatalf("%v: %v became %v", err, cells(got), cells(again))
		}
	})
}

func FuzzAnyText(f *testing.F) {
	fuzzText(f, "", "u,a,1\n", "1:\n2,3,4\n", "1::2::3::4\n", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
		"userId,movieId,rating,timestamp\n1,2,3,4\n", "\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd", "\ufeffx;y;2\n")
}

func FuzzMatrixMarket(f *testing.F) {
	fuzzText(f, MatrixMarket, "%%MatrixMarket matrix coordinate integer general\n%\n3 3 2\n1 1 5\n3 2 -1e3\n", "%%MatrixMarket matrix coordinate real general\n1 1 0\n")
}

func FuzzNetflix(f *testing.F) {
	fuzzText(f, Netflix, "1:\n6,3,2005-09-06\n8,5,2005-05-13\n2:\r\n6,4,2005-10-19\r\n", ":\n1,2", "1:1:\n:,1\n")
}

func FuzzMovieLens(f *testing.F) {
	fuzzText(f, MovieLens, "6\t1\t3\t881250949\n8\t1\t5\t891717742\n", "6::1::3::978300760\n8::1::5::978302109\n", "userId,movieId,rating\n1,2,3\n", "1:::2::3\n")
}

// fuzzFile fuzzes a reader of files that are no text.
func fuzzFile(f *testing.F, format string) {
	path := filepath.Join(f.TempDir(), "r")
	f.Fuzz(func(t *testing.T, content []byte) {
		must.Do(t, os.WriteFile(path, content, 0o666))
		got, report, err := Ratings(context.Background(), []string{path}, Settings{Format: format, Duplicates: Last})
		sound(t, got, report, err)
	})
}

func FuzzParquet(f *testing.F) {
	names := []string{"row", "column", "value"}
	f.Add([]byte(parquetFile(f, names, whole(6, 8, 6), whole(1, 1, 2), floats([]bool{true, true, false}, 3, 5, 0))))
	f.Add([]byte(parquetFile(f, names, texts("u", "v"), texts("a", "b"), small(3, 5))))
	fuzzFile(f, Parquet)
}

func FuzzPack(f *testing.F) {
	dir := f.TempDir()
	for x, text := range []string{"u,a,1\nu,b,2.5\nv,a,-3\n", "u,a,0.1\nv,a,1e300\n"} {
		in, out := filepath.Join(dir, "r.csv"), filepath.Join(dir, string(rune('a'+x)))
		put(f, in, text)
		if _, err := Pack(context.Background(), []string{in}, out, Settings{}); err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(read(f, out)))
	}
	fuzzFile(f, Packed)
}
