package softimpute

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/internal/choice"
	"optcomplete/baseline/internal/lowrank"
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
type Point = choice.Point

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

// lastRank is the largest that is tried.
const lastRank = 64

// pathTolerance is that of solutions that are only compared with each other. The
// chosen one is then solved to the end.
const pathTolerance = 1e-7

// ErrLambda says that a λ is negative or not a number.
var ErrLambda = errors.New("softimpute: λ must be a number that is not negative")

// Fit chooses what the settings leave open on a validation part of the entries,
// and fits all entries.
func Fit(ctx context.Context, train data.Source, s Settings) (*Model, error) {
	for _, lambda := range s.Lambdas {
		if !(lambda >= 0) || math.IsInf(lambda, 1) {
			return nil, fmt.Errorf("%w: %v", ErrLambda, lambda)
		}
	}
	n, m := train.Dims()
	if n == 0 || m == 0 || train.Observed() == 0 {
		return s.nothing(ctx, train)
	}
	best, err := choice.Make(ctx, train, choice.Settings{Rank: s.Rank, Lambdas: s.Lambdas, Center: s.Center, Settings: s.Settings, OnPoint: s.OnPoint}, s.method(min(n, m)))
	if err != nil {
		return nil, err
	}
	out := &Model{Lambda: best.Lambda, Limit: best.Rank, Center: best.Center, Debiased: best.Debiased, Points: best.Points}
	if out.Clip, err = lowrank.Range(ctx, train, s.Clip, s.Threads); err != nil {
		return nil, err
	}
	var rest data.Source
	if out.Effects, rest, err = effects.Remove(ctx, train, out.Center, best.Effects); err != nil {
		return nil, err
	}
	rows, err := s.rows(ctx, rest, out.Limit)
	if err != nil {
		return nil, err
	}
	f, err := newSolver(rows, out.Limit, s.Threads).solve(ctx, s, out.Lambda, best.Start)
	if err != nil {
		return nil, err
	}
	if out.Debiased {
		if f, err = debias(ctx, rows, f, s.Threads); err != nil {
			return nil, err
		}
	}
	out.Factors = *f
	return out, nil
}

// method is how a validation part is solved, of data that can have this rank.
func (s *Settings) method(most int) *choice.Method[*Factors] {
	return &choice.Method[*Factors]{
		LastRank: lastRank, MostRank: most, Ahead: true,
		Debiased: [][]bool{{false, true}, {false}, {true}}[s.Debias],
		Rows:     s.rows,
		Lambda0: func(ctx context.Context, rows *lowrank.Rows) (float64, error) {
			return lambda0(ctx, rows, s.Threads)
		},
		Solver: func(rows *lowrank.Rows, rank int) func(context.Context, float64, *Factors, bool) (*Factors, error) {
			solver, rough := newSolver(rows, rank, s.Threads), *s
			rough.Tolerance = max(s.Tolerance, pathTolerance)
			return func(ctx context.Context, lambda float64, start *Factors, isRough bool) (*Factors, error) {
				if isRough {
					return solver.solve(ctx, rough, lambda, start)
				}
				return solver.solve(ctx, *s, lambda, start)
			}
		},
		RankOf: func(f *Factors) int { return f.Rank },
		Debias: func(ctx context.Context, rows *lowrank.Rows, f *Factors) (*Factors, error) {
			return debias(ctx, rows, f, s.Threads)
		},
		Predictor: func(f *Factors, taken *effects.Model, clip *result.Range) evaluate.Predictor {
			return &Model{Factors: *f, Effects: taken, Clip: clip}
		},
	}
}

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
