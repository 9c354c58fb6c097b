package evaluate

import (
	"context"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
)

// errorGroups is the number of groups of rows whose errors are kept apart.
const errorGroups = 64

const groupStream = 0x67726f7570 // "group"

// Errors are the errors of predictions, also by groups of rows: with those of
// other predictions of the same entries they tell whether a difference is more
// than chance.
type Errors struct {
	Metrics
	squares [errorGroups]float64 // sums of squared errors, or of losses
	counts  [errorGroups]float64 // of entries: their number, or their weight
	count   float64
}

// ScoreErrors is Score that keeps the errors by groups of rows, which are drawn by
// their ids.
func ScoreErrors(ctx context.Context, s data.Source, by Predictor, threads int) (*Errors, error) {
	part, err := pass.One[*errorSums](context.WithoutCancel(ctx), s, threads, errorScoring(s, by))
	if err != nil {
		return nil, err
	}
	return part.errors(), nil
}

// errorScoring is the pass of ScoreErrors over s, to be read together with others.
func errorScoring(s data.Source, by Predictor) pass.Pass {
	return groupedScoring{scoring{by}, shareKeys(s)}
}

// groupedScoring is scoring by groups of rows too.
type groupedScoring struct {
	Scoring scoring
	Keys    *pass.Shared[data.KeyTable]
}

// Start makes a worker.
func (p groupedScoring) Start(*pass.Input) (pass.Worker, error) {
	keys, score, l := p.Keys.Get(), rowScorer(p.Scoring.By), LossOf(p.Scoring.By)
	return pass.EachWeighed(func() *errorSums { return &errorSums{Scores: *newScores(l)} }, func(part *errorSums, i int, columns []int32, values, weights []float64) error {
		if row, predictions := score(i, columns, values, weights); row.Entries > 0 {
			part.Scores.add(&row, values, predictions, weights)
			group := random.Hash(groupStream, keys.Row(i)) % errorGroups
			if l.Loss == loss.Squared {
				part.Squares[group] += row.Square
			} else {
				part.Squares[group] += row.Losses.Loss
			}
			part.Counts[group] += row.Count
		}
		return nil
	}), nil
}

func init() { pass.Register("scores", groupedScoring{}, new(errorSums)) }

func (e *errorSums) errors() *Errors {
	return &Errors{Metrics: e.Scores.metrics(), squares: e.Squares, counts: e.Counts, count: e.Scores.Sums.Count}
}

// errorSums is the errors of some rows.
type errorSums struct {
	Scores  scores
	Squares [errorGroups]float64
	Counts  [errorGroups]float64
}

// Merge adds other rows.
func (e *errorSums) Merge(o pass.Part) {
	after := o.(*errorSums)
	e.Scores.merge(&after.Scores)
	for g, square := range after.Squares {
		e.Squares[g] += square
		e.Counts[g] += after.Counts[g]
	}
}

// ScoreError is the standard error of the score over draws of rows: that of a mean
// loss, a ratio of sums over groups of rows, or by the delta method that of the
// RMSE.
func (e *Errors) ScoreError() float64 {
	if e.Score() == 0 {
		return 0
	}
	mean, square := e.RMSE*e.RMSE, 0.0
	slope := 1 / (2 * e.RMSE) // of the score by the mean
	if e.Measures != nil {
		mean, slope = 0, 1
		for _, q := range e.squares {
			mean += q / e.count
		}
		if e.Deviance > 0 {
			slope = 2
		}
	}
	for g, q := range e.squares {
		d := q - mean*e.counts[g]
		square += d * d
	}
	return math.Sqrt(square*errorGroups/(errorGroups-1)) / e.count * slope
}

// BetterBy tells whether the errors are less than others of the same entries by more
// than so many standard errors of the difference.
func (e *Errors) BetterBy(than *Errors, deviations float64) bool {
	sum, square := 0.0, 0.0
	for g := range e.squares {
		d := than.squares[g] - e.squares[g]
		sum += d
		square += d * d
	}
	// The variance of a sum of G differences is G times theirs.
	variance := (square - sum*sum/errorGroups) * errorGroups / (errorGroups - 1)
	return sum > deviations*math.Sqrt(math.Max(variance, 0))
}

// gainResamples is how often groups of rows are drawn anew for an interval.
const gainResamples = 1000

const gainStream = 0x6761696e // "gain"

// Gain is where 1 − score / score of others lies with 95 % confidence, for others of
// the same entries: the same rows are drawn for both, so that what is hard to
// predict for both cancels. Rows are drawn in groups; nil if fewer than eight
// groups have errors, which say too little.
func (e *Errors) Gain(than *Errors) *result.Range {
	var groups []int
	for g := range e.squares {
		if than.squares[g] > 0 {
			groups = append(groups, g)
		}
	}
	if len(groups) < 8 {
		return nil
	}
	s := random.New(gainStream)
	drawn := make([]float64, gainResamples)
	for x := range drawn {
		mine, theirs := 0.0, 0.0
		for range groups {
			g := groups[s.Intn(len(groups))]
			mine += e.squares[g]
			theirs += than.squares[g]
		}
		if drawn[x] = 1 - mine/theirs; e.Measures == nil {
			drawn[x] = 1 - math.Sqrt(mine/theirs)
		}
	}
	slices.Sort(drawn)
	return &result.Range{Low: model.Quantile(drawn, 0.025), High: model.Quantile(drawn, 0.975)}
}

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
