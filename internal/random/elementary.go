package random

import "math"

// ln 2 in two parts. The high part has 32 significant bits, so its product with
// an exponent of a float64 is exact.
const (
	ln2High = 0xb17217f7p-32
	ln2Low  = math.Ln2 - ln2High
)

// Log is the natural logarithm of a positive finite x with the same bits on
// every machine, to about 1 part in 10¹⁵.
//
// x = m·2ᵉ with √½ ≤ m < √2, and ln m = 2 atanh t with t = (m−1)/(m+1), |t| < 0.172.
func Log(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		panic("random: Log needs a positive finite number")
	}
	if x < 0x1p-1022 {
		return logOf(math.Float64bits(x*0x1p54), -54)
	}
	return logOf(math.Float64bits(x), 0)
}

// logOf is the logarithm of the normal number with the given bits, times 2ᵉ. It
// has no branch, which for random numbers would be taken at random.
func logOf(bits uint64, e int64) float64 {
	const half = 0x3fe6a09e667f3bcd // the bits of √½
	up := int64(bits-half) >> 52
	m := math.Float64frombits(bits - uint64(up)<<52)
	t := (m - 1) / (m + 1)
	z := float64(t * t)
	// atanh t = t·(1 + z/3 + z²/5 + …); the first term left out is worth less
	// than 2⁻⁵⁸.
	series := float64(z * (1. / 21))
	series = float64(z * (1./19 + series))
	series = float64(z * (1./17 + series))
	series = float64(z * (1./15 + series))
	series = float64(z * (1./13 + series))
	series = float64(z * (1./11 + series))
	series = float64(z * (1./9 + series))
	series = float64(z * (1./7 + series))
	series = float64(z * (1./5 + series))
	series = float64(z * (1./3 + series))
	twice, two := 2*t, float64(e+up)
	return float64(two*ln2High) + (twice + (float64(twice*series) + float64(two*ln2Low)))
}

// Exp is e to the power x with the same bits on every machine, for |x| ≤ 700,
// to about 1 part in 10¹⁵.
//
// x = n·ln 2 + r with |r| ≤ ½ ln 2, and eˣ = 2ⁿ·eʳ by the exponential series.
func Exp(x float64) float64 {
	if !(math.Abs(x) <= 700) {
		panic("random: Exp needs |x| ≤ 700")
	}
	n := math.Round(x / math.Ln2)
	r := (x - float64(n*ln2High)) - float64(n*ln2Low)
	series := 1.0
	for i := 15; i >= 1; i-- {
		series = 1 + float64(r*series)/float64(i)
	}
	return math.Ldexp(series, int(n))
}
