package twosided

import (
	"context"
	"fmt"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/result"
)

// division is entries to fit on and entries to score on.
type division struct {
	train *data.Matrix
	held  *data.Matrix // of rows and columns that have others in train; nil: none
	// Entries of rows or columns that have none in train; nil: none
	newRows, newColumns, newBoth *data.Matrix
}

const (
	rowStream    = 0x686f6c64726f77 // "holdrow"
	columnStream = 0x686f6c64636f6c // "holdcol"
)

// divide draws whole rows, whole columns and entries by hashes of their ids.
func divide(entries *data.Matrix, s Settings) (d division) {
	d.train = entries
	if s.HoldoutRows > 0 || s.HoldoutColumns > 0 {
		keys := entries.Keys()
		row := func(i int) bool { return random.Unit(random.Hash(s.Seed, rowStream, keys.Row(i))) < s.HoldoutRows }
		column := func(j int32) bool {
			return random.Unit(random.Hash(s.Seed, columnStream, keys.Column(j))) < s.HoldoutColumns
		}
		some := func(rows, columns bool) *data.Matrix {
			m := entries.Filter(func(i int, j int32) bool { return row(i) == rows && column(j) == columns })
			if m.Observed() == 0 {
				return nil
			}
			return m
		}
		d.newRows, d.newColumns, d.newBoth = some(true, false), some(false, true), some(true, true)
		d.train = entries.Filter(func(i int, j int32) bool { return !row(i) && !column(j) })
	}
	if s.Holdout > 0 {
		d.train, d.held = evaluate.SplitMatrix(d.train, s.Holdout, s.Seed)
	}
	return d
}

// against compares an error on entries with that of effects alone.
func (f *formulation) against(on *data.Matrix, own, alone float64) *result.Comparison {
	c := &result.Comparison{Entries: on.Observed(), RMSE: own, Effects: alone}
	if f.by.Loss != loss.Squared {
		c.Measure = f.by.Loss.Measure()
	}
	return c
}

// compare scores the predictions on what was held out, and against effects alone.
func (f *formulation) compare(ctx context.Context, s *Summary, predict evaluate.Predictor, train part, d division, against *result.Comparison) error {
	if d.held != nil {
		score, err := evaluate.Score(ctx, d.held, predict, f.settings.Threads)
		if err != nil {
			return err
		}
		s.Holdout = &score
		alone, err := f.Alone(ctx, train, part{d.held, f.rows})
		if err != nil {
			return err
		}
		against = f.against(d.held, score.Score(), alone)
	}
	for _, on := range []struct {
		entries *data.Matrix
		of      **result.Metrics
	}{{d.newRows, &s.HoldoutNew.Rows}, {d.newColumns, &s.HoldoutNew.Columns}, {d.newBoth, &s.HoldoutNew.Both}} {
		if on.entries == nil {
			continue
		}
		score, err := evaluate.Score(ctx, on.entries, predict, f.settings.Threads)
		if err != nil {
			return err
		}
		*on.of = &score
	}
	s.Against = against
	if w := against.Warning(f.remedy()); w != "" {
		s.Warnings = append([]string{w}, s.Warnings...)
	}
	return nil
}

// remedy is what to do where products predict worse than effects.
func (f *formulation) remedy() string {
	if f.settings.Effects == NoEffects {
		return "fit with effects, so that products explain what those leave"
	}
	return fmt.Sprintf("take fewer than %d products, or other features: the verb path shows how many pay", f.settings.K)
}
