package spec

import (
	"fmt"
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

var kindNames = [...]string{Full: "full", Pooled: "pooled", Paper: "paper"}

// ParseKind is the inverse of String.
func ParseKind(name string) (Kind, error) {
	for k, known := range kindNames {
		if name == known {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("model: no model is called %q (use full, pooled or paper)", name)
}

// String returns the name by which flags and files call the kind.
func (k Kind) String() string { return kindNames[k] }

// DefaultRefit is how the rows are fitted unless told otherwise: as in the
// paper, or with a learned prior, the best predictor on real data.
func (k Kind) DefaultRefit() Refit {
	if k == Paper {
		return LeastSquares
	}
	return LearnedPrior
}
