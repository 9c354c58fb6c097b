package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// AlikeTolerance is how near to the least validation error, relatively, the error
// of a γ must be for it to be said to predict nearly as well.
const AlikeTolerance = 0.003

// Alike is how much the choice of γ decides: the γ that predict nearly as well as the
// best of those tried, and what their selections, on the entries of the trials, have
// in common with each other and with the one on all entries. A certificate is of one γ.
type Alike struct {
	Tolerance float64      `json:"tolerance"`
	Best      float64      `json:"best"` // the γ with the least error
	Gammas    []GammaPoint `json:"gammas"`
	Shared    []string     `json:"shared"` // selected features that all of them select
	Agree     bool         `json:"agree"`  // all select the features selected on all entries
	// Edge is "smallest" or "largest" if that of the γ tried has a smaller error than all
	// others: there may be better ones beyond it. Else it is empty.
	Edge string `json:"edge,omitempty"`
	// Measure is what the errors are; empty: RMSE.
	Measure string `json:"measure,omitempty"`
}

// AlikeOf compares the γ of a path and the selection of the fit; nil if fewer than two
// were tried.
func AlikeOf(path []GammaPoint, selected []string) *Alike {
	if len(path) < 2 {
		return nil
	}
	least, best := path[0].RMSE, path[0].Gamma
	for _, p := range path {
		if p.RMSE < least {
			least, best = p.RMSE, p.Gamma
		}
	}
	a := &Alike{Tolerance: AlikeTolerance, Best: best, Shared: []string{}, Edge: edge(path, least)}
	for _, p := range path {
		if p.RMSE <= least*(1+AlikeTolerance) {
			a.Gammas = append(a.Gammas, p)
		}
	}
	for _, name := range selected {
		if !slices.ContainsFunc(a.Gammas, func(p GammaPoint) bool { return !slices.Contains(p.Selected, name) }) {
			a.Shared = append(a.Shared, name)
		}
	}
	a.Agree = len(a.Shared) == len(selected)
	for _, p := range a.Gammas {
		a.Agree = a.Agree && len(p.Selected) == len(a.Shared)
	}
	return a
}

// edge is which end of a path alone has the least error: "smallest", "largest" or none.
func edge(path []GammaPoint, least float64) string {
	smallest, largest, others := false, false, false
	low := slices.MinFunc(path, func(a, b GammaPoint) int { return cmp.Compare(a.Gamma, b.Gamma) }).Gamma
	high := slices.MaxFunc(path, func(a, b GammaPoint) int { return cmp.Compare(a.Gamma, b.Gamma) }).Gamma
	for _, p := range path {
		switch {
		case p.RMSE > least:
		case p.Gamma == low:
			smallest = true
		case p.Gamma == high:
			largest = true
		default:
			others = true
		}
	}
	switch {
	case smallest && !largest && !others:
		return "smallest"
	case largest && !smallest && !others:
		return "largest"
	}
	return ""
}

// Words says it in one sentence; empty if there is nothing to say.
func (a *Alike) Words() string {
	if a == nil || len(a.Gammas) < 2 {
		return ""
	}
	those := fmt.Sprintf("%d γ predict nearly as well (validation %s within %.1f %%)", len(a.Gammas), cmp.Or(a.Measure, "RMSE"), 100*a.Tolerance)
	switch {
	case a.Agree:
		return those + " and select the same features"
	case len(a.Shared) == 0:
		return those + " but select different features: they share none"
	}
	return those + " but select different features: they share " + strings.Join(a.Shared, ", ")
}

// Equal says so if the γ that was taken is not the one with the least error.
func (a *Alike) Equal(gamma float64) string {
	if a == nil {
		return ""
	}
	least, own := math.Inf(1), math.Inf(-1)
	for _, p := range a.Gammas {
		least = min(least, p.RMSE)
		if p.Gamma == gamma {
			own = p.RMSE
		}
	}
	if !(own > least) {
		return ""
	}
	return fmt.Sprintf("its validation %s is %.2g %% above the least, that of %.4g: they count as equal, and their proofs decide", cmp.Or(a.Measure, "RMSE"), 100*(own/least-1), a.Best)
}

// AtEdge says so if the γ that was taken is better than all others that were tried and
// has none of them beyond it.
func (a *Alike) AtEdge(gamma float64) string {
	if a == nil || a.Edge == "" || a.Best != gamma {
		return ""
	}
	beyond := "smaller"
	if a.Edge == "largest" {
		beyond = "larger"
	}
	return fmt.Sprintf("γ = %.4g is the %s that was tried and predicts best: a %s one may predict better", gamma, a.Edge, beyond)
}
