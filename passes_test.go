package optcomplete_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/formulation"
	"optcomplete/internal/must"
	"optcomplete/internal/passtest"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/model/tables"
	"optcomplete/pass"
	"optcomplete/spec"
	"optcomplete/twosided"
)

// TestEveryPassCanBeSent: every reading of fits that choose, search, refit, learn a
// remainder, score, describe and complete has the same bits by workers that know nothing
// but what they are sent, and these are all passes there are.
func TestEveryPassCanBeSent(t *testing.T) {
	check := passtest.NewChecking(t)
	ctx := pass.WithRunner(context.Background(), check)
	in, err := synth.Generate(synth.Config{Rows: 70, Columns: 24, Features: 6, K: 2, Missing: 0.4, Noise: 0.3, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	var fitted *model.Model
	for _, c := range []struct {
		model            spec.Kind
		loss             loss.Loss
		rank             int
		stored, weighted bool
	}{
		{model: spec.Paper, stored: true}, {model: spec.Pooled}, {model: spec.Full}, {model: spec.Full, rank: formulation.AutoRank},
		{model: spec.Full, loss: loss.Huber}, {model: spec.Full, loss: loss.Poisson}, {model: spec.Full, loss: loss.Auto},
		{model: spec.Full, weighted: true}, {model: spec.Full, weighted: true, rank: formulation.AutoRank},
	} {
		settings := formulation.Settings{Model: c.model, Loss: c.loss, ResidualRank: c.rank}
		settings.K, settings.Holdout, settings.Gamma = 2, 0.2, 0
		problem := formulation.Problem{Ratings: valuesFor(t, c.loss, in.Ratings, c.stored, c.weighted), Features: in.Features}
		if fitted, err = formulation.Fit(ctx, problem, settings); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
	}
	must.Do(t, tables.Complete(ctx, fitted, io.Discard, tables.CSV, nil, tables.Observed{}, 1))
	var numbers []float64
	for i := range in.Ratings.RowIDs {
		numbers = append(numbers, float64(i%7), float64(i%5))
	}
	people := data.NewFeatures(in.Ratings.RowIDs, []string{"x", "y"}, numbers)
	products := twosided.Settings{K: 2}
	products.Holdout = 0.2
	if _, err := twosided.Fit(ctx, twosided.Problem{Ratings: in.Ratings, Columns: in.Features, Rows: people}, products); err != nil {
		t.Fatal(err)
	}
	if _, err := pass.Fingerprint(ctx, in.Ratings.Source(), 1); err != nil {
		t.Fatal(err)
	}
	seen := check.Seen()
	for _, name := range []string{"objective.rowCosts", "objective.norming", "objective.enumeration", "objective.modelling", "objective.chosen", "objective.listing", "objective.convexFitting", "evaluate.draws", "evaluate.measuring", "engine.shardPacking"} { // by the tests of the packages
		seen["optcomplete/"+name] = true
	}
	for _, name := range registered(t) {
		if !seen[name] {
			t.Errorf("%s is registered, and no reading here was by it", name)
		}
	}
}

// valuesFor is the ratings with values that suit the loss, in memory or stored.
func valuesFor(t *testing.T, l loss.Loss, r *data.Ratings, stored, weighted bool) *data.Ratings {
	m := r.Source().(*data.Matrix).Map(func(_ int, _ int32, v float64) float64 {
		switch {
		case l == loss.Poisson:
			return float64(int(v*v) % 6)
		case l == loss.Auto && v > 0:
			return 1
		case l == loss.Auto:
			return 0
		}
		return v
	})
	if weighted {
		weights := make([]float64, m.Observed())
		for x := range weights {
			weights[x] = float64(1 + x%3)
		}
		var err error
		if m, err = m.WithWeights(weights); err != nil {
			t.Fatal(err)
		}
	}
	var source data.Source = m
	if stored {
		source = struct{ data.Source }{m}
	}
	return data.NewRatings(source, r.RowIDs, r.ColumnIDs)
}

var registers = regexp.MustCompile(`(?:pass\.|[\t ])Register\("[^"]*", &?(\w+)\{`)

// registered are the types of all passes that Register is called with.
func registered(t *testing.T) (all []string) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "passtest") || d.Name() == "doc.go" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range registers.FindAllSubmatch(text, -1) {
			all = append(all, fmt.Sprintf("%s.%s", strings.TrimSuffix("optcomplete/"+filepath.ToSlash(filepath.Dir(path)), "/."), found[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
