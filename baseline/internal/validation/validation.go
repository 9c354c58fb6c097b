// Package validation chooses what a fit of low rank leaves open (how to centre, the rank, the
// penalty λ, whether to de-bias) on a part of the entries that is held out, and fits all entries
// with it.
//
// A [Search] has what is given and the [Method], which solves for one λ. Ranks are tried
// as long as that helps, and for each the λ from the largest down. It must never score a method on
// entries that it was fitted to.
package validation

import (
	"context"
	"errors"
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

// Factors are a solution.
type Factors interface {
	Found() int // its rank
}

// Solver solves for one λ, from a start if there is one, to a tolerance no smaller than the given
// one.
type Solver func(ctx context.Context, lambda float64, start Factors, tolerance float64) (Factors, error)

// Method is a way to complete a matrix by one of low rank.
type Method struct {
	First, Last, Most int     // ranks to try: the first, the last, and what there can be
	Tolerance         float64 // of solutions that are only compared with each other
	// OneRows tells that the rows of the largest rank serve all.
	OneRows bool

	Rows   func(ctx context.Context, source data.Source, rank int) (*lowrank.Rows, error)
	Top    func(ctx context.Context, rows *lowrank.Rows) (float64, error) // the smallest λ at which nothing is left
	Solver func(rows *lowrank.Rows, rank int) Solver
	// Debias fits a solution anew without shrinkage; nil: the method has no such thing.
	Debias func(ctx context.Context, rows *lowrank.Rows, f Factors) (Factors, error)
	// Predictor predicts with a solution, beside effects (nil: none) and within a range (nil: any).
	Predictor func(f Factors, e *effects.Model, clip *result.Range) evaluate.Predictor
}

// Search is what is given of a fit; the rest is chosen.
type Search struct {
	Method
	Rank             int       // 0: chosen
	Lambdas          []float64 // nil: chosen
	Center           effects.Center
	effects.Settings        // also of the effects that centring takes away
	Variants         []bool // whether to de-bias: what is to be compared
	OnPoint          func(Point)
}

// Fitted is a fit of all entries with what was chosen.
type Fitted struct {
	Point
	Factors Factors
	Effects *effects.Model // nil: not centred
	Clip    *result.Range  // nil: none
	Points  []Point        // all that was tried
}

// patience is how many λ in a row do not help before a path ends.
const patience = 2

// ErrLambda says that a λ is negative or not a number.
var ErrLambda = errors.New("λ must be a number that is not negative")

// Check is the error for penalties that are none.
func Check(lambdas []float64) error {
	for _, lambda := range lambdas {
		if !(lambda >= 0) || math.IsInf(lambda, 1) {
			return fmt.Errorf("%w: %v", ErrLambda, lambda)
		}
	}
	return nil
}

// choice is what validation likes best.
type choice struct {
	Point
	effects effects.Settings
	start   Factors // the solution on the part that was fitted, to go on from
	points  []Point
}

// Fit chooses what is open and fits all entries.
func (s *Search) Fit(ctx context.Context, train data.Source) (*Fitted, error) {
	best, err := s.choose(ctx, train)
	if err != nil {
		return nil, err
	}
	out := &Fitted{Point: best.Point, Points: best.points}
	if out.Clip, err = lowrank.Range(ctx, train, s.Clip, s.Threads); err != nil {
		return nil, err
	}
	var rest data.Source
	if out.Effects, rest, err = effects.Remove(ctx, train, out.Center, best.effects); err != nil {
		return nil, err
	}
	rows, err := s.Rows(ctx, rest, out.Rank)
	if err != nil {
		return nil, err
	}
	if out.Factors, err = s.Solver(rows, out.Rank)(ctx, out.Lambda, best.start, 0); err == nil && out.Debiased {
		out.Factors, err = s.Debias(ctx, rows, out.Factors)
	}
	return out, err
}

// choose validates everything that is open. What is given is not tried.
func (s *Search) choose(ctx context.Context, train data.Source) (*choice, error) {
	debiased := len(s.Variants) == 1 && s.Variants[0]
	if s.Rank > 0 && len(s.Lambdas) == 1 && s.Center != effects.AutoCenter && len(s.Variants) == 1 {
		return &choice{Point: Point{Center: s.Center, Rank: s.Rank, Lambda: s.Lambdas[0], Debiased: debiased}, effects: s.For(s.Center)}, nil
	}
	part, err := lowrank.Validation(ctx, train, s.Seed, s.Memory)
	if err != nil {
		return nil, err
	}
	if !lowrank.Empty(part) {
		return s.validate(ctx, part)
	}
	// Too little to choose by: the effects alone, or as given.
	best := &choice{Point: Point{Center: s.Center, Rank: max(s.Rank, 1), Debiased: debiased}}
	if best.Center == effects.AutoCenter {
		best.Center = effects.BothCenters
	}
	best.effects = s.For(best.Center)
	if len(s.Lambdas) > 0 {
		best.Lambda = s.Lambdas[len(s.Lambdas)-1]
		return best, nil
	}
	rows, err := s.Rows(ctx, train, 1)
	if err == nil {
		best.Lambda, err = s.Top(ctx, rows)
	}
	return best, err
}

// validate fits one part of the entries and takes what predicts the other part best.
func (s *Search) validate(ctx context.Context, part evaluate.Part) (*choice, error) {
	best := &choice{Point: Point{RMSE: math.Inf(1)}}
	clip, err := lowrank.Range(ctx, part.Train, s.Clip, s.Threads)
	if err != nil {
		return nil, err
	}
	ranks := lowrank.Ranks(s.Rank, s.First, s.Last, s.Most)
	var trials []*trial
	for _, center := range s.Center.Candidates() {
		t := &trial{Search: s, part: part, clip: clip, center: center, best: best, last: &walk{}}
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

// trial is the validation of one way to centre.
type trial struct {
	*Search
	part    evaluate.Part
	clip    *result.Range
	center  effects.Center
	effects *effects.Model // of the part to fit on; nil: not centred
	of      effects.Settings
	source  data.Source   // what they leave of it
	rows    *lowrank.Rows // the same
	lambdas []float64
	last    *walk // along the λ of the rank before
	best    *choice

	least float64
	rank  int // the one with the least error
	found int // rank of the last solution, at the best rank, that the limit did not cut
	first int // λ at which the path of the best rank began
}

// prepare takes the effects away.
func (t *trial) prepare(ctx context.Context, largest int) (err error) {
	t.of = t.For(t.center)
	if t.center != effects.NoCenter {
		if t.of.RowShrinkage, t.of.ColumnShrinkage, err = effects.Choose(ctx, t.part, t.of); err != nil {
			return err
		}
	}
	if t.effects, t.source, err = effects.Remove(ctx, t.part.Train, t.center, t.of); err != nil || !t.OneRows {
		return err
	}
	return t.begin(ctx, largest)
}

// begin prepares the rows for a rank, and finds the λ to try.
func (t *trial) begin(ctx context.Context, rank int) (err error) {
	if t.rows, err = t.Rows(ctx, t.source, rank); err != nil || t.lambdas != nil {
		return err
	}
	if t.lambdas = t.Lambdas; t.lambdas == nil {
		top, err := t.Top(ctx, t.rows)
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
	if !t.OneRows {
		if err := t.begin(ctx, rank); err != nil {
			return 0, err
		}
	}
	first, start := max(t.last.at-1, 0), t.last.best
	if t.last.uncut != nil && t.last.cut < first {
		first, start = t.last.cut, t.last.uncut
	}
	now, err := t.path(ctx, rank, first, start, t.Tolerance)
	if err != nil {
		return 0, err
	}
	if now.least < t.least || t.least == 0 {
		t.least, t.rank, t.found, t.first = now.least, rank, 0, first
		if now.uncut != nil {
			t.found = now.uncut.Found()
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
	best  Factors
	uncut Factors // the last solution of a rank below the limit; nil: none
	cut   int     // the λ after it
}

// path tries the λ for one rank, from the given one and its start on.
func (t *trial) path(ctx context.Context, rank, first int, start Factors, tolerance float64) (*walk, error) {
	solve := t.Solver(t.rows, rank)
	out, worse := &walk{least: math.Inf(1)}, 0
	for at := first; at < len(t.lambdas); at++ {
		lambda := t.lambdas[at]
		trying := progress.Start(ctx, fmt.Sprintf("Trying rank %d, penalty %.3g", rank, lambda), 0, "")
		f, err := solve(ctx, lambda, start, tolerance)
		trying.Done()
		if err != nil {
			return nil, err
		}
		start = f
		if f.Found() < rank {
			out.uncut, out.cut = f, at+1
		}
		better := false
		for _, debiased := range t.Variants {
			scored := f
			if debiased {
				if scored, err = t.Debias(ctx, t.rows, f); err != nil {
					return nil, err
				}
			}
			on, err := evaluate.Score(ctx, t.part.Held, t.Predictor(scored, t.effects, t.clip), t.Threads)
			if err != nil {
				return nil, err
			}
			p := Point{Center: t.center, Rank: rank, Found: f.Found(), Lambda: lambda, Debiased: debiased, RMSE: on.RMSE}
			t.best.points = append(t.best.points, p)
			if t.OnPoint != nil {
				t.OnPoint(p)
			}
			if p.RMSE < out.least {
				out.least, out.at, out.best, better = p.RMSE, at, f, true
			}
			if p.RMSE < t.best.RMSE {
				t.best.Point, t.best.effects, t.best.start = p, t.of, f
			}
		}
		if worse++; better {
			worse = 0
		}
		if worse >= patience && t.Lambdas == nil && f.Found() > 0 {
			break
		}
	}
	return out, nil
}
