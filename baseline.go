package optcomplete

import (
	"context"
	"fmt"
	"time"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/imc"
	"optcomplete/baseline/softimpute"
	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/progress"
	"optcomplete/model"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/spec"
)

// Baseline tells whether a method selects nothing: it then needs no K, and what
// it fits is a model without features, of effects and a remainder.
func (m Method) Baseline() bool { return m == SoftImpute || m == IMC || m == EffectsOnly }

// fitBaseline fits a model to compare with. Everything is chosen by validation
// within the training entries, except the rank if the settings give one.
func fitBaseline(ctx context.Context, problem Problem, s Settings) (*Model, error) {
	start := time.Now()
	train, err := nearby(ctx, problem.Ratings.Source(), s.Memory, s.Threads)
	if err != nil {
		return nil, err
	}
	var held data.Source
	if s.Holdout > 0 {
		if train, held, err = evaluate.Split(ctx, train, s.Holdout, s.Seed, s.Threads); err != nil {
			return nil, err
		}
	}
	parts, e, err := baselineParts(ctx, train, problem.Features, s)
	if err != nil {
		return nil, err
	}
	if parts.Survey, err = pass.Survey(ctx, train, s.Threads); err != nil {
		return nil, err
	}
	if !s.NoClip && s.Model != model.Paper {
		parts.ClipToValues()
	}
	parts.Population, parts.NewColumn, parts.Typical = []float64{0}, []float64{0}, []float64{}
	summary := model.Summary{
		Method: s.Method.String(), Model: model.Paper.String(), Features: len(problem.Features.Names), Refit: spec.LeastSquares,
		Certificate: result.Certificate{Status: result.Fitted}, Seed: s.Seed, Version: Version, Observed: train.Observed(), Selected: []string{},
	}
	if e != nil {
		summary.Model = model.Full.String()
		summary.RowShrinkage, summary.ColumnShrinkage = e.RowShrinkage, e.ColumnShrinkage
		parts.Mean, parts.RowEffects, parts.ColumnEffects = e.Mean, e.Rows, e.Columns
	}
	ids := problem.Ratings
	fitted, err := model.New(summary, &data.Ratings{Stored: train, RowIDs: ids.RowIDs, ColumnIDs: ids.ColumnIDs},
		data.NewFeatures(problem.Features.IDs, nil, nil), nil, parts)
	if err != nil {
		return nil, err
	}
	if err := score(ctx, fitted, problem, train, held, s.Threads); err != nil {
		return nil, err
	}
	total := time.Since(start).Seconds()
	fitted.Summary.Seconds = model.Seconds{Complete: total, Total: total}
	return fitted, nil
}

// baselineParts fits the method: effects, if the data want them, and a remainder.
func baselineParts(ctx context.Context, train data.Source, features *data.Features, s Settings) (*model.Parts, *effects.Model, error) {
	defer progress.Start(ctx, fmt.Sprintf("Fitting %v", s.Method), 0, "").Done()
	parts := &model.Parts{}
	rank, clip := max(s.ResidualRank, 0), !s.NoClip && s.Model != model.Paper
	center := effects.AutoCenter
	if s.Model == model.Paper { // nothing but a matrix of low rank
		center = effects.NoCenter
	}
	of := effects.Settings{RowShrinkage: s.RowShrinkage, ColumnShrinkage: s.ColumnShrinkage}
	switch s.Method {
	case SoftImpute:
		m, err := softimpute.Fit(ctx, train, softimpute.Settings{Rank: rank, Center: center, Effects: of, Seed: s.Seed, Threads: s.Threads, Clip: clip})
		if err != nil {
			return nil, nil, err
		}
		if m.Rank > 0 {
			parts.RowRemainder, parts.ColumnRemainder = m.Balanced()
			parts.Remainder = &model.Remainder{Rank: m.Rank, Ridge: m.Lambda}
		}
		return parts, m.Effects, nil
	case IMC:
		m, err := imc.Fit(ctx, train, features, imc.Settings{Rank: rank, Center: center, Effects: of, Seed: s.Seed, Threads: s.Threads, Clip: clip})
		if err != nil {
			return nil, nil, err
		}
		if m.Rank > 0 {
			parts.RowRemainder, parts.ColumnRemainder = m.U, m.V
			parts.Remainder = &model.Remainder{Rank: m.Rank, Ridge: m.Lambda}
		}
		return parts, m.Effects, nil
	}
	of.Seed, of.Threads, of.Clip = s.Seed, s.Threads, clip
	e, err := effects.Fit(ctx, train, of)
	return parts, e, err
}
