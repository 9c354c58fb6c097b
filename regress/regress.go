package regress

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"optcomplete/checkpoint"
	"optcomplete/data"
	"optcomplete/loss"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// Problem is a table: what is known about each row and what is to be explained.
type Problem struct {
	Names  []string  // p features, distinct
	Fields []string  // what each is a feature of; nil: it is not known
	X      []float64 // n×p, row by row
	Y      []float64 // n

	Weights []float64 // of the rows, positive: how much the loss of each counts; nil: 1
}

// Settings say how to fit. All but K may be left at zero. γ is that of columns with
// Σx² = n, where a row counts by its weight. Of the statistics, the table has no use for
// γ₀ and the shrinkage of effects: giving one is an error. A hold-out is one of rows.
type Settings struct {
	K int // how many features to select, 1..p
	spec.Choice
	spec.Limits
	spec.Statistics // Refit: least squares (the default), or ridge: the coefficients of the cost, with γ

	Loss        loss.Loss // what is minimised; zero: squared errors
	Delta       float64   // of the Huber loss: larger errors count by their size alone; zero: 1.345 robust standard deviations of the values
	Nonnegative []string  // features whose coefficients must not be negative

	NoIntercept bool // no intercept: the columns and the values are not centred
	Folds       int  // parts of the table to validate γ on in turn; zero means 5

	// Checkpoint is a folder that keeps what was computed, so that a run that was
	// killed continues from there; empty: none. See package checkpoint.
	Checkpoint string

	selection.Watch
}

// Kind is what model.json calls a regression.
const Kind = "regress"

// largest is the largest number that may occur in a table: its square, summed
// over any number of rows, stays finite.
const largest = 1e100

// Fit selects settings.K features and proves how good the selection is. A limit
// or a cancelled context is not an error: the result then has the best selection
// found, a true bound, and a status that says so.
func Fit(ctx context.Context, problem Problem, settings Settings) (*Result, error) {
	start := time.Now()
	if err := settings.Statistics.Validate(); err != nil {
		return nil, err
	}
	problem = problem.plain()
	train, held := problem.split(settings.Holdout, settings.Seed)
	f, err := newFormulation(train, &settings)
	if err != nil {
		return nil, err
	}
	run := &selection.Run{K: settings.K, Limits: settings.Limits, Watch: settings.Watch, Began: start}
	if err := run.Open(settings.Checkpoint, func() (string, error) { return checkpoint.Fingerprint("", f.problem, settings), nil }); err != nil {
		return nil, err
	}
	defer run.Close()
	f.clock = run.Clock
	found, err := selection.Fit(ctx, f, rows(nil), run)
	if err != nil {
		return nil, err
	}
	r, err := f.result(context.WithoutCancel(ctx), found.Units, found.Certificate, found.Learned)
	if err != nil {
		return nil, err
	}
	if len(held.Y) > 0 {
		if err := f.compare(context.WithoutCancel(ctx), r, held); err != nil {
			return nil, err
		}
	}
	r.Seconds, r.Removal, r.Trace = found.Seconds().Total, found.Removal, found.Trace
	return r, nil
}

// Path fits every k from 1 (or the number of features always selected) to
// path.KMax, each as Fit would with the same γ, which is chosen at half of it, and
// validates each; see selection.Path. K is not used.
func Path(ctx context.Context, problem Problem, settings Settings, path selection.PathSettings) (*PathResult, error) {
	settings.K, problem = path.KMax, problem.plain()
	f, err := newFormulation(problem, &settings)
	if err != nil {
		return nil, err
	}
	n := len(problem.Y)
	if n < 2 {
		return nil, spec.Errorf("the table has one row: nothing is left to validate on")
	}
	path.Folds = min(cmp.Or(path.Folds, settings.Folds, 5), n)
	path.Limits, path.Watch = settings.Limits, settings.Watch
	start := time.Now()
	out := &PathResult{}
	path.OnFound = func(cost *selection.Cost, found search.Result, c selection.Learned) error {
		finish := context.WithoutCancel(ctx) // an interrupt ends the search, not the answer
		certificate, err := cost.Certificate(finish, &found, f.Names(), settings.Gap)
		if err != nil {
			return err
		}
		r, err := f.result(finish, cost.Selected(found.Selection), certificate, c)
		if err == nil {
			r.Seconds = time.Since(start).Seconds()
			out.Points = append(out.Points, &PathPoint{Result: r})
		}
		return err
	}
	if out.PathResult, err = selection.Path(ctx, f, rows(nil), path); err != nil {
		return nil, err
	}
	out.Model, out.Beside, out.Weighted = Kind, result.TheMean, problem.Weights != nil
	if settings.Loss != loss.Squared {
		out.Measure = settings.Loss.Measure()
	}
	for x, point := range out.PathResult.Points {
		out.Points[x].Moves, out.Points[x].Validated = point.Moves, point.Validated
	}
	return out, nil
}

func validate(problem Problem, s Settings) error {
	n, p := len(problem.Y), len(problem.Names)
	if len(problem.X) != n*p {
		panic(fmt.Sprintf("regress: %d numbers for %d rows × %d features", len(problem.X), n, p))
	}
	if n == 0 {
		return spec.Errorf("there are no rows")
	}
	if err := spec.ValidateK(s.K, p, "feature"); err != nil {
		return err
	}
	if err := s.Limits.Validate(); err != nil {
		return err
	}
	if err := s.Statistics.Validate(); err != nil {
		return err
	}
	if err := spec.Refuse("certified", Kind, false, s.Choice, s.Limits, s.Statistics); err != nil {
		return err
	}
	if s.Folds < 0 || s.Folds == 1 {
		return spec.Errorf("the number of folds is %d, but must be at least 2", s.Folds)
	}
	if s.Refit == spec.LeastSquares && !s.squares() {
		return &spec.Error{Setting: "refit", Problem: "is least squares, which is for squared errors without constraints: use ridge"}
	}
	if s.Loss.HasUnit() && !(s.Delta > 0) {
		return &spec.Error{Setting: "delta", Problem: "must be positive: more than half of the values are the same, so give it"}
	}
	for _, v := range problem.Y {
		if !s.Loss.Allows(v) {
			return &spec.Error{Setting: "loss", Problem: fmt.Sprintf("is %v, for %s, but a value to explain is %g", s.Loss, s.Loss.Values(), v)}
		}
	}
	for _, w := range problem.Weights {
		if !data.ValidWeight(w) {
			return spec.Errorf("a row has the weight %g: weights are numbers from %g to %g", w, data.LeastWeight, data.MostWeight)
		}
	}
	if _, err := selection.Indices(problem.Names, nil, s.Nonnegative, "nonnegative"); err != nil {
		return err
	}
	for at, v := range problem.X {
		if !(math.Abs(v) <= largest) {
			return spec.Errorf("feature %q has the value %g: too large to compute with (rescale it)", problem.Names[at%p], v)
		}
	}
	for _, v := range problem.Y {
		if !(math.Abs(v) <= largest) {
			return spec.Errorf("a row is to be explained as %g: too large to compute with (rescale the values)", v)
		}
	}
	return nil
}
