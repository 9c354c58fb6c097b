package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/internal/attack"
	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/model/store"
)

// TestChangedModelIsRefused: one bit of model.json or of a file beside it, and
// the files of another model.
func TestChangedModelIsRefused(t *testing.T) {
	dir := modeltest.Save(t, modeltest.Fitted(t))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Fatalf("%v, %v", entries, err)
	}
	flips := 0
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		whole := must.Get(os.ReadFile(path))(t)
		for round := range attack.Rounds(8 * len(whole) / 131) {
			flips++
			bit := int(round * 131 % uint64(8*len(whole)))
			damaged := append([]byte{}, whole...)
			damaged[bit/8] ^= 1 << (bit % 8)
			must.Do(t, os.WriteFile(path, damaged, 0o666))
			if _, err := store.Load(dir); err == nil || !strings.Contains(err.Error(), e.Name()) {
				t.Fatalf("bit %d of %s: %v", bit, e.Name(), err)
			}
		}
		must.Do(t, os.WriteFile(path, whole, 0o666))
	}
	attack.Report(t, "flipped bits in the files of a saved model", flips, 0, "an error that names the file")
	if _, err := store.Load(dir); err != nil {
		t.Fatal(err)
	}
	other := modeltest.Fitted(t)
	other.Features[0]++
	columns := must.Get(os.ReadFile(filepath.Join(modeltest.Save(t, other), "columns.parquet")))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "columns.parquet"), columns, 0o666))
	if _, err := store.Load(dir); err == nil || !strings.Contains(err.Error(), "of another model") {
		t.Errorf("the columns of another model: %v", err)
	}
}
