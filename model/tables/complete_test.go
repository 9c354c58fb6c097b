package tables

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/model"
	"optcomplete/model/estimate"
)

// record is one line of a completed matrix.
type record struct {
	Row, Column string
	Value       float64
}

// expected gives the lines for the rows, by way of PredictRow.
func expected(m *model.Model, rows []int) (out []record) {
	x := make([]float64, 1)
	for _, i := range rows {
		for j := range m.ColumnIDs {
			m.PredictRow(i, []int32{int32(j)}, x)
			out = append(out, record{m.RowIDs[i], m.ColumnIDs[j], x[0]})
		}
	}
	return out
}

func completed(t *testing.T, m *model.Model, format Format, rows []int, threads int) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, Complete(context.Background(), m, &b, format, rows, Observed{}, threads))
	return b.Bytes()
}

func parseCSV(t *testing.T, text []byte) (out []record) {
	t.Helper()
	lines := must.Get(csv.NewReader(bytes.NewReader(text)).ReadAll())(t)
	if diff := cmp.Diff([]string{"row", "column", "value"}, lines[0]); diff != "" {
		t.Fatal(diff)
	}
	for _, l := range lines[1:] {
		v := must.Get(strconv.ParseFloat(l[2], 64))(t)
		out = append(out, record{l[0], l[1], v})
	}
	return out
}

func parseParquet(t *testing.T, content []byte) (out []record) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.parquet")
	must.Do(t, os.WriteFile(path, content, 0o666))
	table := modeltest.ReadParquet(t, path)
	rows, _, _ := modeltest.Column(t, table, "row")
	columns, _, _ := modeltest.Column(t, table, "column")
	_, _, values := modeltest.Column(t, table, "value")
	for i := range rows {
		out = append(out, record{rows[i], columns[i], values[i]})
	}
	return out
}

func TestCompleteGivesEveryPrediction(t *testing.T) {
	m := modeltest.Fitted(t)
	u := m.Coefficients.(*estimate.RowMatrix).Values
	u[0], u[4] = 1e25, 1e-9
	for _, rows := range [][]int{nil, {4, 0, 4}, {}} {
		want := rows
		if rows == nil {
			want = []int{0, 1, 2, 3, 4, 5, 6}
		}
		if diff := cmp.Diff(expected(m, want), parseCSV(t, completed(t, m, CSV, rows, 2))); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(expected(m, want), parseParquet(t, completed(t, m, Parquet, rows, 2))); diff != "" {
			t.Error(diff)
		}
	}
}

// Both shapes of chunks: several rows each, and parts of a row.
func TestChunksCoverTheTableInOrder(t *testing.T) {
	for _, c := range []struct{ rows, columns, cells int }{{0, 5, 4}, {5, 0, 4}, {7, 3, 7}, {7, 3, 3}, {4, 10, 4}, {1, 1, 1}, {3, 4, 100}} {
		at := 0
		all := gridOf(c.rows, c.columns, c.cells)
		for x := range all.len() {
			k := all.at(x)
			if k.cells() > c.cells || k.cells() < 1 {
				t.Errorf("%+v: chunk %+v", c, k)
			}
			if k.rowLo*c.columns+k.columnLo != at {
				t.Errorf("%+v: chunk %+v starts at %d, not %d", c, k, k.rowLo*c.columns+k.columnLo, at)
			}
			at += k.cells()
		}
		if at != c.rows*c.columns {
			t.Errorf("%+v: %d cells", c, at)
		}
	}
}

func TestThreadsGiveSameFile(t *testing.T) {
	m := modeltest.Large(t, 1500, 900, 3) // more cells than a Parquet row group
	for _, format := range []Format{CSV, Parquet} {
		want := completed(t, m, format, nil, 1)
		for _, threads := range []int{0, 2, 8} {
			if !bytes.Equal(completed(t, m, format, nil, threads), want) {
				t.Errorf("%v: %d threads write another file", format, threads)
			}
		}
		if format == Parquet {
			got := parseParquet(t, want)
			if x := got[len(got)-1]; len(got) != 1500*900 || x != expected(m, []int{1499})[899] {
				t.Errorf("%d lines, the last is %v", len(got), x)
			}
			if perCell := float64(len(want)) / (1500 * 900); perCell > 12 {
				t.Errorf("%.1f bytes per cell: the ids are not encoded by a dictionary", perCell)
			}
		}
	}
}

type failingWriter struct{ room int }

var errFull = errors.New("no space left")

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.room -= len(b); w.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestCompleteStopsOnErrorAndContext(t *testing.T) {
	m := modeltest.Large(t, 3000, 500, 2)
	before := runtime.NumGoroutine()
	for _, format := range []Format{CSV, Parquet} {
		if err := Complete(context.Background(), m, &failingWriter{room: 100_000}, format, nil, Observed{}, 4); !errors.Is(err, errFull) {
			t.Errorf("%v: error %v, want %v", format, err, errFull)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := Complete(ctx, m, io.Discard, format, nil, Observed{}, 4); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, cancelled: %v", format, err)
		}
	}
	// A goroutine that has said it is done may take a moment to be gone.
	after := runtime.NumGoroutine()
	for wait := time.Millisecond; after > before && wait < 10*time.Second; wait *= 2 {
		time.Sleep(wait)
		after = runtime.NumGoroutine()
	}
	if after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
	if err := Complete(context.Background(), m, io.Discard, Format(9), nil, Observed{}, 1); err == nil {
		t.Error("an unknown format was accepted")
	}
}

func TestFormatOfExtension(t *testing.T) {
	for path, want := range map[string]Format{"a.csv": CSV, "b/c.PARQUET": Parquet} {
		if got, err := FormatOf(path); err != nil || got != want {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	for _, path := range []string{"a", "a.xlsx", "csv", "a.csv.gz"} {
		if _, err := FormatOf(path); err == nil {
			t.Errorf("%s was accepted", path)
		}
	}
}

func TestNumbersAreShortAndExact(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 3: "3", 0.1: "0.1", -1e6: "-1000000", 1e-7: "1e-07", 1e21: "1e+21", 1. / 3: "0.3333333333333333"} {
		got := string(appendNumber(nil, x))
		if back, _ := strconv.ParseFloat(got, 64); got != want || math.Float64bits(back) != math.Float64bits(x) {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func BenchmarkComplete(b *testing.B) {
	m := modeltest.Large(b, 4000, 1000, 10)
	for _, format := range []Format{CSV, Parquet} {
		b.Run(format.String(), func(b *testing.B) {
			for b.Loop() {
				must.Do(b, Complete(context.Background(), m, io.Discard, format, nil, Observed{}, 2))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4e6, "ns/cell")
		})
	}
}

// TestObservedCellsAreMarkedAndKept also where a chunk holds a part of a row.
func TestObservedCellsAreMarkedAndKept(t *testing.T) {
	kept := Observed{Mark: true, Entries: func(i int) ([]int32, []float64) {
		return []int32{1, 3, 6}, []float64{10, 30 + float64(i), 60}
	}}
	j := &job{chunk: chunk{0, 2, 3, 6}, values: make([]float64, 6)}
	kept.apply([]int{4, 5}, j)
	if diff := cmp.Diff([]float64{34, 0, 0, 35, 0, 0}, j.values); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int32{1, 0, 0, 1, 0, 0}, j.observed); diff != "" {
		t.Error(diff)
	}
}
