package estimate

import (
	"optcomplete/internal/dense"
)

// Laplace is how sure the effect and the coefficients of rows are that were fitted by
// a link: the normal distribution around them whose covariance is the inverse of the
// curvature of what they minimise (Laplace's approximation of the posterior, for
// which the penalties are the logarithm of a normal prior). It takes one row after
// the other, on one goroutine.
//
// What is minimised is the logarithm of a likelihood for yes/no and counts. For values
// it is that up to a factor, [Noise].Ratio. Coefficients that must not be negative
// count as if they could be, which makes them look less sure than they are.
type Laplace struct {
	link   *Link
	d      int
	system []float64 // d×d: the curvature, then its Cholesky factor
	b      []float64

	wider float64   // see Link.wider, of row effects
	first []float64 // the first column of the inverse of the system, if that is positive
}

// NewLaplace is for rows of k coefficients, whose effects have this mean square: 0 if
// that is not to be held against the prior.
func NewLaplace(link *Link, k int, effects float64) *Laplace {
	return &Laplace{
		link: link, d: k + 1, system: make([]float64, (k+1)*(k+1)), b: make([]float64, k+1),
		wider: link.wider(2*link.RowPenalty, effects), first: make([]float64, k+1),
	}
}

// wider is what an effect's variance has beside the inverse of the curvature H, in units
// of H⁻²: λ(λτ² − ratio), if the effects vary more than their penalty λ/2 says, by τ² and
// not ratio/λ. Validation chooses what predicts well, which may be too strong for a
// prior; τ² is the mean square of the fitted effects, which is too small if anything.
// (An effect that is fitted with the wrong λ is off by H⁻¹(F·ratio + λ²τ²)H⁻¹, with the
// information F = H − λ of the entries.)
func (l *Link) wider(lambda, square float64) float64 {
	return max(0, lambda*(lambda*square-l.ratio()))
}

// Begin starts a row.
func (l *Laplace) Begin() {
	clear(l.system)
	l.system[0] = 2 * l.link.RowPenalty
	for f := 1; f < l.d; f++ {
		l.system[f*l.d+f] = 2 * l.link.penalty(f-1)
	}
}

// Entry adds an entry that the row was fitted on: its sum, the features of its column
// and its weight.
func (l *Laplace) Entry(x float64, features []float64, weight float64) {
	l.b[0] = 1
	copy(l.b[1:], features)
	h := weight * l.link.Curve(x)
	for f, v := range l.b {
		dense.Axpy(h*v, l.b[:f+1], l.system[f*l.d:][:f+1])
	}
}

// End ends a row; false if double precision cannot tell.
func (l *Laplace) End() bool {
	if !dense.Cholesky(l.system, l.d, 0) {
		return false
	}
	if l.wider > 0 {
		clear(l.first)
		l.first[0] = 1
		dense.CholeskySolve(l.system, l.d, l.first)
	}
	return true
}

// Sum is the variance of effect + featuresᵀcoefficients.
func (l *Laplace) Sum(features []float64) float64 {
	l.b[0] = 1
	copy(l.b[1:], features)
	return l.variance()
}

// Coefficient is the variance of coefficient f.
func (l *Laplace) Coefficient(f int) float64 {
	clear(l.b)
	l.b[1+f] = 1
	return l.variance()
}

// variance is bᵀH⁻¹b, times the ratio: with H = LLᵀ, the square of L⁻¹b; and what effects
// that vary more than their prior add.
func (l *Laplace) variance() float64 {
	more := 0.0
	if l.wider > 0 {
		x := dense.Dot(l.first, l.b)
		more = l.wider * x * x
	}
	return inverseSquare(l.system, l.b)*l.link.ratio() + more
}

// PriorVariance is that of coefficient f, if no entry tells anything of it.
func (l *Link) PriorVariance(f int) float64 { return l.ratio() / (2 * l.penalty(f)) }

// ColumnVariance is the variance of a column's effect that was fitted on entries that
// count so much, with this shrinkage, as if the rows were known. The effects of columns
// have this mean square.
func (l *Link) ColumnVariance(mean, effect, count, shrinkage, square float64) float64 {
	lambda := 2 * l.Kappa(mean) * l.inside() * shrinkage
	curve := count*l.Curve(mean+effect) + lambda
	if !(curve > 0) {
		return 0
	}
	return (l.ratio() + l.wider(lambda, square)/curve) / curve
}

// Curve is the curvature of an entry's loss that is to be expected where the sum is x.
func (l *Link) Curve(x float64) float64 {
	if !l.Loss.Linked() {
		return 2 * l.inside()
	}
	_, h := l.Slope(l.Mean(x), x)
	return h
}

func (l *Link) ratio() float64 {
	if l.Noise == nil {
		return 1
	}
	return l.Noise.Ratio
}

func (l *Link) inside() float64 {
	if l.Noise == nil {
		return 1
	}
	return l.Noise.Inside
}

// inverseSquare is bᵀH⁻¹b of H = LLᵀ, the square of L⁻¹b, which takes b's place.
func inverseSquare(l, b []float64) float64 {
	d, sum := len(b), 0.0
	for f := range b {
		x := (b[f] - dense.Dot(l[f*d:][:f], b[:f])) / l[f*d+f]
		b[f] = x
		sum += x * x
	}
	return sum
}
