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
}

// NewLaplace is for rows of k coefficients.
func NewLaplace(link *Link, k int) *Laplace {
	return &Laplace{link: link, d: k + 1, system: make([]float64, (k+1)*(k+1)), b: make([]float64, k+1)}
}

// Begin starts a row.
func (l *Laplace) Begin() {
	clear(l.system)
	l.system[0] = 2 * l.link.RowPenalty
	for f := 1; f < l.d; f++ {
		l.system[f*l.d+f] = 2 * l.link.Penalty
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
func (l *Laplace) End() bool { return dense.Cholesky(l.system, l.d, 0) }

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

// variance is bᵀH⁻¹b, times the ratio: with H = LLᵀ, the square of L⁻¹b.
func (l *Laplace) variance() float64 { return inverseSquare(l.system, l.b) * l.link.ratio() }

// PriorVariance is that of a coefficient of which no entry tells anything.
func (l *Link) PriorVariance() float64 { return l.ratio() / (2 * l.Penalty) }

// ColumnVariance is the variance of a column's effect that was fitted on entries that
// count so much, with this shrinkage: as if the rows were known.
func (l *Link) ColumnVariance(mean, effect, count, shrinkage float64) float64 {
	curve := count*l.Curve(mean+effect) + 2*l.Kappa(mean)*l.inside()*shrinkage
	if !(curve > 0) {
		return 0
	}
	return l.ratio() / curve
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
