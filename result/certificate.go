package result

import (
	"fmt"
	"math"
	"strings"
)

// Certificate is what is known about a selection: what it costs, and what no other
// can be below.
type Certificate struct {
	Cost      float64 `json:"cost"`
	Bound     float64 `json:"bound"`     // no selection of as many costs less
	Gap       float64 `json:"gap"`       // (cost − bound)/cost, a fraction
	Certified bool    `json:"certified"` // the bound comes from all observed entries
	Status    Status  `json:"status"`

	Cuts  int `json:"cuts"`
	Nodes int `json:"nodes"`
	// Enumerated counts the selections that were evaluated one by one, in parts of
	// the tree small enough for that.
	Enumerated int `json:"enumerated"`
	Passes     int `json:"passes"`

	Outlook *Outlook `json:"outlook,omitempty"` // of a search that stopped early: how far away its proof was, about

	NearTies  []NearTie    `json:"near_ties"`             // best first
	GammaPath []GammaPoint `json:"gamma_path,omitempty"`  // the γ tried, when it was chosen by validation
	Alike     *Alike       `json:"gamma_alike,omitempty"` // how much that choice decides
	Units     *Units       `json:"units,omitempty"`       // of the features; nil: one γ for all of them as they are
}

// Early tells whether the search was stopped before what it was asked to do.
func (c *Certificate) Early() bool { return c.Status.Early() }

// NearTie is another selection that was seen, and its cost.
type NearTie struct {
	Selected []string `json:"selected"`
	Cost     float64  `json:"cost"`
}

// GammaPoint is one γ that was tried: what it selects, and how well that predicts.
type GammaPoint struct {
	Gamma    float64  `json:"gamma"`
	RMSE     float64  `json:"rmse"`               // on entries that the fit behind it did not see; of other losses than squared errors, what loss.Measure names
	RootGap  *float64 `json:"root_gap,omitempty"` // gap after the root of the search, at most 1; nil: none was searched
	Selected []string `json:"selected"`
	Limited  bool     `json:"numerical_limit,omitempty"` // rounding errors would hide a proof at this γ
}

// Gap is RootGap, and 0 where nothing was searched.
func (p *GammaPoint) Gap() float64 {
	if p.RootGap == nil {
		return 0
	}
	return *p.RootGap
}

// Removal is what a selection would cost without one of its features, no other
// taking its place.
type Removal struct {
	Name string  `json:"name"`
	Cost float64 `json:"cost"`
}

// Metrics tells how far predictions are from observed entries. With no entries
// all of them are 0.
type Metrics struct {
	Entries int `json:"entries"` // observed entries compared
	// MAPE is the mean of |error| / |value|, a fraction, over values that are not 0;
	// absent without any, and for the losses of yes and no and of counts.
	MAPE Relative `json:"mape,omitzero"`
	RMSE float64  `json:"rmse"` // root of the mean squared error, in the values' unit
	MAE  float64  `json:"mae"`  // mean absolute error, in the values' unit
	// MAPESkipped counts the entries with value 0, which MAPE leaves out.
	MAPESkipped int  `json:"mape_skipped,omitempty"`
	Weighted    bool `json:"weighted,omitempty"` // entries count by their weights
	*Measures        // in the terms of the model's loss; nil: squared errors
}

// Status says how a fit ended. It is its own name, in logs and in JSON.
type Status string

const (
	Optimal    Status = "optimal"    // no selection is better, up to the precision of the search
	GapReached Status = "gap"        // none is better by more than the gap that was asked for
	TimeLimit  Status = "time_limit" // the time was up
	// Where no limit was given: the time that a search has by itself was up, or a proof
	// was out of sight and the bound had stalled.
	SearchTime     Status = "search_time"
	NoProofInSight Status = "no_proof_in_sight"

	NodeLimit   Status = "node_limit"  // this many nodes were opened
	PassLimit   Status = "pass_limit"  // this many evaluations were made
	Interrupted Status = "interrupted" // the context was cancelled
	Sampled     Status = "sampled"     // a method on samples met its own rule; nothing is proven
	Fitted      Status = "fitted"      // nothing was selected: a baseline

	// NumericalLimit: every region was ruled out as far as the arithmetic can tell
	// costs apart, and the gap that is left is larger than was asked for.
	NumericalLimit Status = "numerical_limit"
)

func (s Status) String() string { return string(s) }

// Early tells whether a fit was stopped before what it was asked to do.
func (s Status) Early() bool {
	return s != Optimal && s != GapReached && s != Sampled && s != Fitted
}

// ByItself tells whether a search ended early although no limit of the caller's, nor
// an interrupt, ended it.
func (s Status) ByItself() bool { return s == SearchTime || s == NoProofInSight }

// Words is the status as people write it.
func (s Status) Words() string { return strings.ReplaceAll(string(s), "_", " ") }

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
