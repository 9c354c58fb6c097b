package wide

import (
	"math"
	"math/big"
)

// longs is the arithmetic of math/big with a fixed number of bits.
type longs struct{ bits uint }

func (l longs) new() *big.Float { return new(big.Float).SetPrec(l.bits) }

func (l longs) of(x float64) *big.Float        { return l.new().SetFloat64(x) }
func (l longs) eps() float64                   { return math.Ldexp(1, 2-int(l.bits)) }
func (l longs) add(a, b *big.Float) *big.Float { return l.new().Add(a, b) }
func (l longs) sub(a, b *big.Float) *big.Float { return l.new().Sub(a, b) }
func (l longs) mul(a, b *big.Float) *big.Float { return l.new().Mul(a, b) }
func (l longs) div(a, b *big.Float) *big.Float { return l.new().Quo(a, b) }

func (l longs) sqrt(a *big.Float) *big.Float {
	if a.Sign() <= 0 {
		return l.new()
	}
	return l.new().Sqrt(a)
}

func (longs) float(a *big.Float) float64 {
	x, _ := a.Float64()
	return x
}

func (l longs) shift(a *big.Float, exponent int) *big.Float { return l.new().SetMantExp(a, exponent) }
