package spec

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"
)

// Version is that of the program.
const Version = "1.0.0-rc.1"

// Choice says what may be selected. How many (k) is not here: a path has many.
type Choice struct {
	Always []string `json:"always,omitempty"` // names to select in any case: features, groups or products
	Never  []string `json:"never,omitempty"`  // names never to select
	// AtMost is how many features of a field may be selected, such as Genre=2. Fields are
	// those of the encoding; without one, features called Genre=… are those of Genre.
	AtMost []string `json:"at_most,omitempty"`
}

// Limits say when to stop, and how much of the machine to use. All may be zero.
type Limits struct {
	Gap       float64       // relative gap at which to stop, in [0,1); zero: prove optimality
	TimeLimit time.Duration // for the whole fit, or for the search of each k of a path; zero: none
	// SearchTime is when a search ends by itself, a true bound in hand: after so much
	// searching, but not before 20 passes, and earlier where a proof would take over ten
	// times the time spent and the bound has stalled. For each search; all proofs of a
	// path have it together. Zero: never.
	SearchTime time.Duration
	Began      time.Time // when the time limit began to run; zero: when the fit does
	MaxNodes   int       // for the search (of each k); zero: none
	NearTies   int       // how many other good selections to report; zero means 5, negative none

	Threads int // zero: all processors. Results do not depend on it.

	// Memory is about how many bytes to use. Entries that are not in memory are
	// read into it if they fit; zero means half of what the machine has, at most three quarters of what is free.
	Memory int64
}

// Statistics say how the numbers around a selection are found. What is zero and
// has no other meaning is learned from the data.
type Statistics struct {
	Gamma           float64 // γ, the weight of the fit against the size of the coefficients, the same for all features; zero: learned, of each feature but in paper
	GammaFactor     float64 // multiplies what is learned; zero: 1
	Gamma0          float64 // in pooled, γ of the population's coefficients over that of a row's own; zero: the root of the number of rows
	ColumnShrinkage float64 // of the column effects, in full; zero: estimated
	Refit           Refit   // how coefficients are fitted once the selection is known; zero: as the model does best
	Holdout         float64 // part of the entries, in [0,1), kept aside to score on; zero: none
	Split           Split   // which entries are kept aside, and which are the folds of a path; zero: random ones
	Seed            uint64  // of the hold-out and validation splits, and of samples
}

// Error is returned for settings that cannot be meant, or that the problem cannot
// meet.
type Error struct {
	Setting string // its name, as flags and files call it, where the problem is of one; else ""
	Problem string // what is wrong; of a setting, what its name is followed by
}

func (e *Error) Error() string { return strings.TrimPrefix(e.Setting+" "+e.Problem, " ") }

// Errorf makes an Error.
func Errorf(format string, args ...any) error { return &Error{Problem: fmt.Sprintf(format, args...)} }

// Validate checks the limits by themselves.
func (l *Limits) Validate() error {
	switch {
	case !(l.Gap >= 0 && l.Gap < 1):
		return Errorf("the gap is %v, but must be at least 0 and below 1", l.Gap)
	case l.TimeLimit < 0:
		return Errorf("the time limit is %v, but must be positive", l.TimeLimit)
	case l.SearchTime < 0:
		return Errorf("the search time is %v, but must be positive", l.SearchTime)
	case l.MaxNodes < 0:
		return Errorf("the node limit is %d, but must be positive", l.MaxNodes)
	case l.Memory < 0:
		return Errorf("the memory is %d bytes, but must be positive", l.Memory)
	}
	return nil
}

// Processors is how many threads to use.
func (l *Limits) Processors() int {
	if l.Threads > 0 {
		return l.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// Validate checks the statistics by themselves.
func (s *Statistics) Validate() error {
	bad := func(x float64) bool { return !(x >= 0) || math.IsInf(x, 0) }
	switch {
	case bad(s.Gamma):
		return Errorf("gamma is %v, but must be a positive number", s.Gamma)
	case beyond(s.Gamma):
		return Errorf("gamma is %v, but must be at least 1e-100 and at most 1e100: beyond, its inverse and its squares are no longer numbers", s.Gamma)
	case bad(s.Gamma0):
		return Errorf("gamma0 is %v, but must be a positive number", s.Gamma0)
	case beyond(s.Gamma0):
		return Errorf("gamma0 is %v, but must be at least 1e-100 and at most 1e100", s.Gamma0)
	case bad(s.GammaFactor):
		return Errorf("the factor of gamma is %v, but must be a positive number", s.GammaFactor)
	case s.GammaFactor != 0 && (s.GammaFactor < 1e-6 || s.GammaFactor > 1e6):
		return Errorf("the factor of gamma is %v, but must be at least 1e-6 and at most 1e6", s.GammaFactor)
	case s.Gamma != 0 && s.GammaFactor != 0:
		return Errorf("gamma is given, so there is nothing learned for its factor to multiply (leave one of them out)")
	case !(s.ColumnShrinkage >= 0):
		return Errorf("the shrinkage of the column effects is %v, but must be positive", s.ColumnShrinkage)
	case !(s.Holdout >= 0 && s.Holdout < 1):
		return Errorf("the part to hold out is %v, but must be at least 0 and below 1", s.Holdout)
	case s.Refit < AutoRefit || s.Refit > LearnedPrior:
		return Errorf("the refit is %v, which does not exist", s.Refit)
	}
	return nil
}

// ValidateK checks how many of p things are to be selected. Things is their name.
func ValidateK(k, p int, things string) error {
	switch {
	case k < 1:
		return Errorf("k is %d, but at least one %s must be selected", k, things)
	case k > p:
		return Errorf("k is %d, but there are only %d %ss", k, p, things)
	}
	return nil
}

// LeastGamma and MostGamma are the range of γ that can be computed with.
const (
	LeastGamma = 1e-100
	MostGamma  = 1e100
)

// beyond tells whether γ is out of its range.
func beyond(gamma float64) bool { return gamma != 0 && (gamma < LeastGamma || gamma > MostGamma) }
