package settings

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"optcomplete/data"
	"optcomplete/internal/must"
)

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fit.yaml")
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

func TestTheCommandLineWinsOverTheFile(t *testing.T) {
	set, v := fitFlags()
	must.Do(t, set.Parse([]string{"-k", "3", "--field", "mine"}))
	path := writeConfig(t, "k: 7\ngap: 0.25\nmodel: paper\nfield: [a, 'b:x=1,y=2']\ntime-limit: 2m\nkeep: true\n")
	must.Get(table.ReadConfig(path, set))(t)
	if v.k != 3 || v.gap != 0.25 || v.model != "paper" || v.limit.Minutes() != 2 || !v.keep || !reflect.DeepEqual(v.fields, []string{"mine"}) {
		t.Errorf("%+v", v)
	}
	if !set.Changed("gap") || set.Changed("gamma") {
		t.Error("what the file gives counts as given, and nothing else does")
	}
}

// TestConfigRoundTrip: what is printed, read again, gives the same values, and
// the same of them count as given.
func TestConfigRoundTrip(t *testing.T) {
	for _, args := range [][]string{
		nil,
		{"-k", "3"},
		{"-k", "3", "--gamma", "0.1", "--gap", "1e-9", "--model", "paper", "--time-limit", "90s", "--keep"},
		{"--field", "a: b # c", "--field", "- x", "--field", "", "--output", "true"},
		{"--output", "~", "--field", "[1, 2]"},
		{"--output", "ünïcode 'quoted' \"twice\"", "--keep=false", "--gamma", "auto"},
	} {
		set, v := fitFlags()
		must.Do(t, set.Parse(args))
		print := func(set *pflag.FlagSet) string {
			var flags []*pflag.Flag
			set.VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
			var b bytes.Buffer
			must.Do(t, table.WriteConfig(&b, "Settings", flags, []string{"Choice", "Model", "Search", "Data", "Output"}))
			return b.String()
		}
		text := print(set)
		again, w := fitFlags()
		if _, err := table.ReadConfig(writeConfig(t, text), again); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, text)
		}
		if !reflect.DeepEqual(v, w) {
			t.Errorf("%v: %+v, then %+v\n%s", args, v, w, text)
		}
		if got := print(again); got != text {
			t.Errorf("%v: printed\n%s\nthen\n%s", args, text, got)
		}
	}
}

// TestDefaultsMayBeUncommented: every default that is shown is taken, but those
// that must be given.
func TestDefaultsMayBeUncommented(t *testing.T) {
	set, v := fitFlags()
	var flags []*pflag.Flag
	set.VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
	var b bytes.Buffer
	must.Do(t, table.WriteConfig(&b, "Settings", flags, []string{"Choice", "Model", "Search", "Data", "Output"}))
	var lines []string
	for _, line := range strings.Split(b.String(), "\n") {
		if rest, ok := strings.CutPrefix(line, "#"); ok && rest != "k:" && !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "#") {
			lines = append(lines, rest)
		}
	}
	if len(lines) != len(flags)-1 {
		t.Fatalf("%d of %d settings:\n%s", len(lines), len(flags), b.String())
	}
	again, w := fitFlags()
	must.Get(table.ReadConfig(writeConfig(t, strings.Join(lines, "\n")), again))(t)
	w.fields = nil // an empty list and none are the same
	if !reflect.DeepEqual(v, w) {
		t.Errorf("%+v, then %+v", v, w)
	}
}

func TestConfigMistakesAreNamed(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
		want string
	}{
		{"k: 3\ngama: 1\n", 2, `"gama" is not a setting here (did you mean "gamma"?)`},
		{"k: 3\nzzz: 1\n", 2, "--print-config lists them all"},
		{"gap: 2\n", 1, "gap is 2, but must be a number of at least 0 and below 1"},
		{"\n\nmodel: fulll\n", 3, `did you mean "full"?`},
		{"k: 3\nk: 4\n", 2, `"k" is set twice, first in line 1`},
		{"k: [3, 4]\n", 1, "takes one value"},
		{"k:\n", 1, "has no value"},
		{"k: {a: 1}\n", 1, "must be a value or a list"},
		{"field: [[a]]\n", 1, "something else than words"},
		{"- k\n", 1, "not a list of settings"},
		{"help: true\n", 1, "not a setting here"},
		{"k: 3\n---\nk: 4\n", 0, "more than one document"},
		{"k: \"3\n", 2, "is no YAML: found unexpected end of stream"},
	} {
		set, _ := fitFlags()
		_, err := table.ReadConfig(writeConfig(t, c.text), set)
		var input *data.InputError
		if !errors.As(err, &input) || input.Line != c.line || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want line %d and %q", c.text, err, c.line, c.want)
		}
	}
	set, v := fitFlags()
	path := writeConfig(t, "models: [full]\ngap: 0.5\n")
	notes := must.Get(table.ReadConfig(path, set))(t)
	if v.gap != 0.5 || len(notes) != 1 || notes[0] != path+":1: models is a setting of bench and is left out here" {
		t.Errorf("settings of another verb: %v, %q", v.gap, notes)
	}
	set, v = fitFlags()
	must.Do(t, set.Parse([]string{"--gap", "0.5"}))
	if _, err := table.ReadConfig(writeConfig(t, "gap: 2\n"), set); err == nil {
		t.Error("a value that the command line overrides is not checked")
	}
	if _, err := table.ReadConfig(writeConfig(t, ""), set); err != nil || v.gap != 0.5 {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := table.ReadConfig("nosuch.yaml", set); err == nil || !strings.Contains(err.Error(), "nosuch.yaml: there is no such file") {
		t.Error(err)
	}
}
