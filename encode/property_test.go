package encode

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/lists"
	"optcomplete/internal/must"
)

// drawCells makes the cells of one field, of any kind that people have.
func drawCells(t *rapid.T, kind string, m int) []string {
	blanks := rapid.SampledFrom([]float64{0, 0.1, 0.5}).Draw(t, "blanks")
	genres := []string{"Drama", "drama", "Crime", "other", "Sci-Fi", "Été", "A=B"}
	cells := make([]string, m)
	for j := range cells {
		if rapid.Float64Range(0, 1).Draw(t, "blank") < blanks {
			cells[j] = rapid.SampledFrom([]string{"", "", "NA", " "}).Draw(t, "word")
			continue
		}
		switch kind {
		case "number":
			cells[j] = strconv.FormatFloat(rapid.SampledFrom([]float64{0, 1, 0.1, 7, 1e-9, 12345.678, 1e6 + 0.1}).Draw(t, "x"), 'g', -1, 64)
		case "signed":
			cells[j] = strconv.Itoa(rapid.IntRange(-3, 3).Draw(t, "x"))
		case "indicator":
			cells[j] = rapid.SampledFrom([]string{"0", "1"}).Draw(t, "x")
		case "text":
			cells[j] = rapid.SampledFrom(genres).Draw(t, "x")
		case "list":
			cells[j] = strings.Join(rapid.SliceOfN(rapid.SampledFrom(genres), 1, 4).Draw(t, "x"), "|")
		case "date":
			cells[j] = rapid.SampledFrom([]string{"2001-02-03", "1999-12-31", "2001", "3.4.1980"}).Draw(t, "x")
		case "constant":
			cells[j] = "5"
		case "free":
			cells[j] = fmt.Sprintf("title %d", j)
		}
	}
	return cells
}

// drawTable makes a small table and options for it.
func drawTable(t *rapid.T) (*data.RawTable, Options) {
	m := rapid.IntRange(1, 30).Draw(t, "m")
	kinds := rapid.SliceOfN(rapid.SampledFrom([]string{"number", "signed", "indicator", "text", "list", "date", "constant", "free", "twin"}), 1, 7).Draw(t, "kinds")
	options := Options{
		MaxLevels:    rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "levels"),
		Scale:        rapid.SampledFrom([]Scale{ZScore, AsIs}).Draw(t, "scale"),
		Keep:         rapid.Bool().Draw(t, "keep"),
		CompleteOnly: rapid.IntRange(0, 4).Draw(t, "complete") == 0,
		Blank:        []string{"NA"},
	}
	cells := make([]string, m*len(kinds))
	ids, names := make([]string, m), make([]string, len(kinds))
	for f, kind := range kinds {
		names[f] = fmt.Sprintf("%s%d", kind, f)
		var o FieldOptions
		switch {
		case kind == "twin" && f > 0:
			for j := range m {
				cells[j*len(kinds)+f] = cells[j*len(kinds)+f-1]
			}
			continue
		case kind == "date":
			o.Type = Date
		case kind == "number" || kind == "signed":
			o.Transform = rapid.SampledFrom([]Transform{None, None, Log, Bins}).Draw(t, "transform")
			if o.Transform == Log && kind == "signed" {
				o.Transform = None
			}
		}
		if rapid.IntRange(0, 2).Draw(t, "grouped") == 0 {
			o.Group = "group of " + names[f]
		}
		o.Missing = rapid.SampledFrom([]Missing{MissingAuto, MissingAlways, MissingNever}).Draw(t, "missing")
		options.put(names[f], o)
		for j, cell := range drawCells(t, kind, m) {
			cells[j*len(kinds)+f] = cell
		}
	}
	for j := range ids {
		ids[j] = fmt.Sprintf("item %d", (j*7+3)%31)
	}
	return data.NewRawTable("films.csv", ids, names, cells), options
}

// learn is Learn; a table that nothing can be learned from must be said to be so.
func learn(t *rapid.T, table *data.RawTable, options Options) (*Encoding, *data.Features, *Report) {
	e, features, report, err := Learn(t.Context(), table, options)
	if err != nil {
		var input *data.InputError
		if !errors.As(err, &input) {
			t.Fatalf("%v is no *InputError", err)
		}
		t.Skip(err)
	}
	return e, features, report
}

func record(table *data.RawTable, j int) map[string]string {
	out := map[string]string{}
	for f, cell := range table.Row(j) {
		out[table.Names[f]] = cell
	}
	return out
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

func TestApplyGivesTheTableToTheBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, options := drawTable(t)
		e, features, report := learn(t, table, options)
		text := must.Get(json.Marshal(e))(t)
		var loaded Encoding
		must.Do(t, json.Unmarshal(text, &loaded))
		if d := cmp.Diff(e, &loaded); d != "" {
			t.Fatalf("after JSON: %s", d)
		}
		if got := len(features.IDs) + report.ItemsLeftOut; got != len(table.IDs) {
			t.Fatalf("%d items used or left out, of %d", got, len(table.IDs))
		}
		for i, id := range features.IDs {
			j := slices.Index(table.IDs, id)
			got, _, err := loaded.ApplyTable(table.Some([]int32{int32(j)}))
			if err != nil {
				t.Fatal(err)
			}
			if !sameBits(got.Values, features.Row(i)) {
				t.Fatalf("item %s: %v, but in the table %v", id, got.Values, features.Row(i))
			}
		}
		if !options.CompleteOnly {
			whole, _, err := loaded.ApplyTable(table)
			if err != nil || !sameBits(whole.Values, features.Values) {
				t.Fatalf("ApplyTable differs (%v)", err)
			}
		}
	})
}

func TestOrderOfLinesChangesNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, options := drawTable(t)
		e, features, report := learn(t, table, options)
		order := rapid.Permutation(indices(len(table.IDs))).Draw(t, "order")
		other := &data.RawTable{File: table.File, Names: table.Names}
		for _, j := range order {
			other.IDs = append(other.IDs, table.IDs[j])
			other.Lines = append(other.Lines, table.Lines[j])
			other.Cells = append(other.Cells, table.Row(j)...)
		}
		e2, features2, report2 := learn(t, other, options)
		if d := cmp.Diff(e, e2); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(report, report2, cmp.AllowUnexported(FieldReport{})); d != "" {
			t.Fatal(d)
		}
		for i, id := range features.IDs {
			if !sameBits(features.Row(i), features2.Row(slices.Index(features2.IDs, id))) {
				t.Fatalf("item %s differs", id)
			}
		}
	})
}

func TestFeaturesAreFiniteStandardisedAndDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, options := drawTable(t)
		options.Scale, options.Keep = ZScore, false
		e, features, _ := learn(t, table, options)
		m, p := features.Dims()
		if distinct(features.Names) != p || !slices.Equal(features.Names, e.Names()) {
			t.Fatalf("names %q", features.Names)
		}
		for x := range p {
			sum, squares := 0.0, 0.0
			for j := range m {
				v := features.Row(j)[x]
				sum += v
				squares += v * v
			}
			if !(math.Abs(sum) <= 1e-6*float64(m)) || !(math.Abs(squares/float64(m)-1) <= 1e-6) {
				t.Fatalf("feature %s has mean %g and mean square %g", features.Names[x], sum/float64(m), squares/float64(m))
			}
			for y := range x {
				grouped := options.Fields[e.Fields[e.Features[x].Field].Name].Group != ""
				differs := [2]bool{}
				for j := range m {
					a, b := features.Row(j)[x], features.Row(j)[y]
					differs[0] = differs[0] || math.Abs(a-b) > 1e-8*(1+math.Abs(a))
					differs[1] = differs[1] || math.Abs(a+b) > 1e-8*(1+math.Abs(a))
				}
				if !grouped && (!differs[0] || !differs[1]) {
					t.Fatalf("features %s and %s are the same", features.Names[y], features.Names[x])
				}
			}
		}
	})
}

func TestEveryFeatureIsInOneGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, options := drawTable(t)
		e, _, _ := learn(t, table, options)
		must.Do(t, e.check())
		for _, g := range e.Groups {
			for _, x := range g.Features {
				f := e.Features[x]
				want := options.Fields[e.Fields[f.Field].Name].Group
				if want == "" && (g.Name != f.Name || len(g.Features) != 1) || want != "" && g.Name != want {
					t.Fatalf("feature %s is in group %s", f.Name, g.Name)
				}
			}
		}
	})
}

func TestSelectAgreesWithTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, options := drawTable(t)
		e, features, _ := learn(t, table, options)
		_, p := features.Dims()
		chosen := rapid.Permutation(indices(p)).Draw(t, "order")[:rapid.IntRange(1, p).Draw(t, "k")]
		part := e.Select(chosen)
		must.Do(t, part.check())
		for i, id := range features.IDs {
			fields := record(table, slices.Index(table.IDs, id))
			for _, name := range part.LeftOut { // are not needed
				delete(fields, name)
			}
			got, _, err := part.ApplyTable(oneOf(fields))
			if err != nil {
				t.Fatal(err)
			}
			for c, x := range chosen {
				if v := features.Row(i)[x]; got.Values[c] != v {
					t.Fatalf("feature %s is %v, but %v with others", features.Names[x], got.Values[c], v)
				}
			}
		}
	})
}

// oneOf is a table of one record.
func oneOf(fields map[string]string) *data.RawTable {
	names := sortedKeys(fields)
	return data.NewRawTable("record", []string{"1"}, names, lists.Each(names, func(name string) string { return fields[name] }))
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
