package formulation

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/spec"
)

// TestReportOfASample: of large data what only a report needs is of a sample of rows,
// within a few of its standard errors of what all rows give; all else is the same.
func TestReportOfASample(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 900, Columns: 40, Features: 12, K: 3, Missing: 0.5, Noise: 0.3, Seed: 3}))(t)
	problem := Problem{Ratings: in.Ratings, Features: in.Features}
	defer func(old int) { reportEntries = old }(reportEntries)
	for _, holdout := range []float64{0, 0.2} {
		settings := Settings{Model: spec.Full, K: 3, Statistics: spec.Statistics{Gamma: 0.5, ColumnShrinkage: 4, Holdout: holdout}, Limits: spec.Limits{Threads: 1}}
		reportEntries = 1 << 20
		all := timeless(fit(t, problem, settings))
		reportEntries = 6000
		some := timeless(fit(t, problem, settings))
		settings.Threads = 3
		same(t, "threads", some, timeless(fit(t, problem, settings)))
		sample := some.Summary.Diagnostics.Sample
		if all.Summary.Diagnostics.Sample != nil || sample == nil || sample.Rows < 200 || sample.Rows > 500 {
			t.Fatalf("hold-out %v: sample %+v, of all %+v", holdout, sample, all.Summary.Diagnostics.Sample)
		}
		for x, b := range some.Summary.Baselines {
			whole := all.Summary.Baselines[x]
			if b.Error <= 0 || whole.Error != 0 || math.Abs(b.RMSE-whole.RMSE) > 6*b.Error {
				t.Errorf("hold-out %v, %s: RMSE %v ± %v, of all rows %v", holdout, b.Name, b.RMSE, b.Error, whole.RMSE)
			}
		}
		a, b := all.Summary, some.Summary
		if diff := cmp.Diff([]any{a.Train, a.Holdout, a.Variance, a.Removal, a.Diagnostics.Values, a.Diagnostics.Fingerprint}, []any{b.Train, b.Holdout, b.Variance, b.Removal, b.Diagnostics.Values, b.Diagnostics.Fingerprint}); diff != "" {
			t.Errorf("hold-out %v: %s", holdout, diff)
		}
	}
}
