package kernel

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkCorrelateTwo is an entry of a row with 56 features of two values.
func BenchmarkCorrelateTwo(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const m, size, entries = 14_538, 56, 200
	cols, r := increasing(rng, entries, m), random(rng, entries)
	z, low, high, bits := random(rng, size), random(rng, size), random(rng, size), make([]uint64, m)
	for c := range bits {
		bits[c] = rng.Uint64()
	}
	for b.Loop() {
		CorrelateTwo(z, low, high, cols, r, bits)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/entries, "ns/entry")
}
