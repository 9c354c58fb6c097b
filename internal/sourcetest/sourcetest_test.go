package sourcetest

import (
	"testing"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
)

func TestMatrixAndViews(t *testing.T) {
	made := must.Get(synth.Generate(synth.Config{Rows: 60, Columns: 40, Features: 6, K: 3, Missing: 0.7, Noise: 0.1, Seed: 3}))(t)
	m := made.Ratings.Matrix()
	t.Run("matrix", func(t *testing.T) { Run(t, m, m) })
	t.Run("stored", func(t *testing.T) { Run(t, Stored(m), m) })
}
