package evaluate

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/pass"
)

// ChooseShrinkage is how much the effects of rows and of columns deserve to be
// shrunk, by their variances: with noise σ² and effects of variance τ², the best
// shrinkage is σ²/τ² entries. The variances are learned beside the effects by
// expectation-maximisation, every effect independent of the others given the rest.
//
// Both are within [0.1, 1e6] entries, and the usual 4 where there is nothing to
// learn from. When the context is cancelled they are as far as they were.
func ChooseShrinkage(ctx context.Context, s data.Source, threads int) (row, column float64, err error) {
	row, column = usualShrinkage, usualShrinkage
	survey, err := pass.Survey(ctx, s, threads)
	if err != nil || survey.Total == 0 {
		return row, column, err
	}
	_, m := s.Dims()
	mean, noise := survey.Mean(), 0.0
	effects, sums := make([]float64, m), make([]float64, m)
	for c, count := range survey.Columns {
		sums[c] = survey.Sums[c] - mean*float64(count)
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
				n := float64(count)
				effects[c] = sums[c] / (n + column)
				square += effects[c] * effects[c]
				spread += 1 / (n + column)
				weight += n / (n + column)
			}
		}
		part, err := pass.One[*levelSums](ctx, s, threads, levels(mean, row, effects))
		if err != nil {
			return row, column, err
		}
		copy(sums, part.columns)
		// Σ of squared residuals, and what the effects' own uncertainty adds to it.
		left := float64(survey.Total) - part.weight - weight
		noise = part.left / math.Max(left, 0.05*float64(survey.Total))
		if !(noise > 1e-300) {
			break
		}
		if sweep > 1 { // the effects themselves come first
			row = within(noise / (part.square/part.rows + noise*part.spread/part.rows))
			column = within(noise / (square/columns + noise*spread/columns))
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

// within keeps a shrinkage where it makes sense: there is always some.
func within(shrinkage float64) float64 {
	if !(shrinkage > leastShrinkage) {
		return leastShrinkage
	}
	return math.Min(shrinkage, mostShrinkage)
}

// levelSums is what a sweep needs of the rows.
type levelSums struct {
	columns []float64 // values less mean and row effect, by column
	left    float64   // Σ of squared residuals
	square  float64   // Σ of the row effects' squares
	spread  float64   // Σ 1/(entries + shrinkage)
	weight  float64   // Σ entries/(entries + shrinkage)
	rows    float64   // with entries
}

// Merge adds the rows that follow.
func (l *levelSums) Merge(o pass.Part) {
	p := o.(*levelSums)
	floats.Add(l.columns, p.columns)
	l.left += p.left
	l.square += p.square
	l.spread += p.spread
	l.weight += p.weight
	l.rows += p.rows
}

// levels fits the rows' effects given those of the columns.
func levels(mean, shrinkage float64, columns []float64) pass.Pass {
	return &pass.Fold[*levelSums]{
		Called: "effects", Price: len(columns),
		Fresh: func() *levelSums { return &levelSums{columns: make([]float64, len(columns))} },
		Begin: func() func(part *levelSums, i int, at []int32, values []float64) error {
			return func(part *levelSums, _ int, at []int32, values []float64) error {
				if len(at) == 0 {
					return nil
				}
				sum, square := 0.0, 0.0
				for x, c := range at {
					e := values[x] - mean - columns[c]
					sum += e
					square += e * e
				}
				n := float64(len(at))
				effect := sum / (n + shrinkage)
				for x, c := range at {
					part.columns[c] += values[x] - mean - effect
				}
				part.left += square - 2*effect*sum + n*effect*effect
				part.square += effect * effect
				part.spread += 1 / (n + shrinkage)
				part.weight += n / (n + shrinkage)
				part.rows++
				return nil
			}
		},
	}
}
