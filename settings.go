package optcomplete

import (
	"io"
	"reflect"
	"time"

	"optcomplete/formulation"
	"optcomplete/loss"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// The models of a matrix, for Settings.Model and ReadSettings.Model.
const (
	Full   = spec.Full
	Pooled = spec.Pooled
	Paper  = spec.Paper
)

// AutoRank lets the evidence choose the rank of the unnamed part of the remainder.
const AutoRank = formulation.AutoRank

// Method is a way to select features, with the settings that are its own: Certified, which nil
// stands for, and the paper's CutPlanes and OptComplete; or, to compare with, one that selects
// nothing: SoftImpute, IMC, EffectsOnly.
type (
	Method      = formulation.Method
	Certified   = formulation.Certified
	CutPlanes   = formulation.CutPlanes
	OptComplete = formulation.OptComplete
	SoftImpute  = formulation.SoftImpute
	IMC         = formulation.IMC
	EffectsOnly = formulation.EffectsOnly
)

// SettingsError is returned for settings that cannot be meant, or that the problem cannot
// meet.
type SettingsError = spec.Error

// Settings say how to fit. All but K may be left at zero; what is zero and has no other
// meaning is learned from the data.
type Settings struct {
	K     int       // how many features (or groups) to select, 1..p; 0 for a method that selects nothing
	Model spec.Kind // zero: Full

	Always, Never []string // names to select in any case, and never: features, groups or fields
	AtMost        []string // fields of which only so many features may be selected: Genre=2

	Gamma           float64    // γ, the weight of the fit against the size of the coefficients, the same for all features; zero: learned, of each feature but in Paper
	GammaFactor     float64    // multiplies what is learned; zero: 1
	Gamma0          float64    // in Pooled, γ of the population's coefficients over that of a row's own; zero: the root of the number of rows
	ColumnShrinkage float64    // of the column effects, in Full; zero: estimated
	Refit           spec.Refit // how coefficients are fitted once the selection is known; zero: as the model does best
	Holdout         float64    // part of the entries, in [0,1), kept aside to score on; zero: none
	Split           spec.Split // which entries are kept aside, and which are the folds of a path; zero: random ones
	Seed            uint64     // of the hold-out and validation splits, and of samples
	Loss            loss.Loss  // what is minimised, in Full; zero: squared errors; loss.Auto: as the values show
	Delta           float64    // of Huber's loss: errors beyond it count by their size; zero: 1.345 robust deviations
	Nonnegative     []string   // features whose coefficients must not be negative, in Full; "all" alone: of every feature
	ResidualRank    int        // of the unnamed part of the remainder, at most; zero: no remainder, AutoRank: the evidence decides
	NoClip          bool       // predictions may leave the range of the training values (they always may in Paper)

	Method Method   // how to select; nil: Certified{}
	Start  []string // a selection to try first, such as that of another model

	TimeLimit  time.Duration // for the whole fit; zero: none
	SearchTime time.Duration // when a search ends by itself, a true bound in hand; see spec.Limits; zero: never
	Gap        float64       // relative gap at which to stop, in [0,1); zero: prove optimality
	MaxNodes   int           // of the search (of each k); zero: no limit
	NearTies   int           // how many other good selections to report; zero: 5, negative: none
	Threads    int           // zero: all processors. Results do not depend on it
	Memory     int64         // about how many bytes to use; zero: half of what is free

	Checkpoint string    // a folder that keeps what was computed, so that a run that was killed goes on from there; empty: none
	Folder     string    // where the model will be saved, if the coefficients of many rows are to be streamed there; empty: they are kept in memory
	Proof      io.Writer // gets what proves the bound, line by line, for Verify to check; nil: nothing

	OnEvent   func(search.Event)       // called for everything the search does; may be nil
	OnUnits   func(*result.Units)      // called with what was learned of how much rows differ on each feature; may be nil
	OnDivided func(selection.Division) // called before the search with how the time limit is divided; may be nil
	OnOutlook func(result.Outlook)     // called, if the search does not end soon, with how far away its proof is; may be nil
}

// inner is the settings as package formulation has them, in parts that others share: the
// fields have the same names and types (TestSettingsAreThoseOfTheFormulation).
func (s Settings) inner() (out formulation.Settings) {
	from, to := reflect.ValueOf(s), reflect.ValueOf(&out).Elem()
	for f := range from.NumField() {
		to.FieldByName(from.Type().Field(f).Name).Set(from.Field(f))
	}
	return out
}
