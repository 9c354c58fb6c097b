package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// TestYesAndNoFromFileToReport: words become probabilities, and every verb speaks of
// them and not of errors relative to zero.
func TestYesAndNoFromFileToReport(t *testing.T) {
	t.Chdir(t.TempDir())
	var ratings, films strings.Builder
	ratings.WriteString("user,film,liked\n")
	films.WriteString("film,a,b,c\n")
	for j := range 30 {
		fmt.Fprintf(&films, "f%02d,%d,%d,%d\n", j, j%2, j*j%7, j%5)
	}
	for i := range 40 {
		for j := range 30 {
			if word := "no"; (i*7+j*3)%4 > 0 {
				if (j%2 == i%2) != ((i+j*j)%6 == 0) {
					word = "yes"
				}
				fmt.Fprintf(&ratings, "u%02d,f%02d,%s\n", i, j, word)
			}
		}
	}
	for name, text := range map[string]string{
		"liked.csv": ratings.String(), "films.csv": films.String(), "three.csv": "user,film,liked\nnew,f01,3\n", "pairs.csv": "user,film\nu01,f03\nnew,f04\n",
		"one.csv": "user,film,liked\nnew,f01,yes\nnew,f02,no\n",
	} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o666))
	}
	command := func(args string, code int, wants ...string) string {
		t.Helper()
		stdout, stderr := says(t, args, code, wants...)
		return stdout + stderr
	}
	text := command("fit liked.csv --features films.csv -k 1 --holdout 0.2 --gap 0.5 -o model --report report.html", 0,
		"all values are 0 or 1", "Learned   ", "log-loss", "AUC", "deviance explained")
	if strings.Contains(text, "MAPE") {
		t.Errorf("fit speaks of MAPE:\n%s", text)
	}
	if !strings.Contains(text, "Settings  loss logistic, model full") {
		t.Errorf("the settings do not say the loss:\n%s", text)
	}
	if proven := command("fit liked.csv --features films.csv -k 1 --gamma 0.1 --proof p.zst", 0, "Proof "); strings.Contains(proven, "logistic") {
		t.Errorf("with a proof, the loss is not squared:\n%s", proven)
	}
	if refused := command("fit liked.csv --features films.csv -k 1 --loss logistic --proof p.zst", 2, "or use --loss squared)"); strings.Contains(refused, "Settings ") {
		t.Errorf("refused after the settings:\n%s", refused)
	}
	command("fit liked.csv --features films.csv -k 1 --gamma 0.1 --nonnegative all,a", 0)
	if refused := command("fit liked.csv --features films.csv -k 1 --delta 1", 2, "--delta is for --loss huber, not for auto"); strings.Contains(refused, "Data ") {
		t.Errorf("refused after the data were read:\n%s", refused)
	}
	command("fit liked.csv --features films.csv -k 1 --gamma 0.1 --loss huber --delta 0.25 -o robust --report robust.html", 0, "Delta     0.25 ", "Shrinkage of column effects")
	command("evaluate robust liked.csv --resamples 0", 0, "errors beyond δ = 0.25 count linearly")
	if page, err := os.ReadFile("robust.html"); err != nil || !strings.Contains(string(page), "errors beyond δ = ") {
		t.Errorf("the report does not say δ (%v)", err)
	}
	page, err := os.ReadFile("report.html")
	for _, want := range []string{"How well the predictions separate yes from no", "lower log-loss than with", "differ on each feature", "on the scale of the log-odds", "Calibration", "log-odds"} {
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("the report does not say %q (%v)", want, err)
		}
	}
	if text := command("evaluate model liked.csv --json", 0, `"rmse"`); strings.Contains(text, "mape") {
		t.Errorf("evaluate has a MAPE of yes and no:\n%s", text)
	}
	if saved, err := os.ReadFile("model/model.json"); err != nil || strings.Contains(string(saved), "mape") {
		t.Errorf("the model has a MAPE of yes and no (%v)", err)
	}
	if text := command("evaluate model liked.csv", 0, "log-loss", "AUC", "Brier", "Calibration", "the 95 % interval of what is observed"); strings.Contains(text, "MAPE") {
		t.Errorf("evaluate speaks of MAPE:\n%s", text)
	}
	for _, squares := range []string{"--loss squared", "--model paper --gamma 1"} { // nor where yes and no are numbers
		text := command("fit liked.csv --features films.csv -k 1 --gap 0.5 --report squares.html "+squares, 0, "RMSE")
		if page, err := os.ReadFile("squares.html"); err != nil || strings.Contains(text+string(page), "MAPE") {
			t.Errorf("fit %s speaks of MAPE (%v):\n%s", squares, err, text)
		}
	}
	command("explain model", 0, "log-odds", "odds ratio")
	command("explain model --row u01 --column f03", 0, "odds ×", "probability 0.")
	command("predict model pairs.csv", 0, "new row")
	command("predict model pairs.csv --interval 90", 0, "basis,low,high")
	command("fold-in model three.csv", 2, "is for 0 (no), 1 (yes)")
	command("fold-in model one.csv", 0, "new,2,")
	command("evaluate model three.csv", 2, "is for 0 (no), 1 (yes)")
	command("recommend model --row u01 --top 2", 0, "u01,1,")
	command("fit liked.csv --features films.csv -k 1 --loss logistic --nonnegative all --residual-rank 2", 2, "--residual-rank", "must not be negative")
	command("fit liked.csv --features films.csv -k 1 --gap 0.5 --residual-rank 2", 0, "log-loss")
	command("fit liked.csv --features films.csv -k 1 --gamma 1 --model paper", 0, "RMSE")
	// All the same: no proof says anything, and the report is written all the same.
	ones := strings.ReplaceAll(ratings.String(), ",no\n", ",yes\n")
	must.Do(t, os.WriteFile("ones.csv", []byte(ones), 0o666))
	command("fit ones.csv --features films.csv -k 1 --gap 0.5 --holdout 0.2 --loss logistic --report ones.html", 0, "all values are 1", "entries that say no")
	command("path liked.csv --features films.csv --k-max 2 --folds 2 --gamma 0.1 --loss logistic", 0, "log-loss on 2 folds")
}
