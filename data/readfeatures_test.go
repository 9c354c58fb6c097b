package data

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadFeatures(t *testing.T) {
	want := NewFeatures([]string{"x", "y, z"}, []string{"Within last 10 years", "Budget"}, []float64{1, 2.5, 0, -3e-7})
	for name, text := range map[string]string{
		"commas": "film,Within last 10 years,Budget\nx,1,2.5\n\"y, z\",0,-3e-7\n",
		"tabs":   "film\tWithin last 10 years\tBudget\r\nx\t1\t2.5\r\ny, z\t0\t-3e-7",
		"mark":   "\ufefffilm;Within last 10 years;Budget\n\nx;1;2.5\ny, z;0;-3e-7\n\n",
	} {
		got, err := readFeatures(strings.NewReader(text), "f.csv", FeaturesOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestReadFeaturesErrors(t *testing.T) {
	const fill = "(fill it in, as optcomplete features FILE -o encoded.csv does, or leave the line out and use Settings.DropUnknown)"
	for text, want := range map[string]string{
		"":                         `f.csv: is empty (it must hold a header and a line for each column)`,
		"id,f\n":                   `f.csv: has a header but no lines after it`,
		"id\nx\n":                  `f.csv:1: there is no feature: the header has one field (the first is the id, the others are features)`,
		"id,f,g,f\nx,1,2,3\n":      `f.csv:1: fields 2 and 4 of the header are both named "f" (rename or remove one of them)`,
		"id,f,\nx,1,2\n":           `f.csv:1: the header's field 3, a feature name, is empty (give every feature a name)`,
		"id,f\nx,1\ny,2\n\nx,3\n":  `f.csv:5: id "x" was already given on line 2 (keep one of the two lines)`,
		"id,f\nx,1\n,2\n":          `f.csv:3: the id is empty (fill it in or leave the line out)`,
		"id,f\nx,1\ny,2,3\n":       `f.csv:3: the line has 3 fields where 2 are expected (quote fields that contain commas)`,
		"id,f,g\nx,1\n":            `f.csv:2: the line has 2 fields where 3 are expected (fields are separated by commas)`,
		"id,f,g\nx,1,\n":           `f.csv:2: feature "g" is blank ` + fill,
		"id,f,g\nx,1,NA\n":         `f.csv:2: feature "g": "NA" is not a number ` + fill,
		"id,f,g\nx,1,nan\n":        `f.csv:2: feature "g": "nan" is not a finite number ` + fill,
		"id,f,g\nx,1,Drama\n":      `f.csv:2: feature "g": "Drama" is not a number (make a 0/1 feature of each category, as optcomplete features FILE -o encoded.csv does)`,
		"id;f;g\nx;1;2,5\n":        `f.csv:2: feature "g": "2,5" is not a number (write decimals with a point)`,
		"id,f\nx,1\n\"y,2\nz,3\n":  `f.csv:3: a quoted field is not closed on its line (write a quote within a quoted field as "")`,
		"id,f\nx\x00,1\n":          `f.csv:2: holds a NUL byte (save the file as UTF-8 text)`,
		"id,f\nx,1\ny,\xc3\x28\n":  `f.csv:3: is not UTF-8 text (save the file as UTF-8)`,
		"PAR1\x15\x00\x15\x00\x15": `f.csv: cannot be read as Parquet: it has 9 bytes only (check that it is complete and not damaged)`,
	} {
		_, err := readFeatures(strings.NewReader(text), "f.csv", FeaturesOptions{})
		var input *InputError
		if !errors.As(err, &input) {
			t.Errorf("%q: %v is no *InputError", text, err)
			continue
		}
		if d := cmp.Diff(want, err.Error()); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func TestWarningsNameEveryKind(t *testing.T) {
	f := NewFeatures([]string{"x", "y"}, []string{"a", "zero", "one", "a again", "none", "two", "a more", "one again"},
		[]float64{
			1, 0, 1, 1, 0, 2, 1, 1,
			2, 0, 1, 2, 0, 2, 2, 1,
		})
	want := []string{
		`feature "zero" is zero in every column: it can explain nothing`,
		`feature "a again" equals feature "a" in every column: a selection may show either`,
		`feature "none" is zero in every column: it can explain nothing`,
		`feature "a more" equals feature "a" in every column: a selection may show either`,
		`feature "one again" equals feature "one" in every column: a selection may show either`,
	}
	if d := cmp.Diff(want, f.Warnings()); d != "" {
		t.Error(d)
	}
	if got := NewFeatures(nil, nil, nil).Warnings(); got != nil {
		t.Errorf("an empty table warns %v", got)
	}
}

func TestReadPairs(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		options PairsOptions
		want    string // pairs, then the error
	}{
		"no header":   {"u,a\nv,b\n", PairsOptions{}, "1 u a|2 v b|"},
		"header":      {"row,column\nu,a\n\nv,b\n", PairsOptions{}, "2 u a|4 v b|"},
		"more":        {"x,column,y,row\n,a,,u\n,b,,v\n", PairsOptions{}, "2 u a|3 v b|"},
		"named":       {"film\tviewer\na\tu\n", PairsOptions{RowName: "viewer", ColumnName: "film"}, "2 u a|"},
		"header only": {"row,column\n", PairsOptions{}, ""},
		"empty":       {"", PairsOptions{}, "p.csv: is empty (it must hold lines of row, column)"},
		"entries":     {"u,a,1\nv,b,2\n", PairsOptions{}, "1 u a|2 v b|"},
		"of a fit":    {"user_id,item,stars\nu,a,1\n", PairsOptions{}, "2 u a|"},
		"user, item":  {"user,item\nu,a\n", PairsOptions{}, "2 u a|"},
		"other names": {"who,what\nu,a\nv,b\n", PairsOptions{Known: func(row, _ string) bool { return row == "u" }}, "2 u a|3 v b|"},
		"new ids":     {"x,y\nz,b\n", PairsOptions{Known: func(string, string) bool { return false }}, "1 x y|2 z b|"},
		"four":        {"u,a,1,2\n", PairsOptions{}, "p.csv:1: the line has 4 fields where 2 are expected (a header must name which are row and column)"},
		"one":         {"u,a\nv\n", PairsOptions{}, "1 u a|p.csv:2: the line has 1 field where 2 are expected (fields are separated by commas)"},
		"no id":       {"u,a\n,b\n", PairsOptions{}, "1 u a|p.csv:2: the row id is empty (fill it in or leave the line out)"},
		"stop":        {"u,a\nstop,b\nw,c\n", PairsOptions{}, "1 u a|stopped"},
		"not named":   {"u,a\n", PairsOptions{RowName: "viewer"}, `p.csv:1: the header has no column "viewer" (it has "u", "a")`},
	} {
		var got strings.Builder
		err := readPairs(strings.NewReader(c.text), "p.csv", c.options, func(line int, row, column []byte) error {
			if string(row) == "stop" {
				return errors.New("stopped")
			}
			fmt.Fprintf(&got, "%d %s %s|", line, row, column)
			return nil
		})
		if err != nil {
			got.WriteString(err.Error())
		}
		if d := cmp.Diff(c.want, got.String()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestRareFeaturesAreTold: a feature that only one or two columns with entries have.
func TestRareFeaturesAreTold(t *testing.T) {
	const m = 12
	var ids []string
	var values []float64
	entries := make([]int, m)
	for j := range m {
		ids = append(ids, fmt.Sprint("c", j))
		entries[j] = j % 11 // c0 and c11 have none
		one := func(is bool) float64 {
			if is {
				return 2.5
			}
			return -0.5
		}
		values = append(values, one(j == 3), one(j < 3), one(j < 4), float64(j))
	}
	f := NewFeatures(ids, []string{"one", "two", "three", "all"}, values)
	want := []string{
		`the selected feature "one" tells only 1 column apart from the others: "c3"`,
		`the selected feature "two" tells only 2 columns apart from the others: "c1", "c2"`,
	}
	if d := cmp.Diff(want, f.Rare([]int{0, 1, 2, 3}, entries)); d != "" {
		t.Error(d)
	}
	if got := f.Rare([]int{0}, make([]int, m)); got != nil {
		t.Errorf("without entries: %q", got)
	}
}

// TestFieldOfTheID: the ids need not stand first, and spaces may separate the fields.
func TestFieldOfTheID(t *testing.T) {
	want := NewFeatures([]string{"x", "y"}, []string{"a", "b"}, []float64{1, 2, 3, 4})
	for name, text := range map[string]string{"commas": "a,film,b\n1,x,2\n3,y,4\n", "spaces": "a  film b\n1 x 2 \n 3 y   4\n"} {
		got, err := readFeatures(strings.NewReader(text), "f.csv", FeaturesOptions{ID: "film"})
		if d := cmp.Diff(want, got, cmp.AllowUnexported(Features{})); err != nil || d != "" {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
		raw, err := readRawTable(strings.NewReader(text), "f.csv", FeaturesOptions{ID: "film"})
		if err != nil || strings.Join(raw.IDs, "") != "xy" || strings.Join(raw.Cells, "") != "1234" {
			t.Errorf("%s: %v %v", name, raw, err)
		}
	}
	_, err := readFeatures(strings.NewReader("a,film\n1,x\n"), "f.csv", FeaturesOptions{ID: "book"})
	if want := `f.csv:1: the header has no field "book" for the ids (it has "a", "film")`; err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
}
