package formulation

import (
	"context"
	"fmt"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/spec"
)

// yesAndNo is an n×m table of yes and no with effects of rows and columns, and k of p
// normal features whose coefficients differ between rows by 1.5.
func yesAndNo(tb testing.TB, n, m, p, k int, observed float64) Problem {
	s := random.New(1)
	normal := func() float64 { return random.NormalOf(s.Uint64()) }
	values, level := make([]float64, m*p), make([]float64, m)
	for x := range values {
		values[x] = normal()
	}
	for j := range level {
		level[j] = 0.7 * normal()
	}
	var entries []data.Entry
	u := make([]float64, k)
	for i := range n {
		for f := range u {
			u[f] = 1.5 * normal()
		}
		row := 0.8 * normal()
		for j := range m {
			if random.Unit(s.Uint64()) >= observed {
				continue
			}
			x, v := row+level[j], 0.0
			for f := range u {
				x += u[f] * values[j*p+f*p/k]
			}
			if random.Unit(s.Uint64()) < loss.Logistic.Mean(x) {
				v = 1
			}
			entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: v})
		}
	}
	name := func(letter string, count int) (out []string) {
		for x := range count {
			out = append(out, fmt.Sprintf("%s%05d", letter, x))
		}
		return out
	}
	matrix := must.Get(data.NewMatrix(n, m, entries))(tb)
	ids := name("c", m)
	return Problem{Ratings: data.NewRatings(matrix, name("r", n), ids), Features: data.NewFeatures(ids, name("f", p), values)}
}

// BenchmarkLogistic is whole fits of yes and no: γ chosen, features selected and
// proven, rows fitted, compared with simpler predictions.
func BenchmarkLogistic(b *testing.B) {
	for _, c := range []struct {
		n, m, p  int
		observed float64
	}{{100, 100, 50, 0.5}, {10_000, 1_000, 100, 0.05}} {
		b.Run(fmt.Sprintf("%d×%d,p=%d", c.n, c.m, c.p), func(b *testing.B) {
			problem := yesAndNo(b, c.n, c.m, c.p, 5, c.observed)
			gap := 0.0
			for b.Loop() {
				fitted := must.Get(Fit(context.Background(), problem, Settings{K: 5, Loss: loss.Logistic, Statistics: spec.Statistics{Seed: 1}}))(b)
				gap = max(gap, fitted.Gap)
			}
			b.ReportMetric(100*gap, "gap-%")
		})
	}
}
