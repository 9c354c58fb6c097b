package milp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"optcomplete/feasible"
)

// Cut is an affine function of the weights s that is nowhere above the cost:
//
//	η ≥ Constant + Σ_j Gradient[j]·s_j
type Cut struct {
	Constant float64   // the cut's value where every weight is 0
	Gradient []float64 // one number per feature
}

// Master is the master problem of outer approximation (the paper's Algorithms
// 1 and 2, line 6):
//
//	minimise η  over s ∈ {0,1}^P, η ≥ Floor
//	subject to  Σ_j s_j = K
//	            η ≥ Constant_c + Gradient_c·s    for every cut c
//	            s_j = 1 for j in Always, s_j = 0 for j in Never
type Master struct {
	P      int     // number of features, at least 1
	K      int     // number of features to select, 0..P
	Cuts   []Cut   // each with a gradient of length P; none is allowed
	Always []int   // features every selection holds, zero-based; duplicates are allowed
	Never  []int   // features no selection holds
	Floor  float64 // a lower bound of η that is known without cuts; 0 in the paper
}

// Solution is an answer of a solver.
type Solution struct {
	Selection []int   // the K selected features, zero-based, increasing
	Objective float64 // η at the selection, recomputed here from the cuts by [Master.Value]
	Bound     float64 // no selection has a smaller η, as far as the solver can prove
	Nodes     int     // nodes of the branch-and-bound tree; 0 where the solver does not say
	Seconds   float64 // time of the solve; for a program its own figure if it prints one, else its run time
}

// Options limit and steer one solve.
type Options struct {
	TimeLimit time.Duration // 0 means none
	MaxNodes  int           // 0 means any number; Embedded keeps to it, external programs ignore it
	Gap       float64       // stop when (Objective − Bound) ≤ Gap·|Objective|; 0 means optimal
	Seed      uint64        // passed to solvers that take random steps; Embedded takes none
	Start     []int         // a selection to start from, used where it fits the master; nil means none
}

// Solver solves masters. An error comes with a usable Solution only when it is
// a [*NotOptimalError].
type Solver interface {
	// Name returns the word users choose the solver by.
	Name() string
	// Version returns the version of the program behind the solver.
	Version(ctx context.Context) (string, error)
	// Solve returns an optimal selection, or one within Options.Gap.
	Solve(ctx context.Context, m *Master, options Options) (Solution, error)
}

// ErrMaster is wrapped by every error about a master that makes no sense.
var ErrMaster = errors.New("milp: bad master")

// ErrInfeasible means that no selection has K features, all of Always and none
// of Never.
var ErrInfeasible = feasible.ErrInfeasible

// Validate checks shapes, indices, and that every number is finite.
func (m *Master) Validate() error {
	if m.P < 1 || m.K < 0 {
		return fmt.Errorf("%w: %d features, %d to select", ErrMaster, m.P, m.K)
	}
	if math.IsNaN(m.Floor) || math.IsInf(m.Floor, 0) {
		return fmt.Errorf("%w: floor %v", ErrMaster, m.Floor)
	}
	for c, cut := range m.Cuts {
		if len(cut.Gradient) != m.P {
			return fmt.Errorf("%w: cut %d has %d gradient entries, want %d", ErrMaster, c, len(cut.Gradient), m.P)
		}
		size := math.Abs(cut.Constant)
		for _, g := range cut.Gradient {
			size += math.Abs(g)
		}
		if !(size < math.MaxFloat64/1e6) {
			return fmt.Errorf("%w: cut %d has an entry that is NaN, infinite or too large", ErrMaster, c)
		}
	}
	set := m.set()
	err := set.Validate()
	if err != nil && !errors.Is(err, ErrInfeasible) {
		return fmt.Errorf("%w: always or never holds %w", ErrMaster, err)
	}
	return err
}

// set is the selections that the master allows.
func (m *Master) set() feasible.Set {
	return feasible.Set{P: m.P, K: m.K, Always: m.Always, Never: m.Never}
}

// root is the region of all of them.
func (m *Master) root() *feasible.Region {
	set := m.set()
	root := set.Root()
	return &root
}

// Value returns η at a selection: the largest of the floor and the cuts,
//
//	max(Floor, max_c Constant_c + Σ_{j∈selection} Gradient_c[j]),
//
// each sum carried in twice the precision, so that terms of 1e9 may cancel and
// leave the right digits.
func (m *Master) Value(selection []int) float64 {
	value := m.Floor
	for c := range m.Cuts {
		value = max(value, m.Cuts[c].at(selection))
	}
	return value
}

func (c *Cut) at(selection []int) float64 {
	sum := c.sum(selection)
	return sum.value()
}

func (c *Cut) sum(selection []int) wide {
	var sum wide
	sum.add(c.Constant)
	for _, j := range selection {
		sum.add(c.Gradient[j])
	}
	return sum
}

// wide is an unevaluated sum hi + lo of two numbers, about 106 bits (Knuth's
// two-sum with the errors carried along; Dekker 1971).
type wide struct {
	hi, lo float64
	size   float64 // Σ |x| of what was added
}

func (w *wide) add(x float64) {
	s := w.hi + x
	t := s - w.hi
	e := (w.hi - (s - t)) + (x - t) + w.lo
	w.hi = s + e
	w.lo = e - (w.hi - s)
	w.size += math.Abs(x)
}

func (w *wide) value() float64 { return w.hi + w.lo }

// floor is a number that the exact sum is not below: each of up to 2^20 terms
// costs at most 2^-104 of the sizes so far, the last rounding half a unit.
func (w *wide) floor() float64 {
	v := w.value()
	return v - 2*unit*math.Abs(v) - 0x1p-84*w.size
}

// feasible tells why a selection does not satisfy the master; nil: it does.
func (m *Master) feasible(selection []int) error {
	set := m.set()
	return set.Fault(selection)
}
