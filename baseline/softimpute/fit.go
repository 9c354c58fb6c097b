package softimpute

import (
	"context"
	"encoding/gob"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/internal/lowrank"
	"optcomplete/baseline/internal/validation"
	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/kernel"
	"optcomplete/result"
)

// Debiasing says whether d is fitted anew, without shrinkage, at the end.
type Debiasing int

const (
	AutoDebias Debiasing = iota // if that predicts a validation part better
	NeverDebias
	AlwaysDebias
)

// Settings of a fit. The zero value chooses everything by validation.
type Settings struct {
	// Rank is the largest rank. Zero: chosen by validation, from 2, 4, 8, ...
	// as long as that helps.
	Rank int
	// Lambdas are the penalties to try, decreasing, each from the solution of
	// the one before; validation chooses. One alone is taken as it is. Nil: from
	// Lambda0 down, in steps that grow, as long as that helps.
	Lambdas []float64

	Center           effects.Center
	effects.Settings // also of the effects that centring takes away
	Debias           Debiasing

	// Tolerance is by how little the matrix changes, relative and squared, when it is
	// solved, for the λ that is chosen; zero means 1e-9. R's default, 1e-5, ends far from
	// the minimum where most entries are missing. On the way to that λ 1e-7 is enough.
	Tolerance float64
	MaxSteps  int // for each λ; zero means 1000

	OnPoint func(Point) // called for every λ that was validated; may be nil
	OnStep  func(Step)  // called for every step; may be nil
}

// Point is a λ that was tried.
type Point = validation.Point

// Model is a fitted model: effects, if any, and a matrix of low rank.
type Model struct {
	Factors
	Effects  *effects.Model // nil: not centred
	Lambda   float64
	Limit    int // of the rank
	Center   effects.Center
	Debiased bool
	Clip     *result.Range // nil: none
	Points   []Point       // what was tried
}

// ErrLambda says that a λ is negative or not a number.
var ErrLambda = validation.ErrLambda

// pathTolerance is that of solutions that are only compared with each other. The
// chosen one is then solved to the end.
const pathTolerance = 1e-7

// Fit chooses what the settings leave open on a validation part of the entries,
// and fits all entries.
func Fit(ctx context.Context, train data.Source, s Settings) (*Model, error) {
	if err := validation.Check(s.Lambdas); err != nil {
		return nil, err
	}
	n, m := train.Dims()
	if n == 0 || m == 0 || train.Observed() == 0 {
		return s.nothing(ctx, train)
	}
	search := &validation.Search{Rank: s.Rank, Lambdas: s.Lambdas, Center: s.Center, Settings: s.Settings, OnPoint: s.OnPoint}
	search.Variants = map[Debiasing][]bool{AutoDebias: {false, true}, NeverDebias: {false}, AlwaysDebias: {true}}[s.Debias]
	search.Method = validation.Method{
		First: 2, Last: 64, Most: min(n, m), Tolerance: pathTolerance, OneRows: true, Rows: s.rows,
		Top: func(ctx context.Context, rows *lowrank.Rows) (float64, error) { return lambda0(ctx, rows, s.Threads) },
		Solver: func(rows *lowrank.Rows, rank int) validation.Solver {
			of := newSolver(rows, rank, s.Threads)
			return func(ctx context.Context, lambda float64, start validation.Factors, tolerance float64) (validation.Factors, error) {
				settings := s
				settings.Tolerance = max(settings.Tolerance, tolerance)
				from, _ := start.(*Factors)
				return of.solve(ctx, settings, lambda, from)
			}
		},
		Debias: func(ctx context.Context, rows *lowrank.Rows, f validation.Factors) (validation.Factors, error) {
			return debias(ctx, rows, f.(*Factors), s.Threads)
		},
		Predictor: func(f validation.Factors, e *effects.Model, clip *result.Range) evaluate.Predictor {
			return &Model{Factors: *f.(*Factors), Effects: e, Clip: clip}
		},
	}
	best, err := search.Fit(ctx, train)
	if err != nil {
		return nil, err
	}
	return &Model{
		Factors: *best.Factors.(*Factors), Effects: best.Effects, Lambda: best.Lambda, Limit: best.Rank, Center: best.Center,
		Debiased: best.Debiased, Clip: best.Clip, Points: best.Points,
	}, nil
}

// Found is the rank.
func (f *Factors) Found() int { return f.Rank }

// nothing is the model of a matrix without entries.
func (s *Settings) nothing(ctx context.Context, train data.Source) (*Model, error) {
	e, err := effects.Fit(ctx, train, effects.Settings{RowShrinkage: 1, ColumnShrinkage: 1})
	return &Model{Effects: e, Center: effects.BothCenters}, err
}

func (s *Settings) rows(ctx context.Context, source data.Source, rank int) (*lowrank.Rows, error) {
	return lowrank.NewRows(ctx, source, lowrank.ChunksFor(source, kernel.Pad(rank)), s.Memory)
}

// PredictRow writes the predictions of a row for the given columns to out.
func (m *Model) PredictRow(row int, columns []int32, out []float64) {
	if m.Effects != nil {
		m.Effects.PredictRow(row, columns, out)
	} else {
		clear(out)
	}
	m.Factors.Predict(row, columns, out)
	lowrank.Clip(out, m.Clip)
}

func init() { gob.Register(new(Model)) }

// Lambda0 is the smallest λ at which the solution is zero: the largest singular
// value of the matrix with zeros in place of what is missing.
func Lambda0(ctx context.Context, source data.Source, threads int) (float64, error) {
	rows, err := lowrank.NewRows(ctx, source, lowrank.ChunksFor(source, 1), 0)
	if err != nil {
		return 0, err
	}
	return lambda0(ctx, rows, threads)
}

func lambda0(ctx context.Context, rows *lowrank.Rows, threads int) (float64, error) {
	_, m := rows.Dims()
	top, err := lowrank.LargestSingular(m, func(v []float64) ([]float64, error) { return rows.Normal(ctx, v, threads) })
	return top * rows.Penalty(), err
}
