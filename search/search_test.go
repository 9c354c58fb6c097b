package search_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/objective"
	"optcomplete/search"
)

// optimum tries every selection by the dense formula, and those near the best
// once more in high precision. It returns the least cost.
func optimum(in testkit.Instance, k int, always, never []int) float64 {
	_, p := in.Features.Dims()
	type candidate struct {
		selection []int
		cost      float64
	}
	var all []candidate
	testkit.Selections(p, k, always, never, func(selection []int) {
		cost, _ := in.Dense(search.Indicator(p, selection))
		all = append(all, candidate{slices.Clone(selection), cost})
	})
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	best := math.Inf(1)
	for _, c := range all[:min(len(all), 6)] {
		best = min(best, in.Precise(search.Indicator(p, c.selection)))
	}
	return best
}

// slack is what counts as equal: 1e-9 of the cost, and where the cost is next
// to nothing, the rounding of the data's own squares.
func slack(in testkit.Instance, cost float64) float64 {
	return 1e-9*cost + 2e-15*in.Scale()
}

// subset draws some features.
func subset(t *rapid.T, p int, label string) []int {
	return rapid.SliceOfNDistinct(rapid.IntRange(0, p-1), 0, p, rapid.ID[int]).Draw(t, label)
}

// TestOptimumEqualsBruteForce is the promise of the product: the cost of the
// selection is the least of all, and at every event the bound is at or below it.
func TestOptimumEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 12)
		want := optimum(in, in.K, nil, nil)
		tolerance := slack(in, want)
		last := math.Inf(-1)
		result := must.Get(search.Minimize(context.Background(), objective.NewExact(in.Matrix, in.Features, in.Gamma, 1), search.Settings{
			K: in.K,
			OnEvent: func(e search.Event) {
				if e.Bound > want+tolerance {
					t.Fatalf("%v: bound %v is above the optimum %v", e.Kind, e.Bound, want)
				}
				if e.Bound < last {
					t.Fatalf("%v: bound fell from %v to %v", e.Kind, last, e.Bound)
				}
				last = e.Bound
			},
		}))(t)
		check(t, in, result, want, tolerance)
		if result.Status != search.Optimal {
			t.Fatalf("status %v", result.Status)
		}
		if result.Gap > 2*search.Precision && result.Cost > 1e-6*result.Scale {
			t.Fatalf("optimal, but the gap is %v", result.Gap)
		}
	})
}

// check holds a result against the optimum.
func check(t *rapid.T, in testkit.Instance, result search.Result, want, tolerance float64) {
	_, p := in.Features.Dims()
	own := in.Precise(search.Indicator(p, result.Selection))
	if math.Abs(own-result.Cost) > tolerance {
		t.Fatalf("selection %v costs %v, reported %v", result.Selection, own, result.Cost)
	}
	if own > want+tolerance {
		t.Fatalf("cost %v, optimum %v, selection %v", result.Cost, want, result.Selection)
	}
	if result.Bound > want+tolerance {
		t.Fatalf("bound %v above the optimum %v", result.Bound, want)
	}
	if !slices.IsSorted(result.Selection) {
		t.Fatalf("selection %v is not in order", result.Selection)
	}
	for _, tie := range result.NearTies {
		own := in.Precise(search.Indicator(p, tie.Selection))
		if math.Abs(own-tie.Cost) > slack(in, own) {
			t.Fatalf("near-tie %v costs %v, reported %v", tie.Selection, own, tie.Cost)
		}
		if tie.Cost < result.Cost {
			t.Fatalf("near-tie %v is better than the incumbent", tie)
		}
	}
}

// TestAlwaysAndNeverAreKept compares with brute force over the allowed
// selections, and wants an error where there are none.
func TestAlwaysAndNeverAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 9)
		_, p := in.Features.Dims()
		always, never := subset(t, p, "always"), subset(t, p, "never")
		want := optimum(in, in.K, always, never)
		for _, j := range always {
			if slices.Contains(never, j) {
				want = math.Inf(1)
			}
		}
		result, err := search.Minimize(context.Background(), objective.NewExact(in.Matrix, in.Features, in.Gamma, 1),
			search.Settings{K: in.K, Always: always, Never: never})
		if math.IsInf(want, 1) {
			if err == nil {
				t.Fatalf("no selection is allowed, but got %v", result.Selection)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		check(t, in, result, want, slack(in, want))
		for _, j := range always {
			if !slices.Contains(result.Selection, j) {
				t.Fatalf("%v lacks %d", result.Selection, j)
			}
		}
		for _, j := range never {
			if slices.Contains(result.Selection, j) {
				t.Fatalf("%v contains %d", result.Selection, j)
			}
		}
	})
}

// TestPathEqualsSeparateFits solves all k at once and one by one.
func TestPathEqualsSeparateFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 9)
		_, p := in.Features.Dims()
		oracle := objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
		path := must.Get(search.Path(context.Background(), oracle, search.Settings{K: p}))(t)
		if len(path) != p {
			t.Fatalf("%d results for k = 1..%d", len(path), p)
		}
		for i, on := range path {
			k := i + 1
			alone := must.Get(search.Minimize(context.Background(), oracle, search.Settings{K: k}))(t)
			want := optimum(in, k, nil, nil)
			tolerance := slack(in, want)
			check(t, in, on, want, tolerance)
			check(t, in, alone, want, tolerance)
			// Where the best is the best by more than rounding, it is the same one.
			clear := len(alone.NearTies) == 0 || alone.NearTies[0].Cost > alone.Cost*(1+1e-6)+1e-10*alone.Scale
			clear = clear && (len(on.NearTies) == 0 || on.NearTies[0].Cost > on.Cost*(1+1e-6)+1e-10*on.Scale)
			if clear && !slices.Equal(on.Selection, alone.Selection) && math.Abs(on.Cost-alone.Cost) > tolerance {
				t.Fatalf("k = %d: path %v, alone %v", k, on.Selection, alone.Selection)
			}
		}
	})
}

// TestLimitsGiveTrueBounds stops at every number of passes and nodes, and by
// cancellation: there is always a selection, and its bound is always true.
func TestLimitsGiveTrueBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 10)
		want := optimum(in, in.K, nil, nil)
		tolerance := slack(in, want)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		settings := search.Settings{K: in.K}
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		expect := search.PassLimit
		switch rapid.IntRange(0, 3).Draw(t, "which") {
		case 0:
			settings.MaxPasses = limit
		case 1:
			settings.MaxNodes = limit
			expect = search.NodeLimit
		case 2:
			expect = search.Interrupted
			settings.OnEvent = func(e search.Event) {
				if e.Passes >= limit-1 {
					cancel()
				}
			}
		case 3:
			settings.Gap = 0.3
			expect = search.GapReached
		}
		result, err := search.Minimize(ctx, objective.NewExact(in.Matrix, in.Features, in.Gamma, 1), settings)
		if expect == search.Interrupted && errors.Is(err, search.ErrNothingYet) && errors.Is(err, context.Canceled) {
			return // before there was a greedy selection
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Selection) != in.K {
			t.Fatalf("selection %v for k = %d", result.Selection, in.K)
		}
		if result.Bound > want+tolerance || result.Cost < want-tolerance {
			t.Fatalf("bound %v, optimum %v, cost %v", result.Bound, want, result.Cost)
		}
		if result.Status != expect && result.Status != search.Optimal {
			t.Fatalf("status %v, expected %v or optimal", result.Status, expect)
		}
		if result.Status == search.Optimal && math.Abs(result.Cost-want) > tolerance {
			t.Fatalf("claims to be optimal: cost %v, optimum %v", result.Cost, want)
		}
		if result.Status == search.GapReached && (result.Gap > 0.3 || result.Cost > want/(1-0.3)+tolerance) {
			t.Fatalf("gap %v, cost %v, optimum %v", result.Gap, result.Cost, want)
		}
	})
}

// TestStoppedAtOnceKeepsTheStart: a search that ends before it has evaluated
// anything gives what it was started with, as far as that is allowed.
func TestStoppedAtOnceKeepsTheStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 10)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		p := len(in.Features.Names)
		order := rapid.Permutation(makeRange(p)).Draw(t, "order")
		start := slices.Sorted(slices.Values(order[:in.K]))
		settings := search.Settings{K: in.K, Start: [][]int{start}}
		oracle := objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
		result, err := search.Minimize(ctx, oracle, settings)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(result.Selection, start) || result.Status != search.Interrupted {
			t.Fatalf("selection %v (%v), started with %v", result.Selection, result.Status, start)
		}
		if in.K == p {
			return
		}
		settings.Never = start[:1] // a start that is not allowed is no answer
		if result, err = search.Minimize(ctx, oracle, settings); !errors.Is(err, search.ErrNothingYet) || !errors.Is(err, context.Canceled) {
			t.Fatalf("selection %v, %v", result.Selection, err)
		}
	})
}

// TestStoppedAtOnceIsGreedyOrNothing: without anything to start from, an interrupt
// leaves no answer, and a limit at least the greedy one.
func TestStoppedAtOnceIsGreedyOrNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 10)
		oracle := objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
		greedy := math.Inf(1)
		settings := search.Settings{K: in.K, OnEvent: func(e search.Event) {
			if e.Kind == search.EventIncumbent && e.Source == "greedy" {
				greedy = e.Cost
			}
		}}
		if _, err := search.Minimize(context.Background(), oracle, settings); err != nil {
			t.Fatal(err)
		}
		for _, limit := range []search.Settings{{TimeLimit: 1}, {MaxPasses: 1}} {
			limit.K = in.K
			if result, err := search.Minimize(context.Background(), oracle, limit); err != nil || result.Cost > greedy {
				t.Fatalf("cost %v (%v), greedy %v", result.Cost, err, greedy)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if result, err := search.Minimize(ctx, oracle, search.Settings{K: in.K}); !errors.Is(err, search.ErrNothingYet) || !errors.Is(err, context.Canceled) {
			t.Fatalf("selection %v, %v", result.Selection, err)
		}
		if path, err := search.Path(ctx, oracle, search.Settings{K: in.K}); !errors.Is(err, context.Canceled) || len(path) > 0 {
			t.Fatalf("path %v, %v", path, err)
		}
	})
}

// TestInterruptedPathEndsAtTheLastAnswer: the k that had no selection yet is not in it.
func TestInterruptedPathEndsAtTheLastAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 10)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		path, err := search.Path(ctx, objective.NewExact(in.Matrix, in.Features, in.Gamma, 1), search.Settings{K: in.K, OnEvent: func(e search.Event) {
			if e.Kind == search.EventDone {
				cancel()
			}
		}})
		if err != nil || len(path) != 1 {
			t.Fatalf("path %v, %v", path, err)
		}
	})
}

func makeRange(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
