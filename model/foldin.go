package model

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"optcomplete/internal/dense"
	"optcomplete/model/estimate"
	"optcomplete/remainder"
	"optcomplete/spec"
)

// FoldIn fits one row, new or known, to its entries, with everything that rows
// share left as it is: one small solve, no refit. The entries a row was fitted
// on give back its effect and its coefficients (WithRows: the factors of its
// remainder too). Without entries they are the
// population's. columns are indices in the model, without duplicates.
//
// An error is a *RangeError, whose row is 0: numbers too large to compute with.
func (m *Model) FoldIn(columns []int32, values []float64) (effect float64, coefficients []float64, err error) {
	f, err := m.folder()
	if err != nil {
		return 0, nil, err
	}
	coefficients = make([]float64, m.K())
	effect, err = f.fold(columns, values, nil, coefficients)
	return effect, coefficients, err
}

// folder fits one row after another, reusing its memory.
type folder struct {
	m      *Model
	joint  *remainder.Predictor // of all parts together; nil: there is no fitted remainder
	theta  []float64            // what it said about the row folded in last
	solve  estimate.RowSolver
	link   *estimate.LinkSolver // of a model with a link; nil: it has none
	order  []int32              // 0, 1, …: positions in design
	design []float64            // of the row's entries
	rest   []float64
	u      []float64
}

func (m *Model) folder() (*folder, error) {
	f := &folder{m: m}
	if r := m.Remainder; r != nil && r.Prior != nil {
		f.joint = m.known()
		return f, nil
	}
	if m.Link != nil {
		f.link = estimate.NewLinkSolver(m.Link, m.K())
		return f, nil
	}
	var err error
	if f.solve, err = estimate.NewRowSolver(m.Summary.Refit, m.Summary.Gamma, m.Prior, m.K()); err == nil && m.Summary.Refit == spec.LearnedPrior {
		f.u = make([]float64, len(m.Prior.Mean))
	}
	return f, err
}

// fold fits a row and writes its coefficients to u. Weights are nil if there are none.
// Its error is a *RangeError.
func (f *folder) fold(columns []int32, values, weights, u []float64) (effect float64, err error) {
	m := f.m
	if len(columns) != len(values) {
		panic(fmt.Sprintf("model: %d columns with %d values", len(columns), len(values)))
	}
	if len(columns) == 0 {
		copy(u, m.Population[1:])
		return m.Population[0], nil
	}
	for _, v := range values {
		if !(v <= largestFeature && v >= -largestFeature) {
			return 0, &estimate.RangeError{Value: v}
		}
	}
	if m.Link != nil {
		for _, v := range values {
			if l := m.Link.Scaled.Loss; !l.Allows(v) {
				return 0, &estimate.RangeError{Value: v, Wants: l.Values()}
			}
		}
	}
	if f.link != nil {
		return f.linked(columns, values, weights, u)
	}
	if f.joint != nil {
		f.theta = f.joint.Row(columns, values, weights)
		if at := dense.NotFinite(f.theta); at >= 0 {
			return 0, &estimate.RangeError{Value: f.theta[at]}
		}
		first := 0
		if m.RowEffects != nil {
			effect, first = f.theta[0], 1
		}
		copy(u, f.theta[first:])
		return effect, nil
	}
	f.rest = append(f.rest[:0], values...)
	if m.Summary.Refit == spec.LearnedPrior {
		return f.posterior(columns, weights, u)
	}
	// The same sums, in the same order, as FitEffects and Effects.Residuals.
	if m.RowEffects != nil {
		sum, count := 0.0, float64(len(columns))
		if weights != nil {
			count = floats.Sum(weights)
		}
		for x, c := range columns {
			rest := values[x] - m.Mean - m.ColumnEffect(int(c))
			if weights != nil {
				rest *= weights[x]
			}
			sum += rest
		}
		effect = sum / (count + m.Summary.RowShrinkage)
		for x, c := range columns {
			f.rest[x] = f.rest[x] - m.Mean - m.ColumnEffect(int(c))
			f.rest[x] -= effect
		}
	}
	if bad, ok := f.solve(m.Features, columns, f.rest, weights, u); !ok {
		return 0, &estimate.RangeError{Value: bad}
	}
	return effect, nil
}

// linked folds a row in by the model's own loss.
func (f *folder) linked(columns []int32, values, weights, u []float64) (effect float64, err error) {
	m := f.m
	f.link.Begin()
	for _, c := range columns {
		f.link.Entry(m.Mean+m.ColumnEffect(int(c)), m.ColumnFeatures(int(c)))
	}
	effect = f.link.Solve(values, weights, u)
	if at := dense.NotFinite(append([]float64{effect}, u...)); at >= 0 {
		return 0, &estimate.RangeError{Value: math.Inf(1)}
	}
	return effect, nil
}

// remainder sets the factors v of the row that was folded in last: what was found
// with its effect and coefficients, or in a baseline what fits best what those
// leave of the entries.
func (f *folder) remainder(columns []int32, values, weights []float64, effect float64, u, v []float64) {
	if f.joint != nil {
		clear(v)
		if len(columns) == 0 {
			copy(v, f.m.Remainder.OtherPopulation)
		} else {
			copy(v, f.theta[len(f.theta)-len(v):])
		}
		return
	}
	f.rest = f.rest[:0]
	for x, c := range columns {
		f.rest = append(f.rest, values[x]-f.m.Sum(effect, f.m.ColumnEffect(int(c)), u, f.m.ColumnFeatures(int(c))))
	}
	f.m.Remainder.Solve(f.m.ColumnRemainder, columns, f.rest, weights, v)
}

// posterior folds a row in with the learned prior: the design of an entry is its
// column's features, after a 1 if rows have effects.
func (f *folder) posterior(columns []int32, weights, u []float64) (effect float64, err error) {
	m := f.m
	effects := m.RowEffects != nil
	f.design, f.order = f.design[:0], f.order[:0]
	for x, c := range columns {
		if effects {
			f.design = append(f.design, 1)
			f.rest[x] = f.rest[x] - m.Mean - m.ColumnEffect(int(c))
		}
		f.design = append(f.design, m.ColumnFeatures(int(c))...)
		f.order = append(f.order, int32(x))
	}
	f.solve(f.design, f.order, f.rest, weights, f.u)
	if at := dense.NotFinite(f.u); at >= 0 {
		return 0, &estimate.RangeError{Value: f.u[at]}
	}
	if !effects {
		copy(u, f.u)
		return 0, nil
	}
	copy(u, f.u[1:])
	return f.u[0], nil
}
