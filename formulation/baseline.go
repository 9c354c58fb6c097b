package formulation

import (
	"context"
	"fmt"
	"time"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/imc"
	"optcomplete/baseline/softimpute"
	"optcomplete/data"
	"optcomplete/internal/progress"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/spec"
)

// Methods that select nothing: what they fit is a model without features, of effects
// and a matrix of low rank. Settings.Model says whether there are effects: not in
// Paper, in the others if the data want them.
type (
	// SoftImpute has effects and a matrix of low rank; see package baseline/softimpute.
	SoftImpute struct {
		Rank int // at most; zero: chosen by validation
	}
	// IMC has all features, in a matrix of low rank; see package baseline/imc.
	IMC struct {
		Rank int // at most; zero: chosen by validation
	}
	// EffectsOnly has mean, row and column effects; see package baseline/effects.
	EffectsOnly struct{}
)

// baseline is a method that selects nothing.
type baseline interface {
	Method

	// parts fits the method: effects, if the data want them, and a remainder.
	parts(ctx context.Context, train data.Source, features *data.Features, center effects.Center, of effects.Settings) (*estimate.Parts, *effects.Model, error)
}

var _, _, _ baseline = SoftImpute{}, IMC{}, EffectsOnly{}

// Baseline tells whether a method selects nothing: it then needs no K.
func Baseline(m Method) bool {
	_, is := m.(baseline)
	return is
}

func (SoftImpute) String() string  { return "softimpute" }
func (IMC) String() string         { return "imc" }
func (EffectsOnly) String() string { return "effects" }

func (m SoftImpute) check(Problem) error { return checkRank(m.Rank) }
func (m IMC) check(Problem) error        { return checkRank(m.Rank) }
func (EffectsOnly) check(Problem) error  { return nil }

func checkRank(rank int) error {
	if rank < 0 {
		return spec.Errorf("the rank is %d, but must be positive", rank)
	}
	return nil
}

// fitBaseline fits a model to compare with. Everything is chosen by validation
// within the training entries, except the rank if the method gives one.
func fitBaseline(ctx context.Context, problem Problem, method baseline, s Settings) (*model.Model, error) {
	start := time.Now()
	if err := validate(ctx, problem, 0, &s); err != nil {
		return nil, err
	}
	if err := checkEntries(ctx, problem, &s); err != nil {
		return nil, err
	}
	train, err := nearby(ctx, problem.Ratings.Source(), s.Memory, s.Threads)
	if err != nil {
		return nil, err
	}
	train, held, when, err := holdOut(ctx, problem, train, &s)
	if err != nil {
		return nil, err
	}
	clip := !s.NoClip && s.Model.Effects().Rows
	of := effects.Settings{ColumnShrinkage: s.ColumnShrinkage, Seed: s.Seed, Threads: s.Threads, Clip: clip}
	center := effects.AutoCenter
	if !s.Model.Effects().Rows { // nothing but a matrix of low rank
		center = effects.NoCenter
	}
	fitting := progress.Start(ctx, fmt.Sprintf("Fitting %v", method), 0, "")
	defer fitting.Done()
	parts, e, err := method.parts(ctx, train, problem.Features, center, of)
	if err != nil {
		return nil, err
	}
	fitting.Done()
	if parts.Survey, err = pass.Survey(ctx, train, s.Threads); err != nil {
		return nil, err
	}
	if clip {
		parts.ClipToValues()
	}
	parts.Population, parts.NewColumn, parts.Typical = []float64{0}, []float64{0}, []float64{}
	summary := model.Summary{
		Method: s.Method.String(), Model: spec.Paper.String(), Features: len(problem.Features.Names), Refit: spec.LeastSquares,
		Certificate: result.Certificate{Status: result.Fitted}, Seed: s.Seed, Version: spec.Version, Observed: train.Observed(), Selected: []string{}, Nouns: problem.Nouns,
	}
	summary.Split, summary.Weighted = when, problem.weighted()
	if e != nil {
		summary.Model = spec.Full.String()
		summary.RowShrinkage, summary.ColumnShrinkage = e.RowShrinkage, e.ColumnShrinkage
		parts.Mean, parts.RowEffects, parts.ColumnEffects = e.Mean, e.Rows, e.Columns
	}
	ids := problem.Ratings
	fitted, err := model.New(summary, ids.With(train),
		data.NewFeatures(problem.Features.IDs, nil, nil), nil, parts)
	if err != nil {
		return nil, err
	}
	if _, _, err := score(ctx, fitted, problem, train, held, s.Threads); err != nil {
		return nil, err
	}
	total := time.Since(start).Seconds()
	fitted.Summary.Seconds = result.Seconds{Complete: total, Total: total}
	return fitted, nil
}

func (m SoftImpute) parts(ctx context.Context, train data.Source, _ *data.Features, center effects.Center, of effects.Settings) (*estimate.Parts, *effects.Model, error) {
	fitted, err := softimpute.Fit(ctx, train, softimpute.Settings{Rank: m.Rank, Center: center, Settings: of})
	if err != nil {
		return nil, nil, err
	}
	parts := &estimate.Parts{Coefficients: &estimate.RowMatrix{}}
	if fitted.Rank > 0 {
		parts.RowRemainder, parts.ColumnRemainder = fitted.Balanced()
		parts.Remainder = &estimate.Remainder{Rank: fitted.Rank, Ridge: fitted.Lambda}
	}
	return parts, fitted.Effects, nil
}

func (m IMC) parts(ctx context.Context, train data.Source, features *data.Features, center effects.Center, of effects.Settings) (*estimate.Parts, *effects.Model, error) {
	fitted, err := imc.Fit(ctx, train, features, imc.Settings{Rank: m.Rank, Center: center, Settings: of})
	if err != nil {
		return nil, nil, err
	}
	parts := &estimate.Parts{Coefficients: &estimate.RowMatrix{}}
	if fitted.Rank > 0 {
		parts.RowRemainder, parts.ColumnRemainder = fitted.U, fitted.V
		parts.Remainder = &estimate.Remainder{Rank: fitted.Rank, Ridge: fitted.Lambda}
	}
	return parts, fitted.Effects, nil
}

func (EffectsOnly) parts(ctx context.Context, train data.Source, _ *data.Features, _ effects.Center, of effects.Settings) (*estimate.Parts, *effects.Model, error) {
	e, err := effects.Fit(ctx, train, of)
	return &estimate.Parts{Coefficients: &estimate.RowMatrix{}}, e, err
}
