package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/settings"
)

// fits are all the pairs of a method and a model, and the flags that ask for them.
func fits() (all [][3]string) {
	for _, method := range []string{"certified", "cutplanes", "optcomplete"} {
		for _, model := range []string{"full", "pooled", "paper"} {
			if method != "optcomplete" || model != "pooled" { // whose rows cannot be sampled by themselves
				all = append(all, [3]string{method, model, "--method " + method + " --model " + model})
			}
		}
	}
	all = append(all, [3]string{"certified", "twosided", "--row-features rows.csv"})
	for _, method := range []string{"softimpute", "imc", "effects"} {
		all = append(all, [3]string{method, "", "--method " + method})
	}
	return all
}

// given are values for the settings of fit and path that differ from their defaults.
var given = map[string]string{
	"drop-unknown": "", "id": "film", "min-entries": "1", "missing": "NA", "row-name": "row", "column-name": "column", "value-name": "value", "delimiter": ",",
	"format": "csv", "weight": "count", "duplicates": "first", "features-config": "features.yaml", "field": "a:type=numeric", "group": "a", "max-levels": "9", "separator": "|", "blank": "NA",
	"scale": "none", "keep": "", "complete-features": "", "always": "a", "never": "b", "at-most": "a=1", "gamma": "1", "gamma0": "1", "gamma-factor": "2", "column-shrinkage": "1",
	"loss": "poisson", "delta": "0.5", "nonnegative": "a", "refit": "ridge", "clip": "none", "gap": "0.1", "sampling": "always", "checkpoint": "run", "warm-start": "before", "memory": "1G", "time-limit": "5s", "search-time": "5s",
	"max-nodes": "9", "near-ties": "2", "residual-rank": "1", "solver": "embedded", "solver-path": ".", "sample-rows": "5", "sample-constant": "2", "certify": "", "save-cuts": "cuts.jsonl",
	"effects": "none", "holdout-rows": "0.2", "holdout-columns": "0.2", "constants": "", "heredity": "weak", "holdout": "0.2", "split": "random", "time-name": "when", "output": "model", "report": "report.html", "names": "films.csv --report report.html", "json": "", "folds": "2", "repeats": "2", "bootstrap": "2", "bootstrap-k": "1", "plot": "plot.svg", "proof": "proof.zst", "raw-names": "",
}

// axes are the settings that say what a fit is, those that every fit needs, and those
// that need a cluster.
var axes = []string{"features", "k", "k-max", "model", "method", "row-features", "engine", "engine-program", "engine-from", "engine-tasks", "engine-folder", "dry-run"}

// TestSettingsThatDoNothingAreRefused goes through every setting of fit and path,
// every method and every model: a setting that does not apply is refused, with what
// it is for; one that applies is taken.
func TestSettingsThatDoNothingAreRefused(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	var ratings, rows, films strings.Builder
	ratings.WriteString("row,column,value,count\n")
	rows.WriteString("row,age,height\n")
	films.WriteString("film,a,b,c\n")
	for i := range 8 {
		fmt.Fprintf(&rows, "r%d,%d,%d\n", i, i*i%7, i%3)
		fmt.Fprintf(&films, "f%d,%d,%d,%d\n", i, i%2, i*i%5, i)
		for j := range 8 {
			if (i+j)%3 > 0 {
				fmt.Fprintf(&ratings, "r%d,f%d,%d,%d\n", i, j, (i*j+i+3*j)%5, 1+i%2)
			}
		}
	}
	write("ratings.csv", ratings.String())
	write("rows.csv", rows.String())
	write("films.csv", films.String())
	write("features.yaml", "fields:\n  a:\n    type: numeric\n")
	command := func(args string) (int, string) {
		var stderr bytes.Buffer
		code := run(append(strings.Fields(args), "--quiet"), new(bytes.Buffer), &stderr)
		return code, stderr.String()
	}
	if code, text := command("fit ratings.csv --features films.csv -k 1 --model paper --gamma 1 -o before"); code != 0 {
		t.Fatal(text)
	}
	for _, verb := range []string{"fit", "path"} {
		for i := range table {
			s := &table[i]
			if !slices.Contains(s.Verbs, verb) || slices.Contains(axes, s.Name) || s.Name == "watch" { // that one stays until Ctrl-C: TestWatchedRuns
				continue
			}
			value, ok := given[s.Name]
			if !ok {
				t.Errorf("%s --%s has no value here: add one to given", verb, s.Name)
				continue
			}
			if verb == "path" && s.Name == "output" {
				value = "path.csv"
			}
			for _, fit := range fits() {
				method, model, flags := fit[0], fit[1], fit[2]
				args := verb + " ratings.csv --features films.csv " + flags
				switch {
				case verb == "path" && (method != "certified"):
					continue
				case verb == "path":
					args = strings.Replace(args, "--method certified", "", 1) + " --k-max 1"
				case slices.Contains(selects, method):
					args += " -k 1"
				}
				args += " --" + s.Name
				if s.Type != settings.Switch {
					args += " " + value
				}
				applies := s.Use.Applies(method, model)
				if applies && testing.Short() {
					continue
				}
				os.RemoveAll("run")
				code, text := command(args + enough(s.Name, method))
				refused := code == exitUsage && strings.Contains(text, "does not apply to")
				if refused == applies || !refused && code != exitDone && code != exitEarly && !excused(s.Name, text) {
					t.Errorf("%s: exit code %d, applies %v: %s", args, code, applies, text)
				}
				if strings.Contains(text, ") (") {
					t.Errorf("%s: two remedies: %s", args, text)
				}
				if refused && !strings.Contains(text, s.Use.String()) {
					t.Errorf("%s: the error does not say what --%s is for: %s", args, s.Name, text)
				}
			}
		}
	}
}

// enough are flags that a run needs beside the one that is tried, to end soon.
func enough(name, method string) string {
	flags := ""
	if method == "optcomplete" && name != "max-nodes" && name != "time-limit" && name != "search-time" {
		flags += " --max-nodes 30"
	}
	if name == "delta" && method == "certified" {
		flags += " --loss huber"
	}
	if name == "proof" && method == "optcomplete" {
		flags += " --certify"
	}
	if slices.Contains(selects, method) && name != "gamma" && name != "gamma-factor" {
		flags += " --gamma 1"
	}
	return flags
}

// excused is what a setting that applies may still be refused for.
func excused(name, text string) bool {
	switch name {
	case "group": // counts as one, but optcomplete samples single features
		return strings.Contains(text, "groups of features")
	case "time-name":
		return strings.Contains(text, "for --split time, which was not given")
	case "solver-path":
		return strings.Contains(text, "solver")
	case "always", "never", "at-most":
		return strings.Contains(text, "name a product")
	case "scale":
		return strings.Contains(text, "or use --effects none")
	}
	return false
}
