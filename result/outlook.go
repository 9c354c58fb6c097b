package result

import (
	"fmt"
	"math"
)

// Outlook is an estimate, made early in a search, of how far away its proof is. It
// proves nothing.
type Outlook struct {
	Gamma float64 `json:"gamma"`
	Nodes float64 `json:"nodes"` // of the whole tree, about
	// Evaluations of the cost that the proof takes, about; enumerations by their effort.
	Evaluations float64 `json:"evaluations"`
	InSight     bool    `json:"in_sight"` // these would take about an hour of one processor, or less
	// Largest is about the largest γ with a proof in sight; zero: none of those looked
	// at has one.
	Largest float64 `json:"largest_gamma_in_sight,omitempty"`
}

// Words says it in a sentence or two.
func (o *Outlook) Words() string {
	work := fmt.Sprintf("about %s nodes and %s evaluations (estimated by random dives into the search tree, on a sample of rows)", about(o.Nodes), about(o.Evaluations))
	switch {
	case o.InSight:
		return "a proof takes " + work
	case o.Largest > 0:
		return fmt.Sprintf("no proof in sight at gamma %.3g: %s. The largest gamma with a proof in sight is about %.2g, but that is another problem with another answer. The bound holds at any moment", o.Gamma, work, o.Largest)
	}
	return fmt.Sprintf("no proof in sight at gamma %.3g, or a thousandth of it: %s. The bound holds at any moment", o.Gamma, work)
}

// about has one digit, as an estimate does.
func about(x float64) string {
	if x < 1e5 {
		digits := math.Pow(10, math.Floor(math.Log10(math.Max(x, 1))))
		return fmt.Sprintf("%.0f", math.Round(x/digits)*digits)
	}
	return fmt.Sprintf("%.0e", x)
}
