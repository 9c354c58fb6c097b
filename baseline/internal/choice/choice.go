// Package choice finds the centring, the rank and the penalty of a matrix of low rank on
// a validation part of the entries, for any method that solves it for one λ.
package choice

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

// Point is a λ that was tried.
type Point struct {
	Center   effects.Center
	Rank     int // the limit
	Found    int // the rank of the solution
	Lambda   float64
	Debiased bool
	RMSE     float64 // on the validation part
}

// Settings say what is given; the rest is chosen.
type Settings struct {
	Rank    int
	Lambdas []float64
	Center  effects.Center
	effects.Settings
	OnPoint func(Point) // may be nil
}

// Method is how a matrix of low rank is solved; a solution is an F, whose zero value is
// none.
type Method[F any] struct {
	LastRank, MostRank int  // of those that are tried, and that the data can have
	Ahead              bool // rows are cut for the largest rank, and serve for all
	Debiased           []bool
	Rows               func(ctx context.Context, source data.Source, rank int) (*lowrank.Rows, error)
	Lambda0            func(ctx context.Context, rows *lowrank.Rows) (float64, error)

	// Solver solves rows for λ after λ, each from a start. Rough is for solutions that
	// are only compared with each other.
	Solver    func(rows *lowrank.Rows, rank int) func(ctx context.Context, lambda float64, start F, rough bool) (F, error)
	RankOf    func(F) int
	Debias    func(ctx context.Context, rows *lowrank.Rows, f F) (F, error)
	Predictor func(f F, taken *effects.Model, clip *result.Range) evaluate.Predictor
}

// Choice is what validation likes best.
type Choice[F any] struct {
	Point
	Effects effects.Settings
	Start   F       // the solution on the part that was fitted, to go on from
	Points  []Point // all that was tried
}

const (
	firstRank = 2
	patience  = 2 // λ in a row that do not help, before a path ends
)

// Make validates everything that is open. What is given is not tried.
func Make[F any](ctx context.Context, train data.Source, s Settings, m *Method[F]) (*Choice[F], error) {
	best := &Choice[F]{Point: Point{RMSE: math.Inf(1)}}
	debiased := len(m.Debiased) == 1 && m.Debiased[0]
	if s.Rank > 0 && len(s.Lambdas) == 1 && s.Center != effects.AutoCenter && len(m.Debiased) == 1 {
		best.Point = Point{Center: s.Center, Rank: s.Rank, Lambda: s.Lambdas[0], Debiased: debiased}
		best.Effects = s.For(s.Center)
		return best, nil
	}
	part, err := lowrank.Validation(ctx, train, s.Seed, s.Memory)
	if err != nil {
		return nil, err
	}
	if lowrank.Empty(part) { // too little to choose by: next to effects alone, or as given
		best.Point = Point{Center: s.Center, Rank: max(s.Rank, 1), Debiased: debiased}
		if best.Center == effects.AutoCenter {
			best.Center = effects.BothCenters
		}
		best.Effects = s.For(best.Center)
		if len(s.Lambdas) > 0 {
			best.Lambda = s.Lambdas[len(s.Lambdas)-1]
			return best, nil
		}
		rows, err := m.Rows(ctx, train, 1)
		if err == nil {
			best.Lambda, err = m.Lambda0(ctx, rows)
		}
		return best, err
	}
	clip, err := lowrank.Range(ctx, part.Train, s.Clip, s.Threads)
	if err != nil {
		return nil, err
	}
	ranks := lowrank.Ranks(s.Rank, firstRank, m.LastRank, m.MostRank)
	var trials []*trial[F]
	for _, center := range s.Center.Candidates() {
		t := &trial[F]{Settings: &s, method: m, part: part, clip: clip, center: center, best: best, last: &walk[F]{}}
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
			var none F
			if _, err := t.path(ctx, t.rows, t.found, t.first, none, false); err != nil {
				return nil, err
			}
		}
	}
	return best, nil
}

// trial is the validation of one way to centre.
type trial[F any] struct {
	*Settings
	method  *Method[F]
	part    evaluate.Part
	clip    *result.Range
	center  effects.Center
	of      effects.Settings
	taken   *effects.Model // of the part to fit on; nil: not centred
	source  data.Source    // what they leave of it
	rows    *lowrank.Rows  // for the rank that was tried last
	lambdas []float64
	last    *walk[F] // along the λ of the rank before
	best    *Choice[F]

	least float64
	rank  int // the one with the least error
	found int // rank of the last solution, at the best rank, that the limit did not cut
	first int // λ at which the path of the best rank began
}

// prepare takes the effects away.
func (t *trial[F]) prepare(ctx context.Context, largest int) (err error) {
	t.of = t.For(t.center)
	if t.center != effects.NoCenter {
		if t.of.RowShrinkage, t.of.ColumnShrinkage, err = effects.Choose(ctx, t.part, t.of); err != nil {
			return err
		}
	}
	if t.taken, t.source, err = effects.Remove(ctx, t.part.Train, t.center, t.of); err == nil && t.method.Ahead {
		t.rows, err = t.method.Rows(ctx, t.source, largest)
	}
	return err
}

// try tries the λ for a rank. A larger rank continues from where the one before was
// best, or where its limit began to cut the solutions if that was earlier: from
// there on the paths differ, and a solution that was cut is a poor start.
func (t *trial[F]) try(ctx context.Context, rank int) (_ float64, err error) {
	if !t.method.Ahead {
		if t.rows, err = t.method.Rows(ctx, t.source, rank); err != nil {
			return 0, err
		}
	}
	if t.lambdas == nil {
		if t.lambdas = t.Lambdas; t.lambdas == nil {
			top, err := t.method.Lambda0(ctx, t.rows)
			if err != nil {
				return 0, err
			}
			t.lambdas = lowrank.Path(top)
		}
	}
	first, start := max(t.last.at-1, 0), t.last.best
	if t.last.isUncut && t.last.cut < first {
		first, start = t.last.cut, t.last.uncut
	}
	now, err := t.path(ctx, t.rows, rank, first, start, true)
	if err != nil {
		return 0, err
	}
	if now.least < t.least || t.least == 0 {
		t.least, t.rank, t.found, t.first = now.least, rank, 0, first
		if now.isUncut {
			t.found = t.method.RankOf(now.uncut)
		}
	}
	if !now.isUncut {
		now.uncut, now.cut, now.isUncut = t.last.uncut, t.last.cut, t.last.isUncut
	}
	t.last = now
	return now.least, nil
}

// walk is where a path along the λ was best.
type walk[F any] struct {
	least   float64
	at      int
	best    F
	uncut   F // the last solution of a rank below the limit,
	isUncut bool
	cut     int // and the λ after it
}

// path tries the λ for one rank, from the given one and its start on.
func (t *trial[F]) path(ctx context.Context, rows *lowrank.Rows, rank, first int, start F, rough bool) (*walk[F], error) {
	solve := t.method.Solver(rows, rank)
	out, worse := &walk[F]{least: math.Inf(1)}, 0
	for at := first; at < len(t.lambdas); at++ {
		lambda := t.lambdas[at]
		trying := progress.Start(ctx, fmt.Sprintf("Trying rank %d, penalty %.3g", rank, lambda), 0, "")
		f, err := solve(ctx, lambda, start, rough)
		trying.Done()
		if err != nil {
			return nil, err
		}
		start = f
		found := t.method.RankOf(f)
		if found < rank {
			out.uncut, out.cut, out.isUncut = f, at+1, true
		}
		better := false
		for _, debiased := range t.method.Debiased {
			scored := f
			if debiased {
				if scored, err = t.method.Debias(ctx, rows, f); err != nil {
					return nil, err
				}
			}
			metrics, err := evaluate.Score(ctx, t.part.Held, t.method.Predictor(scored, t.taken, t.clip), t.Threads)
			if err != nil {
				return nil, err
			}
			p := Point{Center: t.center, Rank: rank, Found: found, Lambda: lambda, Debiased: debiased, RMSE: metrics.RMSE}
			t.best.Points = append(t.best.Points, p)
			if t.OnPoint != nil {
				t.OnPoint(p)
			}
			if p.RMSE < out.least {
				out.least, out.at, out.best, better = p.RMSE, at, f, true
			}
			if p.RMSE < t.best.RMSE {
				t.best.Point, t.best.Effects, t.best.Start = p, t.of, f
			}
		}
		if worse++; better {
			worse = 0
		}
		if worse >= patience && t.Lambdas == nil && found > 0 {
			break
		}
	}
	return out, nil
}
