package softimpute

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/internal/lowrank"
	"optcomplete/data"
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
type Point struct {
	Center   effects.Center
	Rank     int // the limit
	Found    int // the rank of the solution
	Lambda   float64
	Debiased bool
	RMSE     float64 // on the validation part
}

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

const (
	firstRank = 2
	lastRank  = 64
	patience  = 2 // λ in a row that do not help, before a path ends
)

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
	best, err := s.choose(ctx, train)
	if err != nil {
		return nil, err
	}
	out := &Model{Lambda: best.Lambda, Limit: best.Rank, Center: best.Center, Debiased: best.Debiased, Points: best.Points}
	if out.Clip, err = lowrank.Range(ctx, train, s.Clip, s.Threads); err != nil {
		return nil, err
	}
	var rest data.Source
	if out.Effects, rest, err = effects.Remove(ctx, train, out.Center, best.effects); err != nil {
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
