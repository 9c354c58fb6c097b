package twosided

import (
	"context"
	"encoding/gob"
	"slices"

	"optcomplete/data"

	"optcomplete/evaluate"
	"optcomplete/internal/gammapath"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// chooseGamma picks γ on four fifths of the entries, and scores it on the others. Beside
// effects γ is learned; in the paper's form, where products stand for effects of any size,
// it is the one of a path that predicts best (package gammapath), measured by the mean
// square of the products.
func (f *formulation) chooseGamma(ctx context.Context, train part, find search.Settings, on func(result.GammaPoint)) (gamma float64, path []result.GammaPoint, cut, err error) {
	ctx = pass.WithLabel(ctx, "trials")
	fit, held := evaluate.SplitMatrix(train.entries, 0.2, f.settings.Seed+1)
	if fit.Observed() == 0 || held.Observed() == 0 {
		fit, held = train.entries, train.entries // nothing to validate on
	}
	some := part{fit, train.rows}
	p, err := f.sides.prepare(ctx, some, f.settings.Threads)
	if err != nil {
		return 0, nil, nil, err
	}
	_, diagonal, _ := p.products.Target()
	unit := 0.0
	for _, d := range diagonal {
		unit += d / float64(len(diagonal))
	}
	oracle := p.quadratic(1)
	find.MaxNodes, find.MaxPasses, find.NearTies, find.Gap, find.TimeLimit, find.SearchTime = 1, gammaPasses, -1, 0, 0, 0
	ctx, cancel := f.clock.Choice(ctx)
	defer cancel()
	noise, size := 0.0, 0.0
	try := func(gamma float64) (result.GammaPoint, error) {
		point := result.GammaPoint{Gamma: gamma}
		at := oracle.WithGamma(gamma)
		result, err := search.Minimize(ctx, at, find)
		if err != nil {
			return point, err
		}
		find.Start = [][]int{result.Selection}
		fitted, err := f.fit(ctx, p, some, at, f.settings.Refit, result.Selection, false)
		if err != nil {
			return point, err
		}
		score, err := evaluate.Score(ctx, held, f.predictor(train.rows, result.Selection, fitted), f.settings.Threads)
		if err != nil {
			return point, err
		}
		point.RMSE = score.RMSE
		gap := min(result.RootGap, 1)
		point.RootGap, point.Limited = &gap, result.Limited()
		point.Selected = f.names(result.Selection)
		if size = 0; fitted.effects != nil {
			noise = fitted.effects.Noise
			for _, u := range fitted.u {
				size += u * u / float64(len(fitted.u))
			}
		}
		return point, nil
	}
	if f.effects == NoEffects {
		gamma, path, err = gammapath.Standard(unit).Choose(ctx, try, on)
	} else {
		find.MaxPasses = find.K + 2 // a greedy selection: no bound is wanted
		gamma, path, err = learnGamma(ctx, unit, f.settings.Refit == spec.LeastSquares, try, func() float64 { return size / noise }, on)
	}
	if err != nil || held == train.entries || ctx.Err() != nil {
		return gamma, path, ctx.Err(), err
	}
	f.trial, err = f.againstEffects(ctx, fit, held, p.start, errorAt(path, gamma))
	return gamma, path, nil, err
}

// learnGamma is the variance of the coefficients of selected products over that of the
// noise: what γ stands for where coefficients are drawn from a normal distribution. Both
// depend on the selection, and that on γ, so it is found in a few rounds. Where γ only
// selects, and coefficients are least squares, smaller ones that select the same are tried
// until one is proven at the root, and the last is taken: bounds are the nearer the smaller
// γ is.
func learnGamma(ctx context.Context, unit float64, only bool, try func(gamma float64) (result.GammaPoint, error), learned func() float64, on func(result.GammaPoint)) (gamma float64, path []result.GammaPoint, err error) {
	p := gammapath.Standard(unit)
	if !p.Usable() {
		return p.Default(), nil, nil
	}
	gamma = gammapath.Gamma(1e3 / unit)
	for range gammaRounds {
		point, err := try(gamma)
		if ctx.Err() != nil {
			if len(path) > 0 { // one that was tried
				gamma = path[len(path)-1].Gamma
			}
			return gamma, path, nil
		}
		if err != nil {
			return 0, nil, err
		}
		if path = append(path, point); on != nil {
			on(point)
		}
		next := gammapath.Gamma(min(max(learned(), leastGamma/unit), mostGamma/unit))
		if next == gamma || len(path) == gammaRounds || slices.Equal(point.Selected, before(path)) {
			break // another γ would be learned from the same coefficients
		}
		gamma = next
	}
	last := path[len(path)-1]
	for want := last.Selected; only && last.Gap() > provenAtRoot && gamma > 10*leastGamma/unit; {
		point, err := try(gammapath.Gamma(gamma / 10))
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return 0, nil, err
		}
		if path = append(path, point); on != nil {
			on(point)
		}
		if !slices.Equal(point.Selected, want) {
			break
		}
		gamma, last = point.Gamma, point
	}
	return gamma, path, nil
}

// before is the selection of the last γ but one.
func before(path []result.GammaPoint) []string {
	if len(path) < 2 {
		return nil
	}
	return path[len(path)-2].Selected
}

// How many γ are tried, the gap that counts as none, and the range of γ times the mean square of a product: below it
// coefficients are shrunk to nothing, above it rounding hides the proof.
const (
	gammaRounds  = 4
	provenAtRoot = 1e-6
	leastGamma   = 1
	mostGamma    = 1e7
)

// errorAt is the error of the γ taken.
func errorAt(path []result.GammaPoint, gamma float64) float64 {
	for _, point := range path {
		if point.Gamma == gamma {
			return point.RMSE
		}
	}
	return 0
}

// predictor predicts entries of the matrix: effects, if there are any, and Σ u·x·b over
// the selection.
func (s *sides) predictor(rows *data.Features, selection []int, f fitted) evaluate.Predictor {
	out := &predictor{Rows: pass.Share(rows.Values), Columns: pass.Share(s.columns.Values), P1: len(rows.Names), P2: len(s.columns.Names), Selection: selection, U: f.u}
	if e := f.effects; e != nil {
		out.Mean, out.RowEffects, out.ColumnEffects = e.Mean, pass.Share(e.Rows), pass.Share(e.levels.Columns)
	}
	return out
}

// effectsAlone predicts by effects without products.
func (s *sides) effectsAlone(rows *data.Features, l *levels) evaluate.Predictor {
	return s.predictor(rows, nil, fitted{effects: &joint{levels: *l}})
}

type predictor struct {
	Rows, Columns *pass.Shared[[]float64] // features: n×P1, m×P2
	P1, P2        int
	Selection     []int // of products
	U             []float64

	Mean                      float64
	RowEffects, ColumnEffects *pass.Shared[[]float64] // nil: none
}

// PredictRow adds the parts up.
func (p *predictor) PredictRow(row int, columns []int32, out []float64) {
	x, all := p.Rows.Get()[row*p.P1:][:p.P1], p.Columns.Get()
	for e, c := range columns {
		b := all[int(c)*p.P2:][:p.P2]
		out[e] = p.Mean
		if p.RowEffects != nil {
			out[e] += p.RowEffects.Get()[row] + p.ColumnEffects.Get()[c]
		}
		for i, j := range p.Selection {
			out[e] += p.U[i] * x[j/p.P2] * b[j%p.P2]
		}
	}
}

func init() { gob.Register(new(predictor)) }
