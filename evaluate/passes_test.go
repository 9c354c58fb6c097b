package evaluate

import (
	"context"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/passtest"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/spec"
)

// TestPassesGiveTheSameBitsWhenSent sends the passes that score predictions to
// workers that know nothing but what they are sent.
func TestPassesGiveTheSameBitsWhenSent(t *testing.T) {
	apart := pass.NewApart(2)
	const k = 3
	matrix := passtest.Source(900, 40)
	chosen := make([]float64, 40*k)
	for x := range chosen {
		chosen[x] = float64(x*x%17) / 5
	}
	ctx := context.Background()
	parts, err := estimate.FitParts(ctx, matrix, chosen, k, estimate.Recipe{Kind: spec.Full, Refit: spec.Ridge, Gamma: 1, RowShrinkage: 2, ColumnShrinkage: 2})
	if err != nil {
		t.Fatal(err)
	}
	parts.ClipToValues()
	effects := must.Get(estimate.FitEffects(ctx, matrix, 2, 2, 1))(t)
	by := parts.Predictor(chosen, k)
	rows := make([]int, 900)
	for i := range rows {
		rows[i] = len(rows) - 1 - i
	}
	fitted := by.Of.Get()
	fitted.Entries, fitted.ColumnEntries = make([]int32, 900), make([]int32, 40)
	matched := make([]int32, 900)
	for i := range matched {
		if fitted.Entries[i], matched[i] = int32(i%5), int32(i); i%7 == 0 {
			matched[i] = -1
		}
	}
	answers := estimate.Answers{Of: pass.Share(fitted), Rows: pass.Share(matched)}
	for _, source := range passtest.Views(t, matrix) {
		passtest.Same(t, apart, source, Scoring(by), Scoring(effects), errorScoring(source, by),
			Scoring(Picked{by, rows}), draws{shareKeys(source), 3},
			measuring{answers, 0.2, 5, nil, []int32{3, 2, 1}},
			levels{0.5, 3, pass.Share(chosen[:40])})
	}
}
