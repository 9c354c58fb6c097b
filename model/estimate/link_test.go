package estimate

import (
	"math"
	"testing"

	"optcomplete/internal/random"
	"optcomplete/loss"
)

// TestLinkSolverEnds: where it ends, nothing pulls at a coefficient but zero, also
// where a step of all coefficients would make some negative, and with weights.
func TestLinkSolverEnds(t *testing.T) {
	for number := range uint64(3000) {
		rng := random.New(number, 0x6c696e6b)
		link := &Link{
			Scaled: loss.Scaled{Loss: loss.Loss(number % 4)}, RowPenalty: 2,
			Penalty: math.Pow(10, -3*random.Unit(rng.Uint64())), Nonnegative: []bool{true, true, number%3 == 0},
		}
		s := NewLinkSolver(link, 3)
		s.Begin()
		var a, weights []float64
		for range 2 + rng.Intn(5) {
			b := 20 * rng.Normal() // two features of large numbers that are nearly the same
			s.Entry(rng.Normal()/2, []float64{b, b * (1 + 1e-2*rng.Normal()), rng.Normal()})
			v := 3 * rng.Normal()
			switch link.Loss {
			case loss.Logistic:
				v = float64(rng.Intn(2))
			case loss.Poisson:
				v = float64(rng.Intn(6))
			}
			a, weights = append(a, v), append(weights, 0.2+3*random.Unit(rng.Uint64()))
		}
		if number%2 == 0 {
			weights = nil
		}
		s.Solve(a, weights, make([]float64, 3))
		s.slopes(a)
		for f, g := range s.g {
			if s.held(f) && s.theta[f] == 0 {
				g = min(g, 0)
			}
			size := s.ridge[f] * math.Abs(s.theta[f])
			for e, slope := range s.alpha {
				size += math.Abs(slope * s.design[e*s.d+f])
			}
			if math.Abs(g) > 1e-5*(size+1e-3) {
				t.Errorf("%d (%v): coefficients %v, %g pulls at number %d", number, link.Loss, s.theta, g, f)
				break
			}
		}
	}
}
