package estimate

import (
	"errors"
	"fmt"

	"optcomplete/data"
	"optcomplete/pass"
	"optcomplete/spec"
)

// The size of numbers that the solver accepts: within it no product of two of
// them, summed over a row, leaves the range of float64. Features whose norm in
// a row is below tiny count as zero there.
const (
	huge           = 1e140
	tiny           = 1e-140
	maxCoefficient = 1e150
)

// RangeError tells which row cannot be fitted because a number in it, or its
// coefficients, are too large to compute with.
type RangeError struct {
	Row   int // index
	Value float64
	Wants string // the values that the loss is for, if this is none of them
}

func (e *RangeError) Error() string {
	if e.Wants != "" {
		return fmt.Sprintf("model: row %d has the value %g, but the model's loss is for %s", e.Row, e.Value, e.Wants)
	}
	return fmt.Sprintf("model: row %d has the number %g, too large to fit (rescale the values or the features)", e.Row, e.Value)
}

// fitOf is the refit that knows nothing but the row itself: with V_i the selected features of the
// columns Ω_i and a_i the values,
//
//	LeastSquares:  u_i = V_i⁺ a_i
//	Ridge:         u_i = (I/γ + V_iᵀV_i)⁻¹ V_iᵀa_i
//
// Weights of entries multiply the squares of their errors. A row without entries gets zeros. gamma is
// used by Ridge only.
func fitOf(s data.Source, chosen []float64, k int, refit spec.Refit, gamma float64) (*rowFit, error) {
	lambda, err := penalty(refit, gamma)
	if err != nil {
		return nil, err
	}
	return &rowFit{values: s, Design: pass.Share(chosen), K: k, Lambda: lambda}, nil
}

// penalty is 1/γ in a ridge refit; zero is least squares.
func penalty(refit spec.Refit, gamma float64) (float64, error) {
	switch {
	case refit == spec.LeastSquares:
		return 0, nil
	case refit != spec.Ridge:
		return 0, fmt.Errorf("model: unknown refit %v", refit)
	case !(gamma >= tiny && gamma <= huge):
		return 0, fmt.Errorf("model: a ridge refit needs a gamma between %g and %g, not %g", tiny, huge, gamma)
	}
	return 1 / gamma, nil
}

// RowSolver writes the coefficients of a row to u, given the features of the
// columns, those that the row observes, its values and their weights, or nil. If a
// number is out of range, that number is bad. It serves one goroutine.
type RowSolver func(features []float64, columns []int32, values, weights, u []float64) (bad float64, ok bool)

// NewRowSolver solves rows by the refit: of k coefficients each, or with a learned
// prior as many as it has.
func NewRowSolver(refit spec.Refit, gamma float64, prior *Prior, k int) (RowSolver, error) {
	if refit != spec.LearnedPrior {
		lambda, err := penalty(refit, gamma)
		row, roots := newRowSolver(k, lambda), newRooted(k)
		return func(features []float64, columns []int32, values, weights, u []float64) (bad float64, ok bool) {
			features, columns, values = roots.row(features, columns, values, weights)
			return row.solve(features, columns, values, u)
		}, err
	}
	if prior == nil {
		return nil, errors.New("model: its rows were fitted with a learned prior, but it has none")
	}
	state := &priorState{Prior: *prior}
	if err := state.invert(); err != nil {
		return nil, err
	}
	row, roots := newPosterior(len(prior.Mean)), newRooted(len(prior.Mean))
	return func(features []float64, columns []int32, values, weights, u []float64) (bad float64, ok bool) {
		features, columns, values = roots.row(features, columns, values, weights)
		row.solve(state, features, columns, values, u)
		return 0, true
	}, nil
}

// Chosen is the selected features of every column, m×k.
func Chosen(f *data.Features, selected []int) []float64 {
	return gather(f.Values, len(f.Names), selected)
}

// gather copies the selected of p features of every column: m×k.
func gather(values []float64, p int, selected []int) []float64 {
	for _, j := range selected {
		if j < 0 || j >= p {
			panic(fmt.Sprintf("model: feature %d of %d", j, p))
		}
	}
	if p == 0 {
		return nil
	}
	out := make([]float64, 0, len(values)/p*len(selected))
	for at := 0; at < len(values); at += p {
		for _, j := range selected {
			out = append(out, values[at+j])
		}
	}
	return out
}
