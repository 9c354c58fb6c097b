package estimate

import (
	"context"
	"math"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

// TestWeightedEffectsAreAtTheLeast: whatever the weights, no effect can be moved without
// raising the weighted sum of squares and penalties.
func TestWeightedEffectsAreAtTheLeast(t *testing.T) {
	const n, m, row, column = 30, 12, 3.0, 2.0
	for _, magnitudes := range []float64{1, 2, 4, 8} {
		s := random.New(5)
		var entries []data.Entry
		var weights []float64
		for i := range n {
			for j := range m {
				if random.Unit(s.Uint64()) < 0.6 {
					entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: float64((i*j+i)%7) + float64(j%3)})
					weights = append(weights, math.Pow(10, magnitudes*(2*random.Unit(s.Uint64())-1)))
				}
			}
		}
		matrix, err := data.NewMatrix(n, m, entries)
		if err == nil {
			matrix, err = matrix.WithWeights(weights)
		}
		if err != nil {
			t.Fatal(err)
		}
		e := must.Get(FitEffects(context.Background(), matrix, row, column, 2))(t)
		slope, total := make([]float64, m), make([]float64, m)
		for j := range m {
			slope[j], total[j] = -column*e.Columns[j], column
		}
		for x, v := range entries {
			slope[v.Column] += weights[x] * (v.Value - e.Mean - e.Rows[v.Row] - e.Columns[v.Column])
			total[v.Column] += weights[x]
		}
		for j := range m {
			if by := slope[j] / total[j]; math.Abs(by) > 1e-7 {
				t.Errorf("weights of %g magnitudes: column %d, whose effect is %g, would change by %g", 2*magnitudes, j, e.Columns[j], by)
			}
		}
	}
}
