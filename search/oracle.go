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

	// Eval returns the cost at the weights, and a cut: numbers such that
	//
	//	cost(t) ≥ constant + Σ_j gradient[j]·t_j   for every t in [0,1]^p.
	//
	// For an exactly computed gradient, constant = cost − gradient·weights;
	// an oracle that rounds must lower the two until the inequality holds.
	// The gradient is written into the slice given (length p). Weights must
	// not be kept or changed. Eval is never called concurrently.
	Eval(ctx context.Context, weights, gradient []float64) (cost, constant float64, err error)
}

// Curved is an Oracle that also knows its second derivatives. The relaxation
// then takes Newton steps; without them it takes projected gradient steps.
type Curved interface {
	Oracle

	// EvalHessian is Eval, and also writes the t×t matrix of second
	// derivatives between the features of positive weight, in increasing
	// order, row by row. It steers the search and proves nothing, so it may
	// be approximate.
	EvalHessian(ctx context.Context, weights, gradient, hessian []float64) (cost, constant float64, err error)
}

// Enumerator is an Oracle that can evaluate very many selections at once, much
// faster than one by one. The search then ends its branches early.
type Enumerator interface {
	Oracle

	// Effort estimates the time of an enumeration of left out of free
	// features, in evaluations; +Inf if it is too large to be done.
	Effort(free, left int) float64

	// Enumerate looks at every selection made of the features in and left of
	// the candidates. It returns, by rising cost, those whose cost may be
	// below the given one, and the best keep of the others. The true cost of
	// a selection is within margin of the one returned; a selection that is
	// not returned costs at least rest.
	Enumerate(ctx context.Context, in, candidates []int, left int, below float64, keep int) (selections [][]int, costs []float64, margin, rest float64, err error)
}

// cut is an affine function that is nowhere above the cost.
type cut struct {
	constant float64
	gradient []float64
	number   int // of the evaluation it comes from
}

// at is the cut's value at a selection, lowered by the rounding of the sum.
func (c *cut) at(selection []int) float64 {
	value, size := c.constant, math.Abs(c.constant)
	for _, j := range selection {
		value += c.gradient[j]
		size += math.Abs(c.gradient[j])
	}
	return value - 1.2e-16*float64(2+len(selection))*size
}
