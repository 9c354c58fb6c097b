package objective

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/search"
)

// logisticInstance is yes/no entries made from k of p features, each row with its
// own coefficients.
func logisticInstance(n, m, p, k int, observed float64, seed uint64) (*data.Matrix, *data.Features) {
	rng := random.New(seed)
	features := randomFeatures(m, p)
	var entries []data.Entry
	for i := range n {
		u := make([]float64, k)
		for y := range u {
			u[y] = rng.Normal()
		}
		for j := range m {
			x := 0.0
			for y, by := range u {
				x += by * features.Row(j)[(2*y+1)*p/(2*k)]
			}
			chosen, yes := random.Unit(rng.Uint64()) < observed, random.Unit(rng.Uint64()) < loss.Logistic.Mean(x)
			if !chosen {
				continue
			}
			a := 0.0
			if yes {
				a = 1
			}
			entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: a})
		}
	}
	matrix, err := data.NewMatrix(n, m, entries)
	if err != nil {
		panic(err)
	}
	return matrix, features
}

// BenchmarkLogistic proves selections of yes/no data.
func BenchmarkLogistic(b *testing.B) {
	for _, size := range []struct {
		n, m, p, k int
		observed   float64
		gap        float64
	}{{100, 100, 50, 5, 0.5, 0}, {10000, 1000, 100, 5, 0.05, 0.01}, {1, 1000, 200, 5, 1, 0}} {
		for _, gamma := range []float64{0.1, 1, 10} {
			b.Run(fmt.Sprintf("n=%d/p=%d/gamma=%g", size.n, size.p, gamma), func(b *testing.B) {
				matrix, features := logisticInstance(size.n, size.m, size.p, size.k, size.observed, 1)
				for b.Loop() {
					o := NewConvex(matrix, features, gamma, loss.Scaled{Loss: loss.Logistic}, nil, nil, 0)
					result := must.Get(search.Minimize(context.Background(), o, search.Settings{K: size.k, Gap: size.gap, TimeLimit: time.Minute}))(b)
					b.ReportMetric(100*math.Max(result.Gap, 0), "gap_%")
					b.ReportMetric(float64(result.Passes), "passes")
					b.ReportMetric(float64(result.Nodes), "nodes")
				}
			})
		}
	}
}
