// Package feasible says which selections of features count: how many features they
// have, which they must and must not have, which only together with others, and how many
// of a family.
//
// A [Set] is that as it is given. [New] checks it and makes [Rules] of it, which know
// whether a selection counts, and narrow a [Region] of a search to what can. A [Bounder]
// gives the least value of an affine function over a region. Search, masters and the
// methods that use them read it; package proof, which shares nothing, has its own.
package feasible

import (
	"errors"
	"fmt"
	"slices"

	"optcomplete/internal/lists"
)

// Set is the selections of K out of P features that count.
type Set struct {
	P, K     int
	Always   []int // features that every selection has; may repeat
	Never    []int // features that no selection has
	Requires []Requirement
	Families []Family
}

// Requirement says that a feature may be selected only together with others:
// with all of its parents (strong heredity), or with at least one of them
// (weak). A feature may have several requirements; they must not form a cycle.
type Requirement struct {
	Feature int
	Parents []int
	Any     bool // one of the parents is enough
}

// Family is features of which a selection has at most some. Families have no feature in
// common.
type Family struct {
	Name    string
	Members []int
	Most    int
}

// ErrInfeasible is wrapped by the errors for sets that have no selection.
var ErrInfeasible = errors.New("no selection meets the settings")

// Validate checks the set, as far as it can without a search. One without selections is
// an ErrInfeasible; a feature outside 0..P-1 is another error.
func (s *Set) Validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrInfeasible, fmt.Sprintf(format, args...))
	}
	named := slices.Concat(s.Always, s.Never)
	for _, rule := range s.Requires {
		named = append(append(named, rule.Feature), rule.Parents...)
	}
	family := make([]int, s.P) // of each feature, from 1
	for f := range s.Families {
		named = append(named, s.Families[f].Members...)
	}
	for _, j := range named {
		if j < 0 || j >= s.P {
			return fmt.Errorf("feature %d of %d", j, s.P)
		}
	}
	always, never := lists.Distinct(s.Always), lists.Distinct(s.Never)
	for _, j := range always {
		if slices.Contains(never, j) {
			return bad("feature %d is both always and never selected", j)
		}
	}
	switch left := s.P - len(never); {
	case s.K > s.P:
		return bad("k is %d, but there are only %d features", s.K, s.P)
	case len(always) > s.K:
		return bad("%d features are always selected, more than k = %d", len(always), s.K)
	case left < s.K:
		return bad("%d of %d features are never selected, which leaves %d, fewer than k = %d", len(never), s.P, left, s.K)
	}
	room := s.P - len(never)
	for f := range s.Families {
		of := &s.Families[f]
		inside, open := 0, 0
		for _, j := range of.Members {
			if before := family[j]; before > 0 {
				return bad("%s and %s have a feature in common: only of fields that share none may at most so many be selected", s.Families[before-1].Name, of.Name)
			}
			family[j] = f + 1
			if slices.Contains(always, j) {
				inside++
			}
			if !slices.Contains(never, j) {
				open++
			}
		}
		if inside > of.Most {
			return bad("%d features of %s are always selected, and at most %d may be", inside, of.Name, of.Most)
		}
		room -= max(0, open-of.Most)
	}
	if room < s.K {
		return bad("k is %d, but only %d features can be selected together", s.K, room)
	}
	return nil
}

// Root is the region of all selections that have what is always, and nothing that is
// never selected.
func (s *Set) Root() Region {
	r := Region{State: make([]int8, s.P), Left: s.K, Free: s.P}
	for _, j := range s.Always {
		r.Fix(j, In)
	}
	for _, j := range s.Never {
		r.Fix(j, Out)
	}
	return r
}

// Fault says why a selection, increasing, does not count; nil: it does.
func (s *Set) Fault(selection []int) error {
	if len(selection) != s.K {
		return fmt.Errorf("selects %d features, want %d", len(selection), s.K)
	}
	for i, j := range selection {
		if j < 0 || j >= s.P || i > 0 && selection[i-1] >= j {
			return fmt.Errorf("feature %d is unknown or repeated", j)
		}
		if slices.Contains(s.Never, j) {
			return fmt.Errorf("selects feature %d, which is never to be selected", j)
		}
	}
	for _, j := range s.Always {
		if _, in := slices.BinarySearch(selection, j); !in {
			return fmt.Errorf("leaves out feature %d, which is always to be selected", j)
		}
	}
	return nil
}
