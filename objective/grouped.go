package objective

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Cost is what [Grouped] can group: a convex cost over weights of features, such
// as [Exact] or [Pooled], with cuts and second derivatives as search.Curved says.
type Cost interface {
	Dim() int
	Eval(ctx context.Context, weights, gradient []float64) (cost, constant float64, err error)
	EvalHessian(ctx context.Context, weights, gradient, hessian []float64) (cost, constant float64, err error)
}

// lister is a Cost that can evaluate many selections at once; see
// search.Enumerator.
type lister interface {
	Effort(free, left int) float64
	Enumerate(ctx context.Context, in, candidates []int, left int, below float64, keep int) (selections [][]int, costs []float64, margin, rest float64, err error)
}

// Grouped is a cost over groups of features that are selected together, such as
// the indicators of one category. The weight of a group is that of each of its
// features, so a cut of the features' cost is one of the groups': its gradient
// adds up the members'.
type Grouped struct {
	cost   Cost
	lister lister // the cost, if it enumerates and every group has one member
	groups [][]int
	of     []int // the group of each feature, −1 for none

	weights, gradient, hessian []float64 // of the features, reused
}

// NewGrouped groups the features of a cost. The groups must not share features,
// or it panics. A feature in no group is never selected; a group without
// features explains nothing.
func NewGrouped(cost Cost, groups [][]int) *Grouped {
	p := cost.Dim()
	o := &Grouped{cost: cost, of: make([]int, p), weights: make([]float64, p), gradient: make([]float64, p)}
	for j := range o.of {
		o.of[j] = -1
	}
	single := true
	for g, members := range groups {
		for _, j := range members {
			if j < 0 || j >= p {
				panic(fmt.Sprintf("objective: group %d has feature %d of %d", g, j, p))
			}
			if o.of[j] >= 0 {
				panic(fmt.Sprintf("objective: feature %d is in the groups %d and %d", j, o.of[j], g))
			}
			o.of[j] = g
		}
		o.groups = append(o.groups, slices.Clone(members))
		single = single && len(members) == 1
	}
	if single {
		o.lister, _ = cost.(lister)
	}
	return o
}

// Dim returns the number of groups.
func (o *Grouped) Dim() int { return len(o.groups) }

// Members returns the features of a selection of groups, in increasing order.
func (o *Grouped) Members(selection []int) []int {
	var features []int
	for _, g := range selection {
		features = append(features, o.groups[g]...)
	}
	slices.Sort(features)
	return features
}

// Eval returns the cost at the groups' weights and a cut; see search.Oracle.
func (o *Grouped) Eval(ctx context.Context, weights, gradient []float64) (cost, constant float64, err error) {
	o.spread(weights)
	cost, constant, err = o.cost.Eval(ctx, o.weights, o.gradient)
	o.gather(gradient)
	return cost, constant, err
}

// EvalHessian is Eval, and also gives the second derivatives; see search.Curved.
func (o *Grouped) EvalHessian(ctx context.Context, weights, gradient, hessian []float64) (cost, constant float64, err error) {
	if hessian == nil {
		return o.Eval(ctx, weights, gradient)
	}
	o.spread(weights)
	place, count := make([]int, len(weights)), 0 // of each group in the Hessian
	for g, w := range weights {
		place[g] = count
		if w > 0 {
			count++
		}
	}
	if len(hessian) != count*count {
		panic("objective: the Hessian must have a row for each group of positive weight")
	}
	var at []int // for each feature of positive weight, its group's place
	for j, w := range o.weights {
		if w > 0 {
			at = append(at, place[o.of[j]])
		}
	}
	t := len(at)
	o.hessian = grow(o.hessian, t*t)
	cost, constant, err = o.cost.EvalHessian(ctx, o.weights, o.gradient, o.hessian[:t*t])
	o.gather(gradient)
	clear(hessian)
	for x, a := range at {
		for y, b := range at {
			hessian[a*count+b] += o.hessian[x*t+y]
		}
	}
	return cost, constant, err
}

// spread gives each feature the weight of its group.
func (o *Grouped) spread(weights []float64) {
	if len(weights) != len(o.groups) {
		panic("objective: weights must have one number for each group")
	}
	for j, g := range o.of {
		if g >= 0 {
			o.weights[j] = weights[g]
		}
	}
}

// gather adds up the members' gradients, less what the sum may have been rounded
// up by. With a nil gradient there is nothing to do.
func (o *Grouped) gather(gradient []float64) {
	if gradient != nil && len(gradient) != len(o.groups) {
		panic("objective: the gradient must have one number for each group")
	}
	for g := range gradient {
		sum, size := 0.0, 0.0
		for _, j := range o.groups[g] {
			sum += o.gradient[j]
			size += math.Abs(o.gradient[j])
		}
		gradient[g] = sum - 1.2e-16*float64(len(o.groups[g])-1)*size
	}
}

// Effort is that of the features' cost if every group has one member and it can
// enumerate; otherwise +Inf, which means never. See search.Enumerator.
func (o *Grouped) Effort(free, left int) float64 {
	if o.lister == nil {
		return math.Inf(1)
	}
	return o.lister.Effort(free, left)
}

// Enumerate is that of the features' cost; see search.Enumerator. It must only be
// called where Effort is finite.
func (o *Grouped) Enumerate(ctx context.Context, in, candidates []int, left int, below float64, keep int) (selections [][]int, costs []float64, margin, rest float64, err error) {
	if o.lister == nil {
		panic("objective: groups of several features cannot be enumerated")
	}
	features := func(groups []int) []int {
		out := make([]int, len(groups))
		for x, g := range groups {
			out[x] = o.groups[g][0]
		}
		return out
	}
	selections, costs, margin, rest, err = o.lister.Enumerate(ctx, features(in), features(candidates), left, below, keep)
	for _, selection := range selections {
		for x, j := range selection {
			selection[x] = o.of[j]
		}
		slices.Sort(selection)
	}
	return selections, costs, margin, rest, err
}
