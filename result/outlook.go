package result

import (
	"fmt"
	"math"
)

// Outlook is an estimate, made early in a search, of how far away its proof is. It
// proves nothing.
type Outlook struct {
	Gamma float64 `json:"gamma"`
	// Factor tells that Gamma, and Largest, are the factor of learned γ.
	Factor bool    `json:"of_factor,omitempty"`
	Nodes  float64 `json:"nodes"` // of the whole tree, about
	// Evaluations of the cost that the proof takes, about; enumerations by their effort.
	Evaluations float64 `json:"evaluations"`
	InSight     bool    `json:"in_sight"` // these would take about an hour of one processor, or less
	// Largest is about the largest γ with a proof in sight; zero: none of those looked
	// at has one.
	Largest float64 `json:"largest_gamma_in_sight,omitempty"`
	// Seconds are about what a proof takes on this machine, SecondsThere at Largest, and Differs
	// is in how many features the selection there, on a sample of rows, is another.
	Seconds      float64 `json:"seconds,omitempty"`
	SecondsThere float64 `json:"seconds_there,omitempty"`
	Differs      int     `json:"features_that_differ_there,omitempty"`
}

// Words says it in a sentence or two.
func (o *Outlook) Words() string {
	work := fmt.Sprintf("about %s nodes and %s evaluations (estimated by random dives into the search tree, on a sample of rows)", about(o.Nodes), about(o.Evaluations))
	switch {
	case o.InSight:
		return "a proof takes " + work
	case o.Factor && o.Largest > 0:
		differs := "its selection is the same"
		switch {
		case o.Differs == 1:
			differs = "its selection differs in one feature"
		case o.Differs > 1:
			differs = fmt.Sprintf("its selection differs in %d features", o.Differs)
		}
		return fmt.Sprintf("no proof in sight: %s. With Settings.GammaFactor %.2g a proof takes about %s; %s. The bound holds at any moment", work, o.Largest, duration(o.SecondsThere), differs)
	case o.Factor:
		return fmt.Sprintf("no proof in sight, nor with Settings.GammaFactor %.2g: %s. The bound holds at any moment", o.Gamma/1000, work)
	case o.Largest > 0:
		return fmt.Sprintf("no proof in sight at gamma %.3g: %s. The largest gamma with a proof in sight is about %.2g, but that is another problem with another answer. The bound holds at any moment", o.Gamma, work, o.Largest)
	}
	return fmt.Sprintf("no proof in sight at gamma %.3g, or a thousandth of it: %s. The bound holds at any moment", o.Gamma, work)
}

// duration is so many seconds for people, with one digit.
func duration(seconds float64) string {
	switch {
	case seconds < 1.5:
		return "1 s"
	case seconds < 90:
		return about(seconds) + " s"
	case seconds < 5400:
		return about(seconds/60) + " minutes"
	}
	return about(seconds/3600) + " hours"
}

// about has one digit, as an estimate does.
func about(x float64) string {
	if x < 1e5 {
		digits := math.Pow(10, math.Floor(math.Log10(math.Max(x, 1))))
		return fmt.Sprintf("%.0f", math.Round(x/digits)*digits)
	}
	return fmt.Sprintf("%.0e", x)
}
