package regress

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/result"
	"optcomplete/spec"
)

// fractionCost is what two columns cost, without any rounding.
func fractionCost(problem Problem, selection [2]int, gamma float64) *big.Rat {
	of := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	p, n := len(problem.Names), len(problem.Y)
	total := new(big.Rat)
	for i := range n {
		total.Add(total, of(problem.weight(i)))
	}
	// dot is Σw·a·b.
	dot := func(a, b []*big.Rat) *big.Rat {
		sum := new(big.Rat)
		for i := range a {
			term := new(big.Rat).Mul(a[i], b[i])
			sum.Add(sum, term.Mul(term, of(problem.weight(i))))
		}
		return sum
	}
	ones := make([]*big.Rat, n)
	for i := range ones {
		ones[i] = of(1)
	}
	centred := func(at func(i int) float64) []*big.Rat {
		out := make([]*big.Rat, n)
		for i := range out {
			out[i] = of(at(i))
		}
		mean := dot(out, ones)
		mean.Quo(mean, total)
		for i := range out {
			out[i].Sub(out[i], mean)
		}
		return out
	}
	y := centred(func(i int) float64 { return problem.Y[i] })
	var x [2][]*big.Rat
	var k [2][2]*big.Rat
	var z [2]*big.Rat
	for a, j := range selection {
		x[a] = centred(func(i int) float64 { return problem.X[i*p+j] })
		z[a] = dot(x[a], y)
		for b := range a + 1 {
			k[a][b] = dot(x[a], x[b])
			k[b][a] = k[a][b]
		}
		ridge := dot(x[a], x[a]) // the variance over γ
		ridge.Quo(ridge, total)
		k[a][a] = new(big.Rat).Add(k[a][a], ridge.Quo(ridge, of(gamma)))
	}
	mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	det := new(big.Rat).Sub(mul(k[0][0], k[1][1]), mul(k[0][1], k[0][1]))
	gain := new(big.Rat).Add(mul(mul(z[0], z[0]), k[1][1]), mul(mul(z[1], z[1]), k[0][0]))
	cross := mul(mul(z[0], z[1]), k[0][1])
	gain.Sub(gain.Sub(gain, cross), cross)
	cost := new(big.Rat).Sub(dot(y, y), gain.Quo(gain, det))
	return cost.Quo(cost, of(float64(n)))
}

// TestBoundIsOfTheProblemItself: cost and bound of tables that centring in doubles makes other
// tables of, as a row of them weighs all or columns are far from 0, are those in fractions.
func TestBoundIsOfTheProblemItself(t *testing.T) {
	const n, p = 9, 4
	for _, c := range []struct {
		heavy  int     // rows
		weight float64 // theirs
		far    float64
	}{{1, 1e24, 0}, {2, 1e24, 0}, {3, 1e40, 0}, {1, 1e100, 0}, {2, 1e100, 0}, {0, 1, 1e9}, {0, 1, 1e12}, {1, 1e30, 1e6}} {
		for seed := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, 5))
			problem := Problem{}
			for j := range p {
				problem.Names = append(problem.Names, fmt.Sprint("x", j))
			}
			for i := range n {
				row := make([]float64, p)
				for j := range row {
					row[j] = math.Round(1000*r.NormFloat64())/1000 + c.far
				}
				problem.X = append(problem.X, row...)
				problem.Y = append(problem.Y, math.Round(1000*(2*row[0]-row[1]-c.far+r.NormFloat64()))/1000)
				if c.heavy > 0 {
					problem.Weights = append(problem.Weights, 1)
					if i < c.heavy {
						problem.Weights[i] = c.weight
					}
				}
			}
			gamma := []float64{0.1, 0.7, 50}[seed]
			best, own := math.Inf(1), 0.0
			found := must.Get(Fit(context.Background(), problem, Settings{K: 2, Statistics: spec.Statistics{Gamma: gamma}}))(t)
			for b := range p {
				for a := range b {
					cost, _ := fractionCost(problem, [2]int{a, b}, gamma).Float64()
					best = min(best, cost)
					if found.Selection[0] == a && found.Selection[1] == b {
						own = cost
					}
				}
			}
			if found.Bound > best*(1+1e-12) || math.Abs(found.Cost-own) > 1e-9*own || found.Status != result.Optimal {
				t.Errorf("%+v, seed %d: %v, cost %v, in fractions %v; bound %v, the least is %v", c, seed, found.Status, found.Cost, own, found.Bound, best)
			}
		}
	}
}

// TestTooFewDigits: where neither products in doubles nor more digits solve for the
// coefficients, a cost and a cut are poor, but numbers and true.
func TestTooFewDigits(t *testing.T) {
	const n, p = 6000, 30 // too many for more digits
	r := rand.New(rand.NewPCG(1, 5))
	problem := Problem{}
	for j := range p {
		problem.Names = append(problem.Names, fmt.Sprint("x", j))
	}
	for i := range n {
		for range p {
			problem.X = append(problem.X, r.NormFloat64())
		}
		problem.Y, problem.Weights = append(problem.Y, r.NormFloat64()), append(problem.Weights, 1)
		if i < 3 {
			problem.Weights[i] = 1e60
		}
	}
	oracle := prepare(problem, nil, Settings{K: 3}).cost(5)
	cut := must.Get(oracle.Eval(context.Background(), slices.Repeat([]float64{0.1}, p)))(t)
	below := cut.Constant
	for _, g := range cut.Gradient {
		below += 0.1 * g
	}
	if math.IsInf(cut.Cost, 0) || !(below <= cut.Cost) { // also if one is no number
		t.Errorf("cost %v, cut %v", cut.Cost, below)
	}
}
