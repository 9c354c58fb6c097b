package encode

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/must"
)

func TestConfigAndFlagsSayTheSame(t *testing.T) {
	const text = `# how to read the films
max-levels: 12
min-share: 0.01
missing-from: 0.2
blank: [NA, not known]
separator: ";"
scale: none
keep: true
complete: true
fields:
  genres: {type: list, separator: "|", max-levels: 30, group: true}
  budget:
    transform: log
    blank: [0, n/a]
    missing: never
  year: {bins: [1950, 1980.5, 2000], always: true}
  length: {bins: 5, group: size}
  released: {type: date, parts: [year], format: DD/MM/YYYY}
  a:b: {never: true}
  nothing:
`
	path := filepath.Join(t.TempDir(), "features.yaml")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	var got Options
	must.Do(t, ReadConfig(path, &got))
	want := Options{
		MaxLevels: 12, MinShare: 0.01, MissingFrom: 0.2, Blank: []string{"NA", "not known"}, Separator: ";",
		Scale: AsIs, Keep: true, CompleteOnly: true,
		Fields: map[string]FieldOptions{
			"genres":   {Type: List, Separator: "|", MaxLevels: 30, Group: "genres"},
			"budget":   {Transform: Log, Blank: []string{"0", "n/a"}, Missing: MissingNever},
			"year":     {Transform: Bins, Edges: []float64{1950, 1980.5, 2000}, Always: true},
			"length":   {Transform: Bins, Quantiles: 5, Group: "size"},
			"released": {Type: Date, Parts: []string{"year"}, Format: "DD/MM/YYYY"},
			"a:b":      {Never: true},
			"nothing":  {},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	flags := want
	flags.Fields = map[string]FieldOptions{"nothing": {}, "genres": {Type: Text}}
	for _, flag := range []string{
		"genres:type=list,separator=|,max-levels=30", "budget:transform=log,blank=0 n/a,missing=never",
		"year:bins=1950 1980.5 2000,always=true", "length:bins=5,group=size",
		"released:type=date,parts=year,format=DD/MM/YYYY", "a:b:never=true",
	} {
		if err := flags.ParseField(flag); err != nil {
			t.Error(err)
		}
	}
	flags.Group("genres")
	flags.Group("length") // is in a group already
	if d := cmp.Diff(want, flags); d != "" {
		t.Error(d)
	}
}

func TestFlagsMayHoldCommasAndColons(t *testing.T) {
	var o Options
	for _, flag := range []string{"authors:type=list,separator=,,group=true", "authors:max-levels=7", "a: b:never=true"} {
		if err := o.ParseField(flag); err != nil {
			t.Error(err)
		}
	}
	want := map[string]FieldOptions{"authors": {Type: List, Separator: ",", Group: "authors", MaxLevels: 7}, "a: b": {Never: true}}
	if d := cmp.Diff(want, o.Fields); d != "" {
		t.Error(d)
	}
}

func TestConfigErrors(t *testing.T) {
	for text, want := range map[string]string{
		"fields: [a]":                                `f.yaml:1: fields must be pairs of KEY: VALUE`,
		"a":                                          `f.yaml:1: the file must be pairs of KEY: VALUE`,
		"max-levels: 5\nlevels: 5":                   `f.yaml:2: there is no setting "levels" (there are max-levels, min-share, missing-from, blank, separator, scale, keep, complete, fields)`,
		"max-levels: few":                            `f.yaml:1: max-levels is "few", but must be a positive whole number`,
		"missing-from: -1":                           `f.yaml:1: missing-from is "-1", but must be a number from 0 on`,
		"keep: yes":                                  `f.yaml:1: keep is "yes", but must be true or false`,
		"scale: log":                                 `f.yaml:1: the scale is "log", but must be zscore or none`,
		"fields:\n  x:\n    type: number":            `f.yaml:3: field "x": type is "number", but must be one of auto, numeric, indicator, text, category, list, date, ignore`,
		"fields:\n  x:\n    kind: numeric":           `f.yaml:3: field "x": there is no setting "kind" (there are type, transform, bins, separator, max-levels, parts, format, blank, missing, group, always, never)`,
		"fields:\n  x: {bins: [3, 2]}":               `f.yaml:2: field "x": bins: the edges must increase, but are 3 2`,
		"fields:\n  x: {bins: 1}":                    `f.yaml:2: field "x": bins is "1", but must be a number of bins from 2 to 1000, or the edges between them`,
		"fields:\n  x: {bins: [a, b]}":               `f.yaml:2: field "x": bins: "a" is not a number`,
		"fields:\n  x: {parts: [day]}":               `f.yaml:2: field "x": parts is "day", but must be one of year, month`,
		"fields:\n  x: {format: D.M.Y}":              `f.yaml:2: field "x": "D.M.Y" is no format of a date: write it with YYYY, MM and DD, such as DD/MM/YYYY`,
		"fields:\n  x: {always: 1}":                  `f.yaml:2: field "x": always is "1", but must be one of true, false`,
		"fields:\n  x: {blank: {a: b}}":              `f.yaml:2: must be a word, a number or a list of them`,
		"fields:\n  x: {never: true}\n  x: {}":       `f.yaml:3: "x" is set twice`,
		"fields:\n  x: 3":                            `f.yaml:2: field "x" must be pairs of KEY: VALUE`,
		"max-levels: 3\nfields:\n  x: {never: true}": "",
		"":                 "",
		"# nothing is set": "",
	} {
		err := parseConfig([]byte(text), "f.yaml", &Options{})
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		var input *data.InputError
		if !errors.As(err, &input) {
			t.Errorf("%q: %v is no *InputError", text, err)
			continue
		}
		if d := cmp.Diff(want, err.Error()); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
	var input *data.InputError
	if err := parseConfig([]byte("a: b\nc: [d"), "f.yaml", &Options{}); !errors.As(err, &input) || input.Line == 0 {
		t.Errorf("%v does not name the line", err)
	}
	if err := ReadConfig(filepath.Join(t.TempDir(), "f.yaml"), &Options{}); !errors.Is(err, os.ErrNotExist) || !errors.As(err, &input) {
		t.Errorf("%v is no *InputError of a file that is not there", err)
	}
	for text, want := range map[string]string{
		"x":               `"x" does not set a field: write NAME:KEY=VALUE,…, where KEY is one of type, transform, bins, separator, max-levels, parts, format, blank, missing, group, always, never`,
		"x:type=what":     `field "x": type is "what", but must be one of auto, numeric, indicator, text, category, list, date, ignore`,
		"x:type=text,a=b": `field "x": there is no setting "a" (there are type, transform, bins, separator, max-levels, parts, format, blank, missing, group, always, never)`,
	} {
		if err := new(Options).ParseField(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
