package encode

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/must"
)

// goodbooks reads one of the real tables that lie beside the repository.
func goodbooks(t *testing.T, name string) *data.RawTable {
	path := filepath.Join("..", "..", "shared", "data", "goodbooks", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the goodbooks data is not here: %v", err)
	}
	table := must.Get(data.ReadRawTable(path, data.FeaturesOptions{}))(t)
	return table
}

// applied checks that every record of the table is encoded as in the table.
func applied(t *testing.T, table *data.RawTable, e *Encoding, features *data.Features) {
	t.Helper()
	for j := range table.IDs {
		got, _, err := e.ApplyTable(table.Some([]int32{int32(j)}))
		if err != nil {
			t.Fatal(err)
		}
		if !sameBits(got.Values, features.Row(j)) {
			t.Fatalf("item %s: %v, but in the table %v", table.IDs[j], got.Values, features.Row(j))
		}
	}
}

func TestGoodbooksFeatures(t *testing.T) {
	table := goodbooks(t, "features.csv.gz")
	e, features, report, err := Learn(t.Context(), table, Options{Fields: map[string]FieldOptions{"ratings_count": {Transform: Log}}})
	if err != nil {
		t.Fatal(err)
	}
	applied(t, table, e, features)
	types := map[Type]int{}
	for _, f := range report.Fields {
		types[f.Type]++
	}
	if d := cmp.Diff(map[Type]int{Indicator: 49, Numeric: 6, Constant: 1}, types); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{`feature "constant" is 1 in every item: left out`}, report.Warnings); d != "" {
		t.Error(d)
	}
	if !slices.Contains(features.Names, "lang_English missing") || slices.Contains(features.Names, "publication_year missing") {
		t.Errorf("features %q", features.Names)
	}
	_, complete, report, err := Learn(t.Context(), table, Options{CompleteOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(complete.IDs) != 8900 || report.ItemsLeftOut != 1100 {
		t.Errorf("%d items are complete, %d are not", len(complete.IDs), report.ItemsLeftOut)
	}
}

func TestGoodbooksItems(t *testing.T) {
	table := goodbooks(t, "items.csv.gz")
	e, features, report, err := Learn(t.Context(), table, Options{Fields: map[string]FieldOptions{
		"authors": {Type: List, Separator: ","}, "original_publication_year": {Transform: Bins, Quantiles: 4},
	}})
	if err != nil {
		t.Fatal(err)
	}
	applied(t, table, e, features)
	got := map[string]int{}
	for _, f := range report.Fields {
		got[f.Name+", "+string(f.Type)] = len(f.Features)
	}
	want := map[string]int{
		"goodreads_book_id, id": 0, "title, free text": 0, "authors, list": 21,
		"original_publication_year, numeric": 4, "language_code, text": 11,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	// Left alone, authors are too many to be levels.
	_, _, report, err = Learn(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f := report.Fields[slices.Index(table.Names, "authors")]; f.Type != FreeText || len(f.Features) != 0 {
		t.Errorf("authors are %s", f.Type)
	}
}
