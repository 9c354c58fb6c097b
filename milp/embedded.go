package milp

import (
	"context"
	"math"
	"slices"
	"time"
)

// Embedded is the default solver: pure Go, exact, and made for masters. Its
// answer is optimal to 1e-11 of the objective (or the rounding of the cuts'
// own sums, where that is larger), and its Bound holds in spite of rounding.
//
// The zero value is ready for use. One Embedded solves a sequence of masters
// best: it starts each from the selection and the tight cuts of the one before.
// The answer's Objective does not depend on that history, but among equally
// good selections the one returned may. It must not be used concurrently.
type Embedded struct {
	p, k      int
	selection []int   // of the last solve
	tight     []int32 // cuts of its root basis, counted with the floor as 0
	basic     []int32 // features of its root basis
}

var _ Solver = (*Embedded)(nil)

// Name returns "embedded".
func (e *Embedded) Name() string { return "embedded" }

// Version returns the version of the algorithm; it changes when, among equally
// good selections, another may be returned.
func (e *Embedded) Version(context.Context) (string, error) { return "1", nil }

// Solve solves the master. When a limit or the context ends it early it
// returns the best selection and the bound so far with a [*NotOptimalError].
func (e *Embedded) Solve(ctx context.Context, m *Master, options Options) (Solution, error) {
	start := time.Now()
	if err := m.Validate(); err != nil {
		return Solution{}, err
	}
	t := &tree{m: m, gap: max(options.Gap, 0), scale: scaleOf(m), lowest: math.Inf(1), maxNodes: options.MaxNodes}
	if options.TimeLimit > 0 {
		t.deadline = start.Add(options.TimeLimit)
	}
	done := e.search(ctx, t, options.Start)
	bound := t.lowest
	for _, n := range t.open {
		bound = min(bound, n.bound)
	}
	solution := Solution{
		Selection: t.best,
		Objective: t.value,
		Bound:     min(t.value, max(m.Floor, bound/t.scale)),
		Nodes:     t.count,
		Seconds:   time.Since(start).Seconds(),
	}
	e.p, e.k, e.selection = m.P, m.K, t.best
	if !done {
		reason := "time limit"
		if t.maxNodes > 0 && t.count >= t.maxNodes {
			reason = "node limit"
		}
		if ctx.Err() != nil {
			reason = ctx.Err().Error()
		}
		return solution, &NotOptimalError{Solver: e.Name(), Reason: reason, Solution: solution, cause: ctx.Err()}
	}
	return solution, nil
}

// search fills the tree's incumbent and bound; it returns false if it had to
// stop early.
func (e *Embedded) search(ctx context.Context, t *tree, start []int) bool {
	m := t.m
	root := m.root()
	t.build(root.Inside(), root.Open())
	if t.l.k == 0 || t.l.k == t.l.q {
		t.offerColumns(upTo(t.l.k))
		t.count = 1
		return true
	}
	t.warm(start)
	t.warm(e.selection)
	t.greedy()
	if t.finished() {
		return true
	}
	first := &node{bound: math.Inf(-1), basis: e.basis(t)}
	t.enter(first)
	if ctx.Err() != nil {
		t.open = nodes{first}
		return false
	}
	next := t.process(first)
	e.remember(t)
	if next == nil {
		return true
	}
	return t.run(ctx, t.compact(first))
}

// scaleOf returns the power of two that brings the median over the cuts of
// their largest gradient entry to about 1, so that the tolerances of a solver
// mean the same for costs of any unit. Multiplying by it rounds nothing.
func scaleOf(m *Master) float64 {
	var peaks []float64
	for _, c := range m.Cuts {
		peak := 0.0
		for _, g := range c.Gradient {
			peak = max(peak, math.Abs(g))
		}
		if peak > 0 {
			peaks = append(peaks, peak)
		}
	}
	if len(peaks) == 0 {
		return 1
	}
	slices.Sort(peaks)
	_, exponent := math.Frexp(peaks[len(peaks)/2])
	return math.Ldexp(1, max(-900, min(900, -exponent)))
}

// build makes the relaxation over some features, with others already in. The
// floor is cut 0, with a gradient of zero.
func (t *tree) build(in, columns []int) {
	q := len(columns)
	b := make([]float64, len(t.m.Cuts)+1)
	g := make([]float64, len(b)*q)
	b[0] = t.m.Floor * t.scale
	for c := range t.m.Cuts {
		cut := &t.m.Cuts[c]
		constant := cut.Constant
		if len(in) > 0 { // rounded down, so that the cut stays a cut
			sum := cut.sum(in)
			constant = sum.floor()
		}
		b[c+1] = constant * t.scale
		row := g[(c+1)*q : (c+2)*q]
		for i, j := range columns {
			row[i] = cut.Gradient[j] * t.scale
		}
	}
	steps := 0
	if t.l != nil {
		steps = t.l.steps
	}
	t.in, t.columns = in, columns
	t.l = newRelaxation(b, g, q, t.m.K-len(in))
	t.l.steps = steps
	t.local = local{l: t.l}
	t.down, t.up = make([]pseudo, q), make([]pseudo, q)
}

// compact rebuilds the relaxation without the features the root has fixed, and
// returns the root of the tree over what is left.
func (t *tree) compact(root *node) *node {
	l := t.l
	in := slices.Clone(t.in)
	var columns []int
	number := make([]int32, l.q)
	fixed := make([]int, l.q) // 0 free, 1 out, 2 in
	for _, f := range root.fixed {
		fixed[f>>1] = 1 + int(f&1)
	}
	for j := range l.q {
		number[j] = -1
		switch fixed[j] {
		case 0:
			number[j] = int32(len(columns))
			columns = append(columns, t.columns[j])
		case 2:
			in = append(in, t.columns[j])
		}
	}
	tight, basic := l.tight[1:], l.basic[1:]
	next := &basis{}
	for i := range tight {
		if fixed[basic[i]] != 0 {
			next = nil
			break
		}
		next.tight = append(next.tight, int32(tight[i]))
		next.basic = append(next.basic, number[basic[i]])
	}
	t.build(in, columns)
	return &node{bound: root.bound, basis: next}
}

// warm offers a selection from elsewhere, if it fits the master.
func (t *tree) warm(selection []int) {
	if len(selection) == 0 {
		return
	}
	s := slices.Clone(selection)
	slices.Sort(s)
	if t.m.feasible(s) != nil {
		return
	}
	t.offer(s)
	t.polish(s)
}

// polish improves a feasible selection of features by exchanges.
func (t *tree) polish(selection []int) {
	var columns []int
	for i, j := range t.columns {
		if _, in := slices.BinarySearch(selection, j); in {
			columns = append(columns, i)
		}
	}
	t.local.improve(columns, 100)
	t.offerColumns(columns)
}

// greedy offers the features of least total gradient, improved by exchanges.
func (t *tree) greedy() {
	l := t.l
	total := make([]float64, l.q)
	for j := range total {
		for _, v := range l.column(j) {
			total[j] += v
		}
	}
	order := upTo(l.q)
	slices.SortStableFunc(order, func(a, b int) int {
		if total[a] < total[b] {
			return -1
		} else if total[a] > total[b] {
			return 1
		}
		return 0
	})
	selection := order[:l.k]
	t.local.improve(selection, 100)
	t.offerColumns(selection)
}

// basis translates the root basis of the last solve to this master.
func (e *Embedded) basis(t *tree) *basis {
	if e.p != t.m.P || e.k != t.m.K || len(e.tight) == 0 {
		return nil
	}
	number := make(map[int]int32, len(t.columns))
	for i, j := range t.columns {
		number[j] = int32(i)
	}
	s := &basis{}
	for i, c := range e.tight {
		j, known := number[int(e.basic[i])]
		if int(c) >= t.l.c || !known {
			return nil
		}
		s.tight = append(s.tight, c)
		s.basic = append(s.basic, j)
	}
	return s
}

// remember keeps the root basis for the next master.
func (e *Embedded) remember(t *tree) {
	e.tight, e.basic = e.tight[:0], e.basic[:0]
	for i, c := range t.l.tight[1:] {
		e.tight = append(e.tight, int32(c))
		e.basic = append(e.basic, int32(t.columns[t.l.basic[i+1]]))
	}
}

func upTo(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}
