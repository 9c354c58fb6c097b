package remainder

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/internal/parallel"
	"optcomplete/loss"
	"optcomplete/pass"
)

// Problem is what is to be fitted.
type Problem struct {
	Values data.Source // the observed entries
	Mean   float64     // μ, taken off every entry
	Design []float64   // what is known about each column: m×Known
	Known  int
	// CoFactors is how many of the known are its co-occurrence factors, the last ones.
	CoFactors int
	Levels    bool // columns have levels c_j
	Implicit  bool // the rows' means depend on which columns they have entries of
	// Loss is what the entries are fitted by; with another than squared errors, sums are on
	// its scale, and the entries are held in memory.
	Loss loss.Scaled
}

// Settings of a fit.
type Settings struct {
	Rank      int     // of the unnamed part, at most; negative: as many as entries held out support
	Steps     int     // at most; zero means 22
	Tolerance float64 // rise of the bound in a step, for each entry, at which to stop; zero means 2e-5
	Seed      uint64
	Threads   int // zero: all processors; the result does not depend on it
	// Start is where to begin. It is not changed.
	Start Start
	// Remember gives the answer to a question that was asked before, in a run that
	// was killed, or computes it; nil: everything is computed.
	Remember func(question string, compute func() ([]byte, error)) ([]byte, error)
	// OnStep is called after every step; may be nil.
	OnStep func(Step)
	// Enough, asked after every step, ends the fit with what it has learned; may be nil.
	Enough func() bool
}

// Start is a guess of what is learned.
type Start struct {
	Mean   []float64 // of the coefficients of the design; Known numbers
	Spread []float64 // their covariance, Known×Known
	Noise  float64
	Levels []float64 // of the columns; nil: zeros
}

// Step is one turn of rows and columns.
type Step struct {
	Number int
	Rank   int
	Noise  float64
	// Bounds are the evidence bound after each part of the step: rows, their
	// prior, columns, their prior, change of coordinates.
	Bounds []float64
}

// Fit is a fitted model, without its rows: those follow from the entries.
type Fit struct {
	Known, Rank int
	CoFactors   int // of the known, the last
	Levels      bool
	Mean        float64
	Prior       []float64 // m: Known+Rank numbers
	Spread      []float64 // Σ: (Known+Rank)²
	Noise       float64   // σ²
	// Columns has φ of every column: its level, if there are any, and its traits.
	Columns []float64
	// Error has the posterior covariance of φ of every column, as a packed
	// lower triangle.
	Error       []float64
	ColumnPrior []float64 // T, square
	Bound       float64   // the evidence bound
	Steps       int

	Design   []float64   // of the columns, m×Known; may be shared
	Loss     loss.Scaled // that rows are fitted by
	Implicit *Implicit   // nil: which columns a row has entries of tells nothing
}

const (
	defaultSteps     = 22
	defaultTolerance = 2e-5
	// least is the share of the noise below which the variance that a direction
	// carries, for a typical row and column, is nothing.
	least = 1e-3
	// warmSteps is how many steps are taken on some of the rows, with warmEntries entries
	// for each number of their covariance, and at least so many, if those are less than
	// half of all; then the design is given so many on all, and the model so many in all.
	warmSteps   = 12
	warmEntries = 20
	leastWarm   = 100_000
	warmDesign  = 2
	warmAll     = 6
	// designSteps is how many steps the design is given before traits are looked for.
	designSteps = 6
)

// Learn fits the model. A context that ends stops it with an error.
func Learn(ctx context.Context, p Problem, s Settings) (*Fit, error) {
	l, err := newLearner(ctx, p, s)
	if err != nil {
		return nil, err
	}
	steps, tolerance := s.Steps, s.Tolerance
	if steps == 0 {
		steps = defaultSteps
	}
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	l.begin(s)
	if p.Implicit && p.Known > 0 {
		if l.fit.Implicit, err = l.startImplicit(ctx); err != nil {
			return nil, err
		}
	}
	climb := Settings{Steps: steps, Tolerance: tolerance, OnStep: s.OnStep, Enough: s.Enough}
	first := designSteps
	warm, err := l.warm(ctx, s)
	if err != nil {
		return nil, err
	}
	if warm {
		first, steps = warmDesign, min(steps, warmAll)
		climb.Steps = steps
	}
	if s.Rank != 0 {
		// The design alone first, then traits for what it leaves, then all together.
		climb.Steps = min(first, steps)
		if err := l.climb(ctx, climb); err != nil {
			return nil, err
		}
		if !s.enough() {
			if err := l.addTraits(ctx, s); err != nil {
				return nil, err
			}
		}
		climb.Steps = max(steps-l.fit.Steps, 1)
		if s.enough() {
			climb.Steps = 0
		}
	}
	if err := l.climb(ctx, climb); err != nil {
		return nil, err
	}
	if !finite(floats.Sum(l.fit.Prior) + floats.Sum(l.fit.Spread) + floats.Sum(l.fit.Columns)) {
		return nil, ErrPrecision
	}
	l.fit.canonical()
	l.fit.Loss = p.Loss
	return l.fit, nil
}

func (s *Settings) enough() bool { return s.Enough != nil && s.Enough() }

// climb takes steps until the bound hardly rises.
func (l *learner) climb(ctx context.Context, s Settings) error {
	last := math.Inf(-1)
	for number := 1; number <= s.Steps; number++ {
		if l.raw != nil && number%againAfter == 1 {
			if err := l.respond(ctx); err != nil {
				return err
			}
			last, l.relaxed = math.Inf(-1), relaxed{}
		}
		step, err := l.step(ctx)
		if err != nil {
			return err
		}
		l.fit.Steps++
		step.Number = l.fit.Steps
		l.fit.Bound = step.Bounds[len(step.Bounds)-1]
		if s.OnStep != nil {
			s.OnStep(step)
		}
		if s.enough() {
			break
		}
		if rise := l.fit.Bound - last; rise <= s.Tolerance*l.entries {
			if l.raw == nil {
				break
			}
			number += againAfter - 1 - (number-1)%againAfter // go on with new responses
			continue
		}
		last = l.fit.Bound
		if l.drop() {
			last = math.Inf(-1) // a smaller model: the bound starts anew
			continue
		}
		if number < s.Steps {
			l.relax()
		}
	}
	return nil
}

// learner learns on one set of entries.
type learner struct {
	Problem
	threads int
	n, m    int
	entries float64
	rows    float64                  // with entries
	count   []int                    // entries of each column
	weight  func(column int) float64 // how much they count: their number, or their weight
	unit    float64                  // the mean weight of an entry
	by      loss.Scaled              // of raw
	fit     *Fit
	relaxed relaxed
	raw     *data.Matrix // the entries, where Values are their working responses; nil: they are not
	design  *pass.Shared[[]float64]
	ask     func(question string, compute func() ([]byte, error)) ([]byte, error)

	implicit   []float64 // ZᵀZ
	logColumns float64   // Σ log|Cov φ_j|, over columns with entries
	regress    []float64 // of the design: (ZᵀZ)⁻¹ over columns with entries
}

func newLearner(ctx context.Context, p Problem, s Settings) (*learner, error) {
	l := &learner{Problem: p, threads: parallel.Threads(s.Threads), ask: s.Remember, design: pass.Share(p.Design)}
	l.n, l.m = p.Values.Dims()
	if len(p.Design) != l.m*p.Known || len(s.Start.Mean) != p.Known || len(s.Start.Spread) != p.Known*p.Known {
		panic(fmt.Sprintf("remainder: %d numbers of a design of %d for %d columns", len(p.Design), p.Known, l.m))
	}
	if p.Loss != (loss.Scaled{}) {
		var err error
		if l.raw, err = pass.Collect(ctx, p.Values, l.threads, "remainder"); err != nil {
			return nil, err
		}
		l.Problem.Loss = loss.Scaled{}
		l.by = p.Loss
		if err := l.respondTo(ctx, func(_ int, c int32) float64 {
			if s.Start.Levels == nil {
				return p.Mean
			}
			return p.Mean + s.Start.Levels[c]
		}); err != nil {
			return nil, err
		}
	} else if err := l.survey(ctx); err != nil {
		return nil, err
	}
	for i := range l.n {
		if p.Values.Entries(i) > 0 {
			l.rows++
		}
	}
	return l, nil
}

// survey counts the entries.
func (l *learner) survey(ctx context.Context) error {
	survey, err := pass.Survey(ctx, l.Values, l.threads)
	if err == nil {
		l.count, l.entries, l.weight, l.unit = survey.Columns, float64(survey.Total), survey.Count, survey.Unit()
	}
	return err
}

// usual is the noise of an entry of the mean weight: what variances are measured in, so
// that a fit does not depend on what weights are measured in.
func (l *learner) usual() float64 { return l.fit.Noise / l.unit }

// levels is 1 if columns have levels, else 0.
func (f *Fit) levels() int {
	if f.Levels {
		return 1
	}
	return 0
}

// implicit is how many numbers z has.
func (f *Fit) implicit() int {
	if f.Implicit == nil {
		return 0
	}
	return len(f.Implicit.Center)
}

// own is the number of a column's own parameters, φ.
func (f *Fit) own() int { return f.levels() + f.Rank }

// size is the number of a row's parameters, θ.
func (f *Fit) size() int { return f.Known + f.Rank }
