package objective

import (
	"context"
	"fmt"
	"testing"
	"time"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/search"
)

// BenchmarkPooledAgainstExact times an evaluation of each cost in turn, on a
// paper instance (1000×1000, 95 % missing, p = 50), at a selection and at weights
// on more and more features; ratio is pooled ÷ exact.
func BenchmarkPooledAgainstExact(b *testing.B) {
	in := must.Get(synth.Generate(synth.Config{Rows: 1000, Columns: 1000, Features: 50, K: 5, Missing: 0.95, Noise: 0.01, Seed: 1}))(b)
	exact := NewExact(in.Ratings.Matrix(), in.Features, 1, 0)
	pooled := NewPooled(NewExact(in.Ratings.Matrix(), in.Features, 1, 0), 100)
	for _, support := range []int{5, 10, 20, 50} {
		for _, curved := range []bool{false, true} {
			b.Run(fmt.Sprintf("support=%d/curved=%v", support, curved), func(b *testing.B) {
				s, gradient := make([]float64, 50), make([]float64, 50)
				for j := range support {
					s[j] = 5 / float64(support)
				}
				var hessian []float64
				if curved {
					hessian = make([]float64, support*support)
				}
				var times [2]time.Duration
				for b.Loop() {
					for x, o := range []search.Curved{exact, pooled} {
						start := time.Now()
						if _, _, err := evalInto(context.Background(), o, s, gradient, hessian); err != nil {
							b.Fatal(err)
						}
						times[x] += time.Since(start)
					}
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(times[0].Microseconds())/float64(b.N), "µs-exact")
				b.ReportMetric(float64(times[1].Microseconds())/float64(b.N), "µs-pooled")
				b.ReportMetric(float64(times[1])/float64(times[0]), "ratio")
			})
		}
	}
}
