package encode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/must"
)

// tableOf makes a table of the lines "id,field,…", the first being the header.
func tableOf(lines ...string) *data.RawTable {
	var ids, cells []string
	names := strings.Split(lines[0], ",")[1:]
	for _, line := range lines[1:] {
		fields := strings.Split(line, ",")
		ids, cells = append(ids, fields[0]), append(cells, fields[1:]...)
	}
	return data.NewRawTable("films.csv", ids, names, cells)
}

// field makes a table of one field, each cell as often as said after a "*".
func field(name string, cells ...string) *data.RawTable {
	table := data.NewRawTable("films.csv", nil, []string{name}, nil)
	for _, cell := range cells {
		times := 1
		if at := strings.LastIndexByte(cell, '*'); at >= 0 {
			fmt.Sscan(cell[at+1:], &times)
			cell = cell[:at]
		}
		for range times {
			table.IDs = append(table.IDs, fmt.Sprintf("%04d", len(table.IDs)))
			table.Lines = append(table.Lines, len(table.IDs)+1)
			table.Cells = append(table.Cells, cell)
		}
	}
	return table
}

func TestFieldsAreUnderstood(t *testing.T) {
	titles := strings.Split("a b c d e f g h i", " ")
	for name, c := range map[string]struct {
		table *data.RawTable
		o     FieldOptions
		all   Options
		want  string // type: features
	}{
		"numbers":              {field("x", "1", "2.5", "-3e2"), FieldOptions{}, Options{}, "numeric: x"},
		"JSON lists":           {field("x", "[3, 71]*2", "[71, 5]", "[5]", "[9]", "[]"), FieldOptions{}, Options{}, "list: x=71|x=3|x=5|x=9"},
		"Python lists":         {field("x", "['a, b', \"c's\"]*2", `["a, b", 'd\'e']`), FieldOptions{}, Options{}, "list: x=c's"},
		"words for unknown":    {field("x", "1*3", "NA*9", "null", "nan", "4"), FieldOptions{}, Options{}, "numeric: x|x missing"},
		"few blanks":           {field("x", "1*3", "*4", "4"), FieldOptions{}, Options{}, "numeric: x"},
		"blanks told":          {field("x", "1*3", "*4", "4"), FieldOptions{Missing: MissingAlways}, Options{}, "numeric: x|x missing"},
		"blanks not told":      {field("x", "1*3", "*9", "4"), FieldOptions{Missing: MissingNever}, Options{}, "numeric: x"},
		"a share too small":    {field("x", "1*994", "*6", "4"), FieldOptions{}, Options{}, "numeric: x"},
		"blank or the same":    {field("x", "1*9", "*9"), FieldOptions{}, Options{}, "indicator: x missing"},
		"indicator":            {field("x", "0", "1", "1.0"), FieldOptions{}, Options{}, "indicator: x"},
		"text":                 {field("g", "a*3", "b*2", "c"), FieldOptions{}, Options{}, "text: g=a|g=b|g=c"},
		"ties by name":         {field("g", "b*2", "a*2", "c*2"), FieldOptions{}, Options{}, "text: g=a|g=b|g=c"},
		"pooled":               {field("g", "a*3", "b*2", "c", "d"), FieldOptions{}, Options{MaxLevels: 2}, "text: g=a|g=b|g=other"},
		"pooled with other":    {field("g", "other*3", "b*2", "c", "d"), FieldOptions{}, Options{MaxLevels: 2}, "text: g=b"},
		"own most":             {field("g", "a*3", "b*2", "c", "d"), FieldOptions{MaxLevels: 1}, Options{MaxLevels: 3}, "text: g=a"}, // other is its opposite
		"rare":                 {field("g", "a*1500", "b*1500", "c*3", "d*2"), FieldOptions{}, Options{}, "text: g=a|g=b|g=other"},
		"two levels, the rare": {field("g", "a", "b*3"), FieldOptions{}, Options{}, "text: g=a"},
		"two levels, yes":      {field("g", "no", "yes*3"), FieldOptions{}, Options{}, "text: g=yes"},
		"NA is a level":        {field("g", "a*3", "NA*2", "c"), FieldOptions{}, Options{}, "text: g=a|g=NA|g=c"},
		"NA is a blank":        {field("g", "a*3", "NA*5", "c*2", "d"), FieldOptions{}, Options{Blank: []string{"NA"}}, "text: g=a|g=c|g=d|g missing"},
		"codes as text":        {field("g", "1*3", "2", "3"), FieldOptions{Type: Text}, Options{}, "text: g=1|g=2|g=3"},
		"bars":                 {field("g", "a|b", "a", "c|a"), FieldOptions{}, Options{}, "list: g=b|g=c"}, // a is in all
		"semicolons":           {field("g", "a; b", "a", "b", "c;a;a", "c", ";c;b", "a;b;c", "*2"), FieldOptions{}, Options{}, "list: g=a|g=b|g=c"},
		"commas in text":       {field("g", "Paris, France", "Lyon, France", "Rome, Italy"), FieldOptions{}, Options{}, "text: g=Lyon, France|g=Paris, France|g=Rome, Italy"},
		"given separator":      {field("g", "a/b", "b", "a/c"), FieldOptions{Separator: "/"}, Options{}, "list: g=a|g=b"}, // c is where b is not
		"separator for all":    {field("g", "a/b", "b", "a/c", "d"), FieldOptions{}, Options{Separator: "/"}, "list: g=a|g=b|g=c|g=d"},
		"free text":            {field("title", titles...), FieldOptions{}, Options{}, "free text: "},
		"many levels":          {field("title", append(slices.Repeat(titles, 2), "z")...), FieldOptions{}, Options{MaxLevels: 1}, "free text: "},
		"free text kept":       {field("title", titles[:8]...), FieldOptions{Type: Text}, Options{MaxLevels: 1}, "text: title=a"}, // other is its opposite
		"id":                   {field("book_id", "9", "8", "7", "6", "5", "4", "3", "2"), FieldOptions{}, Options{}, "id: "},
		"id kept":              {field("book_id", "9", "8", "7", "6", "5", "4", "3", "2"), FieldOptions{Type: Numeric}, Options{}, "numeric: book_id"},
		"not named an id":      {field("year", "9", "8", "7", "6", "5", "4", "3", "2"), FieldOptions{}, Options{}, "numeric: year"},
		"date":                 {field("d", "2001-02-03", "2001/12/31", "1.5.1990", "1980", "1990-03", "2001-02-03T04:05:06Z"), FieldOptions{Type: Date}, Options{}, "date: d year|d month"},
		"year of a date":       {field("d", "2001-02-03", "2002-12-31"), FieldOptions{Parts: []string{"year"}}, Options{}, "date: d year"},
		"formatted":            {field("d", "3/2/2001", "31/12/2002"), FieldOptions{Format: "DD/MM/YYYY"}, Options{}, "date: d year"}, // month: the same
		"empty":                {field("x", "", " "), FieldOptions{}, Options{}, "empty: "},
		"constant":             {field("x", "5", "5.0"), FieldOptions{}, Options{}, "constant: "},
		"constant kept":        {field("x", "5", "5.0"), FieldOptions{}, Options{Keep: true}, "constant: x"},
		"ignored":              {field("x", "1", "2"), FieldOptions{Type: Ignore}, Options{}, "ignore: "},
		"log":                  {field("x", "1", "2.5"), FieldOptions{Transform: Log}, Options{}, "numeric log: log x"},
		"log of counts":        {field("x", "1", "2"), FieldOptions{Transform: Log}, Options{}, "numeric log1p: log x"},
		"log of zeros":         {field("x", "0", "2.5"), FieldOptions{Transform: Log}, Options{}, "numeric log1p: log x"},
		"edges":                {field("x", "1", "10", "20", "5"), FieldOptions{Edges: []float64{5, 10.5}}, Options{}, "numeric bins: x <5|x 5..10.5|x >=10.5"},
		"quartiles":            {field("x", "1", "2", "3", "4", "5", "6", "7", "8"), FieldOptions{Transform: Bins}, Options{}, "numeric bins: x <3|x 3..5|x 5..7|x >=7"},
		"repeated quantiles":   {field("x", "1*7", "2"), FieldOptions{Quantiles: 3}, Options{}, "constant bins: "},
		"mostly numbers":       {field("x", "1*30", "2*30", "n.v."), FieldOptions{}, Options{}, "text: x=1|x=2|x=n.v."},
	} {
		c.all.Fields = map[string]FieldOptions{c.table.Names[0]: c.o}
		// A second field, so that there always is a feature.
		table := &data.RawTable{File: "films.csv", IDs: c.table.IDs, Names: []string{c.table.Names[0], "anchor"}, Lines: c.table.Lines}
		for j, cell := range c.table.Cells {
			table.Cells = append(table.Cells, cell, fmt.Sprintf("%d.5", (j*j*31)%101))
		}
		_, _, report, err := Learn(t.Context(), table, c.all)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f := report.Fields[0]
		got := string(f.Type)
		if f.Transform != None {
			got += " " + string(f.Transform)
		}
		if got += ": " + strings.Join(f.Features, "|"); got != c.want {
			t.Errorf("%s: %s, want %s (%q)", name, got, c.want, f.Notes)
		}
	}
}

func TestEncodedValues(t *testing.T) {
	table := tableOf("id,x,g,tags,count",
		"b,1,a,p|q,0",
		"a,,b,q,3",
		"c,4,c,,7",
		"d,1,a,r|q,0")
	options := Options{Scale: AsIs, Keep: true, Fields: map[string]FieldOptions{
		"x": {Missing: MissingAlways}, "count": {Transform: Log}, "g": {MaxLevels: 1, Group: "g"},
	}}
	e, features, _, err := Learn(t.Context(), table, options)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"x", "x missing", "g=a", "g=other", "tags=q", "tags=p", "tags=r", "log count"}, features.Names); d != "" {
		t.Error(d)
	}
	third := 1.0 / 3
	want := []float64{
		1, 0, 1, 0, 1, 1, 0, 0,
		2, 1, 0, 1, 1, 0, 0, math.Log1p(3),
		4, 0, 0, 1, 1, third, third, math.Log1p(7),
		1, 0, 1, 0, 1, 0, 1, 0,
	}
	if d := cmp.Diff(want, features.Values); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"b", "a", "c", "d"}, features.IDs); d != "" {
		t.Error(d)
	}
	groups := must.Get(e.Resolve([]string{"tags", "g", "x missing", "g=a"}))(t)
	if d := cmp.Diff([]int{1, 2, 3, 4, 5}, groups); d != "" {
		t.Error(d)
	}
	if _, err := e.Resolve([]string{"nothing"}); err == nil || err.Error() != `there is no feature, group or field "nothing"` {
		t.Error(err)
	}
}

func TestWhatIsLeftOutIsSaid(t *testing.T) {
	table := tableOf("id,cm,inch,one,copy,a,b,sum,flag,not flag,title",
		"1,254,100,1,254,1,2,6,no,1,t1", "2,508,200,1,508,5,3,16,yes,0,t2", "3,127,50,1,127,2,2,8,no,1,t3",
		"4,254,100,1,254,7,1,16,no,1,t4", "5,381,150,1,381,3,9,24,yes,0,t5", "6,254,100,1,254,1,1,4,no,1,t6",
		"7,127,50,1,127,4,4,16,yes,0,t7", "8,254,100,1,254,6,2,16,no,1,t8", "9,254,100,1,254,1,7,16,no,1,t9")
	_, features, report, err := Learn(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"cm", "a", "b", "sum", "flag=yes"}, features.Names); d != "" {
		t.Error(d)
	}
	want := []string{
		`field "title" (free text) is not used: all cells are different (type=text keeps it)`,
		`feature "inch" equals feature "cm" in every item, but for its unit or sign: left out`,
		`feature "one" is 1 in every item: left out`,
		`feature "copy" equals feature "cm" in every item, but for its unit or sign: left out`,
		`feature "not flag" equals feature "flag=yes" in every item, but for its unit or sign: left out`,
		`feature "sum" is a combination of others: it equals 2 "a" + 2 "b"`,
	}
	for _, w := range report.Warnings {
		if data.LeavesOut(w) != strings.HasSuffix(w, "left out") {
			t.Errorf("%q: taken for what needs no attention: %v", w, data.LeavesOut(w))
		}
	}
	if d := cmp.Diff(want, report.Warnings); d != "" {
		t.Error(d)
	}
	var b strings.Builder
	must.Do(t, report.Write(&b))
	for _, part := range []string{"FIELD ", "127 to 508", "left out", "5 features of 9 items, scaled"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("the table does not say %q:\n%s", part, b.String())
		}
	}
	// As given, other units are other features, and nothing is left out.
	_, features, _, err = Learn(t.Context(), table, Options{Scale: AsIs, Keep: true, Fields: map[string]FieldOptions{"title": {Type: Ignore}}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"cm", "inch", "one", "copy", "a", "b", "sum", "flag=yes", "not flag"}, features.Names); d != "" {
		t.Error(d)
	}
}

func TestGroupsAlwaysNever(t *testing.T) {
	table := tableOf("id,g,year,era,x", "1,a,1990,old,1", "2,b,2001,new,0", "3,c,2003,new,1", "4,a,1985,old,0", "5,b,1999,old,0", "6,c,2010,new,0")
	e, _, report, err := Learn(t.Context(), table, Options{Fields: map[string]FieldOptions{
		"g": {Group: "g", Always: true}, "year": {Group: "time"}, "era": {Group: "time"}, "x": {Group: "alone", Never: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Group{
		{Name: "g", Features: []int{0, 1, 2}, Always: true},
		{Name: "time", Features: []int{3, 4}},
		{Name: "alone", Features: []int{5}, Never: true},
	}
	if d := cmp.Diff(want, e.Groups); d != "" {
		t.Error(d)
	}
	if want := `group "alone" has one member, "x": grouping changes nothing`; !slices.Contains(report.Warnings, want) {
		t.Errorf("%q does not say %q", report.Warnings, want)
	}
}

// TestNamesWithCommas: a flag cuts its names at commas, also those within levels.
func TestNamesWithCommas(t *testing.T) {
	table := field("studio", "Fox, Inc*3", "Metro*3", "Sun, Moon, Co*3")
	var o Options
	must.Do(t, o.ParseField("studio:type=text"))
	encoding, _, _, err := Learn(context.Background(), table, o)
	must.Do(t, err)
	got, err := encoding.Resolve(strings.Split("studio=Sun, Moon, Co,studio=Fox, Inc", ","))
	if err != nil || !slices.Equal(got, []int{0, 2}) {
		t.Errorf("%v %v of %q", got, err, encoding.Names())
	}
	if _, err := encoding.Resolve([]string{"studio=Fox", "Metro"}); err == nil || !strings.Contains(err.Error(), `"studio=Fox"`) {
		t.Error(err)
	}
}

func TestCompleteOnlyCountsWhatItLeavesOut(t *testing.T) {
	table := tableOf("id,x,g,none", "1,1,a,", "2,,b,", "3,3,,", "4,7,b,", "5,2,c,", "6,2,a,")
	_, features, report, err := Learn(t.Context(), table, Options{CompleteOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"1", "4", "5", "6"}, features.IDs); d != "" {
		t.Error(d)
	}
	if report.ItemsLeftOut != 2 || report.Fields[0].Blanks != 1 || !slices.Contains(report.Warnings, "2 of 6 items with blanks: left out") {
		t.Errorf("%d left out, %q", report.ItemsLeftOut, report.Warnings)
	}
}

func TestLoadingRefusesWhatCannotBeApplied(t *testing.T) {
	e, _, _, err := Learn(t.Context(), tableOf("id,x,g", "1,1,a|b", "2,2,b", "3,5,c|a", "4,9,a"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := must.Get(json.Marshal(e))(t)
	for old, broken := range map[string]string{
		`"version":1`:     `"version":2`,
		`"separator":"|"`: `"separator":""`,
		`"type":"list"`:   `"type":"lists"`,
		`"field":1`:       `"field":7`,
		`"features":[0]`:  `"features":[1]`,
	} {
		if !strings.Contains(string(text), old) {
			t.Fatalf("%s has no %s", text, old)
		}
		var loaded Encoding
		if err := json.Unmarshal([]byte(strings.Replace(string(text), old, broken, 1)), &loaded); err == nil {
			t.Errorf("%s is taken", broken)
		}
	}
}

func TestLearnErrors(t *testing.T) {
	with := func(o FieldOptions) Options { return Options{Fields: map[string]FieldOptions{"x": o}} }
	for want, c := range map[string]struct {
		table   *data.RawTable
		options Options
	}{
		`films.csv: there is no field "x" to set (it has "y")`:                                                                             {field("y", "1", "2"), with(FieldOptions{Never: true})},
		`films.csv:3: field "x": "b" is not a number (correct it, or name it as a word that means blank)`:                                  {field("x", "1", "b"), with(FieldOptions{Type: Numeric})},
		`films.csv:3: field "x": "2,5" is not a number (write decimals with a point)`:                                                      {field("x", "1.5", "2,5"), with(FieldOptions{Type: Numeric})},
		`films.csv:2: field "x": "1e101" is too large to compute with (give the field in another unit)`:                                    {field("x", "1e101", "2"), Options{}},
		`films.csv:4: field "x": "2" is neither 0 nor 1, but the field is an indicator (correct it, or set the type to numeric)`:           {field("x", "1", "0", "2"), with(FieldOptions{Type: Indicator})},
		`films.csv:3: field "x": "-2" is negative, and has no logarithm of 1+x (correct it, or set the transform to bins or none)`:         {field("x", "1", "-2"), with(FieldOptions{Transform: Log})},
		`films.csv:3: field "x": transform=log needs numbers, but "b" is not a number (correct it, or name it as a word that means blank)`: {field("x", "1", "b"), with(FieldOptions{Transform: Log})},
		`films.csv: field "x": transform=log needs numbers, but the type is text`:                                                          {field("x", "1", "2"), with(FieldOptions{Transform: Log, Type: Text})},
		`films.csv:3: field "x": "12/31/2001" is not a date (write it as YYYY-MM-DD, or set the format, such as DD/MM/YYYY)`:               {field("x", "2001-01-01", "12/31/2001"), with(FieldOptions{Type: Date})},
		`films.csv:3: field "x": "12/31/2001" is not a date (the format is DD/MM/YYYY)`:                                                    {field("x", "31/12/2001", "12/31/2001"), with(FieldOptions{Format: "DD/MM/YYYY"})},
		`films.csv: field "x": "Mon" is no format of a date: write it with YYYY, MM and DD, such as DD/MM/YYYY`:                            {field("x", "1", "2"), with(FieldOptions{Format: "Mon"})},
		`films.csv: field "x" is both always and never to be selected`:                                                                     {field("x", "1", "2"), with(FieldOptions{Always: true, Never: true})},
		`films.csv: field "x" is to be selected always, but nothing of it became a feature ("x" is 1 in every item)`:                       {field("x", "1", "1"), with(FieldOptions{Always: true})},
		`films.csv: no field became a feature ("x": "x" is 1 in every item)`:                                                               {field("x", "1", "1"), Options{}},
		`films.csv: every item has a blank in some field (set fields with many blanks to type=ignore, or let blanks be filled in)`:         {tableOf("id,x,y", "1,1,", "2,,2"), Options{CompleteOnly: true}},
		`films.csv: the group "y" has the name of a feature outside it (give the group another name)`:                                      {tableOf("id,x,y", "1,1,3", "2,2,9", "3,4,7"), with(FieldOptions{Group: "y"})},
		`films.csv: the group "t" is both always and never to be selected`:                                                                 {tableOf("id,x,y", "1,1,3", "2,2,9", "3,4,7"), Options{Fields: map[string]FieldOptions{"x": {Group: "t", Always: true}, "y": {Group: "t", Never: true}}}},
		`films.csv: the scale is "log", but must be zscore or none`:                                                                        {field("x", "1", "2"), Options{Scale: "log"}},
		`films.csv: field "x": the edges of bins must increase`:                                                                            {field("x", "1", "2"), with(FieldOptions{Edges: []float64{2, 1}})},
	} {
		_, _, _, err := Learn(t.Context(), c.table, c.options)
		var input *data.InputError
		if !errors.As(err, &input) {
			t.Errorf("%s: %v is no *InputError", want, err)
			continue
		}
		if d := cmp.Diff(want, err.Error()); d != "" {
			t.Error(d)
		}
	}
}

func TestApplySaysWhatIsWrong(t *testing.T) {
	table := tableOf("id,x,g,pooled,when", "1,1,a,p,2001-02-03", "2,2,b,p,2002-03-03", "3,4,c,q,2003-04-03", "4,3,a,r,2001-01-01", "5,9,b,p,2000-12-12")
	e, _, _, err := Learn(t.Context(), table, Options{Fields: map[string]FieldOptions{"pooled": {MaxLevels: 1}, "when": {Type: Date}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change map[string]string // "-" removes
		want   string            // the warnings, or the error
	}{
		"fine":          {nil, ""},
		"spaces":        {map[string]string{"g": " b "}, ""},
		"rare":          {map[string]string{"pooled": "r"}, ""},
		"unknown level": {map[string]string{"g": "z"}, `record:2: field "g": there is no level "z" (the table has "a", "b", "c")`},
		"pooled":        {map[string]string{"pooled": "z"}, `field "pooled" has levels that the table did not have, such as "z": taken as rare ones`},
		"no number":     {map[string]string{"x": "many"}, `record:2: field "x": "many" is not a number (correct it, or name it as a word that means blank)`},
		"no date":       {map[string]string{"when": "2001-02-30"}, `record:2: field "when": "2001-02-30" is not a date (write it as YYYY-MM-DD, or set the format, such as DD/MM/YYYY)`},
		"absent":        {map[string]string{"x": "-"}, `record:1: the field "x", which the model uses, not given (add it, blank where unknown)`},
		"two absent":    {map[string]string{"x": "-", "g": "-"}, `record:1: the fields "x", "g", which the model uses, not given (add them, blank where unknown)`},
		"blank":         {map[string]string{"x": "NA"}, `field "x" is blank: the mean over the table is used`},
		"strange":       {map[string]string{"X": "1"}, `ignored, because the table did not have it: "X"`},
	} {
		fields := record(table, 0)
		for key, value := range c.change {
			if fields[key] = value; value == "-" {
				delete(fields, key)
			}
		}
		_, warnings, err := e.ApplyTable(oneOf(fields))
		got := strings.Join(warnings, "; ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	bad := tableOf("id,when,x,g,pooled", "8,2001-01-01,1,a,p", "9,2001-01-01,2,z,p")
	if _, _, err := e.ApplyTable(bad); err == nil || err.Error() != `films.csv:3: field "g": there is no level "z" (the table has "a", "b", "c")` {
		t.Error(err)
	}
	new := tableOf("id,when,x,g,pooled", "8,2001-01-01,,a,u", "9,2001-01-01,2,b,v")
	_, warnings, err := e.ApplyTable(new)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`field "x" is blank in 1 of 2 items: the mean over the table is used`,
		`field "pooled" has levels that the table did not have in 2 of 2 items, such as "u", "v": taken as rare ones`,
	}
	if d := cmp.Diff(want, warnings); d != "" {
		t.Error(d)
	}
}

func TestSlipsAmongNumbersAreNamed(t *testing.T) {
	_, _, report, err := Learn(t.Context(), field("x", "1*30", "2*30", "n.v."), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := `field "x" has 60 numbers in 61 cells, but "n.v." is none: taken as text (correct it, or set blank=n.v.)`
	if !slices.Contains(report.Warnings, want) {
		t.Errorf("%q does not say %q", report.Warnings, want)
	}
}

// TestInterruptEndsLearning: a context that has ended ends it, whatever step it is at.
func TestInterruptEndsLearning(t *testing.T) {
	table := tableOf("id,x,g", "1,1,a|b", "2,2,b", "3,5,c|a", "4,9,a")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if e, _, _, err := Learn(ended, table, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", e, err)
	}
	l := &learner{ctx: t.Context(), table: table, report: &Report{}}
	if _, err := l.learn(); err != nil {
		t.Fatal(err)
	}
	for name, step := range map[string]func() error{"understand": l.understand, "shape": l.shape, "reduce": l.reduce, "finish": l.finish} {
		l.ctx = ended
		if err := step(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCodesGetAHint: few whole numbers may be codes; the note names the setting, and
// the setting makes a feature of each. More levels of one field are not more of another.
func TestCodesGetAHint(t *testing.T) {
	note := func(table *data.RawTable, o Options) (string, []string) {
		encoding, _, report, err := Learn(context.Background(), table, o)
		must.Do(t, err)
		return strings.Join(report.Fields[0].Notes, "; "), encoding.Names()
	}
	codes := field("style", "0*3", "1*3", "11*3")
	const hint = "3 different whole numbers: if they are codes, type=category makes a feature of each"
	if got, names := note(codes, Options{}); got != hint || len(names) != 1 {
		t.Errorf("%q, %q", got, names)
	}
	var o Options
	must.Do(t, o.ParseField("style:type=category"))
	if _, names := note(codes, o); !slices.Equal(names, []string{"style=0", "style=1", "style=11"}) {
		t.Errorf("as a category: %q", names)
	}
	for _, cells := range [][]string{{"0*9", "1*9"}, {"0.5*3", "1*3", "2*3"}, {"1", "2", "3"}} {
		if got, _ := note(field("x", cells...), Options{}); strings.Contains(got, "codes") {
			t.Errorf("%q: %q", cells, got)
		}
	}
}
