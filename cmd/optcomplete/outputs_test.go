package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/internal/atomicfile"
)

// TestFullDiskIsAnErrorInEveryVerb sends what each verb prints to a device that
// takes nothing.
func TestFullDiskIsAnErrorInEveryVerb(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	command(t, exitDone, "synth", "--rows", "30", "--columns", "20", "--features", "5", "--k", "2", "--missing", "0.3", "-o", at("data"))
	ratings, features := at("data/ratings.csv"), at("data/features.csv")
	fit := []string{"fit", ratings, "--features", features, "-k", "2", "--gamma", "1"}
	command(t, exitDone, append(fit, "-o", at("m"))...)
	command(t, exitDone, append(fit, "--model", "paper", "--method", "cutplanes", "--save-cuts", at("cuts"))...)
	command(t, exitDone, "pack", ratings, "-o", at("r.pack"))
	for _, args := range [][]string{
		fit,
		append(fit, "--json"),
		append(fit, "--max-nodes", "1"),
		append(fit, "--print-config"),
		{"path", ratings, "--features", features, "--k-max", "2", "--gamma", "1"},
		{"path", ratings, "--features", features, "--k-max", "2", "--gamma", "1", "--json"},
		{"predict", at("m"), at("data/test.csv")},
		{"complete", at("m")},
		{"recommend", at("m"), "--all"},
		{"fold-in", at("m"), ratings},
		{"explain", at("m")},
		{"evaluate", at("m"), at("data/test.csv")},
		{"report", at("m")},
		{"compare", at("m"), at("m")},
		{"features", features},
		{"features", features, "--json"},
		{"features", features, "-o", "-"},
		{"regress", features, "--target", "f2", "-k", "1", "--skip", "column"},
		{"pack", ratings, "-o", at("again.pack")},
		{"pack", ratings, "-o", at("again.pack"), "--json"},
		{"synth", "--rows", "10", "--stream"},
		{"master", "--cuts", at("cuts")},
		{"solvers"},
		{"inspect", at("r.pack")},
		{"help"}, {"help", "gamma"}, {"fit", "--help"}, {"--version"}, {"completion", "bash"},
	} {
		var stderr bytes.Buffer
		if code := run(args, full, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s > /dev/full: exit code %d\n%s", strings.Join(args, " "), code, stderr.String())
		}
	}
}

// TestSecondWriterIsToldAtTheStart has an output reserved in this process, and
// runs the program as another.
func TestSecondWriterIsToldAtTheStart(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, verb := range [][]string{{"fit", "none.csv", "-k", "1", "-o"}, {"complete", "none", "-o"}, {"pack", "none.csv", "-o"}, {"demo", "-o"}, {"bench", "real", "-o"}} {
		path := at("out.csv")
		release, err := atomicfile.Reserve(path)
		if err != nil {
			t.Fatal(err)
		}
		_, stderr := command(t, exitUsage, append(verb, path)...)
		release()
		if want := "another run is writing " + path; !strings.Contains(stderr, want) {
			t.Errorf("%v: %q is not in\n%s", verb, want, stderr)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
