package milp

import (
	"math"
	"slices"
)

// relaxation is the LP relaxation of a node, solved by a bounded dual simplex
// with a long-step ratio test. In its own units (cuts scaled by a power of
// two, always-features folded into the constants, never-features gone) it is
//
//	minimise η  subject to  η − g_c·s ≥ b_c,  Σ s = k,  lower ≤ s ≤ upper.
//
// Its dual, max over λ in the simplex of b·λ + (least Σ_{k} of Gᵀλ), is the
// Lagrangian bound of [relaxation.prove]; the simplex only looks for good λ and
// is never trusted with a proof, so its tolerances cannot make a result wrong.
type relaxation struct {
	c, q, k int
	b       []float64 // constants
	g       []float64 // c×q, a cut's gradient is contiguous
	t       []float64 // q×c, a feature's entries are contiguous
	size    []float64 // per cut, the largest |entry| or |constant|
	peak    []float64 // per feature, the largest |entry| over the cuts

	lower, upper []float64 // 0 or 1; equal where the node has fixed the feature

	inv   inverse
	tight []int     // cut at row position r ≥ 1; tight[0] unused
	basic []int     // feature at column position i ≥ 1; basic[0] unused
	place []int     // per feature, its column position, or 0 if nonbasic
	row   []int     // per cut, its row position, or 0 if not tight
	high  []bool    // nonbasic at its upper bound
	count int       // nonbasic features at value 1
	h     []float64 // b_c + Σ_{nonbasic at 1} g_c[j]
	x     []float64 // values of η and the basic features
	slack []float64 // η − g_c·s − b_c for the cuts that are not tight
	d     []float64 // reduced costs (λᵀG)_j − μ

	fresh   int // updates since the last factorisation
	stalled int // steps in a row that did not raise the bound
	ray     ray
	scratch []float64
	where   []int
	steps   int // simplex steps so far, over all nodes
}

// ray is a direction of the dual variables and what the ratio test found on it.
type ray struct {
	leaving int     // column position that leaves, or 0 if a violated cut enters the tight ones
	cut     int     // that cut
	sign    float64 // y moves by sign·θ·rho
	slope   float64 // the gain per unit of θ at θ = 0, which is the infeasibility
	rho     []float64
	alpha   []float64
	breaks  []breakpoint
	passed  []int   // features that flip to their other bound
	enter   int     // feature that enters, or −1
	drop    int     // row position of the tight cut that leaves, or 0
	theta   float64 // step length
	gain    float64 // rise of the bound
}

type breakpoint struct {
	theta, alpha float64
	feature      int
}

type status int

const (
	optimal status = iota
	cutoff         // the bound has reached the limit given
	stopped        // no further progress: the bound so far stands
)

const (
	tolFeasible = 1e-9 // of a feature's value
	tolPivot    = 1e-9 // smallest pivot taken
	maxUpdates  = 80   // updates before a new factorisation
	maxStall    = 200  // steps without gain before giving up
)

func newRelaxation(b []float64, g []float64, q, k int) *relaxation {
	c := len(b)
	l := &relaxation{
		c: c, q: q, k: k, b: b, g: g,
		t: make([]float64, c*q), size: make([]float64, c), peak: make([]float64, q),
		lower: make([]float64, q), upper: make([]float64, q),
		place: make([]int, q), row: make([]int, c), high: make([]bool, q),
		h: make([]float64, c), slack: make([]float64, c), d: make([]float64, q),
		tight: []int{-1}, basic: []int{-1},
	}
	l.ray.alpha = make([]float64, q)
	for j := range q {
		l.upper[j] = 1
	}
	for i := range c {
		l.size[i] = math.Abs(b[i])
		for j, v := range g[i*q : (i+1)*q] {
			l.t[j*c+i] = v
			l.size[i] = max(l.size[i], math.Abs(v))
			l.peak[j] = max(l.peak[j], math.Abs(v))
		}
	}
	return l
}

func (l *relaxation) gradient(cut int) []float64 { return l.g[cut*l.q : (cut+1)*l.q] }
func (l *relaxation) column(j int) []float64     { return l.t[j*l.c : (j+1)*l.c] }

// basis is a saved starting point: tight cuts and basic features.
type basis struct{ tight, basic []int32 }

func (l *relaxation) save() *basis {
	s := &basis{make([]int32, len(l.tight)-1), make([]int32, len(l.basic)-1)}
	for r := range s.tight {
		s.tight[r] = int32(l.tight[r+1])
		s.basic[r] = int32(l.basic[r+1])
	}
	return s
}

// load starts from a saved basis, or from a single cut if that is singular or
// not dual feasible.
func (l *relaxation) load(s *basis) {
	if s != nil && len(s.tight) > 0 {
		l.tight, l.basic = l.tight[:1], l.basic[:1]
		for r := range s.tight {
			l.tight = append(l.tight, int(s.tight[r]))
			l.basic = append(l.basic, int(s.basic[r]))
		}
		if l.factor() {
			return
		}
	}
	l.cold(0)
}

// cold starts from one cut: its k smallest entries are selected.
func (l *relaxation) cold(cut int) {
	g := l.gradient(cut)
	free := make([]int, 0, l.q)
	k := l.k
	for j := range l.q {
		switch {
		case l.lower[j] == 1:
			k--
		case l.upper[j] == 1:
			free = append(free, j)
		}
	}
	slices.SortFunc(free, func(a, b int) int {
		if g[a] != g[b] {
			if g[a] < g[b] {
				return -1
			}
			return 1
		}
		return a - b
	})
	pivot := 0
	if len(free) > 0 {
		pivot = free[max(0, min(k, len(free))-1)]
	}
	l.tight = append(l.tight[:1], cut)
	l.basic = append(l.basic[:1], pivot)
	l.factor()
}

// factor inverts M from scratch, puts every nonbasic feature at the bound its
// reduced cost asks for (boxed features make any λ ≥ 0 dual feasible), and
// computes all values. It reports false if M is singular or some λ < 0.
func (l *relaxation) factor() bool {
	n := len(l.tight)
	for j := range l.place {
		l.place[j] = 0
	}
	for i := range l.row {
		l.row[i] = 0
	}
	for i := 1; i < n; i++ {
		l.row[l.tight[i]] = i
		l.place[l.basic[i]] = i
	}
	l.inv.n = 0
	l.inv.reserve(n)
	l.inv.n = n
	first := l.inv.row(0)
	first[0] = 0
	for i := 1; i < n; i++ {
		first[i] = 1
		row, g := l.inv.row(i), l.gradient(l.tight[i])
		row[0] = 1
		for m := 1; m < n; m++ {
			row[m] = -g[l.basic[m]]
		}
	}
	l.where = resize(l.where, n)
	l.fresh = 0
	if !l.inv.invert(l.where) {
		return false
	}
	y := l.inv.row(0)
	for r := 1; r < n; r++ {
		if y[r] < -1e-7 {
			return false
		}
	}
	l.price()
	l.settle()
	return true
}

// price computes the reduced costs d = λᵀG − μ.
func (l *relaxation) price() {
	y := l.inv.row(0)
	for j := range l.d {
		l.d[j] = -y[0]
	}
	l.combine(l.d, y, -1, 1)
	for _, j := range l.basic[1:] {
		l.d[j] = 0
	}
}

// combine adds f·Σ_r y[r]·g[tight r] to out, and f·g[cut] if cut ≥ 0.
func (l *relaxation) combine(out, y []float64, cut int, f float64) {
	r, n := 1, len(l.tight)
	for ; r+4 <= n; r += 4 {
		add4(out, l.gradient(l.tight[r]), l.gradient(l.tight[r+1]), l.gradient(l.tight[r+2]), l.gradient(l.tight[r+3]),
			f*y[r], f*y[r+1], f*y[r+2], f*y[r+3])
	}
	for ; r < n; r++ {
		subtract(out, -f*y[r], l.gradient(l.tight[r]))
	}
	if cut >= 0 {
		subtract(out, -f, l.gradient(cut))
	}
}

// add4 sets out += Σ f_i·x_i in one sweep over out.
func add4(out, x0, x1, x2, x3 []float64, f0, f1, f2, f3 float64) {
	x0, x1, x2, x3 = x0[:len(out)], x1[:len(out)], x2[:len(out)], x3[:len(out)]
	for j := range out {
		out[j] += (f0*x0[j] + f1*x1[j]) + (f2*x2[j] + f3*x3[j])
	}
}

// settle puts nonbasic features at the bound their reduced cost asks for.
func (l *relaxation) settle() {
	copy(l.h, l.b)
	l.count = 0
	for j := range l.q {
		if l.place[j] > 0 {
			continue
		}
		switch {
		case l.lower[j] == l.upper[j]:
			l.high[j] = l.upper[j] == 1
		case l.d[j] < 0:
			l.high[j] = true
		case l.d[j] > 0:
			l.high[j] = false
		}
		if l.high[j] {
			l.shift(j, 1)
		}
	}
	l.values()
}

// shift accounts for a nonbasic feature whose value changes by ±1.
func (l *relaxation) shift(j int, by float64) {
	subtract(l.h, -by, l.column(j))
	l.count += int(by)
}

// values computes x = M⁻¹·rhs and the slack of every cut.
func (l *relaxation) values() {
	n := len(l.tight)
	l.scratch = resize(l.scratch, n)
	rhs := l.scratch
	rhs[0] = float64(l.k - l.count)
	for r := 1; r < n; r++ {
		rhs[r] = l.h[l.tight[r]]
	}
	l.x = resize(l.x, n)
	for i := range n {
		l.x[i] = dot(l.inv.row(i), rhs)
	}
	for i := range l.slack {
		l.slack[i] = l.x[0] - l.h[i]
	}
	for i := 1; i < n; i++ {
		if l.x[i] != 0 {
			subtract(l.slack, l.x[i], l.column(l.basic[i]))
		}
	}
}

// solve raises the bound until the relaxation is optimal or reaches the limit.
func (l *relaxation) solve(limit float64, budget int) status {
	l.stalled = 0
	for ; budget > 0; budget-- {
		if l.x[0] >= limit {
			return cutoff
		}
		if !l.choose() {
			return optimal
		}
		l.steps++
		l.aim()
		if !l.test() || !l.step() {
			if l.fresh == 0 || !l.refactor() {
				return stopped
			}
			continue
		}
		if l.ray.gain > 1e-13*(math.Abs(l.x[0])+1e-3) {
			l.stalled = 0
		} else if l.stalled++; l.stalled > maxStall {
			return stopped
		}
		if l.fresh > maxUpdates && !l.refactor() {
			return stopped
		}
	}
	return stopped
}

// refactor renews the inverse at the current basis; if that is no longer
// possible it starts from one of the tight cuts.
func (l *relaxation) refactor() bool {
	if l.factor() {
		return true
	}
	l.cold(l.tight[len(l.tight)-1])
	l.stalled += maxStall / 4
	return l.stalled <= maxStall
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2+8)
	}
	return s[:n]
}
