package search_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/internal/testkit"
	"optcomplete/objective"
	"optcomplete/search"
)

// requirements draws some that form no cycle: parents stand before children in
// a drawn order of the features.
func requirements(t *rapid.T, p int) []search.Requirement {
	all := make([]int, p)
	for j := range all {
		all[j] = j
	}
	order := rapid.Permutation(all).Draw(t, "order")
	var rules []search.Requirement
	for x, j := range order {
		if x == 0 || !rapid.Bool().Draw(t, "requires") {
			continue
		}
		parents := rapid.SliceOfNDistinct(rapid.IntRange(0, x-1), 1, min(x, 3), rapid.ID[int]).Draw(t, "parents")
		for i := range parents {
			parents[i] = order[parents[i]]
		}
		rules = append(rules, search.Requirement{Feature: j, Parents: parents, Any: rapid.Bool().Draw(t, "any")})
	}
	return rules
}

// keeps is the requirements by the book.
func keeps(rules []search.Requirement, selection []int) bool {
	for _, rule := range rules {
		if !slices.Contains(selection, rule.Feature) {
			continue
		}
		there := 0
		for _, parent := range rule.Parents {
			if slices.Contains(selection, parent) {
				there++
			}
		}
		if there == 0 && rule.Any || there < len(rule.Parents) && !rule.Any {
			return false
		}
	}
	return true
}

// leastKept is the least cost of the selections that keep the requirements.
func leastKept(in testkit.Instance, k int, always, never []int, rules []search.Requirement) float64 {
	_, p := in.Features.Dims()
	best := math.Inf(1)
	testkit.Selections(p, k, always, never, func(selection []int) {
		if keeps(rules, selection) {
			best = min(best, in.Precise(search.Indicator(p, selection)))
		}
	})
	return best
}

// TestHeredityEqualsBruteForce compares with every selection that keeps the
// requirements, with and without enumeration, and wants an error where there
// is none. No near-tie may break them and no bound may pass the optimum.
func TestHeredityEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 9)
		_, p := in.Features.Dims()
		rules := requirements(t, p)
		var always, never []int
		if rapid.Bool().Draw(t, "fixed") {
			always, never = subset(t, p, "always"), subset(t, p, "never")
			never = slices.DeleteFunc(never, func(j int) bool { return slices.Contains(always, j) })
		}
		want := leastKept(in, in.K, always, never, rules)
		tolerance := slack(in, want)
		var oracle search.Oracle = objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
		if rapid.Bool().Draw(t, "bare") {
			oracle = bare{oracle}
		}
		result, err := search.Minimize(context.Background(), oracle, search.Settings{
			K: in.K, Always: always, Never: never, Requires: rules,
			OnEvent: func(e search.Event) {
				if e.Bound > want+tolerance {
					t.Fatalf("%v: bound %v is above the optimum %v", e.Kind, e.Bound, want)
				}
			},
		})
		if math.IsInf(want, 1) {
			if !errors.Is(err, search.ErrInfeasible) {
				t.Fatalf("no selection is allowed, but got %v, %v", result.Selection, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		check(t, in, result, want, tolerance)
		for _, c := range append(result.NearTies, result.Candidate) {
			if !keeps(rules, c.Selection) {
				t.Fatalf("%v breaks %v", c.Selection, rules)
			}
		}
	})
}

// TestHeredityUnderLimits stops early: there is a selection all the same, it
// keeps the requirements, and the bound is true.
func TestHeredityUnderLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 9)
		_, p := in.Features.Dims()
		rules := requirements(t, p)
		want := leastKept(in, in.K, nil, nil, rules)
		result, err := search.Minimize(context.Background(), bare{objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)},
			search.Settings{K: in.K, Requires: rules, MaxPasses: rapid.IntRange(1, 12).Draw(t, "passes")})
		if err != nil {
			t.Fatal(err) // without always and never some selection keeps them
		}
		if len(result.Selection) != in.K || !keeps(rules, result.Selection) {
			t.Fatalf("%v for k = %d and %v", result.Selection, in.K, rules)
		}
		if result.Bound > want+slack(in, want) {
			t.Fatalf("bound %v, optimum %v", result.Bound, want)
		}
	})
}

// TestHeredityOnPath compares every k of a path with brute force.
func TestHeredityOnPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 8)
		_, p := in.Features.Dims()
		rules := requirements(t, p)
		path, err := search.Path(context.Background(), objective.NewExact(in.Matrix, in.Features, in.Gamma, 1), search.Settings{K: p, Requires: rules})
		if err != nil {
			t.Fatal(err)
		}
		if len(path) != p {
			t.Fatalf("%d results for k = 1..%d", len(path), p)
		}
		for i, on := range path {
			want := leastKept(in, i+1, nil, nil, rules)
			check(t, in, on, want, slack(in, want))
		}
	})
}

// TestCircularRequirementsAreRefused wants an error that says so.
func TestCircularRequirementsAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 5)
		_, p := in.Features.Dims()
		var rules []search.Requirement
		for j := range p {
			rules = append(rules, search.Requirement{Feature: j, Parents: []int{(j + 1) % p}, Any: j%2 == 0})
		}
		_, err := search.Minimize(context.Background(), objective.NewExact(in.Matrix, in.Features, in.Gamma, 1), search.Settings{K: in.K, Requires: rules})
		if !errors.Is(err, search.ErrInfeasible) {
			t.Fatalf("got %v", err)
		}
	})
}
