package evaluate

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/pass"
)

// ChooseShrinkage is how much the effects of rows and of columns deserve to be
// shrunk, by their variances: with noise σ² and effects of variance τ², the best
// shrinkage is σ²/τ² entries, or as much weight of entries. The variances are learned beside the effects by
// expectation-maximisation, every effect independent of the others given the rest. Other
// losses than squared errors have the same shrinkage where values are near their mean:
// the information that an entry has of an effect on the scale of its link changes as the
// square of the effect does.
//
// Both are within [0.1, 1e6] entries of mean weight, and the usual 4 where there is
// nothing to learn from. When the context is cancelled they are as far as they were.
func ChooseShrinkage(ctx context.Context, s data.Source, threads int) (row, column float64, err error) {
	row, column = usualShrinkage, usualShrinkage
	survey, err := pass.Survey(ctx, s, threads)
	if err != nil || survey.Total == 0 {
		return row, column, err
	}
	unit := survey.Unit()
	row, column = usualShrinkage*unit, usualShrinkage*unit
	_, m := s.Dims()
	mean, noise := survey.Mean(), 0.0
	effects, sums := make([]float64, m), make([]float64, m)
	for c := range sums {
		sums[c] = survey.Sums[c] - mean*survey.Count(c)
	}
	columns := 0.0
	for _, count := range survey.Columns {
		if count > 0 {
			columns++
		}
	}
	for sweep := range shrinkageSweeps {
		square, spread := 0.0, 0.0 // Σ of the effects' squares, Σ 1/(entries + shrinkage)
		weight := 0.0              // Σ entries/(entries + shrinkage)
		for c, count := range survey.Columns {
			if count > 0 {
				n := survey.Count(c)
				effects[c] = sums[c] / (n + column)
				square += effects[c] * effects[c]
				spread += 1 / (n + column)
				weight += n / (n + column)
			}
		}
		part, err := pass.One[*levelSums](ctx, s, threads, levels{mean, row, pass.Share(slices.Clone(effects))})
		if err != nil {
			return row, column, err
		}
		copy(sums, part.Columns)
		// Σ of squared residuals, and what the effects' own uncertainty adds to it.
		left := float64(survey.Total) - part.Weight - weight
		noise = part.Left / math.Max(left, 0.05*float64(survey.Total))
		if !(noise > 1e-300) {
			break
		}
		if sweep > 1 { // the effects themselves come first
			row = within(noise/(part.Square/part.Rows+noise*part.Spread/part.Rows), unit)
			column = within(noise/(square/columns+noise*spread/columns), unit)
		}
	}
	return row, column, nil
}

const (
	usualShrinkage  = 4 // of effects of which nothing is known, in entries
	leastShrinkage  = 0.1
	mostShrinkage   = 1e6
	shrinkageSweeps = 12
)

// within keeps a shrinkage where it makes sense: there is always some. unit is the weight
// of an entry.
func within(shrinkage, unit float64) float64 {
	if !(shrinkage > leastShrinkage*unit) {
		return leastShrinkage * unit
	}
	return math.Min(shrinkage, mostShrinkage*unit)
}

// levelSums is what a sweep needs of the rows.
type levelSums struct {
	Columns []float64 // values less mean and row effect, by column
	Left    float64   // Σ of squared residuals
	Square  float64   // Σ of the row effects' squares
	Spread  float64   // Σ 1/(entries + shrinkage)
	Weight  float64   // Σ entries/(entries + shrinkage)
	Rows    float64   // with entries
}

// Merge adds the rows that follow.
func (l *levelSums) Merge(o pass.Part) {
	p := o.(*levelSums)
	floats.Add(l.Columns, p.Columns)
	l.Left += p.Left
	l.Square += p.Square
	l.Spread += p.Spread
	l.Weight += p.Weight
	l.Rows += p.Rows
}

// levels is a sweep: it fits the rows' effects given those of the columns.
type levels struct {
	Mean, Shrinkage float64
	Columns         *pass.Shared[[]float64]
}

// Cost is a number for each column.
func (p levels) Cost(*pass.Input) int { return len(p.Columns.Get()) }

// Start makes a worker.
func (p levels) Start(*pass.Input) (pass.Worker, error) {
	columns := p.Columns.Get()
	fresh := func() *levelSums { return &levelSums{Columns: make([]float64, len(columns))} }
	return pass.EachWeighed(fresh, func(part *levelSums, _ int, at []int32, values, weights []float64) error {
		if len(at) == 0 {
			return nil
		}
		sum, square, n := 0.0, 0.0, float64(len(at))
		if weights != nil {
			n = floats.Sum(weights)
		}
		for x, c := range at {
			e := values[x] - p.Mean - columns[c]
			by := e
			if weights != nil {
				by *= weights[x]
			}
			sum += by
			square += by * e
		}
		effect := sum / (n + p.Shrinkage)
		for x, c := range at {
			rest := values[x] - p.Mean - effect
			if weights != nil {
				rest *= weights[x]
			}
			part.Columns[c] += rest
		}
		part.Left += square - 2*effect*sum + n*effect*effect
		part.Square += effect * effect
		part.Spread += 1 / (n + p.Shrinkage)
		part.Weight += n / (n + p.Shrinkage)
		part.Rows++
		return nil
	}), nil
}

func init() { pass.Register("effects", levels{}, new(levelSums)) }
