package estimate

import (
	"math"

	"optcomplete/internal/dense"
	"optcomplete/internal/random"
	"optcomplete/pass"
)

// varianceScores is the reading that tells what the evidence would gain if a feature that has
// none got a variance: it rises by half of Σ (b_fᵀM⁻¹r)²/σ² − b_fᵀM⁻¹b_f for each unit. The second is
// estimated by (b_fᵀL⁻ᵀz)² with random signs z, which has it as expectation.
type varianceScores struct {
	Given rowsGiven
	All   *pass.Shared[[]float64] // features of every column
	P     int
	Seed  uint64
}

// Start makes a worker.
func (p *varianceScores) Start(*pass.Input) (pass.Worker, error) {
	w, all := p.Given.worker(), p.All.Get()
	var signs, some, its []float64
	var at []int32
	one, two := make([]float64, p.P), make([]float64, p.P)
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(3 * p.P) }, func(part *pass.Sums, i int, columns []int32, values, weights []float64) error {
		if every := (len(columns) + mostScored - 1) / mostScored; every > 1 {
			at, some, its = at[:0], some[:0], its[:0]
			for e := i % every; e < len(columns); e += every {
				at, some = append(at, columns[e]), append(some, values[e])
				if weights != nil {
					its = append(its, weights[e])
				}
			}
			if columns, values = at, some; weights != nil {
				weights = its
			}
		}
		n := len(columns)
		if n < 2 {
			return nil
		}
		w.short(columns, values, weights) // leaves L in system, L⁻¹W^½a in beta
		signs = dense.Resize(signs, n)
		for e := range signs {
			signs[e] = 1
			if random.Hash(p.Seed, uint64(i), uint64(e))&1 == 0 {
				signs[e] = -1
			}
		}
		back(w.system, n, w.beta)
		back(w.system, n, signs)
		clear(one)
		clear(two)
		for e, c := range columns {
			root := math.Sqrt(w.weight[e])
			b := all[int(c)*p.P:][:p.P]
			dense.Axpy(root*w.beta[e], b, one)
			dense.Axpy(root*signs[e], b, two)
		}
		gain, expected, spread := part.Values[:p.P], part.Values[p.P:2*p.P], part.Values[2*p.P:]
		for f := range one {
			square := two[f] * two[f]
			gain[f] += one[f] * one[f] / p.Given.Noise
			expected[f] += square
			spread[f] += square * square / 3 // a square of a normal has three times its variance squared
		}
		return nil
	}), nil
}

// mostScored is how many entries of a row tell about features without a variance, at most.
const mostScored = 48

// back replaces x by L⁻ᵀx.
func back(l []float64, n int, x []float64) {
	for e := n - 1; e >= 0; e-- {
		x[e] /= l[e*n+e]
		dense.Axpy(-x[e], l[e*n:e*n+e], x[:e])
	}
}

func init() { pass.Register("variances", &varianceScores{}, new(pass.Sums)) }
