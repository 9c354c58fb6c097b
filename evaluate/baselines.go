package evaluate

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/loss"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
)

// EffectsAlone is the name of the simpler prediction by row and column effects.
const EffectsAlone = "row and column effects"

// Baselines scores simpler predictions on some entries: the mean of the training
// entries, row means, column means, and both together. The means of rows and
// columns are shrunk towards the mean of all, by as much as a
// sample of the training entries tells. of is the errors of a model on
// the same entries, to compare with; nil: none. If the rows are a sample, standard
// errors are given too. All are fitted and scored by the loss.
func Baselines(ctx context.Context, train, on data.Source, of *Errors, sample data.Source, l loss.Scaled, sampled bool, threads int) ([]result.Baseline, error) {
	row, column, err := ChooseShrinkage(pass.WithLabel(ctx, "comparison"), sample, threads)
	if err != nil {
		return nil, err
	}
	none := math.Inf(1) // shrunk to nothing
	var out []result.Baseline
	var scores []pass.Pass
	for _, b := range []struct {
		name        string
		row, column float64
	}{
		{"mean of all values", none, none},
		{"mean of the row", row, none},
		{"mean of the column", none, column},
		{EffectsAlone, row, column},
	} {
		effects, err := estimate.FitLevels(pass.WithLabel(ctx, "comparison"), train, l, b.row, b.column, threads)
		if err != nil {
			return nil, err
		}
		out = append(out, result.Baseline{Name: b.name})
		scores = append(scores, errorScoring(on, effects))
	}
	parts, err := pass.Run(ctx, on, threads, scores...)
	if err != nil {
		return nil, err
	}
	for x, part := range parts {
		errors := part.(*errorSums).errors()
		if out[x].Metrics = errors.Metrics; errors.Measures != nil {
			errors.ROC = nil // that of the model itself is enough
		}
		if sampled {
			out[x].Error = errors.ScoreError()
		}
		if of != nil {
			out[x].Gain = of.Gain(errors)
		}
	}
	return out, nil
}
