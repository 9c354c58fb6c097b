package wide

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSubsetsAgreeWithEvaluations: what a choice explains is the values' squares
// less the cost of the selection.
func TestSubsetsAgreeWithEvaluations(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	var s Subsets
	for range 60 {
		features, entries := 4+r.IntN(3), 2+r.IntN(8)
		b := make([]float64, features*entries)
		for x := range b {
			b[x] = r.NormFloat64() * math.Pow(10, float64(4*(x%features%3-1)))
		}
		in := &Regression{P: features, Feature: func(e, j int) (x, y float64) { return b[e*features+j], 1 }}
		squares := 0.0
		for range entries {
			a := r.NormFloat64()
			in.Values = append(in.Values, a)
			squares += a * a
		}
		candidates, left := features-r.IntN(2), 1+r.IntN(3)
		gains := make([]float64, choose(candidates, left))
		base := s.Row(in.Values, features, candidates, left, func(e, x int) float64 { return b[e*features+x] }, 1e6, gains)
		place := 0
		var walk func(from, left int, weights []float64)
		walk = func(top, left int, weights []float64) { // the largest of the choice first, as their places rise
			if left == 0 {
				at := &Penalty{Gamma: 1e6, Weights: weights}
				want := Evaluate(in, at).Cost
				if got := squares - base - gains[place]; math.Abs(got-want) > 1e-9*squares {
					t.Fatalf("choice %d of %d: %v, want %v", place, len(gains), got, want)
				}
				return
			}
			for c := left - 1; c < top; c++ {
				before := place
				with := append([]float64(nil), weights...)
				with[c] = 1
				place = before + choose(c, left)
				walk(c, left-1, with)
				place = before
			}
		}
		weights := make([]float64, features)
		for j := candidates; j < features; j++ {
			weights[j] = 1
		}
		walk(candidates, left, weights)
	}
}
