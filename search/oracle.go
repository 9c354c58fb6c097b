package search

import (
	"context"
	"math"
)

// Oracle is a convex cost over weights in [0,1]^p, known by evaluation. Costs are
// never negative.
type Oracle interface {
	// Dim returns the number of features p.
	Dim() int

	// Eval returns the cost at the weights, and a cut. Weights must not be kept or
	// changed. Eval is never called concurrently.
	Eval(ctx context.Context, weights []float64) (Cut, error)
}

// Cut is what an evaluation gives: the cost, and numbers such that
//
//	cost(t) ≥ Constant + Σ_j Gradient[j]·t_j   for every t in [0,1]^p.
//
// For an exactly computed gradient, Constant = Cost − Gradient·weights; an oracle
// that rounds must lower the two until the inequality holds.
type Cut struct {
	Cost     float64
	Constant float64
	Gradient []float64 // of length p; whoever asked may keep it
}

// Curved is an Oracle that also knows its second derivatives. The relaxation
// then takes Newton steps; without them it takes projected gradient steps.
type Curved interface {
	Oracle

	// EvalHessian is Eval, and also returns the t×t matrix of second derivatives
	// between the features of positive weight, in increasing order, row by row. It
	// steers the search and proves nothing, so it may be approximate.
	EvalHessian(ctx context.Context, weights []float64) (Cut, []float64, error)
}

// Enumerator is an Oracle that can evaluate very many selections at once, much
// faster than one by one. The search then ends its branches early.
type Enumerator interface {
	Oracle

	// Effort estimates the time of an enumeration of left out of free
	// features, in evaluations; +Inf if it is too large to be done.
	Effort(free, left int) float64

	// Enumerate looks at every selection of a region and lists the good ones.
	Enumerate(ctx context.Context, r Region) (Listing, error)
}

// Region is the selections made of some features and of as many candidates as are
// left to select, and which of them are wanted.
type Region struct {
	In         []int // in every selection
	Candidates []int // in some
	Left       int   // this many of them in each

	Below float64 // all selections whose cost may be below this are wanted,
	Keep  int     // and the best this many of the others
}

// Listing is what an enumeration found.
type Listing struct {
	Selections [][]int   // by rising cost
	Costs      []float64 // of each
	Margin     float64   // a true cost is within this of the one listed
	Rest       float64   // a selection that is not listed costs at least this
}

// Modeler is an Oracle that knows quadratic functions below the cost, and evaluates
// long lists of selections at once. The search can then rule out most of a region by
// one function, without evaluations.
type Modeler interface {
	Oracle

	// Model gives a function below the cost of selections made of the given features,
	// increasing; it is near the cost around the weights, which are zero for all other
	// features. The cut is of an evaluation at the weights. Not ok: there is none to be
	// had, whatever the weights.
	Model(ctx context.Context, weights []float64, at Cut, features []int) (m Model, ok bool, err error)

	// Costs is the costs of selections, each true within the margin.
	Costs(ctx context.Context, selections [][]int) (costs []float64, margin float64, err error)
}

// Model is a quadratic function of the selections S of some features, nowhere above
// the cost:
//
//	cost(S) ≥ Constant + Σ_{j∈S} Linear[j] + Σ_{j,l∈S} Matrix[j,l].
type Model struct {
	Constant float64
	Linear   []float64 // of each of the features
	Matrix   []float64 // between them, row by row: symmetric, positive semidefinite
}

// cut is an affine function that is nowhere above the cost.
type cut struct {
	constant float64
	gradient []float64
	number   int // of the evaluation it comes from
}

// at is the cut's value at a selection; see ValueAt.
func (c *cut) at(selection []int) float64 { return ValueAt(c.constant, c.gradient, selection) }

// ValueAt is an affine function's value at a selection, lowered by the rounding of the
// sum.
func ValueAt(constant float64, gradient []float64, selection []int) float64 {
	value, size := constant, math.Abs(constant)
	for _, j := range selection {
		value += gradient[j]
		size += math.Abs(gradient[j])
	}
	return value - 1.2e-16*float64(2+len(selection))*size
}
