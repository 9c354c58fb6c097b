package proof

import "math"

// Rounding. One operation in float64 is off by at most 2⁻⁵³ of its result, so a
// sum of n products by at most gam(n)·Σ|products| whatever the order (Higham,
// Accuracy and Stability of Numerical Algorithms, chapter 3). Bounds are computed
// in float64 too, each step moved outward by up and down.

// gam is no less than γ_n = n·2⁻⁵³/(1 − n·2⁻⁵³), for n up to 10¹².
func gam(n int) float64 { return 1.12e-16 * float64(n+1) }

// up is a number above whatever was rounded to x.
func up(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }

// down is a number below whatever was rounded to x.
func down(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }

// rootAbove is no less than the root of a number that is at most x ≥ 0.
func rootAbove(x float64) float64 { return up(math.Sqrt(x)) }

// tiny is more than all that underflow can take from a row's sums.
const tiny = 1e-290

// double is an unevaluated sum of two floats: about 32 digits.
type double struct{ high, low float64 }

// plusProduct adds x·y (Ogita, Rump and Oishi 2005, Dot2).
func (d double) plusProduct(x, y float64) double {
	p := x * y
	e := math.FMA(x, y, -p)
	s := d.high + p
	t := s - d.high
	e += (d.high - (s - t)) + (p - t)
	return double{s, d.low + e}
}

func (d double) value() float64 { return d.high + d.low }

// doubleError is the error of n such steps beside one rounding of the result, in
// parts of Σ|x·y|.
func doubleError(n int) float64 { return gam(n) * gam(n) }
