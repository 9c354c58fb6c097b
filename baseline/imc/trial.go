package imc

import (
	"context"
	"math"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/internal/lowrank"
	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/result"
)

// trial is the validation of one way to centre.
type trial struct {
	*fitter
	part    evaluate.Part
	clip    *result.Range
	center  effects.Center
	of      effects.Settings
	taken   *effects.Model // effects of the part to fit on; nil: not centred
	source  data.Source    // what they leave of it
	lambdas []float64
	last    *walk // along the λ of the rank before
	best    *choice
}

// prepare takes the effects away.
func (t *trial) prepare(ctx context.Context) (err error) {
	t.of = t.For(t.center)
	if t.center != effects.NoCenter {
		if t.of.RowShrinkage, t.of.ColumnShrinkage, err = effects.Choose(ctx, t.part, t.of); err != nil {
			return err
		}
	}
	t.taken, t.source, err = effects.Remove(ctx, t.part.Train, t.center, t.of)
	return err
}

// try tries the λ for a rank. A larger rank continues from the best λ of the one
// before, or a step above.
func (t *trial) try(ctx context.Context, rank int) (float64, error) {
	rows, err := t.rows(ctx, t.source, rank)
	if err != nil {
		return 0, err
	}
	if t.lambdas == nil {
		if t.lambdas = t.Lambdas; t.lambdas == nil {
			top, err := t.lambda0(ctx, rows)
			if err != nil {
				return 0, err
			}
			t.lambdas = lowrank.Path(top)
		}
	}
	now, err := t.path(ctx, rows, rank)
	if err != nil {
		return 0, err
	}
	t.last = now
	return now.least, nil
}

// walk is where a path along the λ was best.
type walk struct {
	least float64
	at    int
	best  *Factors
}

// path tries the λ for one rank, from where the last path was best.
func (t *trial) path(ctx context.Context, rows *lowrank.Rows, rank int) (*walk, error) {
	s := newSolver(rows, t.columns, rank, t.Threads)
	start := t.last.best
	out, worse := &walk{least: math.Inf(1)}, 0
	for at := max(t.last.at-1, 0); at < len(t.lambdas); at++ {
		lambda := t.lambdas[at]
		f, err := s.solve(ctx, t.Settings, lambda, start)
		if err != nil {
			return nil, err
		}
		start = f
		p := Point{Center: t.center, Rank: rank, Lambda: lambda}
		m := Model{Factors: *f, Effects: t.taken, Clip: t.clip}
		if p.RMSE, err = rmse(ctx, t.part, &m, t.fitter.Threads); err != nil {
			return nil, err
		}
		t.best.points = append(t.best.points, p)
		if t.OnPoint != nil {
			t.OnPoint(p)
		}
		if p.RMSE < t.best.RMSE {
			t.best.Point, t.best.effects, t.best.start = p, t.of, f
		}
		worse++
		if p.RMSE < out.least {
			out.least, out.at, out.best, worse = p.RMSE, at, f, 0
		}
		if worse >= patience && t.Lambdas == nil {
			break
		}
	}
	return out, nil
}

// rmse is the error of a model on the part held out.
func rmse(ctx context.Context, part evaluate.Part, m *Model, threads int) (float64, error) {
	scored, err := evaluate.Score(ctx, part.Held, m, threads)
	return scored.RMSE, err
}
