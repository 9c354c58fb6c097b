package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// inFolder is a shell in a folder of its own, with ratings r.csv, the same as yes and no
// in yes.csv, and features f.csv.
func inFolder(t *testing.T) func(args string, code int, wants ...string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	ratings, yes, films := "user,film,stars\n", "user,film,liked\n", "film,a,b,c\n"
	for j := range 20 {
		films += fmt.Sprintf("f%02d,%d,%d,%d\n", j, j%2, j*j%7, j%5)
	}
	for i := range 25 {
		for j := range 20 {
			if (i*7+j*3)%4 > 0 {
				stars := 1 + (i+j*(i%3)+j%2)%5
				ratings += fmt.Sprintf("u%02d,f%02d,%d\n", i, j, stars)
				yes += fmt.Sprintf("u%02d,f%02d,%d\n", i, j, stars/3)
			}
		}
	}
	yes = strings.ReplaceAll(yes, ",2\n", ",1\n")
	for name, text := range map[string]string{"r.csv": ratings, "yes.csv": yes, "f.csv": films} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o666))
	}
	return func(args string, code int, wants ...string) string {
		t.Helper()
		stdout, stderr := says(t, args, code, wants...)
		return stdout + stderr
	}
}

// TestMethodsWithoutSelectionClaimNone: where nothing is selected no page, log or JSON
// speaks of a selection, its cost, a bound, k or γ.
func TestMethodsWithoutSelectionClaimNone(t *testing.T) {
	command := inFolder(t)
	page := func(file string) string { return string(must.Get(os.ReadFile(file))(t)) }
	none := func(where, text string, words ...string) {
		t.Helper()
		for _, word := range words {
			if strings.Contains(text, word) {
				t.Errorf("%s says %q", where, word)
			}
		}
	}
	command("fit r.csv --features f.csv -k 1 --gamma 1 --quiet -o one", 0)
	for _, method := range []string{"softimpute", "imc", "effects"} {
		log := command("fit r.csv --features f.csv --holdout 0.2 -o "+method+" --method "+method, 0, "Task      predict; the method selects no features", "Settings  method "+method)
		none(method+"'s log", log, "select 0", "gamma auto", "model full")
		command("report "+method+" -o page.html", 0)
		none(method+"'s report", page("page.html"), "not proven", "--certify", "Selected:", "Cost of the selection", "Bound", "Fit it again", "fit it again", "<code>optcomplete explain", "k = <data", "γ", "Refit of")
		for _, field := range []string{"cost", "bound", "gap", "gamma"} {
			if text := page(method + "/model.json"); !strings.Contains(text, fmt.Sprintf("%q: null", field)) || strings.Contains(text, fmt.Sprintf("%q: 0", field)) {
				t.Errorf("%s of %s is not null", field, method)
			}
		}
		command("evaluate "+method+" r.csv --resamples 0", 0)
		command("compare one "+method+" -o page.html", 0)
		text := page("page.html")
		none("comparison with "+method, text, "by all of them", "fingerprint")
		if !strings.Contains(text, `No features are selected by <span class="name">`+method) || !strings.Contains(text, "selects nothing") {
			t.Errorf("comparison with %s does not say that it selects nothing", method)
		}
	}
}
