package milp

import (
	"cmp"
	"math"
	"slices"
)

// local improves selections by exchanging one feature for another. It works in
// the units and columns of a relaxation, in plain floating point; what it finds
// is evaluated again by [Master.Value] before it counts.
type local struct {
	l     *relaxation
	value []float64 // of each cut at the selection
	order []int     // cuts, the largest value first
	in    []bool
}

// improve exchanges features of the selection (column numbers, changed in
// place) until no exchange lowers the largest cut, and at most rounds times.
// It leaves features that the node has fixed alone.
func (s *local) improve(selection []int, rounds int) {
	l := s.l
	s.value = resize(s.value, l.c)
	s.in = resize(s.in, l.q)
	s.order = resize(s.order, l.c)
	clear(s.in)
	copy(s.value, l.b)
	for i := range s.order {
		s.order[i] = i
	}
	for _, j := range selection {
		s.in[j] = true
		subtract(s.value, -1, l.column(j))
	}
	for ; rounds > 0; rounds-- {
		slices.SortFunc(s.order, func(a, b int) int { return cmp.Compare(s.value[b], s.value[a]) })
		top := s.order[0]
		best := s.value[top] - 1e-12*math.Abs(s.value[top])
		g := l.gradient(top)
		from, to := -1, -1
		for i, out := range selection {
			if l.lower[out] == 1 {
				continue
			}
			base := s.value[top] - g[out]
			for j, gj := range g {
				if base+gj < best && !s.in[j] && l.upper[j] == 1 {
					if v := s.exchanged(out, j, best); v < best {
						best, from, to = v, i, j
					}
				}
			}
		}
		if from < 0 {
			return
		}
		subtract(s.value, 1, l.column(selection[from]))
		subtract(s.value, -1, l.column(to))
		s.in[selection[from]], s.in[to] = false, true
		selection[from] = to
	}
}

// exchanged returns the largest cut after an exchange, or something ≥ limit as
// soon as one cut reaches it.
func (s *local) exchanged(out, in int, limit float64) float64 {
	a, b := s.l.column(out), s.l.column(in)
	largest := math.Inf(-1)
	for _, c := range s.order {
		v := s.value[c] - a[c] + b[c]
		if v >= limit {
			return v
		}
		largest = max(largest, v)
	}
	return largest
}
