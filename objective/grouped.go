package objective

import (
	"context"
	"fmt"
	"math"
	"slices"

	"optcomplete/internal/lists"
	"optcomplete/search"
)

// Grouped is a cost over groups of features that are selected together, such as
// the indicators of one category. The weight of a group is that of each of its
// features, so a cut of the features' cost is one of the groups': its gradient
// adds up the members'.
type Grouped struct {
	cost   search.Curved
	lister search.Enumerator // the cost, if it enumerates and every group has one member
	groups [][]int
	of     []int // the group of each feature, −1 for none

	weights []float64 // of the features, reused
}

// NewGrouped groups the features of a cost. The groups must not share features,
// or it panics. A feature in no group is never selected; a group without
// features explains nothing.
func NewGrouped(cost search.Curved, groups [][]int) *Grouped {
	p := cost.Dim()
	o := &Grouped{cost: cost, of: make([]int, p), weights: make([]float64, p)}
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
		o.lister, _ = cost.(search.Enumerator)
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
func (o *Grouped) Eval(ctx context.Context, weights []float64) (search.Cut, error) {
	o.spread(weights)
	cut, err := o.cost.Eval(ctx, o.weights)
	if err != nil {
		return search.Cut{}, err
	}
	return o.gather(cut), nil
}

// EvalHessian is Eval, and also gives the second derivatives; see search.Curved.
func (o *Grouped) EvalHessian(ctx context.Context, weights []float64) (search.Cut, []float64, error) {
	o.spread(weights)
	cut, inner, err := o.cost.EvalHessian(ctx, o.weights)
	if err != nil {
		return search.Cut{}, nil, err
	}
	place, count := make([]int, len(weights)), 0 // of each group in the Hessian
	for g, w := range weights {
		place[g] = count
		if w > 0 {
			count++
		}
	}
	var at []int // for each feature of positive weight, its group's place
	for j, w := range o.weights {
		if w > 0 {
			at = append(at, place[o.of[j]])
		}
	}
	t, hessian := len(at), make([]float64, count*count)
	for x, a := range at {
		for y, b := range at {
			hessian[a*count+b] += inner[x*t+y]
		}
	}
	return o.gather(cut), hessian, nil
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
// up by.
func (o *Grouped) gather(c search.Cut) search.Cut {
	of := c.Gradient
	c.Gradient = make([]float64, len(o.groups))
	for g := range c.Gradient {
		sum, size := 0.0, 0.0
		for _, j := range o.groups[g] {
			sum += of[j]
			size += math.Abs(of[j])
		}
		c.Gradient[g] = sum - 1.2e-16*float64(len(o.groups[g])-1)*size
	}
	return c
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
func (o *Grouped) Enumerate(ctx context.Context, r search.Region) (search.Listing, error) {
	if o.lister == nil {
		panic("objective: groups of several features cannot be enumerated")
	}
	features := func(groups []int) []int {
		return lists.Each(groups, func(g int) int { return o.groups[g][0] })
	}
	r.In, r.Candidates = features(r.In), features(r.Candidates)
	found, err := o.lister.Enumerate(ctx, r)
	for _, selection := range found.Selections {
		for x, j := range selection {
			selection[x] = o.of[j]
		}
		slices.Sort(selection)
	}
	return found, err
}
