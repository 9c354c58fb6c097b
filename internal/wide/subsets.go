package wide

import "math"

// Subsets evaluates every choice of features for one row after the other, with 106
// bits: the same walk as kernel.Subsets, by Schur complements.
type Subsets struct {
	levels []level
	ridge  []float64 // 1/γ of each feature as it was divided
}

// level is the problem on the features that are left: a packed triangle and its
// right-hand side.
type level struct{ k, y []pair }

func (s *Subsets) room(depth, n int) *level {
	for len(s.levels) <= depth {
		s.levels = append(s.levels, level{})
	}
	l := &s.levels[depth]
	if len(l.y) < n {
		l.k, l.y = make([]pair, tri(n)), make([]pair, n)
	}
	return l
}

// Row adds to gains what each choice of left out of the first candidates features
// explains of a row's values, and returns what the features after them, which are
// in every choice, explain by themselves. The choice c_1 < c_2 < … is at place
// Σ_x Choose(c_x, x).
func (s *Subsets) Row(values []float64, features, candidates, left int, feature func(e, x int) float64, gamma float64, gains []float64) (base float64) {
	var ar pairs
	first := s.room(0, features)
	if len(s.ridge) < features {
		s.ridge = make([]float64, features)
	}
	v := make([][]float64, features)
	for x := range v {
		v[x] = make([]float64, len(values))
		largest := 0.0
		for e := range values {
			v[x][e] = feature(e, x)
			largest = max(largest, math.Abs(v[x][e]))
		}
		_, exponent := math.Frexp(largest) // 0 for a feature that is 0 everywhere
		for e := range values {
			v[x][e] = math.Ldexp(v[x][e], -exponent)
		}
		s.ridge[x] = math.Ldexp(1/gamma, -2*exponent)
		first.y[x] = dot(v[x], values)
		for y := range x + 1 {
			first.k[tri(x)+y] = dot(v[x], v[y])
		}
		first.k[tri(x)+x] = ar.add(first.k[tri(x)+x], ar.of(s.ridge[x]))
	}
	for n := features; n > candidates; n-- {
		base += s.eliminate(0, 0, n-1)
	}
	s.gains(0, gains, candidates, left, 0)
	return base
}

// Dot is Σ a_e b_e, as if computed with 106 bits.
func Dot(a, b []float64) float64 { return dot(a, b).hi }

// dot is Σ a_e b_e with 106 bits.
func dot(a, b []float64) pair {
	var ar pairs
	var sum pair
	for e := range a {
		hi := a[e] * b[e]
		sum = ar.add(sum, pair{hi, math.FMA(a[e], b[e], -hi)})
	}
	return sum
}

// pivot is a pivot, and no less than in exact arithmetic.
func (s *Subsets) pivot(k pair, x int) pair {
	if !(k.hi >= s.ridge[x]) {
		return pair{s.ridge[x], 0}
	}
	return k
}

// eliminate writes level to as level from without feature b and those after it, and
// returns y_b²/K_bb.
func (s *Subsets) eliminate(from, to, b int) float64 {
	var ar pairs
	s.room(to, b)
	src, dst := &s.levels[from], &s.levels[to]
	row := src.k[tri(b):][:b+1]
	pivot := s.pivot(row[b], b)
	h := ar.div(src.y[b], pivot)
	gain := ar.mul(src.y[b], h)
	for i := range b {
		c := ar.div(row[i], pivot)
		dst.y[i] = ar.sub(src.y[i], ar.mul(h, row[i]))
		for j := range i + 1 {
			dst.k[tri(i)+j] = ar.sub(src.k[tri(i)+j], ar.mul(c, row[j]))
		}
	}
	return gain.hi
}

func (s *Subsets) gains(depth int, out []float64, n, left int, before float64) {
	if left == 1 {
		l := &s.levels[depth]
		for a := range n {
			y := l.y[a].hi
			out[a] += before + y*(y/s.pivot(l.k[tri(a)+a], a).hi)
		}
		return
	}
	for b := left - 1; b < n; b++ {
		gain := s.eliminate(depth, depth+1, b)
		s.gains(depth+1, out[choose(b, left):], b, left-1, before+gain)
	}
}

func choose(n, k int) int {
	c := 1
	for i := range k {
		c = c * (n - i) / (i + 1)
	}
	return c
}
