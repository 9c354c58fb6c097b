package estimate

import (
	"context"
	"math"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
)

// TestLevelsAreAtTheLeast: no effect of a row can be moved without raising the
// penalised loss, and hardly one of a column.
func TestLevelsAreAtTheLeast(t *testing.T) {
	const n, m, row, column = 40, 25, 3.0, 2.0
	for _, l := range []loss.Scaled{{Loss: loss.Logistic}, {Loss: loss.Poisson}, {Loss: loss.Huber, Unit: 0.5}} {
		s := random.New(5)
		var entries []data.Entry
		for i := range n {
			for j := range m {
				if random.Unit(s.Uint64()) < 0.6 {
					v := float64((i*j+i)%3) + float64(j%2)
					if l.Loss == loss.Logistic {
						v = float64((i*j + i) % 2)
						if j == 3 {
							v = 1 // a column that says yes always
						}
					}
					entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: v})
				}
			}
		}
		matrix := must.Get(data.NewMatrix(n, m, entries))(t)
		e := must.Get(FitLevels(context.Background(), matrix, l, row, column, 2))(t)
		rows, columns := make([]float64, n), make([]float64, m) // slopes
		kappa := l.Kappa(e.Mean)
		for i := range n {
			rows[i] = 2 * kappa * row * e.Rows[i]
		}
		for j := range m {
			columns[j] = 2 * kappa * column * e.Columns[j]
		}
		for _, x := range entries {
			slope, _ := l.Slope(x.Value, e.Mean+e.Rows[x.Row]+e.Columns[x.Column])
			rows[x.Row] += slope
			columns[x.Column] += slope
		}
		for i, slope := range rows {
			if math.Abs(slope) > 1e-8 {
				t.Errorf("%v: row %d could fall by %g", l.Loss, i, slope)
			}
		}
		for j, slope := range columns {
			if math.Abs(slope) > 0.15 {
				t.Errorf("%v: column %d could fall by %g", l.Loss, j, slope)
			}
		}
	}
}
