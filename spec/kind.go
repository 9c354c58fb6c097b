package spec

import (
	"fmt"

	"optcomplete/internal/names"
)

// Kind is what a model is made of (docs/method.md, "Three models").
type Kind int

const (
	// Full is mean + row effect + column effect + Σ_f b_jf u_if: the selected
	// features explain differences in taste. The default.
	Full Kind = iota
	// Pooled is mean + row effect + Σ_f b_jf (μ_f + u_if): rows are shrunk
	// towards the population, and the cost knows it.
	Pooled
	// Paper is Σ_f b_jf u_if and nothing else.
	Paper
)

// kinds are what all packages may know about a kind; what its selection costs is in
// package formulation. Little else asks which kind a model is.
var kinds = [...]struct {
	name     string
	effects  Effects
	refit    Refit
	asGiven  bool
	explains string
}{
	Full:   {"full", Effects{Rows: true, Columns: true}, LearnedPrior, false, "what mean and column effects leave, by a level of each row and the features"},
	Pooled: {"pooled", Effects{Rows: true}, LearnedPrior, false, "what the mean leaves, by a level of each row and the features"},
	Paper:  {"paper", Effects{}, LeastSquares, true, "the entries as they are"},
}

// Effects tells which effects predictions add up, beside the features; with any of
// them there is a mean too.
type Effects struct{ Rows, Columns bool }

// ParseKind is the inverse of String.
func ParseKind(name string) (Kind, error) {
	for k, known := range kinds {
		if name == known.name {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("model: no model is called %q (use full, pooled or paper)", name)
}

// EffectsOf is the effects of the model that a name stands for; one that is no kind
// has none.
func EffectsOf(name string) Effects {
	k, err := ParseKind(name)
	if err != nil {
		return Effects{}
	}
	return k.Effects()
}

// Known tells whether there is such a kind.
func (k Kind) Known() bool { return k >= 0 && int(k) < len(kinds) }

// String returns the name by which flags and files call the kind.
func (k Kind) String() string { return kinds[k].name }

// Effects are those of the kind.
func (k Kind) Effects() Effects { return kinds[k].effects }

// DefaultRefit is how the rows are fitted by default: as in the
// paper, or with a learned prior, the best predictor on real data.
func (k Kind) DefaultRefit() Refit { return kinds[k].refit }

// AsGiven tells whether features are numbers as they are given, unless somebody says
// otherwise; else a table is encoded.
func (k Kind) AsGiven() bool { return kinds[k].asGiven }

// Explains says what a selection is to explain.
func (k Kind) Explains() string { return kinds[k].explains }

// Refit says how the coefficients of a row are fitted once the selection is
// known.
type Refit int

const (
	// AutoRefit is the default of the model's kind.
	AutoRefit Refit = iota
	// LeastSquares is the paper's refit, without regularisation: the least
	// squares coefficients where they are unique, and among equally good ones
	// those of the smallest norm otherwise.
	LeastSquares
	// Ridge gives u_i = (I/γ + G_i)⁻¹ y_i, the coefficients of the cost itself.
	Ridge
	// LearnedPrior shrinks each row towards what all rows have in common: the
	// mean and the covariance of their coefficients, learned from the data.
	LearnedPrior
)

var refits = names.Of[Refit]{What: "refit", Are: []string{AutoRefit: "auto", LeastSquares: "ls", Ridge: "ridge", LearnedPrior: "prior"}}

// ParseRefit is the inverse of String.
func ParseRefit(name string) (Refit, error) { return refits.Parse(name) }

// String returns the name by which flags and files call the refit.
func (r Refit) String() string { return refits.String(r) }

// MarshalText makes a Refit its name in JSON.
func (r Refit) MarshalText() ([]byte, error) { return refits.Marshal(r) }

// UnmarshalText reads what MarshalText wrote.
func (r *Refit) UnmarshalText(text []byte) error { return refits.Unmarshal(text, r) }

// Split says which entries are kept aside to score on.
type Split int

const (
	// RandomSplit keeps random ones aside.
	RandomSplit Split = iota
	// TimeSplit keeps the latest aside: what is fitted to the past is scored on the
	// future.
	TimeSplit
)

var splits = names.Of[Split]{What: "split", Are: []string{RandomSplit: "random", TimeSplit: "time"}}

// ParseSplit is the inverse of String.
func ParseSplit(name string) (Split, error) { return splits.Parse(name) }

// String returns the name by which flags and files call the split.
func (s Split) String() string { return splits.String(s) }
