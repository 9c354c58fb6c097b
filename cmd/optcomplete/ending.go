package main

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// ownEnd leaves searches without an end of their own where a time limit, or none, was given.
func ownEnd(cmd *cobra.Command, l *spec.Limits) {
	if cmd.Flags().Changed("time-limit") && !cmd.Flags().Changed("search-time") {
		l.SearchTime = 0
	}
}

// byItself says why a search ended that nobody ended.
func byItself(s result.Status) string {
	why := "its search time was up"
	if s == result.NoProofInSight {
		why = "the bound hardly rose, and a proof would take over ten times the time spent"
	}
	return "ended by itself (" + why + "; --time-limit none searches on)"
}

// tellAfter is when the log says how long a proof will take.
const tellAfter = 5 * time.Second

// tell says once how long a proof will take, as far as that can be told, and how to end
// the search before.
func (l *searchLog) tell(e *search.Event) {
	if l.told || !l.logTimes || e.Sampled || e.Kind == search.EventStart || e.Kind == search.EventDone || e.Elapsed < tellAfter || math.IsInf(e.Cost, 1) {
		return
	}
	l.told = true
	how := ""
	if !l.looked {
		how = proofTime(e) + "; "
	}
	ends := ""
	if l.own > 0 {
		ends = fmt.Sprintf(", and %s of search end it", l.own)
	}
	l.factf("Proof", "%sCtrl-C keeps the best selection so far and its bound%s", how, ends)
}

// proofTime is about how long the proof still takes, in words.
func proofTime(e *search.Event) string {
	const most = 1000 // an estimate beyond so many times the time spent rests on too little of the tree
	switch left := e.Left; {
	case left == 0:
		return "too early to say how long a proof takes"
	case left > most*e.Elapsed:
		return "no proof is in sight"
	case left < time.Minute:
		return "a proof takes less than a minute more, as estimated from the part of the tree that is done"
	case left < 2*time.Hour:
		return fmt.Sprintf("a proof takes about %.0f minutes more, as estimated from the part of the tree that is done", left.Minutes())
	default:
		return fmt.Sprintf("a proof takes about %.0f hours more, as estimated from the part of the tree that is done", left.Hours())
	}
}
