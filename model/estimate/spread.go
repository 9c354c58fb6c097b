package estimate

import "optcomplete/internal/dense"

// Spread is how sure the effect and the coefficients of rows are under a learned
// prior, where entries have weights: an entry of weight w has a w-th of the noise. It
// takes one row after the other, on one goroutine.
type Spread struct {
	prior  *priorState
	first  int // 1 if the effect of a row comes before its coefficients
	d      int
	system []float64 // d×d: the precision, then its Cholesky factor
	b      []float64
}

// NewSpread is for rows with an effect, or without, and their coefficients.
func NewSpread(prior *Prior, effects bool) (*Spread, error) {
	s := &Spread{prior: &priorState{Prior: *prior}, d: len(prior.Mean)}
	if effects {
		s.first = 1
	}
	s.system, s.b = make([]float64, s.d*s.d), make([]float64, s.d)
	return s, s.prior.invert()
}

// Begin starts a row, of which nothing but the prior is known.
func (s *Spread) Begin() { copy(s.system, s.prior.inverse) }

// Entry adds an entry that the row was fitted on: the features of its column, and its
// weight.
func (s *Spread) Entry(features []float64, weight float64) {
	s.set(features)
	by := weight / s.prior.Noise
	for f, v := range s.b {
		dense.Axpy(by*v, s.b[:f+1], s.system[f*s.d:][:f+1])
	}
}

// End ends a row; false if double precision cannot tell.
func (s *Spread) End() bool { return dense.Cholesky(s.system, s.d, 0) }

// Sum is the variance of effect + featuresᵀcoefficients.
func (s *Spread) Sum(features []float64) float64 {
	s.set(features)
	return inverseSquare(s.system, s.b)
}

// Coefficient is the variance of coefficient f, and Prior that of the prior.
func (s *Spread) Coefficient(f int) float64 {
	clear(s.b)
	s.b[s.first+f] = 1
	return inverseSquare(s.system, s.b)
}

// Prior is the variance of coefficient f of a row of which nothing is known.
func (s *Spread) Prior(f int) float64 { return s.prior.Covariance[(s.first+f)*(s.d+1)] }

func (s *Spread) set(features []float64) {
	if s.first == 1 {
		s.b[0] = 1
	}
	copy(s.b[s.first:], features)
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
