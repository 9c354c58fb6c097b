package formulation

import (
	"context"
	"strings"
	"testing"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/spec"
)

// TestReadingsStayWithinBudget: how often a fit reads its data, by what for. What
// is searched (evaluations, enumerations) is counted beside it, since it depends
// on the instance; trials, samples, comparisons and the report read parts of the
// data: of large data, a sample of rows.
func TestReadingsStayWithinBudget(t *testing.T) {
	for _, c := range []struct {
		name    string
		kind    spec.Kind
		holdout float64
		most    int
	}{
		{"paper", spec.Paper, 0, 2},
		{"paper with a hold-out", spec.Paper, 0.2, 4},
		{"pooled", spec.Pooled, 0, 27},
		{"full", spec.Full, 0, 113},
	} {
		in := must.Get(synth.Generate(synth.Config{Rows: 600, Columns: 40, Features: 12, K: 3, Missing: 0.5, Noise: 0.3, Seed: 3}))(t)
		problem := Problem{Ratings: in.Ratings, Features: in.Features} // a new one, of which nothing is known
		settings := Settings{Model: c.kind}
		settings.K, settings.Gamma, settings.Gamma0, settings.ColumnShrinkage, settings.Holdout = 3, 0.5, 5, 4, c.holdout
		fitted := must.Get(Fit(context.Background(), problem, meant(settings)))(t)
		of := fitted.Summary.Readings
		searched, more := 0, 0
		for name, n := range of {
			switch {
			case strings.Contains(name, ": "):
			case strings.HasPrefix(name, "evaluation"), strings.HasPrefix(name, "enumeration"), name == "population":
				searched += n
			default:
				more += n
			}
		}
		t.Logf("%s: %d passes, of the search %d, and %d more: %v", c.name, fitted.Summary.Passes, searched, more, of)
		if searched == 0 || more > c.most {
			t.Errorf("%s: %d more readings than the search's, at most %d are allowed: %v", c.name, more, c.most, of)
		}
	}
}
