package tables

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/model"
	"optcomplete/pass"
)

// elsewhere is workers that pass for those of a cluster.
type elsewhere struct{ *pass.Apart }

func (elsewhere) Away(context.Context, pass.Reading) bool { return true }

// TestCompletedElsewhereIsTheSame: every format, all rows and some, one file and a folder.
func TestCompletedElsewhereIsTheSame(t *testing.T) {
	m := modeltest.Large(t, 700, 60, 3) // several chunks
	run := elsewhere{pass.NewApart(2)}
	ctx := pass.WithRunner(context.Background(), run)
	entries := func(i int) ([]int32, []float64) {
		if i%2 == 0 {
			return nil, nil
		}
		return []int32{1, int32(2 + i%50)}, []float64{100, float64(i)}
	}
	marks := func(i int) ([]int32, []float64) { columns, _ := entries(i); return columns, nil }
	for _, observed := range []Observed{{}, {Mark: true, Entries: marks}, {Entries: entries}, {Mark: true, Entries: entries}} {
		for _, rows := range [][]int{nil, {699, 3, 3}} {
			for _, format := range []Format{CSV, RawCSV, Parquet, WideCSV, WideRawCSV, WideParquet} {
				var here, there bytes.Buffer
				must.Do(t, Complete(context.Background(), m, &here, format, rows, observed, 1))
				must.Do(t, Complete(ctx, m, &there, format, rows, observed, 2))
				if !bytes.Equal(here.Bytes(), there.Bytes()) {
					t.Errorf("%v of %v differs", format, rows)
				}
			}
		}
	}
	dir := t.TempDir()
	for _, format := range []Format{Parquet, WideParquet} {
		folder := func(name string, ctx context.Context, values int) map[string][]byte {
			t.Helper()
			path := filepath.Join(dir, name)
			must.Do(t, CompleteFolder(ctx, m, path, format, nil, Observed{}, values, 3))
			return filesOf(t, path)
		}
		here := folder("here", context.Background(), 7000)
		there := folder("there", ctx, 7000)
		if len(here) != 8 || len(there) != 8 { // 116 rows in a file, and the manifest
			t.Errorf("%d and %d files", len(here), len(there))
		}
		for name, content := range here {
			if !bytes.Equal(content, there[name]) {
				t.Errorf("%s differs", name)
			}
		}
		if !bytes.Equal(here["part-00001.parquet"], completed(t, m, format, rowsFrom(116, 232), 1)) {
			t.Error("the second file is not of its rows")
		}
		if again := folder("there", ctx, 42_000); len(again) != 2 || !IsFolder(filepath.Join(dir, "there")) {
			t.Errorf("%d files after it was written again", len(again))
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("%v are left", left)
	}
	if err := CompleteFolder(ctx, &model.Model{}, filepath.Join(dir, "none"), Parquet, nil, Observed{}, 100, 1); err != nil {
		t.Error(err)
	}
}

func rowsFrom(lo, hi int) (rows []int) {
	for i := lo; i < hi; i++ {
		rows = append(rows, i)
	}
	return rows
}

func filesOf(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, e := range entries {
		if all[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
