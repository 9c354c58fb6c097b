package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// TestWeightedRegression: what is weighted says so, from the fit to the report, and
// evaluate weighs too if asked.
func TestWeightedRegression(t *testing.T) {
	table := "w,luck,age,well\n"
	for i := range 60 {
		table += fmt.Sprintf("%d,%d,%d,%s\n", 1+i%3, i*7%5, i*i%11, map[bool]string{true: "yes", false: "no"}[i*i%11+i%4 > 5])
	}
	path, model := writeText(t, "patients.csv", table), filepath.Join(t.TempDir(), "model")
	page := filepath.Join(t.TempDir(), "report.html")
	run := func(fails bool, says []string, args ...string) string {
		t.Helper()
		var out, log bytes.Buffer
		root := newRoot(newCommon(&out, &log))
		root.SetArgs(args)
		err := root.Execute()
		text := out.String() + log.String() + fmt.Sprint(err)
		if (err != nil) != fails {
			t.Errorf("%v: %s", args[1:], text)
		}
		for _, want := range says {
			if !strings.Contains(text, want) {
				t.Errorf("%v does not say %q: %s", args[1:], want, text)
			}
		}
		return text
	}
	scored := func(text, name string) string {
		_, after, _ := strings.Cut(text, name+" ")
		line, _, _ := strings.Cut(after, "\n")
		return strings.TrimSpace(line)
	}
	by := []string{"regress", path, "--target", "well", "-k", "1", "--weight", "w"}
	fitted := run(false, []string{"(weighted)", "Validation log-loss"}, append(by, "-o", model, "--report", page)...)
	if test := run(false, nil, "evaluate", model, path, "--weight", "w"); scored(test, "Test") != scored(fitted, "Fit") {
		t.Errorf("%s of the fit, %s of the same table", scored(fitted, "Fit"), scored(test, "Test"))
	}
	if alike := run(false, []string{"--weight w weighs them"}, "evaluate", model, path); strings.Contains(alike, "(weighted)") {
		t.Error("called weighted without weights")
	}
	run(true, []string{`no column "mass"`}, "evaluate", model, path, "--weight", "mass")
	run(false, []string{"The errors are weighted"}, append(by, "--path", "--folds", "2", "--gamma", "1")...)
	run(true, []string{"--weight w is a column that --skip leaves out"}, append(by, "--skip", "w")...)
	run(true, []string{"leave out --folds or --gamma"}, append(by, "--folds", "3", "--gamma", "1")...)
	if line := run(false, []string{"probability "}, "explain", model, "--features", path, "--row", "1"); strings.HasPrefix(scored(line, "probability"), "+") {
		t.Errorf("a probability has a sign: %s", line)
	}
	text := must.Get(os.ReadFile(page))(t)
	if p := string(text); !strings.Contains(p, "weighted by the weights of the rows") || strings.Contains(p, ">Target<") || !strings.Contains(p, ">Table<") {
		t.Error("the report does not say that errors are weighted, or its settings list the target twice")
	}
}

// TestWeightZeroLeavesOut: a row of weight 0 counts as if it were not there, in regress as
// an entry does in fit, and both say so.
func TestWeightZeroLeavesOut(t *testing.T) {
	table, without := "a,b,w,y\n", "a,b,w,y\n"
	for i := range 20 {
		line := fmt.Sprintf("%d,%d,%d,%d\n", i*i%7, i%5, 1+i%2, i*3%8)
		table, without = table+line, without+line
		if i%4 == 0 {
			table += "9,9,0,\n" // not even its target counts
		}
	}
	fit := func(path string) (string, string) {
		var stdout, stderr bytes.Buffer
		if code := run([]string{"regress", path, "--target", "y", "-k", "1", "--gamma", "10", "--weight", "w", "--log-times=false"}, &stdout, &stderr); code != exitDone {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
		return stdout.String(), stderr.String()
	}
	got, said := fit(writeText(t, "with.csv", table))
	want, _ := fit(writeText(t, "without.csv", without))
	if got != want || !strings.Contains(said, "5 rows of weight 0: left out") {
		t.Errorf("with rows of weight 0\n%s%swithout\n%s", said, got, want)
	}
	var stderr bytes.Buffer
	if code := run([]string{"regress", writeText(t, "none.csv", "a,w,y\n1,0,2\n2,0,3\n"), "--target", "y", "-k", "1", "--weight", "w"}, &bytes.Buffer{}, &stderr); code != exitUsage || !strings.Contains(stderr.String(), "the weight is 0") {
		t.Errorf("all weights 0: exit code %d, %s", code, stderr.String())
	}
}
