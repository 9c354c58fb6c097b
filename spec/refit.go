package spec

import "optcomplete/internal/names"

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
