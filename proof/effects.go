package proof

import (
	"context"
	"fmt"
	"math"

	"optcomplete/data"
)

// sweeps is how often column and row effects are fitted in turn; it belongs to
// what the model full is.
const sweeps = 10

// leaves is what rounding leaves at most, in parts of a value, where mean and effects explain it.
const leaves = 1e-15

// values is what the selection is to explain: the entries (paper), what the mean
// leaves (pooled), or what mean and shrunken effects c of columns leave (full), fitted beside those of
// rows: by turns the least of Σw_ij(a_ij − mean − r_i − c_j)² + λ_r Σr_i² + λ_c Σc_j², columns
// first, with the weights w of the entries, or 1. It is in memory.
func (p *Problem) values(ctx context.Context) (*data.Matrix, error) {
	matrix, err := data.Collect(p.Entries, nil)
	if err != nil || p.Model == "paper" || matrix.Observed() == 0 {
		return matrix, err
	}
	e := newEffects(p, matrix)
	largest := 0.0
	e.each(func(_ int, _ int32, value, weight float64) {
		largest = max(largest, math.Sqrt(weight)*math.Abs(value))
	})
	p.lost = float64(matrix.Observed()) * (leaves * largest) * (leaves * largest)
	switch p.Model {
	case "pooled":
	case "full":
		for range sweeps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			e.turn()
		}
		if e.uneven {
			if err := e.converge(ctx); err != nil {
				return nil, err
			}
		}
	default:
		return nil, fmt.Errorf("proof: the model %q is not known", p.Model)
	}
	return matrix.Map(func(i int, c int32, value float64) float64 {
		return value - (e.mean + e.column[c])
	}), nil
}

// effects are the mean and the effects of rows and columns, as they are fitted.
type effects struct {
	*Problem
	matrix      *data.Matrix
	mean        float64
	row, column []float64
	counts      []float64 // the weight of each column
	uneven      bool      // weights differ
}

func newEffects(p *Problem, matrix *data.Matrix) *effects {
	n, m := matrix.Dims()
	e := &effects{Problem: p, matrix: matrix, row: make([]float64, n), column: make([]float64, m), counts: make([]float64, m)}
	sum, total, heaviest := double{}, double{}, 0.0
	e.each(func(_ int, c int32, value, weight float64) {
		e.counts[c] += weight
		sum, total = sum.plusProduct(value, weight), total.plusProduct(weight, 1)
		heaviest = max(heaviest, weight)
	})
	e.mean = sum.value() / total.value()
	e.uneven = heaviest > total.value()/float64(matrix.Observed())*(1+1e-9)
	return e
}

// each calls f with every entry and its weight, row by row.
func (e *effects) each(f func(i int, c int32, value, weight float64)) {
	for i := range e.row {
		columns, values := e.matrix.Row(i)
		weights := e.matrix.RowWeights(i)
		for x, c := range columns {
			weight := 1.0
			if weights != nil {
				weight = weights[x]
			}
			f(i, c, values[x], weight)
		}
	}
}

// fitRows fits the row effects, given those of the columns.
func (e *effects) fitRows() {
	sums, counts := make([]double, len(e.row)), make([]float64, len(e.row))
	e.each(func(i int, c int32, value, weight float64) {
		sums[i] = sums[i].plusProduct(value-e.mean-e.column[c], weight)
		counts[i] += weight
	})
	for i, count := range counts {
		if count > 0 {
			e.row[i] = sums[i].value() / (count + e.RowShrinkage)
		}
	}
}

// turn fits the column effects, given those of the rows, and then the row effects.
func (e *effects) turn() {
	sums := make([]double, len(e.column))
	e.each(func(i int, c int32, value, weight float64) {
		sums[c] = sums[c].plusProduct(value-e.mean-e.row[i], weight)
	})
	for c, count := range e.counts {
		if count > 0 {
			e.column[c] = sums[c].value() / (count + e.ColumnShrinkage)
		}
	}
	e.fitRows()
}

// Where weights differ, turns may converge slowly, and the effects are the least
// itself: found by conjugate gradients, until rounding ends them.
const (
	mostSteps = 400
	near      = 1e-14
)

// converge goes on from the turns, over the column effects: the row effects are then
// those that fitRows finds.
func (e *effects) converge(ctx context.Context) error {
	m := len(e.column)
	// gradient is less half of that at the effects given: of all, or without the values.
	gradient := func(at []float64, by float64) []float64 {
		sums, rows, counts := make([]double, m), make([]double, len(e.row)), make([]float64, len(e.row))
		rest := func(c int32, value float64) float64 { return by*(value-e.mean) - at[c] }
		e.each(func(i int, c int32, value, weight float64) {
			rows[i] = rows[i].plusProduct(rest(c, value), weight)
			counts[i] += weight
		})
		e.each(func(i int, c int32, value, weight float64) {
			sums[c] = sums[c].plusProduct(rest(c, value)-rows[i].value()/(counts[i]+e.RowShrinkage), weight)
		})
		out := make([]float64, m)
		for c := range out {
			out[c] = sums[c].plusProduct(-e.ColumnShrinkage, at[c]).value()
		}
		return out
	}
	left := gradient(e.column, 1)
	towards := make([]float64, m)
	before := 0.0
	for range mostSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		now, largest, step := 0.0, 0.0, 0.0
		for c, count := range e.counts {
			if count > 0 {
				turn := left[c] / (count + e.ColumnShrinkage)
				now += left[c] * turn
				step, largest = max(step, math.Abs(turn)), max(largest, math.Abs(e.column[c]))
			}
		}
		if !(step > near*largest) {
			break
		}
		for c, count := range e.counts {
			if count > 0 {
				turn := left[c] / (count + e.ColumnShrinkage)
				if before > 0 {
					turn += now / before * towards[c]
				}
				towards[c] = turn
			}
		}
		before = now
		product := gradient(towards, 0) // less the curvature times the step
		along := 0.0
		for c, x := range towards {
			along -= x * product[c]
		}
		by := now / along
		if !(by > 0) || math.IsInf(by, 1) {
			break
		}
		for c, x := range towards {
			e.column[c] += by * x
			left[c] += by * product[c]
		}
	}
	e.fitRows()
	return nil
}
