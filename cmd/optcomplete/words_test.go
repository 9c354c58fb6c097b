package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// TestWrongArgumentsAreNamed: what a verb lacks or has too many of is said in the words
// of its usage, and the remedy for packs without a manifest works.
func TestWrongArgumentsAreNamed(t *testing.T) {
	command := inFolder(t)
	command("fit a b --features f.csv -k 1", 2, `optcomplete fit takes RATINGS: "b" is too many (usage: `)
	command("predict model", 2, "optcomplete predict takes MODEL PAIRS: PAIRS is missing (usage: ")
	command("predict", 2, "MODEL PAIRS is missing")
	command("compare one", 2, "takes MODEL MODEL...: MODEL... is missing")
	command("demo x y", 2, `optcomplete demo takes no arguments: "x", "y" are too many`)
	command("regress", 2, "takes TABLE: TABLE is missing")

	must.Do(t, os.Mkdir("packs", 0o777))
	command("pack r.csv -o packs/a.pack", 0)
	for _, verb := range []string{"fit packs --features f.csv -k 1", "inspect packs"} {
		command(verb, 2, "has packs, but no manifest.json", "optcomplete pack packs/a.pack … -o all.pack")
	}
	command("pack packs/a.pack -o all.pack", 0)
	command("inspect all.pack", 0)
}

// TestPagesAreNotForScreens: report and compare want a file where stdout is a terminal.
func TestPagesAreNotForScreens(t *testing.T) {
	c := newCommon(&bytes.Buffer{}, &bytes.Buffer{})
	if err := c.needsFile(""); err != nil {
		t.Error("a pipe is refused:", err)
	}
	c.outTerminal.shown = true
	if err := c.needsFile(""); err == nil || !strings.Contains(err.Error(), "-o report.html") {
		t.Errorf("a terminal gets HTML: %v", err)
	}
	if c.needsFile("report.html") != nil || c.needsFile("-") != nil {
		t.Error("what was asked for is refused")
	}
}

// TestModelsAreCalledWhatTheUserCallsThem: in reports and comparisons.
func TestModelsAreCalledWhatTheUserCallsThem(t *testing.T) {
	command := inFolder(t)
	must.Do(t, os.Mkdir("own", 0o777))
	here := filepath.Base(must.Get(os.Getwd())(t))
	for _, folder := range []string{"model", "own/model"} {
		command("fit r.csv --features f.csv -k 1 --gamma 1 --quiet --report fitted.html -o "+folder, 0)
		command("report "+folder+" -o page.html", 0)
		for _, page := range []string{"fitted.html", "page.html"} {
			if text := string(must.Get(os.ReadFile(page))(t)); !strings.Contains(text, "<title>"+folder+" – ") || strings.Contains(text, "<title>"+here) {
				t.Errorf("%s of %s has another name", page, folder)
			}
		}
	}
	command("compare model own/model -o page.html", 0)
	if text := string(must.Get(os.ReadFile("page.html"))(t)); !strings.Contains(text, "own/model") {
		t.Error("the comparison has another name")
	}
}

// TestCompareScoresAllOnTheSameEntries: with the numbers of evaluate, also for regressions.
func TestCompareScoresAllOnTheSameEntries(t *testing.T) {
	command := inFolder(t)
	both := func(first, second, test string, more ...string) {
		t.Helper()
		command(strings.Join(append([]string{"compare", first, second, "--test", test, "-o page.html"}, more...), " "), 0)
		page := string(must.Get(os.ReadFile("page.html"))(t))
		for _, model := range []string{first, second} {
			var of struct{ RMSE json.RawMessage }
			must.Do(t, json.Unmarshal([]byte(command("evaluate "+model+" "+test+" --json --quiet", 0)), &of))
			value, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(strings.Join(strings.Fields(string(of.RMSE)), ""), `{"value":`)), ",")
			if !strings.Contains(page, "<data value=\""+value+"\"") || !strings.Contains(page, "How well they predict the same test entries") {
				t.Errorf("the page does not have the RMSE %s of %s", value, model)
			}
		}
	}
	must.Do(t, os.WriteFile("new.csv", []byte("user,film,stars\nu01,f00,3\nu02,f01,5\nu03,f04,1\nu04,f05,2\n"), 0o666))
	command("fit r.csv --features f.csv -k 1 --gamma 1 --quiet -o one", 0)
	command("fit r.csv --features f.csv -k 2 --gamma 1 --quiet -o two", 0)
	both("one", "two", "new.csv")
	command("regress f.csv --target a -k 1 --gamma 1 --quiet -o rone", 0)
	command("regress f.csv --target a -k 2 --gamma 1 --quiet -o rtwo", 0)
	both("rone", "rtwo", "f.csv")
	command("compare one two --test none.csv -o page.html", exitUsage)
}

// TestNamesMayHaveTheirIDsInAnyField: of a table made for other things.
func TestNamesMayHaveTheirIDsInAnyField(t *testing.T) {
	command := inFolder(t)
	table := "FILM_NAME,ID,YEAR\n"
	for j := range 20 {
		table += fmt.Sprintf("The %dth,f%02d,%d\n", j, j, 1990+j)
	}
	must.Do(t, os.WriteFile("names.csv", []byte(table), 0o666))
	must.Do(t, os.WriteFile("others.csv", []byte("id,name\nx,y\n"), 0o666))
	command("fit r.csv --features f.csv -k 1 --gamma 1 --quiet -o m --names names.csv --report page.html", 0)
	if text := string(must.Get(os.ReadFile("page.html"))(t)); !strings.Contains(text, "The prediction for The ") && !strings.Contains(text, "for The ") {
		t.Error("the report does not have the names")
	}
	command("recommend m --row u01 --top 3 --names names.csv", 0, ",The ", `the names are those of the field "FILM_NAME"`)
	command("report m --names names.csv -o page.html", 0)
	command("recommend m --row u01 --names others.csv", exitUsage, "none of its ids is a column of the model")
}

// TestColumnsWithoutEntriesDoNotCount: neither in the shape of the data, nor for levels and scales; they are predicted.
func TestColumnsWithoutEntriesDoNotCount(t *testing.T) {
	command := inFolder(t)
	features, more := "film,size,kind\n", ""
	for j := range 20 {
		features += fmt.Sprintf("f%02d,%d,%c\n", j, j%7, 'a'+j%3)
	}
	for j := range 15 {
		more += fmt.Sprintf("x%02d,%d,z%d\n", j, 1000*j, j)
	}
	must.Do(t, os.WriteFile("fewer.csv", []byte(features), 0o666))
	must.Do(t, os.WriteFile("more.csv", []byte(features+more), 0o666))
	fit := func(features, model, kind string, says ...string) string {
		return command("fit r.csv --features "+features+" --model "+kind+" -k 2 --gamma 1 --log-times=false -o "+model, 0, says...)
	}
	for _, kind := range []string{"full", "paper --scale zscore"} {
		fewer := fit("fewer.csv", "m", kind, "25 users × 20 films (75 % observed)")
		both := fit("more.csv", "n", kind, "25 users × 20 films (75 % observed; 15 more without", `field "kind" has levels that no column with entries has, such as "z0"`)
		errors := func(text string) string {
			_, after, _ := strings.Cut(text, "Train")
			line, _, _ := strings.Cut(after, "\n")
			return line
		}
		if errors(fewer) != errors(both) {
			t.Errorf("%s: %s, and with columns without entries %s", kind, errors(fewer), errors(both))
		}
	}
	command("recommend n --row u01 --top 30 --keep-seen", 0, "x14")
}

// TestAllYesIsNoCertainty: a group of entries that are all yes has an interval.
func TestAllYesIsNoCertainty(t *testing.T) {
	command := inFolder(t)
	command("fit yes.csv --features f.csv -k 1 --gamma 1 --quiet -o model", 0)
	yes := strings.ReplaceAll(string(must.Get(os.ReadFile("yes.csv"))(t)), ",0\n", ",1\n")
	must.Do(t, os.WriteFile("all.csv", []byte(yes), 0o666))
	out := command("evaluate model all.csv --resamples 0", 0, "the 95 % interval of what is observed", "observed 1 (0.9")
	if strings.Contains(out, "±") || strings.Contains(out, "observed 1 (1 ") {
		t.Errorf("a group that is all yes has no interval:\n%s", out)
	}
	command("evaluate model all.csv --resamples 0 --json", 0, `"interval": {`)
	command("report model -o page.html", 0)
	if !strings.Contains(string(must.Get(os.ReadFile("page.html"))(t)), "calibration.0.interval.low") {
		t.Error("the report's calibration has no intervals")
	}
}

// TestSquaresOfYesAndNoAreSaid: where something asked for keeps yes and no from their own
// loss, a note names it.
func TestSquaresOfYesAndNoAreSaid(t *testing.T) {
	command := inFolder(t)
	for _, c := range []struct{ flags, why string }{
		{"-k 1 --gamma 1 --model pooled", "model pooled"},
		{"--method softimpute", "method softimpute"},
		{"--method effects", "method effects"},
	} {
		command("fit yes.csv --features f.csv "+c.flags, 0, "note: all values are 0 or 1: they are fitted by squared errors, as numbers, because --"+c.why+" needs them", "Settings  loss squared")
		if out := command("fit r.csv --features f.csv "+c.flags, 0); strings.Contains(out, "0 or 1") {
			t.Errorf("stars are taken for yes and no: %s", out)
		}
	}
	if out := command("fit yes.csv --features f.csv --method effects --loss squared", 0); strings.Contains(out, "note: all values") {
		t.Error("a note about what was asked for")
	}
}

// TestFoldInWarnsOfFewerEntries: a known row that is fitted again to a part of its entries.
func TestFoldInWarnsOfFewerEntries(t *testing.T) {
	command := inFolder(t)
	command("fit r.csv --features f.csv -k 1 --gamma 1 --quiet -o model", 0)
	must.Do(t, os.WriteFile("few.csv", []byte("user,film,stars\nu03,f01,3\nu04,f02,5\nnew,f01,2\n"), 0o666))
	command("fold-in model few.csv -o bigger", 0, `warning: "u03" is now fitted to 1 entry instead of 15, and 1 user more likewise: give old entries too`)
	if out := command("fold-in model r.csv -o bigger", 0); strings.Contains(out, "warning") {
		t.Errorf("all entries, and a warning: %s", out)
	}
}

// TestOutputsSayWhatTheyAre: what a list is ordered by, which k a path of regressions
// chooses, and null where there is nothing to rank.
func TestOutputsSayWhatTheyAre(t *testing.T) {
	command := inFolder(t)
	command("fit r.csv --features f.csv -k 1 --gamma 1 --quiet -o model", 0)
	command("recommend model --row u01", 0, "note: ordered by cautious predictions, each less 1 standard deviation (--caution 0 takes nothing off)")
	command("recommend model --row u01 --caution 2 --diversity 0.5", 0, "less 2 standard deviations, and by --diversity")
	if out := command("recommend model --row u01 --caution 0", 0); strings.Contains(out, "cautious") {
		t.Errorf("caution without any: %s", out)
	}
	must.Do(t, os.WriteFile("two.csv", []byte("user,film,stars\nu01,f01,3\nu02,f02,3\n"), 0o666))
	command("evaluate model two.csv --json", 0, `"ndcg": null`, `"recall": null`)
	if out := command("evaluate model r.csv --json --resamples 0", 0); strings.Contains(out, "null") || strings.Count(out, `"recall": {`) != 1 {
		t.Errorf("rankings are lost: %s", out)
	}
	must.Do(t, os.WriteFile("h.csv", []byte(houses()), 0o666))
	command("regress h.csv --target price --skip street -k 2 --path", 0, "\nChoice    k = ")
}
