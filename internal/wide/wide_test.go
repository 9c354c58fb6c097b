package wide

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestPairsAgreeWithBig: every operation has the digits it claims.
func TestPairsAgreeWithBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() pair { return twoSum(r.NormFloat64()*math.Exp(20*r.NormFloat64()), r.NormFloat64()*1e-17) }
	wide := func(p pair) *big.Float {
		return new(big.Float).SetPrec(400).Add(new(big.Float).SetPrec(400).SetFloat64(p.hi), big.NewFloat(p.lo))
	}
	var p pairs
	for range 10_000 {
		a, b := draw(), draw()
		x, y := wide(a), wide(b)
		n := func() *big.Float { return new(big.Float).SetPrec(400) }
		root := pair{math.Abs(a.hi), math.Copysign(a.lo, a.lo*a.hi)}
		for name, c := range map[string]struct {
			got  pair
			want *big.Float
			size *big.Float
		}{
			"add":  {p.add(a, b), n().Add(x, y), n().Add(n().Abs(x), n().Abs(y))},
			"sub":  {p.sub(a, b), n().Sub(x, y), n().Add(n().Abs(x), n().Abs(y))},
			"mul":  {p.mul(a, b), n().Mul(x, y), n().Abs(n().Mul(x, y))},
			"div":  {p.div(a, b), n().Quo(x, y), n().Abs(n().Quo(x, y))},
			"sqrt": {p.sqrt(root), n().Sqrt(wide(root)), n().Sqrt(wide(root))},
		} {
			off := n().Sub(wide(c.got), c.want)
			if off.Abs(off).Cmp(n().Mul(c.size, big.NewFloat(p.eps()))) > 0 {
				t.Fatalf("%s of %v and %v is %v, want %v", name, a, b, c.got, c.want)
			}
		}
	}
}

// TestEvaluateMeets: cost and cut meet whatever the sizes, and any cut is below the
// cost at other weights.
func TestEvaluateMeets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		p, entries, rows := 1+r.IntN(5), 1+r.IntN(9), 1+r.IntN(3)
		b := make([]float64, p*entries)
		for x := range b {
			b[x] = r.NormFloat64() * math.Pow(10, float64(8*(x%p%3-1)))
			if x%p > 0 && r.IntN(2) == 0 {
				b[x] = b[x-1] // nearly the same feature
			}
		}
		in := &Regression{P: p, Feature: func(e, j int) (x, y float64) { return b[e*p+j], 1 }}
		for e := range entries {
			in.Values = append(in.Values, 1e90*r.NormFloat64())
			in.Rows = append(in.Rows, e%rows)
		}
		at := &Penalty{Gamma: 1e12, Gamma0: 1e9, Weights: make([]float64, p)}
		if rows == 1 {
			at.Gamma0 = 0
		}
		draw := func() {
			for j := range at.Weights {
				at.Weights[j] = []float64{0, 1, r.Float64()}[r.IntN(3)]
			}
		}
		if at.Gamma0 == 0 {
			in.Rows = nil
		}
		draw()
		here := Evaluate(in, at)
		if !here.good() {
			t.Fatalf("loss %v of %v (γ₀ %v)", here.Loss, here.Cost, at.Gamma0)
		}
		draw()
		there := Evaluate(in, at)
		cut := here.Constant
		for j, s := range at.Weights {
			cut -= s * here.Slope[j]
		}
		if cut > there.Cost {
			t.Fatalf("a cut of %v at a cost of %v", cut, there.Cost)
		}
	}
}
