package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// TestWeightsFromFileToEvaluation: every verb that counts entries by their weights
// says so, a pack gives the same model, and what cannot do it refuses.
func TestWeightsFromFileToEvaluation(t *testing.T) {
	t.Chdir(t.TempDir())
	var ratings, films strings.Builder
	ratings.WriteString("user,film,stars,weight\n")
	films.WriteString("film,a,b,c\n")
	for j := range 20 {
		fmt.Fprintf(&films, "f%02d,%d,%d,%d\n", j, j%2, j*j%7, j%5)
	}
	people := "user,age\n"
	for i := range 25 {
		people += fmt.Sprintf("u%02d,%d\n", i, i%9)
		for j := range 20 {
			if (i*7+j*3)%4 > 0 {
				fmt.Fprintf(&ratings, "u%02d,f%02d,%d,%d\n", i, j, 1+(i+j*(i%3)+j%2)%5, (i+j)%3)
			}
		}
	}
	for name, text := range map[string]string{"r.csv": ratings.String(), "films.csv": films.String(), "people.csv": people, "new.csv": "user,film,stars,weight\nnew,f01,3,2\nnew,f02,5,0.5\n"} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o666))
	}
	command := func(args string, code int, wants ...string) string {
		t.Helper()
		stdout, _ := says(t, args, code, wants...)
		return stdout
	}
	const by = " --features films.csv -k 1 --holdout 0.2 --gap 0.5 "
	fitted := command("fit r.csv"+by+"-o model", 0, `entries are weighted by the column "weight" (--weight none ignores it)`, "of weight 0: left out", "warning: r.csv: ", "per unit of the entries' weight)", "(weighted)")
	command("pack r.csv -o r.pack", 0)
	command("inspect r.pack", 0, "version 2", "weights in 8 bytes")
	packed := command("fit r.pack"+by+"-o packed", 0, "(weighted)")
	cost := func(text string) string {
		_, after, _ := strings.Cut(text, "Cost ")
		line, _, _ := strings.Cut(after, "\n")
		return line
	}
	if cost(fitted) == "" || cost(fitted) != cost(packed) {
		t.Errorf("cost %s, from a pack %s", cost(fitted), cost(packed))
	}
	plain := command("fit r.csv --weight none"+by+"-o plain", 0)
	if cost(plain) == cost(fitted) || strings.Contains(plain, "(weighted)") {
		t.Errorf("weights that are ignored count: %s", plain)
	}
	command("evaluate model r.csv --resamples 0", 0, "The errors are weighted")
	command("evaluate plain r.csv --resamples 0 --json", 0, `"weighted": true`)
	command("fold-in model new.csv --weight none -o bigger", 0, "the model was fitted to entries with weights, and these have none")
	for _, model := range []string{"model", "plain"} { // with the weights, as a row folded in
		command("recommend "+model+" --ratings new.csv --row new --weight none", 0)
		if _, log := says(t, "complete "+model+" --keep-observed r.csv -o completed.csv", 0); strings.Contains(log, "weight") {
			t.Errorf("complete, which weighs nothing, speaks of weights: %s", log)
		}
		command("recommend "+model+" --ratings new.csv --row nobody", 0, `"nobody" is not in the model`, "(new.csv has no entries of it)")
		command("fold-in "+model+" new.csv -o bigger", 0, "1 new")
		if got, want := command("recommend "+model+" --ratings new.csv --row new", 0), command("recommend bigger --row new", 0); got != want {
			t.Errorf("recommended by %s: %s, folded in %s", model, got, want)
		}
	}
	command("predict model new.csv --interval 90", 0, "low,high")
	command("fit r.csv --method effects --holdout 0.2", 0, "(weighted)")
	command("report model -o report.html", 0)
	if page, err := os.ReadFile("report.html"); err != nil || !strings.Contains(string(page), "have weights") {
		t.Errorf("the report does not say that entries are weighted (%v)", err)
	}
	command("path r.csv --features films.csv --k-max 2 --folds 2 --gamma 0.1 --json", 0, "entries are weighted", `"weighted": true`)
	for _, model := range []string{"pooled", "paper"} {
		command("fit r.csv --model "+model+by, 0, "(weighted)")
	}
	command("fit r.csv"+by+"-o proven --proof proof.jsonl", 0)
	command("verify proven r.csv --features films.csv --proof proof.jsonl", 0, "verified: ")
	command("verify proven r.pack --features films.csv --proof proof.jsonl", 0, "verified: ")
	command("verify proven r.csv --features films.csv --proof proof.jsonl --weight none", 1, "the proof is refused: ")
	command("fit r.csv --weight none"+by+"-o proven --proof proof.jsonl", 0)
	command("verify proven r.csv --features films.csv --proof proof.jsonl", 0, "verified: ")
	must.Do(t, os.WriteFile("mass.csv", []byte(strings.Replace(ratings.String(), "weight", "mass", 1)), 0o666))
	command("fit mass.csv --weight mass"+by+"-o proven --proof proof.jsonl", 0)
	command("verify proven r.pack --features films.csv --proof proof.jsonl", 0, "verified: ")
	command("verify proven r.csv --features films.csv --proof proof.jsonl", 2, `it has "user", "film", "stars", "weight"; the model was fitted with --weight mass: name the column of the same weights in this file with --weight NAME`)
	command("verify proven r.csv --features films.csv --proof proof.jsonl --weight weight", 0, "verified: ")
	command("fit r.csv --residual-rank 2"+by+"-o rest", 0, "(weighted)")
	command("fit r.csv --row-features people.csv"+by+"-o products", 0, "(weighted)", "per unit of the entries' weight)")
	command("evaluate products r.csv --resamples 0", 0, "The errors are weighted")
	command("report products -o products.html", 0)
	command("fit r.csv --method softimpute --holdout 0.2", 0, "(weighted)")
	command("fit r.csv --method imc --features films.csv --holdout 0.2", 0, "(weighted)")
	command("fit r.csv --weight mass"+by, 2, `the header has no column "mass"`)
	command("pack r.csv --shards 1MB -o packs", 0)
	must.Do(t, os.Remove(filepath.Join("packs", "manifest.json")))
	command("fit packs"+by, 2, "has packs, but no manifest.json")
	must.Do(t, os.WriteFile(filepath.Join("packs", "manifest.json"), []byte("{"), 0o666))
	command("fit packs"+by, 2, "manifest.json, which says which of them belong together, is damaged")
	one := "user,film,stars\n"
	for i := range 600 {
		one += fmt.Sprintf("u%d,f01,%d\n", i, i*7%11)
	}
	must.Do(t, os.WriteFile("one.csv", []byte(one), 0o666))
	command("fit one.csv --features films.csv --keep -k 3 --gamma 1 --residual-rank 2", 0, "warning: no remainder was fitted: no other features are left, and no unnamed traits were found")
}
