package report

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"optcomplete/encode"
	"optcomplete/loss"
	"optcomplete/regress"
	"optcomplete/regress/saved"
	"optcomplete/selection"
	"optcomplete/spec"
)

// TestRegressionHasAReport: also of other losses, with its path, and of rows held out.
func TestRegressionHasAReport(t *testing.T) {
	for _, l := range []loss.Loss{loss.Squared, loss.Logistic, loss.Poisson, loss.Huber} {
		table := regress.Problem{Names: []string{"size", "age", "<i>age", "luck"}}
		for i := range 80 {
			x := []float64{float64(i % 7), float64(i * i % 11), float64(i % 3), float64(i * 7 % 5)}
			y := 3*x[0] - 2*x[1] + float64(i%2)
			switch l {
			case loss.Logistic:
				y = float64((i + i/7) % 2)
			case loss.Poisson:
				y = float64(i % 7)
			}
			table.X, table.Y = append(table.X, x...), append(table.Y, y)
		}
		settings := regress.Settings{K: 2, Loss: l, Statistics: spec.Statistics{Holdout: 0.2, Seed: 3}}
		r, err := regress.Fit(context.Background(), table, settings)
		if err != nil {
			t.Fatal(err)
		}
		settings.Holdout = 0
		walked, err := regress.Path(context.Background(), table, settings, selection.PathSettings{KMax: 3, Folds: 2, Bootstrap: 2})
		if err != nil {
			t.Fatal(err)
		}
		var pathText bytes.Buffer
		if err := walked.WriteJSON(&pathText); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "path.json")
		if err := os.WriteFile(file, pathText.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		path, err := ReadPath(file)
		if err != nil {
			t.Fatal(err)
		}
		m := saved.New("price", r, encode.Plain(table.Names, table.X))
		m.Settings = map[string]string{"table": "my houses.csv", "target": "price", "holdout": "0.2"}
		text := jsonOf(t, m)
		page, node := written(t, text, path)
		for _, want := range []string{"proven optimal", "What each feature does", `explain <span class="name">price</span> best`, "Error by number of features", "How stable the selection is", "Validation " + l.Measure(),
			"optcomplete regress &#39;my houses.csv&#39; -k 2 --holdout 0.2 --target price --seed 0 -o model"} {
			if !strings.Contains(page, want) {
				t.Errorf("%v: the page does not say %q", l, want)
			}
		}
		if strings.Contains(page, "<i>age") {
			t.Error("a name is markup")
		}
		checkNumbers(t, node, map[string][]byte{"model": text, "path": pathText.Bytes()})
		compareRegressions(t, text)
	}
}

// compareRegressions: regressions have a page side by side, whose numbers are theirs.
func compareRegressions(t *testing.T, text []byte) {
	t.Helper()
	other := bytes.Replace(text, []byte(`"target": "price"`), []byte(`"target": "rent"`), 1)
	var models []*Model
	for _, text := range [][]byte{text, text, other} {
		m, err := Parse("houses", text)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	var b bytes.Buffer
	if err := Compare(&b, models); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3 models side by side", "All of them select the same features", "Coefficient of each feature", "explains", "whether"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the comparison does not say %q", want)
		}
	}
	node, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	checkNumbers(t, node, map[string][]byte{"0": text, "1": text, "2": other})
}
