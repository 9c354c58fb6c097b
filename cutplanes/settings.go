package cutplanes

import (
	"optcomplete/milp"
	"optcomplete/search"
)

// Settings say what to search, when to stop and what solves the masters.
type Settings struct {
	// Search holds K, Always, Never, the limits, NearTies, Start and OnEvent.
	// MaxNodes counts the nodes of all masters. The embedded solver keeps to it
	// within a master too; of other programs the nodes are counted after each.
	// CutPlanes starts with cuts at all of Start, or else greedily; OptComplete
	// from the first of Start, or else at random.
	Search search.Settings

	Solver milp.Solver // of the masters; nil means milp.Embedded
	Seed   uint64      // of the random start; also passed to the solver

	OnStep func(Step) // called for every cut; may be nil
}

// Step is one cut of the master.
type Step struct {
	Iteration int       `json:"iteration"`          // 1 for the first cut
	Selection []int     `json:"selection"`          // where the cut was made: s_t
	Cost      float64   `json:"cost"`               // of the selection; of its sample where sampled
	Eta       float64   `json:"eta"`                // η_t, the master's optimum that proposed the selection; 0 at the start
	Excludes  bool      `json:"excludes,omitempty"` // the cut excludes the selection alone; see CutPlanes
	Family    string    `json:"family,omitempty"`   // the cut keeps to what a selection may have of this family; there is no selection
	Constant  float64   `json:"constant"`           // the cut: η ≥ Constant + Gradient·s
	Gradient  []float64 `json:"gradient"`
}

// Result is what an algorithm found, and what it took. Nodes are those of all
// masters, Cuts is the number of cuts of the last master, Passes counts
// evaluations over all observed entries.
type Result struct {
	search.Result
	Masters       int     // masters solved
	MasterSeconds float64 // time in their solver
	Solver        string
	SolverVersion string // "unknown" if the program does not say

	// Of OptComplete, on samples. They prove nothing about the cost.
	SampledCost  float64 // c̃ of the selection, on the sample of its cut
	SampledBound float64 // η of the last master
	SampledGap   float64 // search.RelativeGap of the two
}
