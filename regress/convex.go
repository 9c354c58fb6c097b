package regress

import (
	"context"
	"math"
	"slices"
	"strconv"

	"optcomplete/data"
	"optcomplete/internal/lists"
	"optcomplete/loss"
	"optcomplete/objective"
	"optcomplete/search"
)

// convex is a table for any loss: the one row of a matrix, whose columns are the
// rows of the table. Features are standardised, and the intercept is the
// coefficient of a last one, always selected.
type convex struct {
	*standard
	oracle   *objective.Convex
	constant bool
	unit     float64 // values were divided by it
}

// constantSize is the value of the feature that stands for the intercept: so
// large that γ hardly holds it back: by 10⁻⁸·intercept²/γ, beside losses of n rows.
const constantSize = 1e4

// lossNewtonMost is the largest support for which second derivatives pay: a Newton step
// of the one row takes as long.
const lossNewtonMost = 256

// squares tells whether squares are minimised over all coefficients, for which products of
// columns suffice.
func (s *Settings) squares() bool { return s.Loss == loss.Squared && s.Nonnegative == nil }

func newConvex(problem Problem, rows []int, settings Settings) *convex {
	if rows == nil {
		rows = make([]int, len(problem.Y))
		for i := range rows {
			rows[i] = i
		}
	}
	t := &convex{standard: standardise(problem, rows, settings), constant: !settings.NoIntercept, unit: 1}
	t.standard.values = 0
	if settings.Loss.HasUnit() {
		t.unit = settings.Delta
	}
	n, p := len(rows), len(problem.Names)
	names := slices.Clone(problem.Names)
	if t.constant {
		names = append(names, "(intercept)")
	}
	ids, at, y := make([]string, n), make([]int32, n), make([]float64, n)
	values := make([]float64, 0, n*len(names))
	offsets := &objective.Offsets{}
	for x, i := range rows {
		ids[x], at[x], y[x] = strconv.Itoa(x), int32(x), problem.Y[i]/t.unit
		for j := range p {
			values = append(values, t.table.At(x, j))
		}
		if t.constant {
			values = append(values, constantSize)
		}
		if problem.Weights != nil {
			offsets.Weight = append(offsets.Weight, problem.Weights[i])
		}
	}
	matrix, err := data.NewMatrixByRows(n, []int{0, n}, at, y)
	if err != nil {
		panic(err) // one full row
	}
	var nonnegative []bool
	if settings.Nonnegative != nil {
		nonnegative = make([]bool, len(names))
		for j, name := range problem.Names {
			nonnegative[j] = slices.Contains(settings.Nonnegative, name)
		}
	}
	t.oracle = objective.NewConvex(matrix, data.NewFeatures(ids, names, values), 1, loss.Scaled{Loss: settings.Loss}, offsets, nonnegative, settings.Threads)
	return t
}

func (t *convex) cost(gamma float64) search.Oracle { return t.oracle.WithGamma(gamma) }

// exactly evaluates a selection.
func (t *convex) exactly(ctx context.Context, gamma float64, selection []int) (float64, error) {
	cut, err := t.oracle.WithGamma(gamma).Eval(ctx, search.Indicator(t.oracle.Dim(), selection))
	return cut.Cost, err
}

func (t *convex) coefficients(ctx context.Context, gamma float64, units []int) (coefficients []float64, intercept float64, err error) {
	selection := slices.Clone(units)
	if len(selection) == 0 && !t.constant {
		return nil, 0, nil
	}
	if t.constant {
		selection = append(selection, t.oracle.Dim()-1)
	}
	err = t.oracle.WithGamma(gamma).Coefficients(ctx, selection, func(_ int, u []float64) error {
		for x := range u {
			u[x] *= t.unit
		}
		coefficients, intercept = t.units(units, u[:len(units)])
		if t.constant {
			intercept += constantSize * u[len(units)]
		}
		return nil
	})
	return coefficients, intercept, err
}

// spread is the usual half-width of errors for the Huber loss: 1.345 times a
// robust estimate of the standard deviation of the values, for which Huber's
// estimate has 95 % of the efficiency of least squares on normal errors.
func spread(y []float64) float64 {
	middle := median(y)
	far := lists.Each(y, func(v float64) float64 { return math.Abs(v - middle) })
	return 1.345 * 1.4826 * median(far)
}

// median of some numbers.
func median(y []float64) float64 {
	sorted := slices.Sorted(slices.Values(y))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
