package twosided

import (
	"context"
	"io"
	"slices"
	"time"

	"optcomplete/checkpoint"
	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/lists"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// Settings say how to fit. All but K may be left at zero. Of the statistics, a
// two-sided model has no use for γ₀ and the shrinkage of effects: giving one is an
// error.
type Settings struct {
	K int // how many products to select, 1..p₁p₂
	spec.Choice
	spec.Limits
	spec.Statistics // Refit: least squares (the default), or ridge: the L of the cost, with γ

	// Loss is what is minimised; zero: squared errors. For others, entries × products may be
	// mostExpanded. Auto: logistic, if all values are 0 or 1.
	Loss  loss.Loss
	Delta float64 // of Huber's loss; zero: 1.345 robust deviations of what effects leave

	// Effects says what a prediction has besides products: shrunken effects of rows and
	// columns, or nothing, which is the paper's form.
	Effects Effects

	Constants bool     // add the constant feature "1" to either side; only without effects
	Heredity  Heredity // what a product may only be selected with; only without effects

	// HoldoutRows and HoldoutColumns are parts of the rows and of the columns, in [0,1),
	// of which no entry is fitted on: errors on them are those for new ones.
	HoldoutRows, HoldoutColumns float64

	// Proof is written a proof of the bound to, for Verify; nil: none is. Entries × products
	// may be mostExpanded, and there is no heredity.
	Proof io.Writer

	// Checkpoint is a folder that keeps what was computed, so that a run that was
	// killed continues from there; empty: none. See package checkpoint.
	Checkpoint string

	selection.Watch
}

// gammaPasses is the evaluations spent on one γ at most.
const gammaPasses = 60

// Fit selects settings.K products, proves how good the selection is, and fits
// their coefficients. A limit or a cancelled context is not an error: the model
// then has the best selection found, a true bound, and a status that says so.
func Fit(ctx context.Context, problem Problem, settings Settings) (*Model, error) {
	start := time.Now()
	ctx, readings := pass.WithCounts(ctx)
	if err := validate(&settings); err != nil {
		return nil, err
	}
	entries, err := pass.Collect(ctx, problem.Ratings.Source(), settings.Threads, "entries") // γ and the sums of products are computed from them in turn
	if err != nil {
		return nil, err
	}
	divided := divide(entries, settings)
	f, err := newFormulation(ctx, problem, divided.train, settings)
	if err != nil {
		return nil, err
	}
	train := part{divided.train, f.rows}
	run := &selection.Run{K: settings.K, Limits: settings.Limits, Watch: settings.Watch, Began: start}
	err = run.Open(settings.Checkpoint, func() (string, error) {
		of, err := checkpoint.Entries(ctx, settings.Threads, data.NewRatings(entries, problem.Ratings.RowIDs, problem.Ratings.ColumnIDs), nil)
		return checkpoint.Fingerprint(of, problem, settings), err
	})
	if err != nil {
		return nil, err
	}
	defer run.Close()
	f.clock = run.Clock
	proven := f.record(train, run)
	found, err := selection.Fit(ctx, f, train, run)
	if err != nil {
		return nil, err
	}
	if err := proven(found); err != nil {
		return nil, err
	}
	c := found.Learned
	finish := context.WithoutCancel(ctx) // an interrupt ends the search, not the answer
	fitted := &Model{Summary: f.summary(found, c)}
	if err := fitted.complete(finish, f, found, c, train, divided); err != nil {
		return nil, err
	}
	fitted.Summary.ColumnEncoding = usedOf(problem.ColumnEncoding, fitted.Columns)
	fitted.Summary.RowEncoding = usedOf(problem.RowEncoding, fitted.Rows)
	fitted.entries = entriesOf(fitted.Rows, problem.Ratings.RowIDs, entries, train.entries)
	fitted.Summary.Seconds = found.Seconds()
	fitted.Summary.Readings = readings.Of()
	return fitted, fitted.Summary.Normalize()
}

// Path selects 1, 2, … path.KMax products, at one γ, and validates each number; see
// selection.Path. K and Holdout are not used.
func Path(ctx context.Context, problem Problem, settings Settings, path selection.PathSettings) (*selection.PathResult, error) {
	ctx, readings := pass.WithCounts(ctx)
	settings.K, settings.Holdout, settings.HoldoutRows, settings.HoldoutColumns = path.KMax, 0, 0, 0
	if err := validate(&settings); err != nil {
		return nil, err
	}
	entries, err := pass.Collect(ctx, problem.Ratings.Source(), settings.Threads, "entries")
	if err != nil {
		return nil, err
	}
	f, err := newFormulation(ctx, problem, entries, settings)
	if err != nil {
		return nil, err
	}
	path.Limits, path.Watch = settings.Limits, settings.Watch
	r, err := selection.Path(ctx, f, part{entries, f.rows}, path)
	if err != nil {
		return nil, err
	}
	r.Model, r.Weighted, r.Readings = Kind, entries.Weighted(), readings.Of()
	if f.by.Loss != loss.Squared {
		r.Measure = f.by.Loss.Measure()
	}
	return r, nil
}

// summary is what is known once the search is over.
func (f *formulation) summary(found *selection.Found, c selection.Learned) Summary {
	settings := f.settings
	s := Summary{Summary: model.Summary{
		Method: "certified", Model: Kind, Refit: settings.Refit, K: len(found.Units), Selected: lists.Pick(f.all, found.Units),
		Gamma: c.Gamma, Seed: settings.Seed, Choice: settings.Choice, Version: spec.Version,
		Features: len(f.all), Certificate: found.Certificate, Removal: found.Removal, Trace: found.Trace,
	}, RowFeatures: len(f.known.Names), ColumnFeatures: len(f.columns.Names), Effects: settings.Effects.String(), Constants: settings.Constants, Heredity: settings.Heredity.String(),
		ConstantRowFeatures: f.ofRows.constant, ConstantColumnFeatures: f.ofColumns.constant}
	s.Nouns, s.Loss, s.Delta = f.nouns, f.by.Loss, f.by.Unit
	s.Settings = settings.recorded()
	if s.GammaPath = c.GammaPath; settings.Effects == NoEffects {
		s.Alike = result.AlikeOf(c.GammaPath, s.Selected)
	}
	if found.RemovalError != nil {
		s.WithoutDiagnostic("the cost of removing each product is", found.RemovalError)
	}
	return s
}

// complete makes a model of what the search found: coefficients and scores.
func (m *Model) complete(ctx context.Context, f *formulation, found *selection.Found, c selection.Learned, train part, divided division) error {
	p, err := f.prepare(ctx, train)
	if err != nil {
		return err
	}
	fit, err := f.fit(ctx, p, train, c.Gamma, f.settings.Refit, found.Units, true)
	if err != nil {
		return err
	}
	summary := &m.Summary
	summary.Observed = train.entries.Observed()
	summary.Rows, summary.Columns = train.entries.Dims()
	if summary.Weighted = train.entries.Weighted(); summary.Weighted {
		survey, err := pass.Survey(ctx, train.entries, f.settings.Threads)
		if err != nil {
			return err
		}
		summary.Weight = survey.Counts()
	}
	if summary.Products, err = f.describe(ctx, f.members(found.Units), fit.u, p.products); err != nil {
		return err
	}
	m.take(f.sides, f.members(found.Units), fit)
	predict := f.predictor(f.rows, found.Units, fit)
	if summary.Train, err = evaluate.Score(ctx, train.entries, predict, f.settings.Threads); err != nil {
		return err
	}
	return f.compare(ctx, summary, predict, train, divided, c.Against)
}

// search turns the settings into those of the search.
func (s *sides) search(settings Settings) (search.Settings, error) {
	if p := s.count(); settings.K > p {
		return search.Settings{}, spec.Errorf("k is %d, but there are only %d products", settings.K, p)
	}
	find, err := selection.Find(settings.K, settings.Choice, settings.Limits, s.indices)
	if err != nil {
		return find, err
	}
	rows, err := s.ofRows.never(s.rowEncoding)
	if err != nil {
		return find, err
	}
	columns, err := s.ofColumns.never(s.columnEncoding)
	if err != nil {
		return find, err
	}
	find.Never = slices.Concat(find.Never, s.cross(rows, upto(len(s.ofColumns.units))), s.cross(upto(len(s.ofRows.units)), columns))
	find.Never = lists.Distinct(find.Never)
	for _, u := range find.Always {
		if slices.Contains(find.Never, u) {
			return find, spec.Errorf("%q is both always and never to be selected", s.unitName(u))
		}
	}
	find.Requires, err = s.requirements(settings.Heredity)
	return find, err
}

func validate(s *Settings) error {
	if s.K < 1 {
		return spec.Errorf("k is %d, but at least one product must be selected", s.K)
	}
	for _, part := range []float64{s.HoldoutRows, s.HoldoutColumns} {
		if !(part >= 0 && part < 1) {
			return spec.Errorf("the part of the rows or columns to hold out is %v, but must be at least 0 and below 1", part)
		}
	}
	linked := s.Loss != loss.Squared
	switch {
	case s.Refit == spec.AutoRefit && linked && s.Effects == NoEffects:
		s.Refit = spec.Ridge
	case s.Refit == spec.AutoRefit && s.Loss.Linked():
		s.Refit = spec.LearnedPrior
	case s.Refit == spec.AutoRefit:
		s.Refit = spec.LeastSquares
	case s.Refit == spec.LeastSquares && linked:
		return &spec.Error{Setting: "refit", Problem: "is least squares, which is for squared errors: use ridge, or leave it out"}
	case s.Refit == spec.LearnedPrior:
		return spec.Errorf("a two-sided model has one coefficient for all rows, so no prior can be learned: the refit must be ls or ridge")
	}
	if err := s.Limits.Validate(); err != nil {
		return err
	}
	if err := s.Statistics.Validate(); err != nil {
		return err
	}
	if s.Proof != nil && s.Heredity != NoHeredity {
		return &spec.Error{Setting: "proof", Problem: "does not apply to a search with heredity, which rules selections out without a cut (leave it out)"}
	}
	return spec.Refuse("certified", Kind, linked, s.Choice, s.Limits, s.Statistics, spec.Given{Name: "loss", Is: linked}, spec.Given{Name: "proof", Is: s.Proof != nil})
}
