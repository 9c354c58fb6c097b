package random

import "math"

// ln 2 in two parts. The high part has 32 significant bits, so its product with
// an exponent of a float64 is exact.
const (
	ln2High = 0xb17217f7p-32
	ln2Low  = math.Ln2 - ln2High
)

// atanhSeries holds the coefficients of atanh t = t·(1 + z/3 + z²/5 + …), z = t²,
// the last first; the first one left out is worth less than 2⁻⁵⁸ in Log.
var atanhSeries = [...]float64{1. / 21, 1. / 19, 1. / 17, 1. / 15, 1. / 13, 1. / 11, 1. / 9, 1. / 7, 1. / 5, 1. / 3}

// Log is the natural logarithm of a positive finite x with the same bits on
// every machine, to about 1 part in 10¹⁵.
//
// x = m·2ᵉ with √½ ≤ m < √2, and ln m = 2 atanh t with t = (m−1)/(m+1), |t| < 0.172.
func Log(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		panic("random: Log needs a positive finite number")
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	t := (m - 1) / (m + 1)
	z := float64(t * t)
	series := 0.0
	for _, c := range atanhSeries {
		series = float64(z * (c + series))
	}
	twice := 2 * t
	return float64(float64(e)*ln2High) + (twice + (float64(twice*series) + float64(float64(e)*ln2Low)))
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
