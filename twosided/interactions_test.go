package twosided

import (
	"context"
	"math"
	"slices"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/encode"
	"optcomplete/internal/must"
	"optcomplete/result"
	"optcomplete/spec"
)

// cells makes a problem of generated cells and drugs.
func cells(t testing.TB, c synth.Config) (Problem, *synth.Cells) {
	t.Helper()
	in := must.Get(synth.NewCells(c, 0))(t)
	p := Problem{Ratings: must.Get(in.Ratings())(t)}
	learn := func(table *data.RawTable) (*encode.Encoding, *data.Features) {
		e, f, _, err := encode.Learn(context.Background(), table, encode.Options{Scale: encode.AsIs})
		must.Do(t, err)
		return e, f
	}
	p.RowEncoding, p.Rows = learn(in.CellTable)
	p.ColumnEncoding, p.Columns = learn(in.DrugTable)
	return p, in
}

// rSquared is 1 − the mean squared error over the variance of the noise-free values, of
// missing entries.
func rSquared(in *synth.Cells, predict func(e *synth.TestEntry) float64) float64 {
	mean, square, off := 0.0, 0.0, 0.0
	for i := range in.Missing {
		mean += in.Missing[i].Value / float64(len(in.Missing))
	}
	for i := range in.Missing {
		e := &in.Missing[i]
		r, v := e.Value-predict(e), e.Value-mean
		off, square = off+r*r, square+v*v
	}
	return 1 - off/square
}

// TestInteractionsAreFound: strong effects, a mutation of 90 % of the cells, raw units.
// All true products are found, none else, and predictions of missing entries are as
// good as the true model's within 1 %.
func TestInteractionsAreFound(t *testing.T) {
	for _, c := range []synth.Config{
		{Rows: 300, Columns: 120, K: 6, Missing: 0.5, Noise: 1, Seed: 1},
		{Rows: 200, Columns: 150, K: 8, Missing: 0.8, Noise: 0.8, Seed: 2},
	} {
		problem, in := cells(t, c)
		m := must.Get(Fit(context.Background(), problem, Settings{K: c.K, Statistics: spec.Statistics{Holdout: 0.1}}))(t)
		want := []string{}
		for _, p := range in.True {
			want = append(want, p.Name())
		}
		got := slices.Clone(m.Summary.Selected)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: selected %v, the truth is %v", c.Seed, got, want)
		}
		best := rSquared(in, func(e *synth.TestEntry) float64 { return e.NoiseFree })
		own := rSquared(in, func(e *synth.TestEntry) float64 {
			return must.Get(m.Predict(in.CellTable.IDs[e.Row], in.DrugTable.IDs[e.Column]))(t)
		})
		t.Logf("seed %d: R² %.4f, of the truth %.4f; gap %v, γ %v, noise %v; %v", c.Seed, own, best, m.Summary.Gap, m.Summary.Gamma, m.Summary.Learned.Noise, m.Summary.Against)
		if own < best-0.01 {
			t.Errorf("seed %d: R² %.4f, of the truth %.4f", c.Seed, own, best)
		}
		if m.Summary.Status != result.Optimal || m.Summary.Against.RMSE >= m.Summary.Against.Effects {
			t.Errorf("seed %d: %v, %v", c.Seed, m.Summary.Status, *m.Summary.Against)
		}
		for _, p := range m.Summary.Products {
			for _, q := range in.True {
				if q.Row == p.Row && q.Column == p.Column && !(math.Abs(p.Size-q.Coefficient) < 0.05) {
					t.Errorf("%s has the size %.3f, not %.3f", q.Name(), p.Size, q.Coefficient)
				}
			}
		}
	}
}
