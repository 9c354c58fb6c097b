package wide

import "math"

// pair is the unevaluated sum of two doubles, hi the nearest to it: 106 bits.
// Sums and products are those of Dekker (1971) and of Li et al., "Design,
// implementation and testing of extended and mixed precision BLAS" (2002).
type pair struct{ hi, lo float64 }

// pairs is the arithmetic of pairs.
type pairs struct{}

func twoSum(a, b float64) pair {
	s := a + b
	v := s - a
	return pair{s, (a - (s - v)) + (b - v)}
}

func quickSum(a, b float64) pair {
	s := a + b
	return pair{s, b - (s - a)}
}

func (pairs) of(x float64) pair { return pair{x, 0} }

func (pairs) float(a pair) float64 { return a.hi }

func (pairs) eps() float64 { return 0x1p-102 }

func (pairs) add(a, b pair) pair {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = quickSum(s.hi, s.lo+t.hi)
	return quickSum(s.hi, s.lo+t.lo)
}

func (p pairs) sub(a, b pair) pair { return p.add(a, pair{-b.hi, -b.lo}) }

func (pairs) mul(a, b pair) pair {
	hi := a.hi * b.hi
	lo := math.FMA(a.hi, b.hi, -hi)
	return quickSum(hi, lo+(a.hi*b.lo+a.lo*b.hi))
}

func (p pairs) div(a, b pair) pair {
	q := a.hi / b.hi
	r := p.sub(a, p.mul(b, pair{q, 0}))
	q2 := r.hi / b.hi
	r = p.sub(r, p.mul(b, pair{q2, 0}))
	sum := quickSum(q, q2)
	return p.add(sum, pair{r.hi / b.hi, 0})
}

func (p pairs) sqrt(a pair) pair {
	if a.hi <= 0 {
		return pair{}
	}
	x := math.Sqrt(a.hi)
	// One step of Newton from a double: twice its digits.
	rest := p.sub(a, p.mul(pair{x, 0}, pair{x, 0}))
	return quickSum(x, rest.hi/(2*x))
}

func (pairs) shift(a pair, exponent int) pair {
	return pair{math.Ldexp(a.hi, exponent), math.Ldexp(a.lo, exponent)}
}
