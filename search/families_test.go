package search_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/feasible"
	"optcomplete/internal/testkit"
	"optcomplete/objective"
	"optcomplete/search"
)

// families draws some that have no feature in common.
func families(t *rapid.T, p int) []feasible.Family {
	out := []feasible.Family{{Name: "A", Most: rapid.IntRange(0, 2).Draw(t, "most")}, {Name: "B", Most: rapid.IntRange(1, 3).Draw(t, "most")}}
	for j := range p {
		if f := rapid.IntRange(0, 2).Draw(t, "family"); f < 2 {
			out[f].Members = append(out[f].Members, j)
		}
	}
	return out
}

// within is the families by the book.
func within(families []feasible.Family, selection []int) bool {
	for _, f := range families {
		if len(slices.DeleteFunc(slices.Clone(selection), func(j int) bool { return !slices.Contains(f.Members, j) })) > f.Most {
			return false
		}
	}
	return true
}

// TestFamiliesEqualBruteForce compares with every selection that has at most so many of
// each family, with and without heredity, enumeration and models.
func TestFamiliesEqualBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 9)
		_, p := in.Features.Dims()
		settings := search.Settings{K: in.K, Families: families(t, p)}
		if rapid.Bool().Draw(t, "heredity") {
			settings.Requires = requirements(t, p)
		}
		if rapid.Bool().Draw(t, "fixed") {
			settings.Always, settings.Never = subset(t, p, "always"), subset(t, p, "never")
			settings.Never = slices.DeleteFunc(settings.Never, func(j int) bool { return slices.Contains(settings.Always, j) })
		}
		want := math.Inf(1)
		testkit.Selections(p, in.K, settings.Always, settings.Never, func(selection []int) {
			if within(settings.Families, selection) && keeps(settings.Requires, selection) {
				want = min(want, in.Precise(search.Indicator(p, selection)))
			}
		})
		tolerance := slack(in, want)
		var oracle search.Oracle = objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
		if rapid.Bool().Draw(t, "bare") {
			oracle = bare{oracle}
		}
		settings.OnEvent = func(e search.Event) {
			if e.Bound > want+tolerance {
				t.Fatalf("%v: bound %v is above the optimum %v", e.Kind, e.Bound, want)
			}
		}
		result, err := search.Minimize(context.Background(), oracle, settings)
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
			if !within(settings.Families, c.Selection) {
				t.Fatalf("%v breaks %v", c.Selection, settings.Families)
			}
		}
	})
}
