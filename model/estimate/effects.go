package estimate

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/loss"
	"optcomplete/pass"
	"optcomplete/spec"
)

// Effects are what rows and columns bring along whatever the features say:
// value = mean + row effect + column effect + rest.
//
// With a loss that has a link, all are on its scale.
type Effects struct {
	Loss    loss.Scaled
	Mean    float64   // of all entries
	Rows    []float64 // n
	Columns []float64 // m
	Unit    float64   // mean weight of the entries
}

// effectSweeps is how often rows and columns are fitted in turn. The effects
// change by less than a thousandth of the noise after a few.
const effectSweeps = 10

// FitEffectsOf is FitEffects where a model may have no effects of columns: they are
// zeros then.
func FitEffectsOf(ctx context.Context, s data.Source, has spec.Effects, rowShrinkage, columnShrinkage float64, threads int) (*Effects, error) {
	if !has.Columns {
		columnShrinkage = math.Inf(1)
	}
	return FitEffects(ctx, s, rowShrinkage, columnShrinkage, threads)
}

// FitEffects fits shrunken effects to the observed entries: it minimises
//
//	Σ w_ij (a_ij − mean − r_i − c_j)² + rowShrinkage·Σ r_i² + columnShrinkage·Σ c_j²
//
// by turns, with weights w of the entries or 1, so a shrinkage is the number of
// entries, or their weight, at which an effect is shrunk half-way to 0. Rows and columns without entries have effect 0.
//
// It reads the source once for each turn, and once before unless its survey is
// known.
func FitEffects(ctx context.Context, s data.Source, rowShrinkage, columnShrinkage float64, threads int) (*Effects, error) {
	e, err := FitColumns(ctx, s, rowShrinkage, columnShrinkage, threads)
	n, _ := s.Dims()
	if err != nil || s.Observed() == 0 || math.IsInf(rowShrinkage, 1) {
		if e != nil {
			e.Rows = make([]float64, n) // rows have none
		}
		return e, err
	}
	e.Rows, err = RowEffects(ctx, s, e.Mean, rowShrinkage, e.Columns, threads)
	return e, err
}

// FitColumns is FitEffects without the row effects in the end: nil.
func FitColumns(ctx context.Context, s data.Source, rowShrinkage, columnShrinkage float64, threads int) (*Effects, error) {
	_, m := s.Dims()
	e := &Effects{Columns: make([]float64, m), Unit: 1}
	survey, err := pass.Survey(ctx, s, threads)
	if err != nil || survey.Total == 0 {
		return e, err
	}
	e.Mean, e.Unit = survey.Mean(), survey.Unit()
	sums := slices.Clone(survey.Sums) // of the values less mean and row effect, by column
	for c := range sums {
		sums[c] -= e.Mean * survey.Count(c)
	}
	sweeps := effectSweeps
	if math.IsInf(rowShrinkage, 1) || math.IsInf(columnShrinkage, 1) {
		sweeps = 1 // there are no turns to take
	}
	for sweep := range sweeps {
		columns := make([]float64, m)
		for c, count := range survey.Columns {
			if count > 0 {
				columns[c] = sums[c] / (survey.Count(c) + columnShrinkage)
			}
		}
		e.Columns = columns
		step := effectsStep{Mean: e.Mean, Shrinkage: rowShrinkage, Columns: pass.Share(columns)}
		if sweep == sweeps-1 {
			break
		}
		part, err := pass.One[*pass.Sums](ctx, s, threads, step)
		if err != nil {
			return nil, err
		}
		sums = part.Values
	}
	if sweeps > 1 && survey.Uneven() {
		if e.Columns, err = converge(ctx, s, survey, effectsStep{Mean: e.Mean, Shrinkage: rowShrinkage}, e.Columns, columnShrinkage, threads); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// Turns converge slowly where one entry of a row or column weighs far more than the
// others; conjugate gradients do not. They end where a turn would change no effect by
// more than effectsNear of the largest.
const (
	effectsMost = 60
	effectsNear = 1e-11
)

// converge goes from column effects that turns have found to the least of what
// FitEffects minimises, by conjugate gradients preconditioned with the weights of the
// columns: what a turn adds to an effect is its gradient, so that one reading is a step.
func converge(ctx context.Context, s data.Source, survey *data.Survey, step effectsStep, columns []float64, shrinkage float64, threads int) ([]float64, error) {
	size := floats.Norm(columns, math.Inf(1))
	if !(size > 0) {
		return columns, nil
	}
	gradient := func(at []float64) ([]float64, error) { // less half of it
		step.Columns = pass.Share(slices.Clone(at))
		part, err := pass.One[*pass.Sums](ctx, s, threads, step)
		if err != nil {
			return nil, err
		}
		for c := range at {
			part.Values[c] -= (survey.Count(c) + shrinkage) * at[c]
		}
		return part.Values, nil
	}
	columns = slices.Clone(columns)
	left, err := gradient(columns)
	if err != nil {
		return nil, err
	}
	m := len(columns)
	turn, towards, product, trial := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	before := 0.0
	for range effectsMost {
		for c := range turn {
			turn[c] = 0
			if survey.Columns[c] > 0 {
				turn[c] = left[c] / (survey.Count(c) + shrinkage)
			}
		}
		if floats.Norm(turn, math.Inf(1)) <= effectsNear*size {
			break
		}
		now := floats.Dot(left, turn)
		if before > 0 {
			floats.AddScaledTo(towards, turn, now/before, towards)
		} else {
			copy(towards, turn)
		}
		before = now
		// As far as the effects are large, so that the difference of gradients has its digits.
		far := size / floats.Norm(towards, math.Inf(1))
		there, err := gradient(floats.AddScaledTo(trial, columns, far, towards))
		if err != nil {
			return nil, err
		}
		floats.SubTo(product, left, there)
		by := now / (floats.Dot(towards, product) / far)
		if !(by > 0) || math.IsInf(by, 1) {
			break // rounding errors are all that is left
		}
		floats.AddScaled(columns, by, towards)
		floats.AddScaled(left, -by/far, product)
	}
	return columns, nil
}

// RowEffects is the effects of the rows, given the mean and the effects of the columns.
func RowEffects(ctx context.Context, s data.Source, mean, shrinkage float64, columns []float64, threads int) ([]float64, error) {
	n, _ := s.Dims()
	rows := make([]float64, 0, n)
	err := pass.Stream(ctx, s, threads, rowEffects{effectsStep{mean, shrinkage, pass.Share(columns)}}, func(part *pass.List) error {
		rows = append(rows, part.Values...)
		return nil
	})
	return rows, err
}

// effectsStep is one turn of fitting effects: given those of the columns, it fits
// each row's, and adds up what the rows leave by columns.
type effectsStep struct {
	Mean      float64
	Shrinkage float64 // of row effects
	Columns   *pass.Shared[[]float64]
}

// Cost is a number for each column.
func (p effectsStep) Cost(in *pass.Input) int {
	_, m := in.Source.Dims()
	return m
}

// Start makes a worker.
func (p effectsStep) Start(in *pass.Input) (pass.Worker, error) {
	_, m := in.Source.Dims()
	columns := p.Columns.Get()
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(m) }, func(part *pass.Sums, _ int, at []int32, values, weights []float64) error {
		by := p.Mean + p.row(columns, at, values, weights)
		for x, c := range at {
			rest := values[x] - by
			if weights != nil {
				rest *= weights[x]
			}
			part.Values[c] += rest
		}
		return nil
	}), nil
}

// row is the effect of a row.
func (p effectsStep) row(columns []float64, at []int32, values, weights []float64) float64 {
	if len(at) == 0 {
		return 0
	}
	rest, count := 0.0, float64(len(at))
	if weights != nil {
		count = 0
		for x, c := range at {
			rest += weights[x] * (values[x] - p.Mean - columns[c])
			count += weights[x]
		}
		return rest / (count + p.Shrinkage)
	}
	for x, c := range at {
		rest += values[x] - p.Mean - columns[c]
	}
	return rest / (count + p.Shrinkage)
}

// rowEffects gives the effect of every row.
type rowEffects struct{ Step effectsStep }

// Start makes a worker.
func (p rowEffects) Start(*pass.Input) (pass.Worker, error) {
	columns := p.Step.Columns.Get()
	return pass.EachWeighed(newList, func(part *pass.List, _ int, at []int32, values, weights []float64) error {
		part.Values = append(part.Values, p.Step.row(columns, at, values, weights))
		return nil
	}), nil
}

func newList() *pass.List { return new(pass.List) }

func init() {
	pass.Register("effects", effectsStep{}, new(pass.Sums))
	pass.Register("effects", rowEffects{}, new(pass.List))
}

// PredictRow predicts from the effects alone: an evaluate.Predictor.
func (e *Effects) PredictRow(row int, columns []int32, out []float64) {
	for x, c := range columns {
		out[x] = e.Loss.Mean(e.Mean + e.Rows[row] + e.Columns[c])
	}
}

// LossOf is what the effects were fitted by.
func (e *Effects) LossOf() loss.Scaled { return e.Loss }

// Residuals is what the effects leave.
func (e *Effects) Residuals(ctx context.Context, s data.Source, threads int) (data.Source, error) {
	return pass.Transformed(ctx, s, threads, "residuals", pass.Subtract{Mean: e.Mean, Rows: pass.Share(e.Rows), Columns: pass.Share(e.Columns)})
}
