package model

import (
	"fmt"

	"optcomplete/remainder"
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
	effect, err = f.fold(columns, values, coefficients)
	return effect, coefficients, err
}

// folder fits one row after another, reusing its memory.
type folder struct {
	m      *Model
	joint  *remainder.Predictor // of all parts together; nil: there is no fitted remainder
	theta  []float64            // what it said of the row folded in last
	refit  Refit
	prior  *priorState
	solver *rowSolver
	post   *posterior

	order  []int32   // 0, 1, …: positions in design
	design []float64 // of the row's entries
	rest   []float64
	u      []float64
}

func (m *Model) folder() (*folder, error) {
	f := &folder{m: m, refit: m.Summary.Refit}
	if r := m.Remainder; r != nil && r.Prior != nil {
		f.joint = remainder.NewPredictor(m.posterior())
		return f, nil
	}
	switch f.refit {
	case LearnedPrior:
		if m.Prior == nil {
			return nil, fmt.Errorf("model: its rows were fitted with a learned prior, but it has none")
		}
		f.prior = &priorState{Prior: *m.Prior}
		if err := f.prior.invert(); err != nil {
			return nil, err
		}
		f.post = newPosterior(len(m.Prior.Mean))
		f.u = make([]float64, len(m.Prior.Mean))
	case Ridge:
		if !(m.Summary.Gamma >= tiny && m.Summary.Gamma <= huge) {
			return nil, fmt.Errorf("model: a ridge refit needs a gamma between %g and %g, not %g", tiny, huge, m.Summary.Gamma)
		}
		f.solver = newRowSolver(m.K(), 1/m.Summary.Gamma)
	case LeastSquares:
		f.solver = newRowSolver(m.K(), 0)
	default:
		return nil, fmt.Errorf("model: unknown refit %v", f.refit)
	}
	return f, nil
}

// fold fits a row and writes its coefficients to u. Its error is a *RangeError.
func (f *folder) fold(columns []int32, values, u []float64) (effect float64, err error) {
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
			return 0, &RangeError{Value: v}
		}
	}
	if f.joint != nil {
		f.theta = f.joint.Row(columns, values)
		if at := notFinite(f.theta); at >= 0 {
			return 0, &RangeError{Value: f.theta[at]}
		}
		first := 0
		if m.RowEffects != nil {
			effect, first = f.theta[0], 1
		}
		copy(u, f.theta[first:])
		return effect, nil
	}
	f.rest = append(f.rest[:0], values...)
	if f.refit == LearnedPrior {
		return f.posterior(columns, u)
	}
	// The same sums, in the same order, as FitEffects and Effects.Residuals.
	if m.RowEffects != nil {
		sum := 0.0
		for x, c := range columns {
			sum += values[x] - m.Mean - m.columnEffect(int(c))
		}
		effect = sum / (float64(len(columns)) + m.Summary.RowShrinkage)
		for x, c := range columns {
			f.rest[x] = f.rest[x] - m.Mean - m.columnEffect(int(c))
			f.rest[x] -= effect
		}
	}
	if bad, ok := f.solver.solve(m.Features, columns, f.rest, u); !ok {
		return 0, &RangeError{Value: bad}
	}
	return effect, nil
}

// remainder sets the factors v of the row that was folded in last: what was found
// with its effect and coefficients, or in a baseline what fits best what those
// leave of the entries.
func (f *folder) remainder(columns []int32, values []float64, effect float64, u, v []float64) {
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
		f.rest = append(f.rest, values[x]-f.m.unclipped(effect, f.m.columnEffect(int(c)), u, f.m.columnFeatures(int(c))))
	}
	newRemainderSolver(*f.m.Remainder).solve(f.m.ColumnRemainder, columns, f.rest, v)
}

// posterior folds a row in with the learned prior: the design of an entry is its
// column's features, after a 1 if rows have effects.
func (f *folder) posterior(columns []int32, u []float64) (effect float64, err error) {
	m := f.m
	effects := m.RowEffects != nil
	f.design, f.order = f.design[:0], f.order[:0]
	for x, c := range columns {
		if effects {
			f.design = append(f.design, 1)
			f.rest[x] = f.rest[x] - m.Mean - m.columnEffect(int(c))
		}
		f.design = append(f.design, m.columnFeatures(int(c))...)
		f.order = append(f.order, int32(x))
	}
	f.post.solve(f.prior, f.design, f.order, f.rest, f.u)
	if at := notFinite(f.u); at >= 0 {
		return 0, &RangeError{Value: f.u[at]}
	}
	if !effects {
		copy(u, f.u)
		return 0, nil
	}
	copy(u, f.u[1:])
	return f.u[0], nil
}
