package store_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/model/store"
)

func TestSavedModelLoadsBitExact(t *testing.T) {
	m := modeltest.Fitted(t)
	m.Coefficients.Row(0)[0], m.Coefficients.Row(0)[1] = math.Copysign(0, -1), math.SmallestNonzeroFloat64
	got := must.Get(store.Load(modeltest.Save(t, m)))(t)
	if diff := cmp.Diff(m, got, modeltest.Same); diff != "" {
		t.Error(diff)
	}
	if _, err := got.Predict("u,2", "a,b"); err != nil {
		t.Error(err)
	}
}

func TestSeveralRowGroups(t *testing.T) {
	m := modeltest.Large(t, 2*estimate.BlockRows+17, 3, 2)
	dir := modeltest.Save(t, m)
	got := must.Get(store.Load(dir))(t)
	if diff := cmp.Diff(m, got, modeltest.Same); diff != "" {
		t.Error(diff)
	}
	in := must.Get(file.OpenParquetFile(filepath.Join(dir, "rows.parquet"), false))(t)
	defer in.Close()
	if in.NumRowGroups() != 3 {
		t.Errorf("%d row groups", in.NumRowGroups())
	}
}

func TestModelsWithoutRowsOrFeatures(t *testing.T) {
	for _, m := range []*model.Model{modeltest.Large(t, 0, 3, 2), modeltest.Large(t, 4, 3, 0)} {
		got := must.Get(store.Load(modeltest.Save(t, m)))(t)
		if diff := cmp.Diff(m, got, modeltest.Same, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAnyoneCanReadTheFiles(t *testing.T) {
	m := modeltest.Fitted(t)
	dir := modeltest.Save(t, m)
	rows, columns := modeltest.ReadParquet(t, filepath.Join(dir, "rows.parquet")), modeltest.ReadParquet(t, filepath.Join(dir, "columns.parquet"))
	ids, _, _ := modeltest.Column(t, rows, "row")
	_, entries, _ := modeltest.Column(t, rows, "entries")
	if diff := cmp.Diff(m.RowIDs, ids) + cmp.Diff(m.Entries, entries); diff != "" {
		t.Error(diff)
	}
	ids, _, _ = modeltest.Column(t, columns, "column")
	if diff := cmp.Diff(m.ColumnIDs, ids); diff != "" {
		t.Error(diff)
	}
	// The features called row and Entries are there too, under a free name.
	for f, name := range []string{"R&B/α.β", "row_", "Entries_"} {
		_, _, u := modeltest.Column(t, rows, name)
		_, _, b := modeltest.Column(t, columns, name)
		for i := range u {
			if u[i] != m.Coefficients.Row(i)[f] {
				t.Errorf("coefficient of row %d for %s: %v", i, name, u[i])
			}
		}
		for j := range b {
			if b[j] != m.Features[j*3+f] {
				t.Errorf("%s of column %d: %v", name, j, b[j])
			}
		}
	}
	if rows.NumCols() != 5 || columns.NumCols() != 5 {
		t.Errorf("%d and %d columns", rows.NumCols(), columns.NumCols())
	}
}

func TestSaveReplacesAModelAndNothingElse(t *testing.T) {
	m := modeltest.Fitted(t)
	dir := modeltest.Save(t, m)
	m.Summary.Cost = 99
	must.Do(t, store.Save(m, dir))
	if got, err := store.Load(dir); err != nil || got.Summary.Cost != 99 {
		t.Errorf("the second model was not saved: %v", err)
	}
	home := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(home, "notes.txt"), nil, 0o666))
	if err := store.Save(m, home); err == nil {
		t.Error("a user's directory was replaced")
	}
}

func TestLoadTellsWhatIsWrong(t *testing.T) {
	read := func(dir, name string) string {
		b := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
		return string(b)
	}
	write := func(dir, name, content string) {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
	}
	// replace changes the last occurrence: terms stand after selected.
	replace := func(old, new string) func(string) {
		return func(dir string) {
			text := read(dir, "model.json")
			if !strings.Contains(text, old) {
				t.Fatalf("no %s in %s", old, text)
			}
			at := strings.LastIndex(text, old)
			write(dir, "model.json", text[:at]+new+text[at+len(old):])
		}
	}
	for name, c := range map[string]struct {
		damage func(dir string)
		want   string
	}{
		"no summary":      {func(d string) { os.Remove(filepath.Join(d, "model.json")) }, "has no model.json"},
		"not JSON":        {func(d string) { write(d, "model.json", "hello") }, "model.json: not a readable JSON"},
		"other version":   {replace(`"format_version": 4`, `"format_version": 99`), "model.json: format_version is 99"},
		"no version":      {replace(`"format_version": 4`, `"foo": 1`), "model.json is not a saved model: it has no format_version"},
		"k":               {replace(`"k": 3`, `"k": 4`), "model.json: k is 4"},
		"fewer rows":      {replace(`"rows": 7`, `"rows": 8`), "rows.parquet: it has 7 rows, but model.json says 8"},
		"more columns":    {replace(`"columns": 5`, `"columns": 4`), "columns.parquet: it has 5 rows"},
		"renamed feature": {replace(`"R&B/α.β"`, `"Blues"`), "rows.parquet: its column 3 is R&B/α.β"},
		"no rows":         {func(d string) { os.Remove(filepath.Join(d, "rows.parquet")) }, "rows.parquet"},
		"empty file":      {func(d string) { write(d, "columns.parquet", "") }, "columns.parquet: damaged"},
		"swapped files": {func(d string) { write(d, "rows.parquet", read(d, "columns.parquet")) },
			"rows.parquet: it has 5 rows"},
	} {
		dir := modeltest.Save(t, modeltest.Fitted(t))
		modeltest.Unseal(t, dir, 4)
		c.damage(dir)
		if _, err := store.Load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %q, want %q in it", name, err, c.want)
		}
	}
}

// A damaged file is an error that names it, wherever the damage is; never a
// panic, a hang, or a model with other numbers that passes for the saved one
// while rows are missing.
func TestDamagedParquetIsAnError(t *testing.T) {
	dir := modeltest.Save(t, modeltest.Fitted(t))
	modeltest.Unseal(t, dir, 4)
	path := filepath.Join(dir, "rows.parquet")
	whole := must.Get(os.ReadFile(path))(t)
	for n := 0; n < len(whole); n += 7 {
		must.Do(t, os.WriteFile(path, whole[:n], 0o666))
		if _, err := store.Load(dir); err == nil || !strings.Contains(err.Error(), "rows.parquet") {
			t.Errorf("cut to %d of %d bytes: error %v", n, len(whole), err)
		}
	}
	for at := 0; at < len(whole); at += 3 {
		bad := append([]byte(nil), whole...)
		bad[at] ^= 0xff
		must.Do(t, os.WriteFile(path, bad, 0o666))
		if m, err := store.Load(dir); err == nil && (len(m.RowIDs) != 7 || len(m.Coefficients.(*estimate.RowMatrix).Values) != 21 || len(m.Entries) != 7) {
			t.Errorf("byte %d damaged: %d rows", at, len(m.RowIDs))
		}
	}
}
