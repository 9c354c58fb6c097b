package spec

import (
	"encoding"
	"fmt"
)

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

var refitNames = [...]string{AutoRefit: "auto", LeastSquares: "ls", Ridge: "ridge", LearnedPrior: "prior"}

var (
	_ fmt.Stringer             = Refit(0)
	_ encoding.TextMarshaler   = Refit(0)
	_ encoding.TextUnmarshaler = (*Refit)(nil)
)

// ParseRefit is the inverse of String.
func ParseRefit(name string) (Refit, error) {
	for r, known := range refitNames {
		if name == known {
			return Refit(r), nil
		}
	}
	return 0, fmt.Errorf("no refit is called %q (use auto, ls, ridge or prior)", name)
}

// String returns the name by which flags and files call the refit.
func (r Refit) String() string {
	if r < 0 || int(r) >= len(refitNames) {
		return fmt.Sprintf("Refit(%d)", int(r))
	}
	return refitNames[r]
}

// MarshalText makes a Refit its name in JSON.
func (r Refit) MarshalText() ([]byte, error) {
	if _, err := ParseRefit(r.String()); err != nil {
		return nil, err
	}
	return []byte(r.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (r *Refit) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRefit(string(text))
	return err
}
