package exact

import (
	"math"
	"math/big"
)

// lossBits is the precision of logarithms and exponentials, which 700 bits would make
// slow.
const lossBits = 256

func precise(x float64) *big.Float { return new(big.Float).SetPrec(lossBits).SetFloat64(x) }

// ln2 is 2 artanh(1/3).
var ln2 = func() *big.Float {
	sum, power, ninth := precise(0), new(big.Float).Quo(precise(2), precise(3)), precise(9)
	for n := 1; n < 2*lossBits; n += 2 {
		sum.Add(sum, new(big.Float).Quo(power, precise(float64(n))))
		power.Quo(power, ninth)
	}
	return sum
}()

// inverse has 1/n and factorial 1/n!: enough terms for arguments below 2⁻⁹.
var inverse, factorial = func() (inverse, factorial [24]*big.Float) {
	inverse[0], factorial[0] = precise(1), precise(1)
	for n := 1; n < len(inverse); n++ {
		inverse[n] = new(big.Float).Quo(precise(1), precise(float64(n)))
		factorial[n] = new(big.Float).Mul(factorial[n-1], inverse[n])
	}
	return inverse, factorial
}()

// exp is eˣ: of x less a multiple of log 2, divided by 2⁸, by its power series.
func exp(x *big.Float) *big.Float {
	about, _ := x.Float64()
	if about < -1e6 {
		return precise(0)
	}
	n := math.Round(about / math.Ln2)
	r := new(big.Float).Sub(x, new(big.Float).Mul(precise(n), ln2))
	r.SetMantExp(r, -8)
	sum := precise(0)
	for i := len(factorial) - 1; i >= 0; i-- {
		sum.Add(sum.Mul(sum, r), factorial[i])
	}
	for range 8 {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(n))
}

// logarithm is log x, x > 0: what math.Log says of its mantissa, and the power series
// of the rest, which is nearly nothing.
func logarithm(x *big.Float) *big.Float {
	fraction := new(big.Float)
	power := x.MantExp(fraction)
	near, _ := fraction.Float64()
	y := precise(math.Log(near))
	rest := new(big.Float).Mul(fraction, exp(new(big.Float).Neg(y)))
	rest.Sub(rest, precise(1))
	sum := precise(0)
	for i := 7; i > 0; i-- { // rest·(1 − rest·(1/2 − rest·(1/3 − …)))
		sum.Mul(rest, sum.Sub(inverse[i], sum))
	}
	return y.Add(y.Add(y, sum), new(big.Float).Mul(precise(float64(power)), ln2))
}
