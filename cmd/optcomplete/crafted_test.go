package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"optcomplete/internal/attack"
	"optcomplete/internal/checksum"
	"optcomplete/internal/must"
)

// craftable is a saved model, with all that explain and the report know.
func craftable(t testing.TB) (dir string, text []byte) {
	t.Helper()
	dir = t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"synth", "--rows", "25", "--columns", "12", "--features", "4", "--k", "2", "--missing", "0.3", "-o", at("data"), "--quiet"},
		{"fit", at("data/ratings.csv"), "--features", at("data/features.csv"), "-k", "2", "--holdout", "0.2", "--residual-rank", "1", "-o", at("m"), "--quiet"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != exitDone {
			t.Fatalf("%v: exit code %d\n%s", args, code, stderr.String())
		}
	}
	text = must.Get(os.ReadFile(at("m/model.json")))(t)
	return dir, text
}

// use runs every verb that reads a model, whose model.json is sealed anew, as
// somebody who means harm would do. It tells what a verb says that users cannot
// understand; a panic ends the test.
func use(t testing.TB, dir string, object []byte) (odd string) {
	t.Helper()
	folder := filepath.Join(dir, "m")
	if sealed, err := checksum.Seal(object, folder, []string{"rows.parquet", "columns.parquet", "seen.parquet"}); err == nil {
		object = sealed
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, "model.json"), object, 0o666))
	for _, args := range [][]string{
		{"explain", folder}, {"explain", folder, "--row", "r01"}, {"explain", folder, "--row", "r01", "--column", "c01"},
		{"predict", folder, filepath.Join(dir, "data/test.csv")}, {"recommend", folder, "--row", "r01"},
		{"report", folder}, {"compare", folder, folder}, {"complete", folder},
		{"fold-in", folder, filepath.Join(dir, "data/ratings.csv")},
		{"evaluate", folder, filepath.Join(dir, "data/test.csv"), "--resamples", "2"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(append(args, "--quiet"), &stdout, &stderr)
		if text := stderr.String(); code != exitDone && code != exitUsage || strings.Contains(text, "Go value") || strings.Contains(text, "Go struct") {
			odd = fmt.Sprintf("%s: exit code %d: %s", args[0], code, text)
		}
	}
	return odd
}

// nasty are values that nobody saves.
var nasty = []any{nil, -1, 0, 1e308, 123456789012, "", "x", true, []any{}, []any{nil}, []any{1e308, "x"}, map[string]any{}, map[string]any{"x": nil}}

// TestCraftedModelsCrashNothing puts nasty values in the place of fields of
// model.json: of every 41st pair of them, or as many as an attack has time for.
func TestCraftedModelsCrashNothing(t *testing.T) {
	dir, text := craftable(t)
	all := crafted(t, text, -1, nil)
	few := all / 41
	if testing.Short() {
		few = all / 150
	}
	tried, wrong := 0, 0
	for round := range attack.Rounds(few) {
		// Steps of a prime visit every one before any comes again.
		crafted(t, text, int(round%uint64(all))*1009%all, func(where string, model []byte) {
			defer func() {
				if p := recover(); p != nil {
					wrong++
					t.Errorf("%s: %v", where, p)
				}
			}()
			tried++
			if odd := use(t, dir, model); odd != "" {
				wrong++
				t.Errorf("%s: %s", where, odd)
			}
		})
	}
	attack.Report(t, "crafted models, each read by ten verbs", tried, wrong, "of %d that replace or remove one field", all)
}

// crafted counts the models that differ from that of the text by a nasty value in
// the place of one field, or by its absence, and calls try with one of them.
func crafted(t *testing.T, text []byte, which int, try func(where string, model []byte)) (all int) {
	t.Helper()
	var object map[string]any
	must.Do(t, json.Unmarshal(text, &object))
	delete(object, "files")
	delete(object, "checksum")
	visit := func(where string) {
		if all++; all-1 != which {
			return
		}
		model := must.Get(json.MarshalIndent(object, "", "  "))(t)
		try(where, append(model, '\n'))
	}
	var walk func(where string, value any, set func(any))
	walk = func(where string, value any, set func(any)) {
		for _, bad := range nasty {
			set(bad)
			visit(fmt.Sprintf("%s = %v", where, bad))
		}
		set(value)
		switch value := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				inner := value[name]
				walk(where+"."+name, inner, func(v any) { value[name] = v })
				delete(value, name)
				visit("no " + where + "." + name)
				value[name] = inner
			}
		case []any:
			if len(value) > 0 { // the others are alike
				walk(where+"[0]", value[0], func(v any) { value[0] = v })
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		inner := object[name]
		if name != "format_version" {
			walk(name, inner, func(v any) { object[name] = v })
		}
	}
	return all
}

// FuzzModelJSON: whatever model.json says, no verb crashes.
func FuzzModelJSON(f *testing.F) {
	dir, text := craftable(f)
	at := bytes.LastIndex(text, []byte(",\n  \"files\""))
	f.Add(append(bytes.Clone(text[:at]), "\n}\n"...))
	f.Fuzz(func(t *testing.T, object []byte) {
		if odd := use(t, dir, object); odd != "" {
			t.Error(odd)
		}
	})
}
