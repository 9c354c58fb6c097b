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
	"optcomplete/internal/must"
	"optcomplete/loss"
	"optcomplete/regress"
	"optcomplete/regress/saved"
	"optcomplete/result"
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
		r := must.Get(regress.Fit(context.Background(), table, settings))(t)
		settings.Holdout = 0
		walked := must.Get(regress.Path(context.Background(), table, settings, selection.PathSettings{KMax: 3, Folds: 2, Bootstrap: 2}))(t)
		var pathText bytes.Buffer
		must.Do(t, result.WriteJSON(&pathText, walked))
		file := filepath.Join(t.TempDir(), "path.json")
		must.Do(t, os.WriteFile(file, pathText.Bytes(), 0o666))
		path := must.Get(ReadPath(file))(t)
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
		m := must.Get(Parse("houses", text))(t)
		models = append(models, m)
	}
	var b bytes.Buffer
	must.Do(t, Compare(&b, models))
	for _, want := range []string{"3 models side by side", "All of them select the same features", "Coefficient of each feature", "explains", "whether"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the comparison does not say %q", want)
		}
	}
	node := must.Get(html.Parse(&b))(t)
	checkNumbers(t, node, map[string][]byte{"0": text, "1": text, "2": other})
}
