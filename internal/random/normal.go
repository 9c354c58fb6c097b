package random

import "math"

// NormalOf turns 64 random bits into a standard normal number, by the inverse
// of the normal distribution function at the middle of one of 2⁵² equal cells
// of (0,1). Complementary bits give opposite numbers.
func NormalOf(bits uint64) float64 {
	return Quantile((float64(bits>>12) + 0.5) * 0x1p-52)
}

// normalBlock is how many numbers Normals makes at a time.
const normalBlock = 128

// Normals sets out[i] = NormalOf(bits[i]), bit for bit and several times as fast:
// the middle of the distribution is computed for all without a branch, then the
// tails apart.
func Normals(bits []uint64, out []float64) {
	var tails [normalBlock]int32
	for from := 0; from < len(bits); from += normalBlock {
		block := bits[from:min(from+normalBlock, len(bits))]
		to := out[from : from+len(block)]
		middles(block, to)
		count := 0
		for i, b := range block {
			tails[count] = int32(i)
			if math.Abs(centred(b)) > middlePart {
				count++
			}
		}
		for _, i := range tails[:count] {
			q := centred(block[i])
			to[i] = outer(q, 0.5-math.Abs(q)) // exact: q is a multiple of 2⁻⁵³
		}
	}
}

// centred is the uniform number of NormalOf less ½.
func centred(bits uint64) float64 { return (float64(int64(bits>>12))+0.5)*0x1p-52 - 0.5 }

// middleGo sets out to the quantiles at bits that the middle of the distribution
// has; those of the tails are wrong. It is the specification of middleAVX.
func middleGo(bits []uint64, out []float64) {
	for i, b := range bits {
		q := centred(b)
		out[i] = float64(q * ratio(0.180625-float64(q*q), &centre))
	}
}

// middlePart is how far from ½ the middle of the distribution reaches.
const middlePart = 0.425

// Quantile is the inverse of the standard normal distribution function, for
// 0 < u < 1, to about 1 part in 10¹⁶: Wichura, "Algorithm AS 241: the percentage
// points of the normal distribution", Applied Statistics 37 (1988), PPND16.
func Quantile(u float64) float64 {
	if !(u > 0 && u < 1) {
		panic("random: Quantile needs 0 < u < 1")
	}
	q := u - 0.5
	if math.Abs(q) <= middlePart {
		r := 0.180625 - float64(q*q)
		return float64(q * ratio(r, &centre))
	}
	if q > 0 {
		return outer(q, 1-u)
	}
	return outer(q, u)
}

// outer is the quantile beyond the middle part: at ½ + q, which leaves tail.
func outer(q, tail float64) float64 {
	r := math.Sqrt(-Log(tail))
	if r <= 5 {
		return math.Copysign(ratio(r-1.6, &middle), q)
	}
	return math.Copysign(ratio(r-5, &far), q)
}

// fraction holds the coefficients of a quotient of two polynomials of degree 7,
// the constant terms first.
type fraction struct{ above, below [8]float64 }

// ratio evaluates a fraction at r, its two polynomials side by side.
func ratio(r float64, f *fraction) float64 {
	a, b := f.above[7], f.below[7]
	a, b = float64(a*r)+f.above[6], float64(b*r)+f.below[6]
	a, b = float64(a*r)+f.above[5], float64(b*r)+f.below[5]
	a, b = float64(a*r)+f.above[4], float64(b*r)+f.below[4]
	a, b = float64(a*r)+f.above[3], float64(b*r)+f.below[3]
	a, b = float64(a*r)+f.above[2], float64(b*r)+f.below[2]
	a, b = float64(a*r)+f.above[1], float64(b*r)+f.below[1]
	a, b = float64(a*r)+f.above[0], float64(b*r)+f.below[0]
	return a / b
}

// The coefficients of PPND16 for |u − ½| ≤ 0.425, for tails down to e⁻²⁵, and
// for the tails beyond.
var (
	centre = fraction{
		above: [8]float64{
			3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
			4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
		},
		below: [8]float64{
			1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
			2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3,
		},
	}
	middle = fraction{
		above: [8]float64{
			1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
			1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
		},
		below: [8]float64{
			1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
			1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
		},
	}
	far = fraction{
		above: [8]float64{
			6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
			2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
		},
		below: [8]float64{
			1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
			7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
		},
	}
)
