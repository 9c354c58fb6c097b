package softimpute

import (
	"context"
	"math"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/internal/lowrank"
	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/model"
)

// Choice is what validation likes best.
type Choice struct {
	Point
	Start  *Factors // the solution on the part that was fitted, to go on from
	Points []Point  // all that was tried

	effects effects.Settings
}

// trial is the validation of one way to centre.
type trial struct {
	*Settings
	part    evaluate.Part
	clip    *model.Range
	center  effects.Center
	effects *effects.Model // of the part to fit on; nil: not centred
	rows    *lowrank.Rows  // what they leave of it
	best    *Choice
}

// choose validates everything that is open. What is given is not tried.
func (s *Settings) choose(ctx context.Context, train data.Source) (*Choice, error) {
	best := new(Choice)
	if s.Rank > 0 && len(s.Lambdas) == 1 && s.Center != effects.AutoCenter && s.Debias != AutoDebias {
		best.Point = Point{Center: s.Center, Rank: s.Rank, Lambda: s.Lambdas[0], Debiased: s.Debias == AlwaysDebias}
		best.effects = s.Effects.For(s.Center)
		return best, nil
	}
	part, err := lowrank.Validation(train, s.Holdout, s.Seed, s.Memory)
	if err != nil {
		return nil, err
	}
	if lowrank.Empty(part) { // too little to choose by: the effects alone, or as given
		best.Point = Point{Center: s.Center, Rank: max(s.Rank, 1), Debiased: s.Debias == AlwaysDebias}
		if best.Center == effects.AutoCenter {
			best.Center = effects.BothCenters
		}
		best.effects = s.Effects.For(best.Center)
		if len(s.Lambdas) > 0 {
			best.Lambda = s.Lambdas[len(s.Lambdas)-1]
		} else if best.Lambda, err = Lambda0(ctx, train, s.Threads); err != nil {
			return nil, err
		}
		return best, nil
	}
	return Choose(ctx, part, *s)
}

// Choose validates what the settings leave open: it fits one part of the entries
// and takes what predicts the other part best.
func Choose(ctx context.Context, part evaluate.Part, s Settings) (*Choice, error) {
	best := &Choice{Point: Point{RMSE: math.Inf(1)}}
	var clip *model.Range
	if s.Clip {
		var err error
		if clip, err = lowrank.Range(ctx, part.Train, s.Threads); err != nil {
			return nil, err
		}
	}
	for _, center := range s.Center.Candidates() {
		t := &trial{Settings: &s, part: part, clip: clip, center: center, best: best}
		if err := t.run(ctx); err != nil {
			return nil, err
		}
	}
	return best, nil
}

// run tries ranks, as long as larger ones help.
func (t *trial) run(ctx context.Context) (err error) {
	source := t.part.Train
	of := t.Effects.For(t.center)
	if t.center != effects.NoCenter {
		if of.RowShrinkage, of.ColumnShrinkage, err = effects.Choose(ctx, t.part, of); err != nil {
			return err
		}
		if t.effects, err = effects.Fit(ctx, source, of); err != nil {
			return err
		}
		source = t.effects.Leave(source)
	}
	n, m := source.Dims()
	ranks := []int{t.Rank}
	if t.Rank == 0 {
		ranks = nil
		for r := firstRank; r <= lastRank && r < 2*min(n, m); r *= 2 {
			ranks = append(ranks, min(r, n, m))
		}
		if len(ranks) == 0 {
			ranks = []int{1}
		}
	}
	if t.rows, err = t.Settings.rows(source, ranks[len(ranks)-1]); err != nil {
		return err
	}
	lambdas := t.Lambdas
	if lambdas == nil {
		top, err := lambda0(ctx, t.rows, t.Threads)
		if err != nil {
			return err
		}
		lambdas = lowrank.Path(top)
	}
	before := math.Inf(1)
	for _, rank := range ranks {
		least, err := t.path(ctx, rank, lambdas, of)
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
func (t *trial) path(ctx context.Context, rank int, lambdas []float64, of effects.Settings) (float64, error) {
	s := newSolver(t.rows, rank, t.Threads)
	var start *Factors
	least, worse := math.Inf(1), 0
	for _, lambda := range lambdas {
		f, err := s.solve(ctx, t.problem(rank, lambda, start))
		if err != nil {
			return 0, err
		}
		start = f
		better := false
		for _, debiased := range []bool{false, true} {
			if debiased && t.Debias == NeverDebias || !debiased && t.Debias == AlwaysDebias {
				continue
			}
			scored := f
			if debiased {
				if scored, err = debias(ctx, t.rows, f, t.Threads); err != nil {
					return 0, err
				}
			}
			p := Point{Center: t.center, Rank: rank, Found: f.Rank, Lambda: lambda, Debiased: debiased}
			m := Model{Factors: *scored, Effects: t.effects, Clip: t.clip}
			if p.RMSE, err = rmse(t.part, &m, t.Threads); err != nil {
				return 0, err
			}
			t.best.Points = append(t.best.Points, p)
			if t.OnPoint != nil {
				t.OnPoint(p)
			}
			if p.RMSE < least {
				least, better = p.RMSE, true
			}
			if p.RMSE < t.best.RMSE {
				t.best.Point, t.best.effects, t.best.Start = p, of, f
			}
		}
		if worse++; better {
			worse = 0
		}
		if worse >= patience && t.Lambdas == nil && f.Rank > 0 {
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
