package twosided

import (
	"context"
	"encoding/gob"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/loss"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// chooseGamma picks γ on four fifths of the entries, and scores it on the others. Beside
// effects γ is learned; in the paper's form, where products stand for effects of any size,
// it is the one of a path that predicts best (selection.ChooseGamma), measured by the mean
// square of the products.
func (f *formulation) chooseGamma(ctx context.Context, train part, find search.Settings, on func(result.GammaPoint)) (c selection.Learned, err error) {
	ctx = pass.WithLabel(ctx, "trials")
	fit, held := evaluate.SplitMatrix(train.entries, 0.2, f.settings.Seed+1)
	if fit.Observed() == 0 || held.Observed() == 0 {
		fit, held = train.entries, train.entries // nothing to validate on
	}
	some := part{fit, train.rows}
	p, err := f.sides.prepare(ctx, some, f.settings.Threads)
	if err != nil {
		return c, err
	}
	_, diagonal, _ := p.products.Target()
	unit := 0.0
	for _, d := range diagonal {
		unit += d / float64(len(diagonal))
	}
	find.MaxNodes, find.MaxPasses, find.NearTies, find.Gap, find.TimeLimit, find.SearchTime = 1, gammaPasses, -1, 0, 0, 0
	ctx, cancel := f.clock.Choice(ctx)
	defer cancel()
	learned := 0.0
	try := func(gamma float64) (result.GammaPoint, error) {
		point := result.GammaPoint{Gamma: gamma}
		result, err := search.Minimize(ctx, f.oracle(p, gamma), find)
		if err != nil {
			return point, err
		}
		find.Start = [][]int{result.Selection}
		fitted, err := f.fit(ctx, p, some, gamma, f.settings.Refit, result.Selection, false)
		if err != nil {
			return point, err
		}
		score, err := evaluate.Score(ctx, held, f.predictor(train.rows, result.Selection, fitted), f.settings.Threads)
		if err != nil {
			return point, err
		}
		point.RMSE = score.Score()
		gap := min(result.RootGap, 1)
		point.RootGap, point.Limited = &gap, result.Limited()
		point.Selected = f.names(result.Selection)
		if learned = 0; fitted.effects != nil {
			for _, u := range fitted.u {
				learned += u * u / float64(len(fitted.u)) / fitted.effects.Noise
			}
			if f.by.Loss.Linked() {
				learned *= 2 // such losses are half of squares
			}
		}
		return point, nil
	}
	if f.effects == NoEffects {
		c.Gamma, c.GammaPath, err = selection.ChooseGamma(ctx, unit, try, on)
	} else {
		find.MaxPasses = find.K + 2 // a greedy selection: no bound is wanted
		l := &learning{unit: unit, try: try, learned: func() float64 { return learned }, on: on}
		if f.settings.Refit != spec.Ridge {
			l.gap = func(gamma float64) (float64, float64, error) { return gapOf(ctx, f.oracle(p, gamma), find) }
		}
		c.Gamma, c.GammaPath, err = l.run(ctx)
	}
	if err != nil || held == train.entries || ctx.Err() != nil {
		c.Cut = ctx.Err()
		return c, err
	}
	if p.start == nil {
		p.start = learnLevels(fit, f.by)
	}
	alone, err := f.alone(ctx, p.start, part{held, train.rows})
	c.Against = f.against(held, selection.ErrorAt(c.GammaPath, c.Gamma), alone)
	return c, err
}

// learning finds γ beside effects: the variance of the coefficients of selected products
// over that of the noise, what γ stands for where coefficients are drawn from a normal
// distribution. Both depend on the selection, and that on γ, so it is found in a few rounds.
//
// Where γ only selects, and coefficients are least squares, a smaller one that selects the
// same has a nearer bound. Whether it does needs no search: where the cut at the selection
// itself shows that no other costs less, it is the selection of that γ. Else one is taken that
// selects the same on four fifths of the entries, or predicts the others no worse.
type learning struct {
	unit    float64                                              // the mean square of the products
	try     func(gamma float64) (result.GammaPoint, error)       // selects and fits
	learned func() float64                                       // the γ of the last fit
	gap     func(gamma float64) (gap, missed float64, err error) // see gapOf; nil: γ is for the coefficients too
	on      func(result.GammaPoint)
	path    []result.GammaPoint
}

// How many γ are tried, the gap that counts as none, and the range of γ times the mean square of a product: below it
// coefficients are shrunk to nothing, above it rounding hides the proof.
const (
	gammaRounds  = 4
	provenAtRoot = 1e-6
	leastGamma   = 1
	mostGamma    = 1e7
)

func (l *learning) run(ctx context.Context) (gamma float64, path []result.GammaPoint, err error) {
	if !(l.unit > 0) || math.IsInf(l.unit, 1) {
		return selection.DefaultGamma(l.unit), nil, nil
	}
	gamma = selection.RoundGamma(1e3 / l.unit)
	for range gammaRounds {
		point, err := l.point(ctx, gamma)
		if ctx.Err() != nil {
			if len(l.path) > 0 { // one that was tried
				gamma = l.path[len(l.path)-1].Gamma
			}
			return gamma, l.path, nil
		}
		if err != nil {
			return 0, nil, err
		}
		next := selection.RoundGamma(min(max(l.learned(), leastGamma/l.unit), mostGamma/l.unit))
		hard, smaller := l.gap != nil && point.Gap() > provenAtRoot, 0.0
		if hard {
			found := false
			if smaller, found, err = l.proven(next, point); err != nil || found {
				return smaller, l.path, err
			}
		}
		if next == gamma || len(l.path) == gammaRounds || len(l.path) > 1 && slices.Equal(point.Selected, l.path[len(l.path)-2].Selected) {
			if hard {
				gamma, err = l.nearest(ctx, smaller, gamma, point)
			}
			return gamma, l.path, err // another would be learned from the same coefficients
		}
		gamma = next
	}
	return gamma, l.path, nil
}

// point tries a γ.
func (l *learning) point(ctx context.Context, gamma float64) (result.GammaPoint, error) {
	point, err := l.try(gamma)
	if err == nil && ctx.Err() == nil {
		l.add(point)
	}
	return point, err
}

func (l *learning) add(point result.GammaPoint) {
	if l.path = append(l.path, point); l.on != nil {
		l.on(point)
	}
}

// proven is the largest γ, up to one, at which the selection of a point is proven without a
// search. If there is none, it is the one whose bound leaves least of what could be explained.
func (l *learning) proven(most float64, point result.GammaPoint) (gamma float64, found bool, err error) {
	least := math.Inf(1)
	for at := most; l.gap != nil && at > leastGamma/l.unit; at = selection.RoundGamma(at / 2) {
		gap, missed, err := l.gap(at)
		if err != nil {
			return 0, false, err
		}
		if gap <= provenAtRoot {
			point.Gamma, point.RootGap = at, &gap
			l.add(point)
			return at, true, nil
		}
		if missed < least {
			gamma, least = at, missed
		}
	}
	return gamma, false, nil
}

// nearest is the smallest γ from one on that selects the same as most does, or what predicts
// no worse.
func (l *learning) nearest(ctx context.Context, gamma, most float64, at result.GammaPoint) (float64, error) {
	for ; gamma > 0 && gamma < most; gamma = selection.RoundGamma(8 * gamma) {
		point, err := l.point(ctx, gamma)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return 0, err
		}
		if slices.Equal(point.Selected, at.Selected) || point.RMSE <= at.RMSE {
			return gamma, nil
		}
	}
	return most, nil
}

// gapOf is the gap that the cut at a selection, find.Start's first, leaves by itself, and what
// that leaves as a part of what the selection explains.
func gapOf(ctx context.Context, of search.Oracle, find search.Settings) (gap, missed float64, err error) {
	at, err := of.Eval(ctx, search.Indicator(of.Dim(), find.Start[0]))
	if err != nil {
		return 0, 0, err
	}
	nothing, err := of.Eval(ctx, make([]float64, of.Dim()))
	if err != nil {
		return 0, 0, err
	}
	bound := at.Constant
	for _, j := range find.Always {
		bound += at.Gradient[j]
		at.Gradient[j] = 0
	}
	for _, j := range find.Never {
		at.Gradient[j] = 0
	}
	slices.Sort(at.Gradient)
	for _, g := range at.Gradient[:find.K-len(find.Always)] {
		bound += g
	}
	return (at.Cost - bound) / at.Cost, (at.Cost - bound) / (nothing.Cost - at.Cost), nil
}

// predictor predicts entries of the matrix: effects, if there are any, and Σ u·x·b over
// the selection.
func (s *sides) predictor(rows *data.Features, units []int, f fitted) evaluate.Predictor {
	out := &predictor{Rows: pass.Share(rows.Values), Columns: pass.Share(s.columns.Values), P1: len(rows.Names), P2: len(s.columns.Names), Selection: s.members(units), U: f.u, By: s.by}
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
	By            loss.Scaled

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
		out[e] = p.By.Mean(out[e])
	}
}

// LossOf is what the predictions were made by.
func (p *predictor) LossOf() loss.Scaled { return p.By }

func init() { gob.Register(new(predictor)) }
