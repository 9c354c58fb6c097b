package optcomplete

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/encode"
	"optcomplete/evaluate"
	"optcomplete/internal/must"
	"optcomplete/model/estimate"
)

// goodbooks reads the real ratings that lie beside the repository: items with
// complete features, users with ten ratings or more.
func goodbooks(t *testing.T) Problem {
	t.Helper()
	folder := filepath.Join("..", "shared", "data", "goodbooks")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the goodbooks data is not here: %v", err)
	}
	table := must.Get(data.ReadRawTable(filepath.Join(folder, "features.csv.gz"), data.FeaturesOptions{}))(t)
	encoding, features, _, err := encode.Learn(t.Context(), table, encode.Options{CompleteOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	ratings, _, err := ingest.Ratings(t.Context(), []string{filepath.Join(folder, "ratings.csv.gz")}, ingest.Settings{Columns: features.IDs, DropUnknown: true})
	if err != nil {
		t.Fatal(err)
	}
	return Problem{Ratings: ratings.WithEntries(10), Features: features, Encoding: encoding}
}

// TestFullBeatsEffectsOnGoodbooks is one cell of the study in
// docs/experiments.md, with γ and shrinkage given so that it is quick.
func TestFullBeatsEffectsOnGoodbooks(t *testing.T) {
	if testing.Short() {
		t.Skip("a fit of 600,000 ratings")
	}
	problem := goodbooks(t)
	train, held := evaluate.SplitMatrix(problem.Ratings.Matrix(), 0.2, 1)
	effects := must.Get(estimate.FitEffects(context.Background(), train, 2, 8, 2))(t)
	score := must.Get(evaluate.Score(context.Background(), held, effects, 2))(t)
	base := score.RMSE
	s := must.Get(Fit(t.Context(), problem, Settings{K: 5, Gamma: 0.0012, ColumnShrinkage: 8, Holdout: 0.2, Seed: 1, MaxNodes: 2}))(t).Summary
	t.Logf("effects %.5f; full, k = 5: %.5f (%.4f), gap %.2g, %s", base, s.Holdout.RMSE, s.Holdout.RMSE/base, s.Gap, s.Status)
	if ratio := s.Holdout.RMSE / base; ratio > 0.985 {
		t.Errorf("RMSE %v, %.4f of what effects alone leave", s.Holdout.RMSE, ratio)
	}
	if s.Gap > 0.01 {
		t.Errorf("gap %v after two nodes", s.Gap)
	}
}
