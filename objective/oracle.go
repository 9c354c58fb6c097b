package objective

import (
	"context"

	"optcomplete/search"
)

// evaluator is a cost as it is computed here: into room for the gradient, and for
// the second derivatives, unless that is nil.
type evaluator interface {
	Dim() int
	eval(ctx context.Context, weights, gradient, hessian []float64) (cost, constant float64, err error)
}

var (
	_ search.Curved     = (*Exact)(nil)
	_ search.Curved     = (*Pooled)(nil)
	_ search.Curved     = (*Quadratic)(nil)
	_ search.Curved     = (*Grouped)(nil)
	_ search.Oracle     = (*Sampled)(nil)
	_ search.Enumerator = (*Exact)(nil)
	_ search.Modeler    = (*Exact)(nil)
	_ search.Enumerator = (*Quadratic)(nil)
	_ search.Enumerator = (*Grouped)(nil)
)

// cutOf is an evaluation as the search asks for it.
func cutOf(ctx context.Context, o evaluator, weights []float64) (search.Cut, error) {
	gradient := make([]float64, o.Dim())
	cost, constant, err := o.eval(ctx, weights, gradient, nil)
	return search.Cut{Cost: cost, Constant: constant, Gradient: gradient}, err
}

// curvedCutOf is cutOf with the second derivatives.
func curvedCutOf(ctx context.Context, o evaluator, weights []float64) (search.Cut, []float64, error) {
	t := 0
	for _, w := range weights {
		if w > 0 {
			t++
		}
	}
	gradient, hessian := make([]float64, o.Dim()), make([]float64, t*t)
	cost, constant, err := o.eval(ctx, weights, gradient, hessian)
	return search.Cut{Cost: cost, Constant: constant, Gradient: gradient}, hessian, err
}
