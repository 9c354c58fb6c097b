package ingest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

// weighed lists a ratings table as "row column value×weight".
func weighed(t testing.TB, r *data.Ratings) (out []string) {
	t.Helper()
	err := data.ForEachWeighed(r.Source(), func(i int, columns []int32, values, weights []float64) error {
		for e, j := range columns {
			line := fmt.Sprint(r.RowIDs[i], " ", r.ColumnIDs[j], " ", values[e])
			if weights != nil {
				line += fmt.Sprint("×", weights[e])
			}
			out = append(out, line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestWeightsOfFormats: the same entries have the same weights, whatever the format
// and the order; a column is a weight if it is called so or named.
func TestWeightsOfFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	want := []string{"u a 1×2", "u b 2×0.5", "v a 3×1"}
	rows, columns := texts("v", "u", "u", "w"), texts("a", "b", "a", "a")
	values, weights := whole(3, 2, 1, 9), floats(nil, 1, 0.5, 2, 0)
	names := []string{"row", "column", "value", "Weight"}
	put(t, "r.csv", "row,column,value,weight\nv,a,3,1\nu,b,2,0.5\nu,a,1,2\nw,a,9,0\n")
	put(t, "quoted.csv", "Weights,value,column,row\n2,1,\"a\",u\n1,3,a,v\n0,9,a,w\n 0.5 ,2,b,u\n")
	put(t, "named.tsv", "row\tcolumn\tvalue\tweight\ttimes\nv\ta\t3\t7\t1\nu\tb\t2\t7\t0.5\nu\ta\t1\t7\t2\nw\ta\t9\t7\t0\n")
	put(t, "r.parquet", parquetFile(t, names, rows, columns, values, weights))
	put(t, "r.arrow", string(arrowBytes(t, true, []string{"Weight", "value", "column", "row"}, weights, values, columns, rows)))
	for path, s := range map[string]Settings{"r.csv": {}, "quoted.csv": {}, "named.tsv": {Weight: "times"}, "r.parquet": {}, "r.arrow": {}} {
		got, report, err := Ratings(context.Background(), []string{path}, s)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if d := cmp.Diff(want, weighed(t, got)); d != "" {
			t.Errorf("%s: %s", path, d)
		}
		if !report.Weighted || report.Zeros != 1 || len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "entries are weighted by the column") {
			t.Errorf("%s: %+v", path, report)
		}
		if w := report.Warnings(); !slices.Contains(w, "1 entry of weight 0: left out") {
			t.Errorf("%s: warnings %q", path, w)
		}
		if path != "r.csv" {
			continue
		}
		if _, err := Pack(context.Background(), []string{path}, "r.pack", s); err != nil {
			t.Fatal(err)
		}
		stored, report, ok, err := Stored("r.pack", Settings{Columns: []string{"b", "x", "a"}})
		if err != nil || !ok || !report.Weighted {
			t.Fatal(ok, err, report)
		}
		if d := cmp.Diff([]string{"u b 2×0.5", "u a 1×2", "v a 3×1"}, weighed(t, stored)); d != "" {
			t.Errorf("the pack: %s", d)
		}
		stored.Close()
		again, _, err := Ratings(context.Background(), []string{"r.pack"}, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, weighed(t, again)); d != "" {
			t.Errorf("the pack, read: %s", d)
		}
		if _, _, ok, err := Stored("r.pack", Settings{Weight: NoWeights}); ok || err != nil {
			t.Errorf("weights that are ignored stay in the pack: %v, %v", ok, err)
		}
	}
	for _, path := range []string{"r.csv", "r.parquet"} { // ignored
		got, report, err := Ratings(context.Background(), []string{path}, Settings{Weight: NoWeights})
		if err != nil || report.Weighted || got.Matrix().Weighted() || got.Observed() != 4 {
			t.Errorf("%s, ignoring weights: %+v, %v", path, report, err)
		}
	}
	// A fourth column of another name is what it was.
	got, _, err := readText(t, "row,column,value,timestamp\nu,a,1,12\n", Settings{})
	if err != nil || got.Matrix().Weighted() {
		t.Errorf("a timestamp is a weight: %v", err)
	}
}

// TestManyWeights: with many entries in any order, any memory and any number of
// threads give the same pack, and its weights are those of the lines.
func TestManyWeights(t *testing.T) {
	t.Chdir(t.TempDir())
	s := random.New(5)
	want := map[string]string{}
	lines := []string{}
	for _, e := range s.Perm(300 * 60)[:12_000] {
		key := fmt.Sprint("u", e/60, " f", e%60)
		value, weight := float64(s.Intn(9)), float64(1+s.Intn(40))/8
		want[key] = fmt.Sprint(value, "×", weight)
		lines = append(lines, fmt.Sprintf("u%d,f%d,%v,%v\n", e/60, e%60, value, weight))
	}
	head := "row,column,value,weight\n"
	put(t, "r.csv", head+strings.Join(lines, ""))
	slices.Reverse(lines)
	put(t, "back.csv", head+strings.Join(lines, ""))
	var first string
	for path, settings := range map[string]Settings{"r.csv": {Threads: 1}, "back.csv": {Threads: 3, Memory: 1}} {
		if _, err := Pack(context.Background(), []string{path}, "r.pack", settings); err != nil {
			t.Fatal(err)
		}
		if got := read(t, "r.pack"); first == "" {
			first = got
		} else if got != first {
			t.Error("the order of lines, memory or threads change the pack")
		}
	}
	file := must.Get(pack.Open("r.pack"))(t)
	defer file.Close()
	if info := file.Info(); !info.Weighted || info.Version != pack.WeightedVersion {
		t.Errorf("%+v", info)
	}
	if err := file.Verify(context.Background(), nil); err != nil {
		t.Error(err)
	}
	if _, err := pack.WriteShards(context.Background(), file, "shards", 1, 2); err != nil {
		t.Fatal(err)
	}
	shards := must.Get(pack.OpenShards("shards"))(t)
	defer shards.Close()
	for _, from := range []pack.Packed{file, shards} {
		got := weighed(t, data.NewRatings(from, from.RowIDs(), from.ColumnIDs()))
		for _, line := range got {
			at := strings.LastIndex(line, " ")
			if want[line[:at]] != line[at+1:] {
				t.Fatalf("%s, want %s", line, want[line[:at]])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d entries, want %d", len(got), len(want))
		}
	}
}

// TestDuplicatesWithWeights: the mean of several entries is by their weights, and
// weighs as much as they do.
func TestDuplicatesWithWeights(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "row,column,value,weight\nu,a,1,3\nu,b,5,1\nu,a,2,1\n"
	for how, want := range map[Duplicates]string{First: "u a 1×3", Last: "u a 2×1", Mean: "u a 1.25×4"} {
		got, report, err := readText(t, text, Settings{Duplicates: how})
		if err != nil || report.Duplicates != 1 {
			t.Fatal(err, report)
		}
		if d := cmp.Diff([]string{want, "u b 5×1"}, weighed(t, got)); d != "" {
			t.Errorf("%v: %s", how, d)
		}
	}
	_, _, err := readText(t, text, Settings{})
	if err == nil || !strings.HasPrefix(err.Error(), `r.csv:4: row "u", column "a" was already given on line 2`) {
		t.Errorf("given twice: %v", err)
	}
}

// TestWeightBehindThreeNames: a header of any three names and the weight is understood
// as one of three names is, whether the weight is called so or asked for.
func TestWeightBehindThreeNames(t *testing.T) {
	t.Chdir(t.TempDir())
	with, without := []string{"1 10 4×2", "2 11 3×5"}, []string{"1 10 4", "2 11 3"}
	const lines = "\n1,10,4,2\n2,11,3,5\n"
	for _, c := range []struct {
		head string
		s    Settings
		want []string
	}{
		{"user,page,rating,weight", Settings{}, with},
		{"user,page,rating,Weights", Settings{Weight: "Weights"}, with},
		{"user,page,rating,weight", Settings{Weight: NoWeights}, without},
		{"shop,page,price,prec", Settings{Weight: "prec"}, with}, // might be a wide matrix
	} {
		got, report, err := streamOf("r.csv", strings.NewReader(c.head+lines), c.s).ratings(context.Background())
		if err != nil {
			t.Errorf("%s: %v", c.head, err)
			continue
		}
		if d := cmp.Diff(c.want, weighed(t, got)); d != "" {
			t.Errorf("%s: %s", c.head, d)
		}
		if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, `"page" for the column`) || strings.Contains(notes, "weighted by") != (c.s.Weight != NoWeights) {
			t.Errorf("%s: notes %q", c.head, notes)
		}
	}
	if _, _, err := readText(t, "user,page,rating,day\nu,a,1,5\n", Settings{}); err == nil || !strings.Contains(err.Error(), "Settings.RowName") {
		t.Errorf("four names: %v", err)
	}
}

// TestWeightFaults: what is no weight is an error with its line and a remedy.
func TestWeightFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	const remedy = " (weights are positive numbers: write 1 for an entry that counts once, and 0 for one that is to be left out)"
	head := "row,column,value,weight\nu,a,1,1\n"
	for _, c := range []struct {
		text string
		s    Settings
		want string
	}{
		{head + "u,b,1,-2\n", Settings{}, "r.csv:3: the weight is -2" + remedy},
		{head + "u,b,1,1e308\n", Settings{}, "r.csv:3: the weight is 1e+308, above 1e+100" + remedy},
		{head + "u,b,1,1e-400\n", Settings{}, "r.csv:3: the weight is 1e-400, below 1e-100" + remedy},
		{head + "u,b,1,1e100\nu,b,2,1e100\n", Settings{Duplicates: Mean}, `r.csv:4: row "u", column "b" was already given on line 3, and together they have the weight 2e+100, not from 1e-100 to 1e+100 (keep one of the two lines, or choose with Settings.Duplicates first or last)`},
		{head + "u,b,1,1e-320\n", Settings{}, "r.csv:3: the weight is 1e-320, below 1e-100" + remedy},
		{"row,column,value,weight\nu,a,1,0\n", Settings{}, "r.csv: no entries are left: 1 has the weight 0 (weights are positive numbers: write 1 for an entry that counts once)"},
		{head + "u,b,1,\n", Settings{}, "r.csv:3: the weight is blank" + remedy},
		{head + "u,b,1,heavy\n", Settings{}, `r.csv:3: the weight "heavy" is not a finite number` + remedy},
		{head + "u,b,1,inf\n", Settings{}, `r.csv:3: the weight "inf" is not a finite number` + remedy},
		{head, Settings{Weight: "mass"}, `r.csv:1: the header has no column "mass" (it has "row", "column", "value", "weight")`},
		{head, Settings{Weight: "value"}, `r.csv:1: column "value" is to be the weight, but is the row, the column or the value (name another with Settings.Weight, or none)`},
		{"row,column,value,weight,WEIGHTS\nu,a,1,1,1\n", Settings{}, `r.csv:1: the header "row", "column", "value", "weight", "WEIGHTS" names several weights (say which with Settings.Weight)`},
		{"u,a,1\n", Settings{Weight: "w"}, `r.csv: the file has no header, so there is no column "w" of weights (give the entries as lines with a header that names it, such as row,column,value,weight, or leave out Settings.Weight)`},
		{"shop,page,price,weight\nu,a,1,5\n", Settings{Weight: "prec"}, `r.csv:1: the header has no column "prec" (it has "shop", "page", "price", "weight")`},
		{"user,page,rating,day,prec\nu,a,1,5,2\n", Settings{Weight: "prec"}, `r.csv:1: the header "user", "page", "rating", "day", "prec" does not say which are row, column and value beside the weight (say it with Settings.RowName, Settings.ColumnName and Settings.ValueName)`},
		{"1::2::3\n", Settings{Weight: "w"}, `r.csv: the file has no header, so there is no column "w" of weights (give the entries as lines with a header that names it, such as row,column,value,weight, or leave out Settings.Weight)`},
		{"id,a,b,c\nu,1,2,3\nv,4,5,6\n", Settings{Weight: "a", Format: Wide}, `r.csv: a wide matrix holds values only, so there is no column "a" of weights (give the entries as lines with a header that names it, such as row,column,value,weight, or leave out Settings.Weight)`},
	} {
		_, _, err := readText(t, c.text, c.s)
		var input *data.InputError
		if !errors.As(err, &input) {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if d := cmp.Diff(c.want, err.Error()); d != "" {
			t.Errorf("%q: %s", c.text, d)
		}
	}
	names := []string{"row", "column", "value", "weight"}
	for want, w := range map[string][]byte{
		"r.parquet:2: the weight is blank" + remedy: []byte(parquetFile(t, names, texts("u", "u"), texts("a", "b"), whole(1, 2), floats([]bool{true, false}, 1, 0))),
		"r.parquet:2: the weight is NaN" + remedy:   []byte(parquetFile(t, names, texts("u", "u"), texts("a", "b"), whole(1, 2), floats(nil, 1, math.NaN()))),
		"r.parquet: the weights are text, not numbers (name the column of the weights with Settings.Weight, or none)": []byte(parquetFile(t, names, texts("u", "u"), texts("a", "b"), whole(1, 2), texts("1", "2"))),
	} {
		if _, _, err := readAs(t, "r.parquet", w, Settings{}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	put(t, "one.csv", head)
	put(t, "two.csv", "row,column,value\nv,a,1\n")
	if _, _, err := Ratings(context.Background(), []string{"one.csv", "two.csv"}, Settings{}); err == nil ||
		err.Error() != "two.csv: one.csv has weights of entries, and two.csv has none (give weights in all files, or ignore them with Settings.Weight none)" {
		t.Errorf("one file with weights, one without: %v", err)
	}
}

// TestWeightsOfEveryFormat: in every format that has columns, with duplicates, in packs
// and from packs.
func TestWeightsOfEveryFormat(t *testing.T) {
	t.Chdir(t.TempDir())
	rows, columns := texts("v", "u", "u", "w", "v"), texts("a", "b", "a", "a", "a")
	values, weights := whole(3, 2, 1, 9, 6), floats(nil, 1, 0.5, 2, 0, 2)
	put(t, "r.csv", "row,column,value,weight\nv,a,3,1\nu,b,2,0.5\nu,a,1,2\nw,a,9,0\nv,a,6,2\n")
	put(t, "last.csv", "user,film,stars,weights\nv,a,3,1\nu,b,2,0.5\nu,a,1,2\nw,a,9,0\nv,a,6,2\n")
	put(t, "r.parquet", parquetFile(t, []string{"row", "column", "value", "weight"}, rows, columns, values, weights))
	put(t, "r.arrow", string(arrowBytes(t, true, []string{"weight", "value", "column", "row"}, weights, values, columns, rows)))
	for how, merged := range map[Duplicates]string{First: "v a 3×1", Last: "v a 6×2", Mean: "v a 5×3"} {
		want := []string{"u a 1×2", "u b 2×0.5", merged}
		settings := Settings{Duplicates: how, Threads: 2}
		for _, path := range []string{"r.csv", "last.csv", "r.parquet", "r.arrow"} {
			got, report, err := Ratings(context.Background(), []string{path}, settings)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if d := cmp.Diff(want, weighed(t, got)); d != "" {
				t.Errorf("%s: %s", path, d)
			}
			if report.Zeros != 1 || report.Duplicates != 1 || !report.Weighted {
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
				if d := cmp.Diff(want, weighed(t, from)); d != "" {
					t.Errorf("the pack of %s: %s", path, d)
				}
			}
			stored.Close()
		}
	}
	for _, path := range []string{"r.parquet", "r.csv", "r.pack"} { // they may be ignored, also of a pack
		got, report, err := Ratings(context.Background(), []string{path}, Settings{Duplicates: Last, Weight: NoWeights})
		if err != nil || report.Weighted || got.Matrix().Weighted() {
			t.Errorf("%s without weights: %+v, %v", path, report, err)
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
