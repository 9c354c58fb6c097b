package optcomplete_test

import (
	"context"
	"strings"
	"testing"

	"optcomplete/data/synth"
	"optcomplete/encode"
	"optcomplete/formulation"
	"optcomplete/internal/must"
	"optcomplete/spec"
)

// TestWorseThanEffectsIsSaidFirst: the paper's model of values with strong effects of rows
// and columns, which its features do not express, warns of that before anything else; the
// model full, which has such effects, does not.
func TestWorseThanEffectsIsSaidFirst(t *testing.T) {
	in := must.Get(synth.NewCells(synth.Config{Rows: 120, Columns: 60, K: 3, Missing: 0.4, Noise: 1, Seed: 1}, 1))(t)
	encoding, features, _, err := encode.Learn(context.Background(), in.DrugTable, encode.Options{})
	must.Do(t, err)
	problem := formulation.Problem{Ratings: must.Get(in.Ratings())(t), Features: features, Encoding: encoding}
	for model, worse := range map[spec.Kind]bool{spec.Paper: true, spec.Full: false} {
		settings := formulation.Settings{K: 2, Model: model}
		settings.Holdout = 0.2
		m := must.Get(formulation.Fit(context.Background(), problem, settings))(t)
		warned := len(m.Summary.Warnings) > 0 && strings.Contains(m.Summary.Warnings[0], "worse than row and column effects alone")
		if warned != worse {
			t.Errorf("%v: warnings %q, RMSE %v, baselines %+v", model, m.Summary.Warnings, m.Summary.Holdout.RMSE, m.Summary.Baselines)
		}
	}
}
