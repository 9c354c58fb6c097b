// Package effects is the simplest baseline: mean + row effect + column effect.
//
// Fit takes any source and gives shrunken effects (estimate.FitEffects), their
// shrinkage chosen on a validation part of the entries unless it is given. The
// other baselines centre their data with it. It must never look at entries that
// it is not given.
package effects

import (
	"context"
	"encoding/gob"
	"math"

	"optcomplete/baseline/internal/lowrank"
	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
)

// Settings of a fit, as all baselines have them. The zero value chooses everything by
// validation.
type Settings struct {
	// Shrinkage of row and column effects: the number of entries at which one
	// is shrunk half-way to 0. Zero: chosen by validation; +Inf: no such effects.
	RowShrinkage, ColumnShrinkage float64

	Seed    uint64 // of the validation part
	Threads int    // zero: all processors; results do not depend on it
	Clip    bool   // keep predictions in the range of the training values
	Memory  int64  // bytes of entries that are kept in memory; zero means 4 GiB
}

// Model is fitted effects.
type Model struct {
	estimate.Effects
	RowShrinkage, ColumnShrinkage float64
	Clip                          *result.Range // nil: none
}

// Fit fits the effects to all entries of train.
func Fit(ctx context.Context, train data.Source, s Settings) (*Model, error) {
	if s.RowShrinkage == 0 || s.ColumnShrinkage == 0 {
		part, err := lowrank.Validation(ctx, train, s.Seed, s.Memory)
		if err != nil {
			return nil, err
		}
		if s.RowShrinkage, s.ColumnShrinkage, err = Choose(ctx, part, s); err != nil {
			return nil, err
		}
	}
	fitted, err := estimate.FitEffects(ctx, train, s.RowShrinkage, s.ColumnShrinkage, s.Threads)
	if err != nil {
		return nil, err
	}
	m := &Model{Effects: *fitted, RowShrinkage: s.RowShrinkage, ColumnShrinkage: s.ColumnShrinkage}
	m.Clip, err = lowrank.Range(ctx, train, s.Clip, s.Threads)
	return m, err
}

// Choose is the shrinkage that predicts a validation part best. What the settings
// give stays.
func Choose(ctx context.Context, part evaluate.Part, s Settings) (row, column float64, err error) {
	row, column = s.RowShrinkage, s.ColumnShrinkage
	switch {
	case row != 0 && column != 0:
		return row, column, nil
	case math.IsInf(row, 1) || math.IsInf(column, 1):
		// One of the two is out: choose the other by itself.
		return chooseOne(ctx, part, s)
	}
	r, c, err := evaluate.ChooseShrinkage(ctx, part.Train, s.Threads)
	if row == 0 {
		row = r
	}
	if column == 0 {
		column = c
	}
	return row, column, err
}

// chooseOne chooses the one shrinkage that is not given.
func chooseOne(ctx context.Context, part evaluate.Part, s Settings) (row, column float64, err error) {
	survey, err := pass.Survey(ctx, part.Train, s.Threads)
	if err != nil {
		return 0, 0, err
	}
	best := math.Inf(1)
	row, column = s.RowShrinkage, s.ColumnShrinkage
	for _, entries := range []float64{1, 0.5, 2, 4, 8, 16, 32} {
		x := entries * survey.Unit()
		r, c := s.RowShrinkage, s.ColumnShrinkage
		if r == 0 {
			r = x
		} else {
			c = x
		}
		fitted, err := estimate.FitEffects(ctx, part.Train, r, c, s.Threads)
		if err != nil {
			return 0, 0, err
		}
		scored, err := evaluate.Score(ctx, part.Held, fitted, s.Threads)
		if err != nil {
			return 0, 0, err
		}
		if scored.RMSE < best {
			best, row, column = scored.RMSE, r, c
		}
	}
	return row, column, nil
}

// PredictRow writes the predictions of a row for the given columns to out.
func (m *Model) PredictRow(row int, columns []int32, out []float64) {
	m.Effects.PredictRow(row, columns, out)
	lowrank.Clip(out, m.Clip)
}

func init() { gob.Register(new(Model)) }
