package objective

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/search"
)

var (
	_ search.Curved     = (*Grouped)(nil)
	_ search.Enumerator = (*Grouped)(nil)
)

// drawGroups divides features into up to most groups, in any order; some
// features may be in none, and some groups empty.
func drawGroups(t *rapid.T, p, most int) [][]int {
	groups := make([][]int, rapid.IntRange(1, most).Draw(t, "groups"))
	for _, j := range rapid.Permutation(indices(p)).Draw(t, "order") {
		if g := rapid.IntRange(-1, len(groups)-1).Draw(t, "group"); g >= 0 {
			groups[g] = append(groups[g], j)
		}
	}
	return groups
}

func indices(p int) []int {
	all := make([]int, p)
	for j := range all {
		all[j] = j
	}
	return all
}

// spreadOver is the features' weights for those of the groups.
func spreadOver(p int, groups [][]int, weights []float64) []float64 {
	s := make([]float64, p)
	for g, members := range groups {
		for _, j := range members {
			s[j] = weights[g]
		}
	}
	return s
}

// either draws one of the costs, with its dense formula.
func either(t *rapid.T, in pooledInstance) (search.Curved, func(s []float64) float64) {
	if rapid.Bool().Draw(t, "pooled") {
		return in.oracle(1), func(s []float64) float64 { cost, _ := in.dense(s); return cost }
	}
	return NewExact(in.Matrix, in.Features, in.Gamma, 1), func(s []float64) float64 { cost, _ := in.Dense(s); return cost }
}

// TestGroupedIsTheCostOfItsMembers compares the cost, checks gradient and second
// derivatives by differences, and the cut against the cost elsewhere.
func TestGroupedIsTheCostOfItsMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawPooled(t, 9)
		in.Gamma = math.Pow(10, rapid.Float64Range(-3, 2).Draw(t, "smaller gamma"))
		in.gamma0 = math.Pow(10, rapid.Float64Range(-3, 2).Draw(t, "smaller gamma0"))
		_, p := in.Features.Dims()
		cost, dense := either(t, in)
		groups := drawGroups(t, p, 5)
		o := NewGrouped(cost, groups)
		if o.Dim() != len(groups) {
			t.Fatalf("%d groups, dimension %d", len(groups), o.Dim())
		}
		s := testkit.Weights(t, o.Dim(), "weights")
		for g := range s {
			if s[g] > 0 {
				s[g] = 0.1 + 0.8*s[g]
			}
		}
		scale := in.Scale()
		own, constant, gradient, hessian := evalCost(t, o, s, true)
		if want := dense(spreadOver(p, groups, s)); math.Abs(own-want) > 1e-11*(want+scale) {
			t.Fatalf("cost %v, want %v", own, want)
		}
		const h = 1e-5
		var support []int
		for g, w := range s {
			if w > 0 {
				support = append(support, g)
			}
		}
		for x, g := range support {
			up, down := slices.Clone(s), slices.Clone(s)
			up[g] += h
			down[g] -= h
			cu, _, gu, _ := evalCost(t, o, up, false)
			cd, _, gd, _ := evalCost(t, o, down, false)
			if d := (cu - cd) / (2 * h); math.Abs(d-gradient[g]) > 1e-5*(math.Abs(d)+scale) {
				t.Fatalf("gradient %d is %v, difference quotient %v", g, gradient[g], d)
			}
			for y, l := range support {
				d := (gu[l] - gd[l]) / (2 * h)
				if got := hessian[x*len(support)+y]; math.Abs(d-got) > 1e-4*(math.Abs(d)+scale) {
					t.Fatalf("second derivative %d,%d is %v, difference quotient %v", g, l, got, d)
				}
			}
		}
		there := testkit.Weights(t, o.Dim(), "there")
		if want, cut := dense(spreadOver(p, groups, there)), value(constant, gradient, there); cut > want*(1+1e-12+in.loss()) {
			t.Fatalf("cut %v is above the cost %v", cut, want)
		}
	})
}

// TestGroupedOptimumEqualsBruteForce searches over groups, of several features
// and of one, which are enumerated.
func TestGroupedOptimumEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawPooled(t, 10)
		in.Gamma = math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "smaller gamma"))
		in.gamma0 = math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "smaller gamma0"))
		_, p := in.Features.Dims()
		cost, dense := either(t, in)
		groups := drawGroups(t, p, 7)
		if rapid.Bool().Draw(t, "single") {
			groups = nil
			for _, j := range rapid.Permutation(indices(p)).Draw(t, "one by one") {
				groups = append(groups, []int{j})
			}
			groups = groups[:min(len(groups), 7)]
		}
		o := NewGrouped(cost, groups)
		k := rapid.IntRange(1, o.Dim()).Draw(t, "groups to select")
		want := math.Inf(1)
		testkit.Selections(o.Dim(), k, nil, nil, func(selection []int) {
			want = min(want, dense(search.Indicator(p, o.Members(selection))))
		})
		result := must.Get(search.Minimize(context.Background(), o, search.Settings{K: k}))(t)
		tolerance := (1e-9+in.loss())*want + 1e-13*in.Scale()
		own := dense(search.Indicator(p, o.Members(result.Selection)))
		if math.Abs(own-result.Cost) > tolerance || math.Abs(own-want) > tolerance || result.Bound > want+tolerance {
			t.Fatalf("groups %v cost %v, reported %v with the bound %v, optimum %v", result.Selection, own, result.Cost, result.Bound, want)
		}
	})
}

// TestGroupedEnumeratesOnlySingleFeatures also compares the costs enumerated.
func TestGroupedEnumeratesOnlySingleFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawPooled(t, 7)
		_, p := in.Features.Dims()
		exact := NewExact(in.Matrix, in.Features, in.Gamma, 1)
		if !math.IsInf(NewGrouped(in.oracle(1), [][]int{{0}}).Effort(2, 1), 1) {
			t.Fatal("the pooled cost does not enumerate")
		}
		if p < 3 {
			return
		}
		if !math.IsInf(NewGrouped(exact, [][]int{{0}, {2, 1}}).Effort(2, 1), 1) {
			t.Fatal("a group of two is not enumerated")
		}
		groups := [][]int{{2}, {0}, {1}}
		o := NewGrouped(exact, groups)
		if o.Effort(3, 1) != exact.Effort(3, 1) {
			t.Fatal("the effort is not the features'")
		}
		list, err := o.Enumerate(context.Background(), search.Region{In: []int{1}, Candidates: []int{0, 2}, Left: 1, Below: math.Inf(1), Keep: 2})
		selections, costs, margin := list.Selections, list.Costs, list.Margin
		if err != nil || len(selections) != 2 {
			t.Fatalf("%v, %v", selections, err)
		}
		for x, selection := range selections {
			cost, _, _, _ := evalCost(t, o, search.Indicator(3, selection), false)
			if math.Abs(cost-costs[x]) > margin+1e-12*cost || !slices.IsSorted(selection) || !slices.Contains(selection, 1) {
				t.Fatalf("selection %v costs %v, enumerated %v ± %v", selection, cost, costs[x], margin)
			}
		}
	})
}

func TestGroupsThatShareFeaturesPanic(t *testing.T) {
	matrix := must.Get(data.NewMatrix(1, 2, []data.Entry{{Row: 0, Column: 1, Value: 1}}))(t)
	cost := NewExact(matrix, testkit.Features(2, 3, make([]float64, 6)), 1, 1)
	for _, groups := range [][][]int{{{0, 1}, {1}}, {{0, 0}}, {{3}}, {{-1}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("groups %v were taken", groups)
				}
			}()
			NewGrouped(cost, groups)
		}()
	}
}
