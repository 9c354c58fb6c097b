package remainder

import "optcomplete/internal/kernel"

// stack is lines whose products are added up many at a time.
type stack struct {
	width, size int
	lines       []float64
	count       int
	sum         []float64 // Σ line lineᵀ: the lower triangle, in lines
}

// stacked is how many lines wait, about.
const stacked = 128

func newStack(width, size int) stack {
	return stack{width: width, size: size}
}

// top gives room for lines, valid until the next call.
func (s *stack) top(n int) []float64 {
	if s.count+n > stacked {
		s.multiply()
	}
	if need := (s.count + n) * s.width; len(s.lines) < need {
		s.lines = append(make([]float64, 0, 2*need), s.lines[:s.count*s.width]...)[:2*need]
	}
	return s.lines[s.count*s.width:][:n*s.width]
}

// keep makes lines of the top part of the sum.
func (s *stack) keep(n int) { s.count += n }

// multiply adds what waits.
func (s *stack) multiply() {
	if s.count == 0 {
		return
	}
	if s.sum == nil {
		s.sum = make([]float64, s.size*s.width)
	}
	kernel.AddGram(s.sum, s.lines, s.count, s.width, s.size)
	s.count = 0
}

// give is the sum, which begins anew; nil: nothing was kept.
func (s *stack) give() []float64 {
	s.multiply()
	sum := s.sum
	s.sum = nil
	return sum
}
