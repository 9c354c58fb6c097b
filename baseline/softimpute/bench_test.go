package softimpute

import (
	"fmt"
	"testing"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
)

// BenchmarkSteps is 30 steps at one λ, on one thread, on rows of the paper's
// Table 1.
func BenchmarkSteps(b *testing.B) {
	for _, c := range []synth.Config{
		{Rows: 100, Columns: 100, Features: 15, K: 5, Missing: 0.5, Noise: 0.01, Seed: 1},
		{Rows: 10_000, Columns: 100, Features: 15, K: 5, Missing: 0.95, Noise: 0.01, Seed: 1},
		{Rows: 10_000, Columns: 1_000, Features: 15, K: 5, Missing: 0.95, Noise: 0.01, Seed: 1},
		{Rows: 10_000, Columns: 1_000, Features: 30, K: 20, Missing: 0.95, Noise: 0.01, Seed: 1},
	} {
		b.Run(fmt.Sprintf("n=%d,m=%d,rank=%d,missing=%v", c.Rows, c.Columns, c.K, c.Missing), func(b *testing.B) {
			made := must.Get(synth.Generate(c))(b)
			for b.Loop() {
				f, err := solveOne(made.Ratings.Matrix(), c.K, 1, nil, Settings{Tolerance: 1e-300, MaxSteps: 30})
				if err != nil || f.Rank == 0 {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/30/float64(made.Ratings.Observed())*1e9, "ns/entry/step")
		})
	}
}
