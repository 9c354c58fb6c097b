package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Variances are by how much rows differ, in parts of the noise: a row's values are
//
//	what is predicted without the row + level + Σ_f b_f u_f + noise of variance Noise,
//
// the level normal of variance Level·Noise and each u_f of variance Features[f]·Noise, all
// independent. A feature of variance 0 is one that rows do not differ on. By a loss with a link,
// the noise is that of the working response where it has weight 1.
type Variances struct {
	Level    float64
	Features []float64
	Noise    float64
	// Own are Features as they were learned, before one of near copies stood for all; nil: the same.
	Own []float64
	// Sure tells of each feature whether rows measurably differ on it: by more than two
	// standard errors of its variance.
	Sure []bool
}

// Units are what the cost of a selection measures features in: Σ_f u_f²/(Factor·γ_f) is added to the
// squared errors of a row with the coefficients u, and r²/γ of its level r. They are for
// features of mean 0 and variance 1 over the columns that have entries.
type Units struct {
	Learned bool    `json:"learned"`         // by maximum evidence; else γ was given, or nothing could be learned
	Factor  float64 `json:"factor"`          // φ, which multiplies γ of all features
	Level   float64 `json:"level"`           // γ of the rows' level
	Noise   float64 `json:"noise,omitempty"` // variance of the noise, where it was learned
	// Features has all that can be selected, and members of groups, in their order.
	Features []FeatureUnit `json:"features"`
	// Others tell how the selection changes with φ; nil: it was not looked at.
	Others []FactorPoint `json:"other_factors,omitempty"`
}

// FactorPoint is how the selection changes where φ is another.
type FactorPoint struct {
	Factor   float64  `json:"factor"`
	Entering []string `json:"entering"`
	Leaving  []string `json:"leaving"`
}

// Same tells whether the other factors select the same features; Words says it.
func (u *Units) Same() bool {
	return !slices.ContainsFunc(u.Others, func(p FactorPoint) bool { return len(p.Entering)+len(p.Leaving) > 0 })
}

// Selected are the selected features.
func (u *Units) Selected() (names []string) {
	for _, f := range u.Features {
		if f.Selected {
			names = append(names, f.Name)
		}
	}
	return names
}

// Unsupported are the selected features on which rows do not measurably differ.
func (u *Units) Unsupported() (names []string) {
	for _, f := range u.Features {
		if u.Learned && f.Selected && !f.Measurable {
			names = append(names, f.Name)
		}
	}
	return names
}

// Words says how the selection changes with φ; empty if that is not known.
func (u *Units) Words() string {
	if u == nil || len(u.Others) < 2 {
		return ""
	}
	if u.Same() {
		return fmt.Sprintf("with γ %.3g times as small or as large, the same features are found", u.Factor/u.Others[0].Factor)
	}
	var parts []string
	for _, p := range u.Others {
		by := fmt.Sprintf("with γ %.3g times as large, ", p.Factor/u.Factor)
		if p.Factor < u.Factor {
			by = fmt.Sprintf("with γ %.3g times as small, ", u.Factor/p.Factor)
		}
		switch {
		case len(p.Leaving) == 0:
			parts = append(parts, by+"the same features are found")
		case len(p.Leaving) == 1:
			parts = append(parts, by+strings.Join(p.Entering, ", ")+" takes the place of "+p.Leaving[0])
		default:
			parts = append(parts, by+strings.Join(p.Entering, ", ")+" take the place of "+strings.Join(p.Leaving, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// BySpread are the features, those first that rows differ most on; nil if nothing was learned.
func (u *Units) BySpread() []FeatureUnit {
	if u == nil || !u.Learned {
		return nil
	}
	out := slices.Clone(u.Features)
	slices.SortStableFunc(out, func(a, b FeatureUnit) int { return cmp.Compare(b.Spread, a.Spread) })
	return out
}

// Unmeasured are the features on which rows do not measurably differ.
func (u *Units) Unmeasured() (names []string) {
	for _, f := range u.Features {
		if u.Learned && !f.Measurable {
			names = append(names, f.Name)
		}
	}
	return names
}

// FeatureUnit is the unit of a feature, and what it says about rows.
type FeatureUnit struct {
	Name  string  `json:"name"`
	Gamma float64 `json:"gamma"`
	// Spread is how much rows differ: the standard deviation, over rows, of what a
	// standard deviation of the feature does to a value (on the scale of the loss), beside all
	// other features. γ may be more: that of one of near copies stands for all.
	Spread float64 `json:"spread"`
	// Deviation is the standard deviation of the feature over columns, in its own unit.
	Deviation  float64 `json:"deviation,omitempty"`
	Measurable bool    `json:"measurable"` // rows differ on it by more than chance
	Selected   bool    `json:"selected,omitempty"`
}
