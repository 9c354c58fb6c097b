package diagnose

import (
	"context"
	"testing"

	"optcomplete/internal/passtest"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/spec"
)

// TestPassesGiveTheSameBitsOverPipes sends the passes that look at a model to
// workers that know nothing but what they are sent.
func TestPassesGiveTheSameBitsOverPipes(t *testing.T) {
	pipes := pass.NewPipes(2)
	defer pipes.Close()
	const n, m, k = 900, 40, 3
	matrix := passtest.Source(n, m)
	chosen, bins := make([]float64, m*k), make([]uint8, m*k)
	for x := range chosen {
		chosen[x], bins[x] = float64(x*x%17)/5, uint8(x%termBins)
	}
	parts, err := estimate.FitParts(context.Background(), matrix, chosen, k, estimate.Recipe{Kind: spec.Full, Refit: spec.Ridge, Gamma: 1, RowShrinkage: 2, ColumnShrinkage: 2})
	if err != nil {
		t.Fatal(err)
	}
	of := parts.Predictor(chosen, k).Of
	entries, rows := make([]int32, n), make([]int, n)
	for i := range entries {
		entries[i], rows[i] = int32(matrix.Entries(i)), n-1-i
	}
	frame := residualFrame{-2, 2, 0.7}
	for _, source := range passtest.Views(t, matrix) {
		passtest.Same(t, pipes, source, variancing{of, 0.3}, valuing{-2, 2},
			residualsBy{of, pass.Share(entries), pass.Share(bins), frame, nil},
			residualsBy{of, pass.Share(entries), pass.Share(bins), frame, rows})
	}
}
