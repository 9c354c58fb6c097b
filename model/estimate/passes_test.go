package estimate

import (
	"context"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/passtest"
	"optcomplete/loss"
	"optcomplete/pass"
)

// TestPassesGiveTheSameBitsWhenSent sends the passes that fit coefficients to
// workers that know nothing but what they are sent.
func TestPassesGiveTheSameBitsWhenSent(t *testing.T) {
	apart := pass.NewApart(2)
	const d = 3
	matrix := passtest.Source(900, 40)
	design := make([]float64, 40*d)
	for x := range design {
		design[x] = float64(x*x%17) / 5
	}
	shared, columns := pass.Share(design), pass.Share(design[:40])
	prior := must.Get(learnPrior(context.Background(), matrix, design, d, 3, 2, 0))(t)
	given := func(l loss.Loss) rowsGiven {
		return rowsGiven{Design: shared, Gamma: []float64{0.2, 0.5, 0}[:d], Noise: 2, Mean: 0.5, Columns: columns, Loss: loss.Scaled{Loss: l, Unit: 0.7}, Unit: 1}
	}
	for _, source := range passtest.Views(t, matrix) {
		step := effectsStep{Mean: 0.5, Shrinkage: 4, Columns: columns}
		passtest.Same(t, apart, source, step, rowEffects{step}, squaring{},
			&learnStep{Design: shared, Prior: prior.Prior, Every: 1},
			&learnStep{Design: shared, Prior: prior.Prior, Every: 2, kept: newLearner(source, design, d, 1, 0).kept},
			columnsLeft{Mean: 0.5, Columns: columns, Design: shared, Prior: prior.Prior},
			levelsStep{Loss: loss.Scaled{Loss: loss.Huber, Unit: 0.7}, Mean: 0.5, Penalty: 2, Columns: columns},
			rowLevels{levelsStep{Loss: loss.Scaled{Loss: loss.Huber, Unit: 0.7}, Mean: 0.5, Penalty: 2, Columns: columns}},
			&rowFit{Design: shared, K: d, Effects: true, Link: NewLink(loss.Scaled{Loss: loss.Huber, Unit: 0.7}, 1, &Variances{Level: 0.3, Features: []float64{0.5, 0.1, 2}}, []bool{true, false, true}), Mean: 0.5, Columns: columns, Unseen: make([]float64, d+1)},
			&rowFit{Design: shared, K: d, Lambda: 0.5},
			&varianceStep{Given: given(loss.Squared)}, &varianceStep{Given: given(loss.Huber)},
			&varianceScores{Given: given(loss.Squared), All: shared, P: d, Seed: 1},
			&rowFit{Design: shared, K: d - 1, Prior: &prior.Prior, Effects: true, Unseen: prior.Mean})
	}
}
