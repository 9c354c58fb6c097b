package encode

import (
	"fmt"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
)

// TestNumbersAsPeopleWriteThem: units, currencies, per cents, thousands and
// decimal commas are numbers, and what only looks like them is not.
func TestNumbersAsPeopleWriteThem(t *testing.T) {
	for _, c := range []struct {
		cells string // with / between
		want  string
		note  string
	}{
		{"17.1 kg/2 kg/0.5 kg", "[17.1 2 0.5]", "numbers in kg"},
		{"151 m2/40 m2/98.5 m2", "[151 40 98.5]", "numbers in m2"},
		{"151m²/40m²", "[151 40]", "numbers in m²"},
		{"2 x 3/4 x 5", "", ""},
		{"7%/12.5%/100%", "[7 12.5 100]", "numbers in %"},
		{"$9.91/$1,234.50/$0", "[9.91 1234.5 0]", `numbers in $, with "," between thousands`},
		{"12 €/3 €", "[12 3]", "numbers in €"},
		{"1,234/56/7,890,123", "[1234 56 7.890123e+06]", `numbers with "," between thousands`},
		{"1,5/2/-0,25", "[1.5 2 -0.25]", "numbers with a decimal comma"},
		{"1.234,5/7,25/8", "[1234.5 7.25 8]", `numbers with a decimal comma, with "." between thousands`},
		{"0,123/0,5", "[0.123 0.5]", "numbers with a decimal comma"},
		{"90 min/NA/120 min", "[90 120]", "numbers in min"},
		{"2D/3D", "", ""},
		{"1st/2nd", "", ""},
		{"5 stars/3 kg", "", ""},
		{"1.2.3/1.2.4", "", ""},
		{"$5/€6", "", ""},
		{"1,2/4,5,6", "", ""},
	} {
		d := &draft{field: Field{Name: "x"}, texts: strings.Split(c.cells, "/")}
		d.lines = make([]int, len(d.texts))
		must.Do(t, d.understand("f.csv", Options{}))
		if number := d.field.Type == Numeric; number != (c.want != "") {
			t.Errorf("%s is %s", c.cells, d.field.Type)
			continue
		}
		if c.want == "" {
			continue
		}
		var got []float64
		for _, text := range d.filled() {
			var read cell
			if wrong := d.field.read(text, &read); wrong != nil {
				t.Fatalf("%s: %v", text, wrong)
			}
			got = append(got, read.number)
		}
		if fmt.Sprint(got) != c.want || d.report.Notes[0] != c.note {
			t.Errorf("%s: %v, %q", c.cells, got, d.report.Notes)
		}
	}
}

// TestDatesAreUsedByDefault: days that can be meant in one way become year and
// month, also if all are different; a new record is read in the same way.
func TestDatesAreUsedByDefault(t *testing.T) {
	var ids, cells []string
	for i := range 30 {
		ids = append(ids, fmt.Sprint("film", i))
		cells = append(cells, fmt.Sprintf("%d-%02d-%02d", 1990+i, 1+i%12, 1+i%28), fmt.Sprintf("%d,5 kg", i*i%17))
	}
	table := data.NewRawTable("films.csv", ids, []string{"Released", "Weight"}, cells)
	encoding, features, _, err := Learn(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(features.Names); got != "[Released year Released month Weight]" {
		t.Errorf("the features are %s", got)
	}
	again, _, err := encoding.ApplyTable(data.NewRawTable("new.csv", []string{"new"}, table.Names, []string{"2020-07-01", "12,5 kg"}))
	if err != nil {
		t.Fatal(err)
	}
	if raw := again.Row(0)[2]*encoding.Features[2].Scale + encoding.Features[2].Centre; raw < 12.49 || raw > 12.51 {
		t.Errorf("12,5 kg became %v", raw)
	}
	if _, _, err := encoding.ApplyTable(data.NewRawTable("new.csv", []string{"new"}, table.Names, []string{"2020-07-01", "12.5 lb"})); err == nil {
		t.Error("another unit is taken for the same")
	}
}
