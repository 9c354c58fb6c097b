package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/encode"
	"optcomplete/internal/must"
)

func TestFeaturesShowsWhatIsUnderstood(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	films := write("films.csv", "film,genres,budget,one\na,Drama|Crime,1,1\nb,Drama,20,1\nc,Crime|Action,300,1\nd,Action|Drama,4000,1\ne,Crime,1,1\n")
	config := write("features.yaml", "fields:\n  genres: {group: true}\n  budget: {transform: log}\n")
	run := func(args ...string) (string, string) {
		var stdout, stderr bytes.Buffer
		cmd := featuresCommand(&common{stdout: &stdout, stderr: &stderr})
		cmd.SetArgs(args)
		must.Do(t, cmd.Execute())
		return stdout.String(), stderr.String()
	}
	table, warnings := run(films, "--features-config", config)
	for _, want := range []string{"3 in group genres", "log1p", "4 features of 5 items in 2 groups"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in:\n%s", want, table)
		}
	}
	if want := "warning: feature \"one\" is 1 in every item: left out\n"; warnings != want {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
	var report encode.Report
	text, _ := run(films, "--json", "--field", "budget:transform=none", "--features-config", config, "--keep")
	must.Do(t, json.Unmarshal([]byte(text), &report))
	if report.Features != 5 || report.Groups != 3 || report.Fields[1].Transform != encode.None {
		t.Errorf("%d features in %d groups, transform %q: the command line must win over the file", report.Features, report.Groups, report.Fields[1].Transform)
	}
	encoded, _ := run(films, "-o", "-", "--scale", "none", "--keep")
	if want := "column,genres=Crime,genres=Drama,genres=Action,budget,one\na,1,1,0,1,1\n"; !strings.HasPrefix(encoded, want) {
		t.Errorf("encoded:\n%s\nwant\n%s", encoded, want)
	}
}

// TestEveryKeyOfAFieldIsDocumented in docs/formats.md; the help has them from the same list.
func TestEveryKeyOfAFieldIsDocumented(t *testing.T) {
	page := string(must.Get(os.ReadFile("../../docs/formats.md"))(t))
	for _, key := range append(encode.FieldKeys, "min-share", "missing-from", "scale", "keep", "complete", "fields") {
		if !strings.Contains(page, "`"+key+"`") {
			t.Errorf("docs/formats.md lacks the key %s", key)
		}
	}
}
