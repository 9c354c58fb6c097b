package imc

import (
	"context"
	"encoding/gob"
	"fmt"
	"math"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/internal/lowrank"
	"optcomplete/baseline/internal/validation"
	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/kernel"
	"optcomplete/result"
)

// Factors are fitted factors: Z = U Vᵀ with V = B S.
type Factors struct {
	Rank int
	S    []float64 // p×Rank; the last is of the constant, if one was added to the features
	U    []float64 // n×Rank
	V    []float64 // m×Rank
}

// Settings of a fit. The zero value chooses everything by validation.
type Settings struct {
	// Rank is that of the factors. Zero: chosen by validation, from 2, 4, 8, ...
	// as long as that helps.
	Rank int
	// Lambdas are the penalties to try, decreasing, each from the solution of
	// the one before; validation chooses. One alone is taken as it is. Nil: from
	// Lambda0 down, in steps that grow, as long as that helps.
	Lambdas []float64

	Center           effects.Center
	effects.Settings // also of the effects that centring takes away

	Tolerance float64 // stop when the objective falls by so little, relative; zero means 1e-4
	MaxSteps  int     // for each λ; zero means 100

	OnPoint func(Point) // called for every λ that was validated; may be nil
	OnStep  func(Step)  // called for every step; may be nil
}

// Point is a λ that was tried.
type Point = validation.Point

// Model is a fitted model: effects, if any, and the factors.
type Model struct {
	Factors
	Effects *effects.Model // nil: not centred
	Lambda  float64
	Center  effects.Center
	Clip    *result.Range // nil: none
	Points  []Point       // what was tried
}

// ErrLambda says that a λ is negative or not a number.
var ErrLambda = validation.ErrLambda

// Fit chooses what the settings leave open on a validation part of the entries,
// and fits all entries. features are those of the columns.
func Fit(ctx context.Context, train data.Source, features *data.Features, s Settings) (*Model, error) {
	if err := validation.Check(s.Lambdas); err != nil {
		return nil, err
	}
	n, m := train.Dims()
	fm, p := features.Dims()
	if fm != m {
		panic(fmt.Sprintf("imc: features of %d columns for a matrix of %d", fm, m))
	}
	if n == 0 || m == 0 || p == 0 || train.Observed() == 0 {
		e, err := effects.Fit(ctx, train, s.For(effects.BothCenters))
		return &Model{Effects: e, Center: effects.BothCenters}, err
	}
	p, values := withConstant(p, features.Values)
	f := &fitter{Settings: &s, columns: newSide(m, p, values)}
	search := &validation.Search{Rank: s.Rank, Lambdas: s.Lambdas, Center: s.Center, Settings: s.Settings, Variants: []bool{false}, OnPoint: s.OnPoint}
	search.Method = validation.Method{
		First: 2, Last: 32, Most: min(n, m, p), Rows: f.rows, Top: f.lambda0,
		Solver: func(rows *lowrank.Rows, rank int) validation.Solver {
			of := newSolver(rows, f.columns, rank, s.Threads)
			return func(ctx context.Context, lambda float64, start validation.Factors, _ float64) (validation.Factors, error) {
				from, _ := start.(*Factors)
				return of.solve(ctx, &s, lambda, from)
			}
		},
		Predictor: func(f validation.Factors, e *effects.Model, clip *result.Range) evaluate.Predictor {
			return &Model{Factors: *f.(*Factors), Effects: e, Clip: clip}
		},
	}
	best, err := search.Fit(ctx, train)
	if err != nil {
		return nil, err
	}
	return &Model{Factors: *best.Factors.(*Factors), Effects: best.Effects, Lambda: best.Lambda, Center: best.Center, Clip: best.Clip, Points: best.Points}, nil
}

// Found is the rank.
func (f *Factors) Found() int { return f.Rank }

// withConstant adds the constant 1 to p features that all have mean 0, as z-scores do:
// no combination of those has another mean.
func withConstant(p int, values []float64) (int, []float64) {
	sums, sizes := make([]float64, p), make([]float64, p)
	for x, v := range values {
		sums[x%p] += v
		sizes[x%p] += math.Abs(v)
	}
	for f, sum := range sums {
		if math.Abs(sum) > 1e-9*sizes[f] {
			return p, values
		}
	}
	var out []float64
	for at := 0; at < len(values); at += p {
		out = append(append(out, values[at:at+p]...), 1)
	}
	return p + 1, out
}

// fitter is the settings and the features.
type fitter struct {
	*Settings
	columns side
}

func (f *fitter) rows(ctx context.Context, source data.Source, rank int) (*lowrank.Rows, error) {
	return lowrank.NewRows(ctx, source, lowrank.ChunksFor(source, kernel.Tri(rank)+rank), f.Memory)
}

// lambda0 is the smallest λ at which the factors are zero: the largest singular
// value of X B, with zeros in place of what is missing.
func (f *fitter) lambda0(ctx context.Context, rows *lowrank.Rows) (float64, error) {
	top, err := lowrank.LargestSingular(f.columns.p, func(v []float64) ([]float64, error) {
		x := make([]float64, f.columns.lines)
		for j := range x {
			x[j] = lowrank.Inner(f.columns.values[j*f.columns.p:][:f.columns.p], v)
		}
		y, err := rows.Normal(ctx, x, f.Threads)
		if err != nil {
			return nil, err
		}
		out := make([]float64, f.columns.p)
		for j, h := range y {
			for q, b := range f.columns.values[j*f.columns.p:][:f.columns.p] {
				out[q] += b * h
			}
		}
		return out, nil
	})
	return top * rows.Penalty(), err
}

// PredictRow writes the predictions of a row for the given columns to out.
func (m *Model) PredictRow(row int, columns []int32, out []float64) {
	if m.Effects != nil {
		m.Effects.PredictRow(row, columns, out)
	} else {
		clear(out)
	}
	if r := m.Rank; r > 0 {
		u := m.U[row*r:][:r]
		for e, j := range columns {
			out[e] += lowrank.Inner(u, m.V[int(j)*r:][:r])
		}
	}
	lowrank.Clip(out, m.Clip)
}

func init() { gob.Register(new(Model)) }
