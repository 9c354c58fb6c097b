package imc

import (
	"context"
	"math"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/internal/lowrank"
	"optcomplete/evaluate"
	"optcomplete/model"
)

// trial is the validation of one way to centre.
type trial struct {
	*fitter
	part   evaluate.Part
	clip   *model.Range
	center effects.Center
	taken  *effects.Model // effects of the part to fit on; nil: not centred
	best   *choice
}

// run tries ranks, as long as larger ones help.
func (t *trial) run(ctx context.Context) (err error) {
	source := t.part.Train
	of := t.Effects.For(t.center)
	if t.center != effects.NoCenter {
		if of.RowShrinkage, of.ColumnShrinkage, err = effects.Choose(ctx, t.part, of); err != nil {
			return err
		}
		if t.taken, err = effects.Fit(ctx, source, of); err != nil {
			return err
		}
		source = t.taken.Leave(source)
	}
	n, m := source.Dims()
	most := min(n, m, t.columns.p)
	if t.people != nil {
		most = min(most, t.people.p)
	}
	ranks := []int{t.Rank}
	if t.Rank == 0 {
		ranks = nil
		for r := firstRank; r <= lastRank && r < 2*most; r *= 2 {
			ranks = append(ranks, min(r, most))
		}
		if len(ranks) == 0 {
			ranks = []int{1}
		}
	}
	before := math.Inf(1)
	lambdas := t.Lambdas
	for _, rank := range ranks {
		rows, err := t.rows(source, rank)
		if err != nil {
			return err
		}
		if lambdas == nil {
			top, err := t.lambda0(ctx, rows)
			if err != nil {
				return err
			}
			lambdas = lowrank.Path(top)
		}
		least, err := t.path(ctx, rows, rank, lambdas, of)
		if err != nil {
			return err
		}
		if least > (1-worthy)*before {
			break
		}
		before = least
	}
	return nil
}

// path tries the λ for one rank and returns the least error.
func (t *trial) path(ctx context.Context, rows *lowrank.Rows, rank int, lambdas []float64, of effects.Settings) (float64, error) {
	s := newSolver(rows, t.columns, t.people, rank, t.Threads)
	var start *Factors
	least, worse := math.Inf(1), 0
	for _, lambda := range lambdas {
		f, err := s.solve(ctx, t.Settings, lambda, start)
		if err != nil {
			return 0, err
		}
		start = f
		p := Point{Center: t.center, Rank: rank, Lambda: lambda}
		m := Model{Factors: *f, Effects: t.taken, Clip: t.clip}
		if p.RMSE, err = rmse(t.part, &m, t.fitter.Threads); err != nil {
			return 0, err
		}
		t.best.points = append(t.best.points, p)
		if t.OnPoint != nil {
			t.OnPoint(p)
		}
		if p.RMSE < t.best.RMSE {
			t.best.Point, t.best.effects, t.best.start = p, of, f
		}
		worse++
		if p.RMSE < least {
			least, worse = p.RMSE, 0
		}
		if worse >= patience && t.Lambdas == nil {
			break
		}
	}
	return least, nil
}

// rmse is the error of a model on the part held out.
func rmse(part evaluate.Part, m *Model, threads int) (float64, error) {
	scored, err := evaluate.Score(part.Held, m.PredictRow, threads)
	return scored.RMSE, err
}
