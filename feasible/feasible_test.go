package feasible_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/feasible"
	_ "optcomplete/internal/steadyseed"
)

// TestLeastAndOtherEqualBruteForce: the least value of a cut over a region, and the least
// with a feature the other way, are those of all its selections; of none they are no less
// than anything.
func TestLeastAndOtherEqualBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(1, 8).Draw(t, "p")
		set := feasible.Set{P: p, K: rapid.IntRange(1, p).Draw(t, "k")}
		if rapid.Bool().Draw(t, "families") {
			set.Families = []feasible.Family{{Name: "A", Most: rapid.IntRange(0, 2).Draw(t, "most")}, {Name: "B", Most: rapid.IntRange(0, 2).Draw(t, "most")}}
		}
		gradient := make([]float64, p)
		for j := range p {
			gradient[j] = float64(rapid.IntRange(-9, 3).Draw(t, "gradient"))
			switch f := rapid.IntRange(0, 4).Draw(t, "state"); {
			case f == 3:
				set.Always = append(set.Always, j)
			case f == 4:
				set.Never = append(set.Never, j)
			}
			if f := rapid.IntRange(0, 2).Draw(t, "family"); f < len(set.Families) {
				set.Families[f].Members = append(set.Families[f].Members, j)
			}
		}
		least := func(also func(mask int) bool) float64 {
			best := math.Inf(1)
			for mask := range 1 << p {
				var selection []int
				sum := 5.0
				for j := range p {
					if mask>>j&1 == 1 {
						selection = append(selection, j)
						sum += gradient[j]
					}
				}
				ok := set.Fault(selection) == nil && also(mask)
				for _, f := range set.Families {
					in := 0
					for _, j := range f.Members {
						in += mask >> j & 1
					}
					ok = ok && in <= f.Most
				}
				if ok {
					best = min(best, sum)
				}
			}
			return best
		}
		want := least(func(int) bool { return true })
		rules, err := feasible.New(set)
		if math.IsInf(want, 1) {
			if !errors.Is(err, feasible.ErrInfeasible) {
				t.Fatalf("no selection counts, but the error is %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		r := set.Root()
		if rules.Propagate(&r); r.Empty() {
			t.Fatal("empty, but some selection counts")
		}
		b := feasible.Bounder{Rules: rules}
		value, _, _ := b.Least(5, gradient, &r)
		if math.Abs(value-want) > 1e-9 {
			t.Fatalf("least %v, want %v", value, want)
		}
		for j, state := range r.State {
			if state != feasible.Free || r.Left == 0 || r.Left == r.Free {
				continue
			}
			to, more := b.Other(j, gradient[j])
			other := least(func(mask int) bool { return mask>>j&1 == 1 == (to == feasible.Out) })
			if got := value + more; !(math.Abs(got-other) < 1e-9 || math.IsInf(got, 1) && math.IsInf(other, 1)) {
				t.Fatalf("feature %d the other way than %v: %v, want %v", j, to, got, other)
			}
		}
		selection := rules.Complete(r, r.Open())
		if slices.Sort(selection); selection == nil || set.Fault(selection) != nil || !rules.Meets(selection) {
			t.Fatalf("%v does not count", selection)
		}
	})
}

// TestSetsWithoutSelectionsAreRefused, each with its reason.
func TestSetsWithoutSelectionsAreRefused(t *testing.T) {
	family := func(most int, members ...int) feasible.Family {
		return feasible.Family{Name: "Genre", Members: members, Most: most}
	}
	for want, set := range map[string]feasible.Set{
		"feature 1 is both always and never selected":                                                              {P: 3, K: 1, Always: []int{1}, Never: []int{1}},
		"2 features are always selected, more than k = 1":                                                          {P: 3, K: 1, Always: []int{0, 1}},
		"2 features of Genre are always selected, and at most 1 may be":                                            {P: 3, K: 2, Always: []int{0, 1}, Families: []feasible.Family{family(1, 0, 1, 2)}},
		"k is 2, but only 1 features can be selected together":                                                     {P: 3, K: 2, Families: []feasible.Family{family(1, 0, 1, 2)}},
		"Genre and Genre have a feature in common: only of fields that share none may at most so many be selected": {P: 3, K: 1, Families: []feasible.Family{family(1, 0, 1), family(1, 1)}},
	} {
		if err := set.Validate(); !errors.Is(err, feasible.ErrInfeasible) || err.Error() != feasible.ErrInfeasible.Error()+": "+want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
