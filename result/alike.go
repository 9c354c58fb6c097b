package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// AlikeTolerance is how near to the least validation error, relatively, the error
// of a γ must be for it to be said to predict as well.
const AlikeTolerance = 0.003

// Alike is how much the choice of γ decides: the γ that predict as well as the
// best of those tried, and what their selections, on the entries of the trials, have
// in common with each other and with the one on all entries. A certificate is of one γ.
type Alike struct {
	Tolerance float64      `json:"tolerance"`
	Best      float64      `json:"best"` // the γ with the least error
	Gammas    []GammaPoint `json:"gammas"`
	Shared    []string     `json:"shared"` // selected features that all of them select
	Agree     bool         `json:"agree"`  // all select the features selected on all entries
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
	a := &Alike{Tolerance: AlikeTolerance, Best: best, Shared: []string{}}
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

// Words says it in one sentence; empty if there is nothing to say.
func (a *Alike) Words() string {
	if a == nil || len(a.Gammas) < 2 {
		return ""
	}
	those := fmt.Sprintf("%d γ predict equally well (validation %s within %.1f %%)", len(a.Gammas), cmp.Or(a.Measure, "RMSE"), 100*a.Tolerance)
	switch {
	case a.Agree:
		return those + " and select the same features"
	case len(a.Shared) == 0:
		return those + " but select different features: they share none"
	}
	return those + " but select different features: they share " + strings.Join(a.Shared, ", ")
}

// Easier says so if the γ that was taken is not the one with the least error.
func (a *Alike) Easier(gamma float64) string {
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
	if a.Measure != "" {
		return fmt.Sprintf("its %s is %.2g %% above the least, that of %.4g, which counts as equal, and it is easier to prove", a.Measure, 100*(own/least-1), a.Best)
	}
	return fmt.Sprintf("easier to prove than %.4g, whose error is smaller only within chance", a.Best)
}
