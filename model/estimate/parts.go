package estimate

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/loss"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/spec"
)

// Recipe says how a model is put together once its features are selected.
type Recipe struct {
	Kind            spec.Kind
	Refit           spec.Refit
	Gamma           float64    // for Ridge, in Paper
	RowShrinkage    float64    // see FitEffects; for Pooled and Full
	ColumnShrinkage float64    // for Full; with a learned prior, where learning it starts
	FixedShrinkage  bool       // the shrinkage of column effects is as given, not learned
	Steps           int        // of learning a prior, at most; zero means 20
	Start           *Variances // of rows on the features, to begin learning the prior at; nil: of none
	Linked          bool       // rows are fitted by a Link: with Loss, Nonnegative (of each term), Levels and Variances
	Variances       *Variances // of the terms
	Refine          bool       // of counts, fit mean and column effects again beside the rows
	Loss            loss.Scaled
	Nonnegative     []bool
	Levels          *Effects // mean and column effects to start from, on the scale of the loss; nil: fitted
	Threads         int
	// Memory is the most bytes that learning a prior may keep of the rows, to take
	// its steps faster; zero means 512 MiB. The result does not depend on it.
	Memory int64
	// Rows is given the rows, which are then not kept: Parts.Coefficients is nil. nil:
	// they are kept in memory.
	Rows RowSink
	// Shards is asked for where to write the rows if they are fitted elsewhere, where the
	// source is stored with their ids; nil: they are given back.
	Shards func() (*ShardSink, error)
}

// Structure is what all rows and columns of a model share. model.json holds it.
type Structure struct {
	Mean float64 `json:"mean"` // 0 in Paper
	// Population is the row effect and the coefficients of a row of which
	// nothing is known: 1+k numbers.
	Population []float64 `json:"population"`
	// NewColumn predicts a column's effect from its selected features, for
	// columns without entries: a constant, then one weight for each.
	NewColumn []float64 `json:"new_column"`
	// Typical is the selected features of a column of which nothing is known:
	// their means.
	Typical []float64 `json:"typical"`
	// Prior is the learned prior of (row effect, coefficients), without the
	// row effect in Paper; nil with another refit.
	Prior *Prior `json:"prior,omitempty"`
	// ColumnShrinkage is that of the column effects, in entries, as learned
	// beside the prior; 0 with another refit.
	ColumnShrinkage float64 `json:"column_shrinkage,omitempty"`
	// Remainder describes what predictions have besides effects and selected features; nil: nothing.
	Remainder *Remainder `json:"remainder,omitempty"`
	// Link is how sums become predictions; nil: they are.
	Link *Link `json:"link,omitempty"`
	// Clip is the range that predictions are kept within; nil: none.
	Clip *result.Range `json:"clip,omitempty"`
}

// Parts is a fitted model without its ids: everything a prediction adds up.
//
//	x_ij = Mean + RowEffects_i + ColumnEffects_j + Σ_f b_jf Coefficients_if + RowRemainder_i·ColumnRemainder_j
type Parts struct {
	Structure
	RowEffects    []float64 // n; nil in Paper
	ColumnEffects []float64 // m; nil in Paper and Pooled
	Coefficients  RowStore  // k of each row

	RowRemainder    []float64 // n×factors: coefficients of other features, traits; nil without a remainder
	ColumnRemainder []float64 // m×factors: other features, traits
	// ColumnError is the posterior covariance of each column's effect (in Full) and
	// traits, as a packed lower triangle; nil without a fitted remainder.
	ColumnError []float64

	Survey *data.Survey // of the entries fitted on; nil in a Model
}

const (
	backfits       = 4   // how often column effects and row coefficients are fitted in turn
	nearBackfits   = 2   // where learning begins at what is known
	shrinkageSteps = 6   // of learning the shrinkage of the column effects, in each
	maxShrinkage   = 1e6 // in entries: no column effects to speak of
)

// FitParts fits all parts of a model on the observed entries. chosen holds the
// selected features of every column, m×k.
func FitParts(ctx context.Context, s data.Source, chosen []float64, k int, r Recipe) (*Parts, error) {
	if r.Refit == spec.AutoRefit {
		r.Refit = r.Kind.DefaultRefit()
	}
	survey, err := pass.Survey(ctx, s, r.Threads)
	if err != nil {
		return nil, err
	}
	p, fit, err := fitKind(ctx, s, survey, chosen, k, r)
	if err != nil {
		return nil, err
	}
	fit.Unseen = p.Population
	if r.Shards != nil && pass.Away(ctx, pass.Reading{Source: fit.values, Threads: r.Threads, Tasks: []*pass.Task{{Pass: fit}}}) {
		var sink *ShardSink
		if sink, err = r.Shards(); err == nil {
			err = fit.shards(ctx, r.Threads, p.RowEffects, sink)
		}
	} else if r.Rows != nil {
		err = fit.stream(ctx, r.Threads, p.RowEffects, r.Rows)
	} else {
		n, _ := s.Dims()
		rows := NewRowMatrix(n, k)
		p.Coefficients = rows
		err = fit.fill(ctx, r.Threads, p.RowEffects, rows.Values)
	}
	if err != nil {
		return nil, err
	}
	p.Survey = survey
	p.Typical = make([]float64, k)
	_, columns := s.Dims()
	for j := range columns {
		dense.Axpy(1/float64(columns), chosen[j*k:(j+1)*k], p.Typical)
	}
	p.fillUnseen(survey.Columns, chosen, k)
	return p, nil
}

// fillUnseen gives columns without entries what a new one would get: the effect
// that the features predict.
func (p *Parts) fillUnseen(count []int, chosen []float64, k int) {
	if p.ColumnEffects == nil {
		return
	}
	for c, entries := range count {
		if entries == 0 {
			p.ColumnEffects[c] = p.NewColumnEffect(chosen[c*k:][:k])
		}
	}
}

// NewColumnEffect is the effect of a column that has features b and no entries.
func (p *Structure) NewColumnEffect(b []float64) float64 {
	return p.NewColumn[0] + dense.Dot(b, p.NewColumn[1:])
}

// fitKind fits all that rows share, and tells how to fit a row.
func fitKind(ctx context.Context, s data.Source, survey *data.Survey, chosen []float64, k int, r Recipe) (*Parts, *rowFit, error) {
	if r.Linked {
		return fitLink(ctx, s, survey, chosen, k, r)
	}
	if !r.Kind.Effects().Rows {
		return fitPlain(ctx, s, chosen, k, r)
	}
	learned := r.Refit == spec.LearnedPrior // then row effects are fitted with the coefficients
	effects := r.Levels
	var err error
	if effects == nil || !learned {
		if effects, err = FitEffectsOf(ctx, s, r.Kind.Effects(), r.RowShrinkage, r.ColumnShrinkage, r.Threads); err != nil {
			return nil, nil, err
		}
	}
	n, _ := s.Dims()
	p := &Parts{RowEffects: make([]float64, n), ColumnEffects: effects.Columns}
	if !learned {
		p.RowEffects = effects.Rows
	}
	p.Mean = effects.Mean
	var fit *rowFit
	if learned {
		fit, err = p.fitPrior(ctx, s, survey, chosen, k, r)
	} else {
		var left data.Source
		if left, err = effects.Residuals(ctx, s, r.Threads); err == nil {
			fit, err = p.fitPopulation(ctx, left, chosen, k, r)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	p.NewColumn = make([]float64, k+1)
	if r.Kind.Effects().Columns {
		p.NewColumn = columnRegression(survey, p.ColumnEffects, chosen, k)
	} else {
		p.ColumnEffects = nil
	}
	return p, fit, nil
}

func fitPlain(ctx context.Context, s data.Source, chosen []float64, k int, r Recipe) (*Parts, *rowFit, error) {
	p := new(Parts)
	p.NewColumn = make([]float64, k+1)
	if r.Refit == spec.LearnedPrior {
		prior, err := learnPrior(ctx, s, chosen, k, r.Steps, r.Threads, r.Memory)
		if err != nil {
			return nil, nil, err
		}
		p.Prior, p.Population = &prior.Prior, append([]float64{0}, prior.Mean...)
		return p, posteriorFit(s, prior, chosen, k, false), nil
	}
	fit, err := p.fitPopulation(ctx, s, chosen, k, r)
	return p, fit, err
}

// fitPopulation is for rows that are fitted by themselves: what they share is
// one population for rows not seen.
func (p *Parts) fitPopulation(ctx context.Context, values data.Source, chosen []float64, k int, r Recipe) (*rowFit, error) {
	fit, err := fitOf(values, chosen, k, r.Refit, r.Gamma)
	if err != nil {
		return nil, err
	}
	population, err := populationOf(ctx, values, chosen, k, r.Threads)
	p.Population = append([]float64{0}, population...)
	return fit, err
}

// fitPrior fits row effects and coefficients together, with a learned prior,
// and the column effects to what they leave, by turns. Each turn continues from
// the prior of the one before. No turn keeps the rows: the column effects are
// fitted to each as it is solved.
func (p *Parts) fitPrior(ctx context.Context, s data.Source, survey *data.Survey, chosen []float64, k int, r Recipe) (*rowFit, error) {
	_, columns := s.Dims()
	d := k + 1
	design := WithConstant(chosen, k, columns)
	l := newLearner(s, design, d, r.Threads, r.Memory)
	turns := 1
	if r.Kind.Effects().Columns {
		if turns = backfits; r.Start != nil {
			turns = nearBackfits
		}
		p.ColumnShrinkage = r.ColumnShrinkage
	}
	var prior *priorState
	var rest data.Source
	var err error
	for turn := range turns {
		if turn > 0 {
			if err := p.refreshColumns(ctx, s, survey, l.design, prior, r); err != nil {
				return nil, err
			}
		}
		// In Pooled the effects are zeros, and in the end there are none.
		if rest, err = pass.Transformed(ctx, s, r.Threads, "residuals", pass.Subtract{Mean: p.Mean, Columns: pass.Share(p.ColumnEffects)}); err != nil {
			return nil, err
		}
		if turn == 0 {
			if prior = nearPrior(r.Start); prior == nil {
				if prior, err = startPrior(ctx, rest, survey, design, d, r.Threads); err != nil {
					return nil, err
				}
			}
		}
		if prior, err = l.learn(ctx, rest, prior, r.Steps, turn+1 < turns); err != nil {
			return nil, err
		}
	}
	p.Prior = &prior.Prior
	p.Population = p.Prior.Mean
	return posteriorFit(rest, prior, design, d, true), nil
}

// WithConstant puts a 1 before the features of every column.
func WithConstant(chosen []float64, k, columns int) []float64 {
	out := make([]float64, 0, columns*(k+1))
	for c := range columns {
		out = append(append(out, 1), chosen[c*k:(c+1)*k]...)
	}
	return out
}

// populationOf is one vector of coefficients for all rows together: least
// squares, with a ridge of one entry's weight against ties.
func populationOf(ctx context.Context, s data.Source, chosen []float64, k, threads int) ([]float64, error) {
	// All that matters of the entries is how much those of a column count, and their sum.
	survey, err := pass.Survey(ctx, s, threads)
	if err != nil {
		return nil, err
	}
	gram, right := make([]float64, k*k), make([]float64, k)
	for c, entries := range survey.Columns {
		if entries > 0 {
			addProducts(gram, right, chosen[c*k:][:k], survey.Sums[c]/survey.Count(c), survey.Count(c))
		}
	}
	return solveRidge(gram, right, k, float64(max(survey.Total, 1))), nil
}

// columnRegression regresses the column effects on the selected features, each
// column weighted by its entries.
func columnRegression(survey *data.Survey, effects, chosen []float64, k int) []float64 {
	d := k + 1
	design := WithConstant(chosen, k, len(effects))
	gram, right := make([]float64, d*d), make([]float64, d)
	total := 0.0
	for c := range effects {
		// Beyond a few dozen entries an effect is known well enough.
		weight := math.Min(survey.Count(c)/survey.Unit(), 30)
		addProducts(gram, right, design[c*d:][:d], effects[c], weight)
		total += weight
	}
	return solveRidge(gram, right, d, max(total, 1))
}

func addProducts(gram, right, b []float64, value, weight float64) {
	k := len(b)
	for x, bx := range b {
		right[x] += weight * bx * value
		dense.Axpy(weight*bx, b, gram[x*k:(x+1)*k])
	}
}

// solveRidge solves (gram + ridge) x = right with a ridge of 1e-3 of the mean
// square of the features at the given total weight: enough against ties.
func solveRidge(gram, right []float64, k int, total float64) []float64 {
	trace := 0.0
	for x := range k {
		trace += gram[x*k+x]
	}
	ridge := max(1e-3*trace/float64(max(k, 1))/math.Sqrt(total), tiny)
	for x := range k {
		gram[x*k+x] += ridge
	}
	out := make([]float64, k)
	if dense.Cholesky(gram, k, 0) {
		copy(out, right)
		dense.CholeskySolve(gram, k, out)
	}
	return out
}
