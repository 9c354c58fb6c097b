package regress

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"optcomplete/internal/random"
	"optcomplete/spec"
)

// autoregressive makes n rows of p normal features with correlation 0.5^|i−j|,
// k of them, evenly spread, with coefficients ±1, and noise of the given
// signal-to-noise ratio var(Xβ)/σ².
func autoregressive(n, p, k int, snr float64, seed uint64) Problem {
	rng := random.New(seed)
	problem := Problem{Names: make([]string, p), X: make([]float64, n*p), Y: make([]float64, n)}
	for j := range p {
		problem.Names[j] = fmt.Sprintf("x%d", j)
	}
	squares := 0.0
	for i := range n {
		row := problem.X[i*p:][:p]
		for j := range row {
			row[j] = rng.Normal()
			if j > 0 {
				row[j] = 0.5*row[j-1] + math.Sqrt(0.75)*row[j]
			}
		}
		for c := range k {
			problem.Y[i] += row[(2*c+1)*p/(2*k)] * (1 - 2*float64(c%2))
		}
		squares += problem.Y[i] * problem.Y[i]
	}
	sd := math.Sqrt(squares / float64(n) / snr)
	for i := range n {
		problem.Y[i] += sd * rng.Normal()
	}
	return problem
}

// BenchmarkFit is the instance: n = p = 1000, k = 10, correlation 0.5,
// signal-to-noise ratio 5, γ chosen by validation, and also given.
func BenchmarkFit(b *testing.B) {
	problem := autoregressive(1000, 1000, 10, 5, 1)
	for _, gn := range []float64{0, 10, 30} {
		b.Run(fmt.Sprintf("gamma*n=%g", gn), func(b *testing.B) {
			for range b.N {
				result, err := Fit(context.Background(), problem, Settings{K: 10, Statistics: spec.Statistics{Gamma: gn / 1000}, Limits: spec.Limits{TimeLimit: time.Minute}})
				if err != nil {
					b.Fatal(err)
				}
				if result.Status != "optimal" {
					b.Fatalf("%s, gap %g", result.Status, result.Gap)
				}
				b.ReportMetric(result.Gamma*1000, "gamma*n")
				b.ReportMetric(float64(result.Nodes), "nodes")
			}
		})
	}
}

// BenchmarkFitLarge has p = 10⁴ features and γ so large that ten seconds do not
// suffice: what it reports is the gap.
func BenchmarkFitLarge(b *testing.B) {
	problem := autoregressive(1000, 10_000, 10, 5, 1)
	for _, gn := range []float64{0, 30} {
		b.Run(fmt.Sprintf("gamma*n=%g", gn), func(b *testing.B) {
			for range b.N {
				result, err := Fit(context.Background(), problem, Settings{K: 10, Statistics: spec.Statistics{Gamma: gn / 1000}, Limits: spec.Limits{TimeLimit: 10 * time.Second}})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(result.Gamma*1000, "gamma*n")
				b.ReportMetric(100*result.Gap, "gap_%")
				b.ReportMetric(float64(result.Nodes), "nodes")
			}
		})
	}
}
