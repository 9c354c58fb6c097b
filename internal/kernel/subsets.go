package kernel

// Choose is the number of ways to choose k out of n, as a float so that it
// cannot overflow.
func Choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	c := 1.0
	for i := range min(k, n-k) {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}

// Subsets evaluates every choice of features for eight rows at once.
//
// Each row has a system K u = y, K = I/γ + G, with K a packed triangle. A choice
// S of features explains y_Sᵀ K_SS⁻¹ y_S of the row. Eliminating a feature leaves
// the same problem on the features before it, with Schur complements in the
// place of K and y; so all choices are walked from the last feature down, and
// for the last two features of a choice there is a closed form:
//
//	y_b²/K_bb + (y_a − K_ba y_b/K_bb)² / (K_aa − K_ba²/K_bb).
type Subsets struct {
	levels []level
}

// pairPad is how many lane arrays past the end pairGains may read.
const pairPad = 3

// level is the problem on the features that are left.
type level struct {
	k, y, diagonal []float64
}

// room makes sure that a level can hold n features.
func (s *Subsets) room(depth, n int) *level {
	for len(s.levels) <= depth {
		s.levels = append(s.levels, level{})
	}
	l := &s.levels[depth]
	if len(l.y) < (n+pairPad)*Lanes {
		l.k = make([]float64, (Tri(n)+pairPad)*Lanes)
		l.y = make([]float64, (n+pairPad)*Lanes)
		l.diagonal = make([]float64, (n+pairPad)*Lanes)
	}
	return l
}

// Load returns the triangle and the right-hand side to fill in for n features.
func (s *Subsets) Load(n int) (k, y []float64) {
	l := s.room(0, n)
	return l.k[:Tri(n)*Lanes], l.y[:n*Lanes]
}

// Eliminate takes the last of n features into every choice, in place, and
// returns what it explains in all lanes together.
func (s *Subsets) Eliminate(n int) float64 { return s.eliminate(0, 0, n-1) }

// eliminate writes level to as level from without feature b and those after
// it, and returns Σ_lanes y_b²/K_bb.
func (s *Subsets) eliminate(from, to, b int) float64 {
	s.room(to, b)
	src, dst := &s.levels[from], &s.levels[to]
	row := at(src.k, Tri(b))
	var inverse, h, c [Lanes]float64
	sum := 0.0
	for x := range Lanes {
		inverse[x] = 1 / row[b*Lanes+x]
		h[x] = src.y[b*Lanes+x] * inverse[x]
		sum += src.y[b*Lanes+x] * h[x]
	}
	schurLanes(dst.y, src.y, h[:], row, b)
	for i := range b {
		for x := range Lanes {
			c[x] = row[i*Lanes+x] * inverse[x]
		}
		schurLanes(at(dst.k, Tri(i)), at(src.k, Tri(i)), c[:], row, i+1)
	}
	return sum
}

// Gains adds, for every choice of left ≥ 1 out of n features, what it explains
// in all lanes together. The place of the choice c_1 < c_2 < … is
// Σ_i Choose(c_i, i), so gains has Choose(n, left) elements.
func (s *Subsets) Gains(gains []float64, n, left int) { s.walk(0, gains, n, left, 0) }

func (s *Subsets) walk(depth int, gains []float64, n, left int, before float64) {
	l := &s.levels[depth]
	if left == 1 {
		for a := range n {
			sum := before
			for x := range Lanes {
				y := l.y[a*Lanes+x]
				sum += y * y / l.k[(Tri(a)+a)*Lanes+x]
			}
			gains[a] += sum
		}
		return
	}
	if left == 2 {
		s.pairs(l, gains, n, before)
		return
	}
	for b := left - 1; b < n; b++ {
		gain := s.eliminate(depth, depth+1, b)
		place := int(Choose(b, left))
		s.walk(depth+1, gains[place:], b, left-1, before+gain)
	}
}

// pairs is the bottom of the walk.
func (s *Subsets) pairs(l *level, gains []float64, n int, before float64) {
	for a := range n {
		copy(l.diagonal[a*Lanes:(a+1)*Lanes], at(l.k, Tri(a)+a))
	}
	var h, w [Lanes]float64
	for b := 1; b < n; b++ {
		row := at(l.k, Tri(b))
		sum := before
		for x := range Lanes {
			w[x] = 1 / row[b*Lanes+x]
			h[x] = l.y[b*Lanes+x] * w[x]
			sum += l.y[b*Lanes+x] * h[x]
		}
		pairGains(gains[Tri(b-1):][:b], sum, row, l.y, l.diagonal, h[:], w[:], b)
	}
}

// Effort is about how long Gains takes for a block of rows, in thirds of a choice of two out of
// many: where few features are left out, most of the time goes into eliminations.
func Effort(n, left int) float64 {
	choices := make([]float64, n+1) // of 1, then 2, … out of as many as the place says
	for b := range choices {
		choices[b] = 4 * float64(b)
	}
	for at := 2; at <= left; at++ {
		next := make([]float64, n+1)
		for b := range n {
			x := float64(b)
			if at == 2 {
				next[b+1] = next[b] + 3*x + 10
			} else {
				next[b+1] = next[b] + choices[b] + x*x/4 + 3*x + 8
			}
		}
		choices = next
	}
	return choices[n]
}
