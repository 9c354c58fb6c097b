package softimpute

import (
	"context"
	"fmt"
	"math"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/internal/lowrank"
	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/progress"
	"optcomplete/result"
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
	clip    *result.Range
	center  effects.Center
	effects *effects.Model // of the part to fit on; nil: not centred
	of      effects.Settings
	rows    *lowrank.Rows // what they leave of it
	lambdas []float64
	last    *walk // along the λ of the rank before
	best    *Choice

	least float64
	rank  int // the one with the least error
	found int // rank of the last solution, at the best rank, that the limit did not cut
	first int // λ at which the path of the best rank began
}

// choose validates everything that is open. What is given is not tried.
func (s *Settings) choose(ctx context.Context, train data.Source) (*Choice, error) {
	best := new(Choice)
	if s.Rank > 0 && len(s.Lambdas) == 1 && s.Center != effects.AutoCenter && s.Debias != AutoDebias {
		best.Point = Point{Center: s.Center, Rank: s.Rank, Lambda: s.Lambdas[0], Debiased: s.Debias == AlwaysDebias}
		best.effects = s.For(s.Center)
		return best, nil
	}
	part, err := lowrank.Validation(ctx, train, s.Seed, s.Memory)
	if err != nil {
		return nil, err
	}
	if lowrank.Empty(part) { // too little to choose by: the effects alone, or as given
		best.Point = Point{Center: s.Center, Rank: max(s.Rank, 1), Debiased: s.Debias == AlwaysDebias}
		if best.Center == effects.AutoCenter {
			best.Center = effects.BothCenters
		}
		best.effects = s.For(best.Center)
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
	clip, err := lowrank.Range(ctx, part.Train, s.Clip, s.Threads)
	if err != nil {
		return nil, err
	}
	n, m := part.Train.Dims()
	ranks := lowrank.Ranks(s.Rank, firstRank, lastRank, min(n, m))
	var trials []*trial
	for _, center := range s.Center.Candidates() {
		t := &trial{Settings: &s, part: part, clip: clip, center: center, best: best, last: &walk{}}
		preparing := progress.Start(ctx, "Preparing the choice of a rank", 0, "")
		err := t.prepare(ctx, ranks[len(ranks)-1])
		preparing.Done()
		if err != nil {
			return nil, err
		}
		trials = append(trials, t)
	}
	err = lowrank.Race(ranks, len(trials), func(x, rank int) (float64, error) { return trials[x].try(ctx, rank) })
	if err != nil || s.Rank > 0 {
		return best, err
	}
	// The ranks tried are powers of two; what the penalty left of the best of them
	// before it was used up may be the rank of the data. A way to centre that was
	// given up at larger ranks may be the best at that one, if it is solved to the end.
	for _, t := range trials {
		if t.found > t.rank/2 && t.found < t.rank {
			if _, err := t.path(ctx, t.found, t.first, nil, 0); err != nil {
				return nil, err
			}
		}
	}
	return best, nil
}

// prepare takes the effects away and finds the λ to try.
func (t *trial) prepare(ctx context.Context, rank int) (err error) {
	t.of = t.For(t.center)
	if t.center != effects.NoCenter {
		if t.of.RowShrinkage, t.of.ColumnShrinkage, err = effects.Choose(ctx, t.part, t.of); err != nil {
			return err
		}
	}
	var source data.Source
	if t.effects, source, err = effects.Remove(ctx, t.part.Train, t.center, t.of); err != nil {
		return err
	}
	if t.rows, err = t.Settings.rows(ctx, source, rank); err != nil {
		return err
	}
	if t.lambdas = t.Lambdas; t.lambdas == nil {
		top, err := lambda0(ctx, t.rows, t.Threads)
		if err != nil {
			return err
		}
		t.lambdas = lowrank.Path(top)
	}
	return nil
}

// try tries the λ for a rank. A larger rank continues from where the one before was
// best, or where its limit began to cut the solutions if that was earlier: from
// there on the paths differ, and a solution that was cut is a poor start.
func (t *trial) try(ctx context.Context, rank int) (float64, error) {
	first, start := max(t.last.at-1, 0), t.last.best
	if t.last.uncut != nil && t.last.cut < first {
		first, start = t.last.cut, t.last.uncut
	}
	now, err := t.path(ctx, rank, first, start, pathTolerance)
	if err != nil {
		return 0, err
	}
	if now.least < t.least || t.least == 0 {
		t.least, t.rank, t.found, t.first = now.least, rank, 0, first
		if now.uncut != nil {
			t.found = now.uncut.Rank
		}
	}
	if now.uncut == nil {
		now.uncut, now.cut = t.last.uncut, t.last.cut
	}
	t.last = now
	return now.least, nil
}

// walk is where a path along the λ was best.
type walk struct {
	least float64
	at    int
	best  *Factors
	uncut *Factors // the last solution of a rank below the limit; nil: none
	cut   int      // the λ after it
}

// pathTolerance is that of solutions that are only compared with each other. The
// chosen one is then solved to the end.
const pathTolerance = 1e-7

// path tries the λ for one rank, from the given one and its start on, each with the
// tolerance of the settings or a larger one.
func (t *trial) path(ctx context.Context, rank, first int, start *Factors, tolerance float64) (*walk, error) {
	s := newSolver(t.rows, rank, t.Threads)
	out, worse := &walk{least: math.Inf(1)}, 0
	for at := first; at < len(t.lambdas); at++ {
		lambda := t.lambdas[at]
		trying := progress.Start(ctx, fmt.Sprintf("Trying rank %d, penalty %.3g", rank, lambda), 0, "")
		settings := *t.Settings
		settings.Tolerance = max(settings.Tolerance, tolerance)
		f, err := s.solve(ctx, settings, lambda, start)
		trying.Done()
		if err != nil {
			return nil, err
		}
		start = f
		if f.Rank < rank {
			out.uncut, out.cut = f, at+1
		}
		better := false
		for _, debiased := range []bool{false, true} {
			if debiased && t.Debias == NeverDebias || !debiased && t.Debias == AlwaysDebias {
				continue
			}
			scored := f
			if debiased {
				if scored, err = debias(ctx, t.rows, f, t.Threads); err != nil {
					return nil, err
				}
			}
			p := Point{Center: t.center, Rank: rank, Found: f.Rank, Lambda: lambda, Debiased: debiased}
			m := Model{Factors: *scored, Effects: t.effects, Clip: t.clip}
			if p.RMSE, err = rmse(ctx, t.part, &m, t.Threads); err != nil {
				return nil, err
			}
			t.best.Points = append(t.best.Points, p)
			if t.OnPoint != nil {
				t.OnPoint(p)
			}
			if p.RMSE < out.least {
				out.least, out.at, out.best, better = p.RMSE, at, f, true
			}
			if p.RMSE < t.best.RMSE {
				t.best.Point, t.best.effects, t.best.Start = p, t.of, f
			}
		}
		if worse++; better {
			worse = 0
		}
		if worse >= patience && t.Lambdas == nil && f.Rank > 0 {
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
