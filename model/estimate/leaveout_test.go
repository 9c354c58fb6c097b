package estimate

import (
	"math"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

// TestLeaveOutIsAFitWithoutTheEntry: for rows with few and many entries, with a prior
// and by least squares.
func TestLeaveOutIsAFitWithoutTheEntry(t *testing.T) {
	const d, columns = 3, 20
	draw := func(of ...uint64) float64 { return random.NormalOf(random.Hash(of...)) }
	design := make([]float64, columns*d)
	for x := range design {
		design[x] = draw(1, uint64(x))
	}
	prior := &Prior{Mean: []float64{0.5, -1, 2}, Covariance: []float64{2, 0.3, 0, 0.3, 1, -0.2, 0, -0.2, 0.5}, Noise: 0.7}
	fit := must.Get(prior.NewLeaveOut(design, d))(t)
	squares := RidgeLeaveOut(design, d, 0)
	solver := newRowSolver(d, 0)
	for _, n := range []int{1, 2, 3, 4, 5, 12} {
		at, values := make([]int32, n), make([]float64, n)
		for e := range n {
			at[e], values[e] = int32(e), draw(2, uint64(n), uint64(e))
		}
		out := make([]float64, n)
		without := func(e int) (rest []int32, a []float64) {
			for x := range n {
				if x != e {
					rest, a = append(rest, at[x]), append(a, values[x])
				}
			}
			return rest, a
		}
		check := func(what string, e int, u []float64, digits float64) {
			want := values[e]
			for x, b := range design[e*d:][:d] {
				want -= b * u[x]
			}
			if math.Abs(out[e]-want) > digits*(1+math.Abs(want)) {
				t.Errorf("%s, %d entries: entry %d is missed by %v, want %v", what, n, e, out[e], want)
			}
		}
		fit.Errors(at, values, nil, out)
		for e := range n {
			rest, a := without(e)
			u := must.Get(posteriorOf(prior, design, rest, a))(t)
			check("prior", e, u, 1e-9)
		}
		squares.Clone().Errors(at, values, nil, out)
		for e := range n {
			rest, a := without(e)
			u := make([]float64, d)
			if len(rest) > 0 {
				solver.solve(design, rest, a, u)
			}
			check("least squares", e, u, 1e-2) // the rest may all but miss a direction
		}
	}
}
