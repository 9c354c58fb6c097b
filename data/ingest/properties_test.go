package ingest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/must"
)

// trust is a property that no code but this test knows.
var trust = data.NewProperty(data.Property{Name: "trust", Plural: "trusts", Most: 1})

// numbered lists ratings as "row column value weight trust".
func numbered(t testing.TB, r *data.Ratings) (out []string) {
	t.Helper()
	err := data.ForEachNumbered(r.Source(), func(i int, columns []int32, values []float64, numbers *data.Numbers) error {
		for e, j := range columns {
			out = append(out, fmt.Sprint(r.RowIDs[i], " ", r.ColumnIDs[j], " ", values[e], " ", numbers.Of(data.Weight)[e], " ", numbers.Of(trust)[e]))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAnotherProperty: a line that says how its column is found is all that another
// property of entries takes, in every format that has columns, with duplicates, in packs
// and from packs.
func TestAnotherProperty(t *testing.T) {
	t.Chdir(t.TempDir())
	asked := ""
	before := propertyColumns
	defer func() { propertyColumns = before }()
	propertyColumns = inOrder(weightColumn, &propertyColumn{Property: trust, setting: "Settings.Trust", asked: func(*Settings) *string { return &asked },
		taken: "are trusted by", remedy: "trusts are numbers from 0 to 1", joined: slices.Min[[]float64]})
	rows, columns := texts("v", "u", "u", "w", "v"), texts("a", "b", "a", "a", "a")
	values, weights, trusts := whole(3, 2, 1, 9, 6), floats(nil, 1, 0.5, 2, 0, 2), floats(nil, 0.5, 0, 1, 1, 0.25)
	lines := []string{"v,0.5,a,3,1\n", "u,0,b,2,0.5\n", "u,1,a,1,2\n", "w,1,a,9,0\n", "v,0.25,a,6,2\n"}
	put(t, "r.csv", "row,Trust,column,value,weight\n"+strings.Join(lines, ""))
	put(t, "last.csv", "user,film,stars,weights,trusts\nv,a,3,1,0.5\nu,b,2,0.5,0\nu,a,1,2,1\nw,a,9,0,1\nv,a,6,2,0.25\n")
	put(t, "r.parquet", parquetFile(t, []string{"row", "column", "value", "weight", "trust"}, rows, columns, values, weights, trusts))
	put(t, "r.arrow", string(arrowBytes(t, true, []string{"trust", "weight", "value", "column", "row"}, trusts, weights, values, columns, rows)))
	for how, merged := range map[Duplicates]string{First: "v a 3 1 0.5", Last: "v a 6 2 0.25", Mean: "v a 5 3 0.25"} {
		want := []string{"u a 1 2 1", "u b 2 0.5 0", merged}
		settings := Settings{Duplicates: how, Threads: 2}
		for _, path := range []string{"r.csv", "last.csv", "r.parquet", "r.arrow"} {
			got, report, err := Ratings(context.Background(), []string{path}, settings)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if d := cmp.Diff(want, numbered(t, got)); d != "" {
				t.Errorf("%s: %s", path, d)
			}
			if report.Zeros["weight"] != 1 || report.Duplicates != 1 || len(report.Properties.List()) != 2 {
				t.Errorf("%s: %+v", path, report)
			}
			if _, err := Pack(context.Background(), []string{path}, "r.pack", settings); err != nil {
				t.Fatal(err)
			}
			stored, _, ok, err := Stored("r.pack", Settings{})
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			again, _, err := Ratings(context.Background(), []string{"r.pack"}, Settings{})
			if err != nil {
				t.Fatal(err)
			}
			for _, from := range []*data.Ratings{stored, again} {
				if d := cmp.Diff(want, numbered(t, from)); d != "" {
					t.Errorf("the pack of %s: %s", path, d)
				}
			}
			stored.Close()
		}
	}
	// One of the two may be ignored, also of a pack.
	asked = none
	for _, path := range []string{"r.parquet", "r.csv", "r.pack"} {
		got, report, err := Ratings(context.Background(), []string{path}, Settings{Duplicates: Last})
		if err != nil || report.Properties.Has(trust) || !got.Matrix().Weighted() || !slices.Equal(got.Matrix().RowWeights(0), []float64{2, 0.5}) {
			t.Errorf("%s without trust: %+v, %v", path, report, err)
		}
	}
	asked = ""
	for text, want := range map[string]string{
		"row,column,value,trust\nu,a,1,2\n":          "r.csv:2: the trust is 2, above 1 (trusts are numbers from 0 to 1)",
		"row,column,value,trust\nu,a,1,\n":           "r.csv:2: the trust is blank (trusts are numbers from 0 to 1)",
		"row,column,value,trust,trusts\nu,a,1,1,1\n": "names several trusts (say which with Settings.Trust)",
	} {
		if _, _, err := readText(t, text, Settings{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestPacksOfWeightsAreWhatTheyWere: their bytes are those of every version that reads
// weights.
func TestPacksOfWeightsAreWhatTheyWere(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "r.csv", "row,column,value,weight\nu,a,1,0.5\nu,b,2,1\nv,a,3.25,7\n")
	if _, err := Pack(context.Background(), []string{"r.csv"}, "r.pack", Settings{}); err != nil {
		t.Fatal(err)
	}
	content := must.Get(os.ReadFile("r.pack"))(t)
	if got := fmt.Sprintf("%x", sha256.Sum256(content)); got != "481d41db678056bf61482489653d455deef14c03e6e8eb91c42eb6270bcd0041" {
		t.Errorf("the pack is %s", got)
	}
}
