package optcomplete

import (
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/encode"
	_ "optcomplete/files"
	"optcomplete/formulation"
	"optcomplete/internal/must"
	"optcomplete/model"
	"optcomplete/regress"
	"optcomplete/regress/saved"
	"optcomplete/twosided"
)

// TestSettingsAreThoseOfTheFormulation: each of its fields is one of Settings, with the
// same type, and arrives there.
func TestSettingsAreThoseOfTheFormulation(t *testing.T) {
	flat := reflect.TypeFor[Settings]()
	var walk func(of reflect.Type) int
	walk = func(of reflect.Type) (n int) {
		for f := range of.NumField() {
			field := of.Field(f)
			if field.Anonymous {
				n += walk(field.Type)
				continue
			}
			own, has := flat.FieldByName(field.Name)
			if n++; field.Name == "Began" { // of the program, whose time began before the fit
				n--
			} else if !has || own.Type != field.Type {
				t.Errorf("Settings has no %s %v", field.Name, field.Type)
			}
		}
		return n
	}
	if n := walk(reflect.TypeFor[formulation.Settings]()); n != flat.NumField() {
		t.Errorf("%d fields, and %d of the formulation", flat.NumField(), n)
	}
	given := Settings{K: 3, Gamma: 2, Always: []string{"a"}, TimeLimit: 5, Folder: "x"}
	if got := given.inner(); got.K != 3 || got.Statistics.Gamma != 2 || got.Choice.Always[0] != "a" || got.Limits.TimeLimit != 5 || got.Folder != "x" {
		t.Errorf("%+v", got)
	}
}

// TestEveryKindIsAModel: a matrix, products and a table are saved, loaded and asked by the
// same few methods.
func TestEveryKindIsAModel(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 30, Columns: 20, Features: 5, K: 2, Missing: 0.4, Noise: 0.1, Seed: 3}))(t)
	var numbers []float64
	for i := range in.Ratings.RowIDs {
		numbers = append(numbers, float64(i%7), float64(i%5))
	}
	people := data.NewFeatures(in.Ratings.RowIDs, []string{"x", "y"}, numbers)
	columns := in.Ratings.ColumnIDs
	table := regress.Problem{Names: []string{"a", "b"}, X: []float64{1, 2, 2, 1, 3, 5, 4, 2}, Y: []float64{1, 2, 3, 4}}
	encoding := encode.Plain(table.Names, table.X)
	byIDs := Query{Row: in.Ratings.RowIDs[3], Column: columns[4]}
	for name, c := range map[string]struct {
		fitted    Model
		ask, deny Query
	}{
		"matrix":   {must.Get(Fit(t.Context(), Problem{Ratings: in.Ratings, Features: in.Features}, Settings{K: 2}))(t), byIDs, Query{Record: map[string]string{"a": "1"}}},
		"products": {must.Get(twosided.Fit(t.Context(), twosided.Problem{Ratings: in.Ratings, Columns: in.Features, Rows: people}, twosided.Settings{K: 2}))(t), byIDs, Query{Row: "nobody", Column: columns[0]}},
		"table": {saved.New("y", must.Get(regress.Fit(t.Context(), table, regress.Settings{K: 2}))(t), encoding),
			Query{Record: map[string]string{"b": "2", "a": "3"}}, Query{Record: map[string]string{"b": "2"}}},
	} {
		dir := filepath.Join(t.TempDir(), "model")
		must.Do(t, Save(c.fitted, dir))
		again := must.Get(Load(dir))(t)
		if reflect.TypeOf(again) != reflect.TypeOf(c.fitted) {
			t.Errorf("%s: a %T was saved, a %T is loaded", name, c.fitted, again)
		}
		selected, proven := again.Selects()
		if len(selected) != 2 || proven.Bound > proven.Cost || proven.Cost == 0 {
			t.Errorf("%s: %v, %+v", name, selected, proven)
		}
		want, got := must.Get(c.fitted.Ask(c.ask))(t), must.Get(again.Ask(c.ask))(t)
		if want.Value != got.Value || math.IsNaN(got.Value) {
			t.Errorf("%s: %v, and loaded %v", name, want, got)
		}
		if _, err := again.Ask(c.deny); err == nil {
			t.Errorf("%s answers %+v", name, c.deny)
		}
		must.Do(t, again.Close())
	}
	kept := model.Stored
	defer func() { model.Stored = kept }()
	model.Stored = nil
	if _, err := Load("x"); err == nil || errors.Unwrap(err) != nil {
		t.Errorf("without a storage: %v", err)
	}
}
