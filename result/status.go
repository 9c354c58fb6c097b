package result

import (
	"strings"
)

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
