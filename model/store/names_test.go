package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestColumnNamesAreFreeAndDistinct(t *testing.T) {
	got := columnNames([]string{"a", "A", "", "row", "row_", "COLUMN", "entries", "bad\xff"})
	want := []string{"a", "A_", "_", "row_", "row__", "COLUMN_", "entries_", "bad\uFFFD"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
