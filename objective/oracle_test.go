package objective

import (
	"context"

	"optcomplete/search"
)

// evalInto evaluates into room for the gradient and, unless it is nil, the second
// derivatives.
func evalInto(ctx context.Context, o search.Oracle, weights, gradient, hessian []float64) (cost, constant float64, err error) {
	var cut search.Cut
	if hessian == nil {
		cut, err = o.Eval(ctx, weights)
	} else {
		var second []float64
		cut, second, err = o.(search.Curved).EvalHessian(ctx, weights)
		copy(hessian, second)
	}
	copy(gradient, cut.Gradient)
	return cut.Cost, cut.Constant, err
}
