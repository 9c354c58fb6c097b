package search

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"optcomplete/feasible"
	"optcomplete/result"
	"optcomplete/spec"
)

// Settings say what to search and when to stop. The zero value of every field
// but K is a sensible default.
type Settings struct {
	K      int   // how many features a selection has, 1..p
	Always []int // features that every selection contains
	Never  []int // features that no selection contains

	// Requires holds conditions of heredity: features that may be selected
	// only together with others. Selections that break one do not count.
	Requires []Requirement

	// Families holds features of which a selection has at most some.
	Families []feasible.Family

	// Gap is the relative gap at which the search stops. Zero proves
	// optimality, to the precision of the arithmetic (Precision).
	Gap       float64
	TimeLimit time.Duration // zero: none
	// SearchTime is when the search ends by itself, but not before 20 passes; earlier
	// where a proof would take over ten times the time spent and the bound has stalled.
	// Zero: never.
	SearchTime time.Duration
	MaxNodes   int  // zero: none
	MaxPasses  int  // evaluations of the oracle; zero: none
	Brief      bool // the last node of MaxNodes is only relaxed: enumerations would prove more than a trial needs

	// NearTies is how many of the best selections seen are returned beside
	// the incumbent. Zero means 5; negative means none.
	NearTies int

	// Start holds selections to try first, such as those of a related
	// problem. They may have any number of features.
	Start [][]int

	// Guide, if set, is a cheaper cost that resembles the oracle's, such as
	// that of a sample. Relaxations are solved on it first, and its second
	// derivatives steer the steps that the oracle is evaluated at. It proves
	// nothing: every cut and every cost are the oracle's.
	Guide Curved

	// NewtonMost is the largest support for which second derivatives are asked for; zero
	// means 80. More pay where they cost little beside an evaluation.
	NewtonMost int

	// Recorder, if set, receives what proves the bound. Minimize only, and not
	// with Requires.
	Recorder Recorder

	// OnEvent, if set, is called for everything that happens, in order.
	OnEvent func(Event)
}

// Precision is the relative difference in cost below which two selections are
// the same to the search: regions that could only improve the incumbent by less
// are not opened. It stands well above rounding errors and below anything that
// could matter. A result is Optimal only if its gap is no larger.
const Precision = 5e-10

// DefaultNearTies is what a Settings.NearTies of zero means.
const DefaultNearTies = 5

// ErrInfeasible is wrapped by the errors for settings that no selection meets.
var ErrInfeasible = feasible.ErrInfeasible

// ErrNothingYet is wrapped, with the context's own, by the error for a search whose
// context was cancelled before there was a selection worth having.
var ErrNothingYet = errors.New("search: stopped before there was a selection")

// Validate checks the settings against p features. What no selection meets is an
// ErrInfeasible; a feature outside 0..p-1 is a programming error and panics.
func (s *Settings) Validate(p int) error {
	if s.K < 1 {
		return fmt.Errorf("%w: k is %d, but at least one feature must be selected", ErrInfeasible, s.K)
	}
	set := s.Set(p)
	if err := set.Validate(); errors.Is(err, ErrInfeasible) {
		return err
	} else if err != nil {
		panic("search: " + err.Error())
	}
	limits := spec.Limits{Gap: s.Gap, TimeLimit: s.TimeLimit, SearchTime: s.SearchTime, MaxNodes: s.MaxNodes}
	return limits.Validate()
}

// Set is what the settings say about the selections of p features that count.
func (s *Settings) Set(p int) feasible.Set {
	return feasible.Set{P: p, K: s.K, Always: s.Always, Never: s.Never, Requires: s.Requires, Families: s.Families}
}

// Requirement says that a feature may be selected only together with others.
type Requirement = feasible.Requirement

// SettingsError makes of an error about settings that no selection meets one that
// says so by its type; other errors stay.
func SettingsError(err error) error {
	if errors.Is(err, ErrInfeasible) {
		return &spec.Error{Problem: strings.TrimPrefix(err.Error(), "search: ")}
	}
	return err
}

// Status says why a search ended.
type Status = result.Status

const (
	Optimal        = result.Optimal
	GapReached     = result.GapReached
	TimeLimit      = result.TimeLimit
	SearchTime     = result.SearchTime
	NoProofInSight = result.NoProofInSight
	NodeLimit      = result.NodeLimit
	PassLimit      = result.PassLimit
	Interrupted    = result.Interrupted
	Sampled        = result.Sampled
	NumericalLimit = result.NumericalLimit
)

// Proven is the status of a search that has nothing left to look at, by the gap
// that follows from its cost and its bound, and the gap that was asked for.
func Proven(gap, asked float64) Status {
	switch {
	case gap <= Precision:
		return Optimal
	case gap <= asked:
		return GapReached
	}
	return NumericalLimit
}

// Certify is the cost, bound, gap and status of a result whose cost was computed
// again, more exactly, as cost. Bounds stand between 0 and the cost.
func (r *Result) Certify(cost, asked float64) {
	r.Cost = cost
	r.Bound = min(max(r.Bound, 0), cost)
	r.Gap = RelativeGap(r.Cost, r.Bound)
	if r.Status == Optimal || r.Status == GapReached || r.Status == NumericalLimit {
		r.Status = Proven(r.Gap, asked)
	}
}

// Limited tells whether rounding errors hide what a proof would have to show: the
// search would end at a NumericalLimit.
func (r *Result) Limited() bool { return !(r.Loose <= Precision) }

// Candidate is a selection and its cost.
type Candidate struct {
	Selection []int // increasing
	Cost      float64
}

// Result is what a search found and proved.
type Result struct {
	Candidate              // the incumbent
	Bound      float64     // no selection costs less
	Gap        float64     // (Cost − Bound) ÷ Cost; see RelativeGap
	Scale      float64     // the cost of selecting nothing
	RootGap    float64     // the gap when the root's relaxation was done
	Loose      float64     // how far the incumbent's own cut stays below its cost, as a fraction: no smaller gap can be proven
	Status     Status      //
	Nodes      int         // nodes of the tree whose relaxation was solved
	Enumerated int         // selections looked at by enumeration
	Cuts       int         // cuts in the pool
	Passes     int         // evaluations of the oracle by this search
	NearTies   []Candidate // the next best selections seen, best first
	Elapsed    time.Duration
	Relaxation []float64 // the weights that minimise the root's relaxation
}

// RelativeGap is (cost − bound)/cost, and 0 where the two meet, at 0 too.
func RelativeGap(cost, bound float64) float64 {
	if diff := cost - bound; diff > 0 {
		return diff / cost
	}
	return 0
}

// EventKind tells the events apart.
type EventKind int

const (
	EventStart     EventKind = iota // the search begins
	EventIncumbent                  // a better selection was found
	EventBound                      // the bound rose
	EventNode                       // a node was taken
	EventPass                       // the oracle was evaluated
	EventDone                       // the search ended
)

func (k EventKind) String() string {
	return [...]string{"start", "incumbent", "bound", "node", "pass", "done"}[k]
}

// Event is one thing that happened, with the state of the search after it.
type Event struct {
	Kind       EventKind
	K          int
	Cost       float64 // of the incumbent; +Inf before there is one
	Bound      float64 // −Inf before there is one
	Gap        float64 // RelativeGap of the two; +Inf before both exist
	Sampled    bool    // cost, bound and gap are of samples and prove nothing
	Nodes      int     // nodes taken
	Enumerated int     // selections looked at by enumeration
	Open       int     // nodes waiting
	Cuts       int
	Passes     int
	Selection  []int  // of the incumbent
	Source     string // what found the incumbent: start, greedy, relaxation, enumeration, leaf
	Elapsed    time.Duration
	Left       time.Duration // that the proof still takes, as the part of the tree that is done lets one guess; 0: no guess
}
