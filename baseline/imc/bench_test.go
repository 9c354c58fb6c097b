package imc

import (
	"context"
	"fmt"
	"testing"

	"optcomplete/baseline/effects"
	"optcomplete/data/synth"
	"optcomplete/internal/must"
)

// BenchmarkSteps is 10 steps at one λ, on one thread, on rows of the paper's
// Table 1.
func BenchmarkSteps(b *testing.B) {
	for _, c := range []synth.Config{
		{Rows: 100, Columns: 100, Features: 15, K: 5, Missing: 0.5, Noise: 0.01, Seed: 1},
		{Rows: 10_000, Columns: 1_000, Features: 100, K: 5, Missing: 0.95, Noise: 0.01, Seed: 1},
	} {
		b.Run(fmt.Sprintf("n=%d,m=%d,p=%d,rank=%d,missing=%v", c.Rows, c.Columns, c.Features, c.K, c.Missing), func(b *testing.B) {
			made := must.Get(synth.Generate(c))(b)
			for b.Loop() {
				steps := 0
				_, err := Fit(context.Background(), made.Ratings.Matrix(), made.Features, Settings{
					Rank: c.K, Lambdas: []float64{0.1}, Center: effects.NoCenter, Tolerance: 1e-300, MaxSteps: 10, OnStep: func(s Step) { steps++ },
				})
				if err != nil || steps < 10 {
					b.Fatal(err, steps)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/10/float64(made.Ratings.Observed())*1e9, "ns/entry/step")
		})
	}
}
