package formulation

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/evaluate"
	"optcomplete/internal/progress"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/model/diagnose"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// Problem is what is to be completed.
type Problem struct {
	Ratings  *data.Ratings  // the observed entries
	Features *data.Features // the features of the columns; the same columns in the same order
	// Encoding tells how the features were made from a raw table, and which of
	// them are selected together; nil: each feature by itself, as given.
	Encoding *encode.Encoding
	// Times has when entries were made, in seconds since 1970, in the place of their
	// values, for splits by time; nil: not known. See ingest.Times.
	Times *data.Ratings
	// Nouns is what people call rows, columns and entries; nil: that.
	Nouns *result.Nouns
}

// Close lets go of the file that the entries are read from, if they are.
func (p *Problem) Close() error {
	if p.Ratings == nil {
		return nil
	}
	return p.Ratings.Close()
}

// weighted tells whether the entries have weights.
func (p *Problem) weighted() bool { return p.Ratings != nil && data.IsWeighted(p.Ratings.Source()) }

// Settings say how to fit. All but K may be left at zero.
type Settings struct {
	K     int       // how many features (or groups) to select, 1..p; 0 for a baseline
	Model spec.Kind // zero: full
	spec.Choice
	spec.Limits
	spec.Statistics

	ResidualRank int  // of the unnamed part of the remainder, at most; zero: no remainder, AutoRank: as many as the entries support
	NoClip       bool // predictions may leave the range of the training values (they always may in paper)

	// Loss is what is minimised, in the model full; zero: squared errors. loss.Auto
	// chooses: see SuitableLoss.
	Loss  loss.Loss
	Delta float64 // of Huber's loss: errors beyond it count by their size; zero: 1.345 robust deviations
	// Nonnegative names features whose coefficients must not be negative, in the model
	// full; "all" alone: of every feature.
	Nonnegative []string

	Method Method // how to select, with the settings of its own; nil: Certified{}

	// Start names a selection to try first, such as that of another model.
	Start []string

	// Checkpoint is a folder that keeps what was computed, so that a run that was
	// killed continues from there; empty: none. See package checkpoint.
	Checkpoint string

	// Proof, if set, gets what proves the bound, line by line, for Verify to check;
	// see package proof. The methods that prove nothing by themselves refuse it.
	Proof io.Writer

	// Folder is where the model will be saved. If the coefficients of all rows
	// would take much memory, they are then streamed to a file beside it, which
	// Save moves there; on a cluster its executors write them to several files. The
	// model must be closed. Empty: they are kept in memory.
	// With a remainder they always are: fitting it asks for them over and over.
	Folder string

	OnEvent func(search.Event) // called for everything the search does; may be nil

	// OnUnits is called with what was learned of how much rows differ on each feature; may
	// be nil.
	OnUnits func(*result.Units)

	// OnDivided is called before the search with how the time limit is divided; may be nil.
	OnDivided func(selection.Division)

	// OnOutlook is called, if the search does not end soon, with how far away its
	// proof is; may be nil.
	OnOutlook func(result.Outlook)
}

// largest is the largest number that may occur in the data: its square, summed
// over any number of entries and multiplied by any sensible γ, stays finite.
const largest = 1e100

// Fit selects settings.K features, proves how good the selection is, and fits
// the coefficients of every row.
//
// A limit or a cancelled context is not an error: the model then has the best
// selection found, a true bound, and a status that says so. Where the context is
// cancelled before the search has a selection, at least the greedy one, there is
// no model, and the context's error is returned. The method OptComplete proves
// nothing and has no bound unless it is asked to certify.
func Fit(ctx context.Context, problem Problem, settings Settings) (fitted *model.Model, err error) {
	ctx, readings := pass.WithCounts(ctx)
	if method, is := settings.Method.(baseline); is {
		fitted, err = fitBaseline(ctx, problem, method, settings)
	} else {
		fitted, err = fitSelected(ctx, problem, settings)
	}
	if err != nil {
		return nil, err
	}
	fitted.Summary.Readings = readings.Of()
	return fitted, nil
}

// fitting is one fit: its steps, and what each leaves for those after it.
type fitting struct {
	*formulation
	problem     Problem
	train, held data.Source                 // held is nil if nothing is held out
	check       func(context.Context) error // what is to be read with the first evaluation

	cost    *cost             // as its method searches it
	c       selection.Learned // with what is predicted beside the selection
	summary model.Summary
	ahead   *outlook // nil: the method proves nothing
	parts   *estimate.Parts
}

// fitSelected is Fit by a method that selects.
func fitSelected(ctx context.Context, problem Problem, settings Settings) (*model.Model, error) {
	start := time.Now()
	t, err := newFormulation(ctx, problem, &settings)
	if err != nil {
		return nil, err
	}
	if err := t.standardise(ctx, &problem); err != nil {
		return nil, err
	}
	if t.ResidualRank != 0 && !t.linked() { // a remainder is fitted with a learned prior
		t.refit = spec.LearnedPrior
	}
	f := &fitting{formulation: t, problem: problem}
	when, err := f.divide(ctx)
	if err != nil {
		return nil, err
	}
	run := &selection.Run{
		K: t.K, Start: len(t.find.Start) > 0, Limits: t.Limits, Began: start, Watch: selection.Watch{OnEvent: t.OnEvent, OnDivided: t.OnDivided},
		Reserve: f.reserve, Search: f.search, Complete: f.complete,
	}
	if t.OnUnits != nil {
		run.OnLearned = func(c selection.Learned) { t.OnUnits(t.describeUnits(c, problem.Encoding)) }
	}
	if err := run.Open(t.Checkpoint, func() (string, error) { return fingerprint(ctx, problem, t.Settings) }); err != nil {
		return nil, err
	}
	defer run.Close()
	t.clock, t.memory = run.Clock, run.Memory
	found, err := selection.Fit[data.Source](ctx, f, f.train, run)
	if err != nil {
		return nil, err
	}
	f.summary.Split = when
	fitted, err := f.finish(ctx, found)
	if err != nil {
		closeRows(f.parts)
	}
	return fitted, err
}

// Cost is the cost of k units, which the other steps use too.
func (f *fitting) Cost(ctx context.Context, train data.Source, k int, c selection.Learned) (*selection.Cost, error) {
	values, c, err := f.values(ctx, train, c)
	if err != nil {
		return nil, err
	}
	f.cost, f.c = f.at(k).costOf(values, c), c
	return &f.cost.Cost, nil
}

// search lets the method search the cost, and write its proof. What is still to be read is
// read with the first evaluation.
func (f *fitting) search(ctx context.Context, _ *selection.Cost) (found search.Result, at time.Duration, err error) {
	f.summary = f.formulation.summary(f.problem, f.c)
	if _, proves := f.method.(Certified); proves {
		f.ahead = &outlook{formulation: f.formulation, from: f.cost, learned: f.c, near: inSight, tell: f.OnOutlook}
		before := f.cost.Find.OnEvent
		f.cost.Find.OnEvent = func(e search.Event) {
			before(e)
			f.ahead.event(ctx, e)
		}
	}
	proven, err := f.record(context.WithoutCancel(ctx), f.cost, f.Proof, f.train, &f.summary)
	if err != nil {
		return search.Result{}, 0, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	refused := pass.Together(ctx, func(ctx context.Context) error {
		found, at, err = f.method.search(ctx, f.formulation, f.cost, f.c, &f.summary)
		return nil
	}, func(ctx context.Context) error {
		err := f.check(context.WithoutCancel(ctx))
		if err != nil {
			stop()
		}
		return err
	})
	if err = cmp.Or(refused, err); err != nil {
		return found, at, err
	}
	f.cost.Unproven = !f.summary.Certified
	return found, at, proven(found)
}

// complete fits every row.
func (f *fitting) complete(ctx context.Context, found *selection.Found) (err error) {
	defer progress.Start(ctx, "Fitting every row", 0, "").Done()
	f.parts, err = f.allParts(ctx, f.problem.Ratings.RowIDs, f.train, found.Units, f.c)
	return err
}

// finish makes a model of what was found and fitted: with a remainder, scores, and what
// people want to look at.
func (f *fitting) finish(ctx context.Context, found *selection.Found) (*model.Model, error) {
	finish := context.WithoutCancel(ctx) // an interrupt ends the search, not the answer
	f.report(found)
	if ctx.Err() == nil { // an interrupt of the search leaves the rest alone
		f.enough = func() bool { return ctx.Err() != nil || f.clock.Over() }
	}
	if err := f.setRemainder(finish, f.train, f.cost, found.Selection, f.c, f.parts, f.problem.Encoding, &f.summary); err != nil {
		return nil, err
	}
	if f.Model.Effects().Rows && !f.NoClip {
		f.parts.ClipToValues()
	}
	members := f.members(found.Units)
	if f.problem.Encoding != nil {
		f.summary.Encoding = f.problem.Encoding.Select(members)
	}
	fitted, err := model.New(f.summary, f.problem.Ratings.With(f.train), f.problem.Features, members, f.parts)
	if err != nil {
		return nil, err
	}
	scoring := progress.Start(ctx, "Scoring the predictions", 0, "")
	looked, errors, err := score(finish, fitted, f.problem, f.train, f.held, f.Threads)
	scoring.Done()
	if err != nil {
		return nil, err
	}
	f.compare(ctx, fitted, found, looked, errors)
	if err := f.parts.Coefficients.Err(); err != nil {
		return nil, err
	}
	fitted.Summary.Seconds = found.Seconds()
	return fitted, fitted.Summary.Normalize()
}

// report puts into the summary what the search found, and what is wrong with the data.
func (f *fitting) report(found *selection.Found) {
	s := &f.summary
	s.Observed = f.train.Observed()
	found.Certificate.Units = s.Units // the search knows nothing of them
	s.Selected, s.Certificate, s.Removal, s.Trace = f.names(found.Units), found.Certificate, found.Removal, found.Trace
	members := f.members(found.Units)
	if s.Units != nil {
		for _, j := range members {
			s.Units.Features[j].Selected = true
		}
	}
	if s.Early() && f.ahead != nil {
		s.Outlook = f.ahead.known
	}
	if found.RemovalError != nil {
		s.WithoutDiagnostic("the cost of removing each feature is", found.RemovalError)
	}
	v := f.parts.Survey
	if v == nil {
		return
	}
	if v.Low == v.High && f.train.Observed() > 1 {
		others := "other values"
		switch v.Low {
		case 0:
			others = "entries that say yes, such as 1,"
		case 1:
			others = "entries that say no, such as 0,"
		}
		s.Warnings = append(s.Warnings, fmt.Sprintf("all values are %g: there is nothing to explain, and the proof says nothing about the features (%s are needed too)", v.Low, others))
	}
	s.Warnings = append(s.Warnings, f.problem.Features.Rare(members, v.Columns)...)
}

// compare adds what would be selected at other variances, simpler predictions and
// diagnostics: as far as there is time.
func (f *fitting) compare(ctx context.Context, fitted *model.Model, found *selection.Found, looked diagnose.Looked, errors *evaluate.Errors) {
	defer progress.Start(ctx, "Comparing with simpler predictions", 0, "").Done()
	describing, stop := f.clock.Before(context.WithoutCancel(ctx), 0)
	defer stop()
	s := &fitted.Summary
	if _, exact := f.method.(Certified); exact && s.Units != nil && s.Units.Learned && ctx.Err() == nil {
		var err error
		if s.Units.Others, err = f.otherFactors(describing, f.cost, found.Selection, f.c); err != nil {
			s.WithoutDiagnostic("the selections at other factors of gamma are", selection.Why(describing, err))
		}
	}
	if err := f.describe(describing, fitted, f.train, f.held, looked, errors); err != nil {
		s.WithoutDiagnostic("comparisons and diagnostics are", selection.Why(describing, err))
	}
	if f.held != nil && f.ResidualRank == 0 && ctx.Err() == nil {
		var err error
		if s.RemainderTrial, err = f.tryRemainder(describing, f.train, f.cost, found.Selection, f.c); err != nil {
			s.WithoutDiagnostic("what a remainder would gain is", selection.Why(describing, err))
		}
	}
}

// score fills in what the model is worth on the entries it was fitted on, and on
// those held out, whose errors it returns; nil if nothing was held out. It reads
// each of them once, and looks at their values too.
func score(ctx context.Context, fitted *model.Model, problem Problem, train, held data.Source, threads int) (looked diagnose.Looked, errors *evaluate.Errors, err error) {
	fitted.SetSeen(problem.Ratings.Source()) // held-out entries were seen too
	survey, err := pass.Survey(ctx, train, threads)
	if err != nil {
		return looked, nil, err
	}
	noisy := fitted.Link != nil && fitted.Link.Noisy()
	var noise *estimate.Noise // set at the end: other passes send the model meanwhile
	do := []func(ctx context.Context) error{func(ctx context.Context) error {
		measured, variance, err := diagnose.Variancing(ctx, fitted, train, threads)
		if err != nil {
			return err
		}
		passes := []pass.Pass{evaluate.Scoring(fitted.Predictor()), measured}
		if noisy {
			passes = append(passes, estimate.Noising(fitted.Predictor().Of, fitted.Summary.ColumnShrinkage))
		}
		parts, err := pass.Run(ctx, train, threads, passes...)
		if err != nil {
			return err
		}
		fitted.Summary.Train, fitted.Summary.Variance = evaluate.ScoreOf(parts[0]), variance(parts[1])
		if len(parts) > 2 {
			noise = estimate.NoiseOf(parts[2])
		}
		return nil
	}, func(ctx context.Context) (err error) {
		looked.Train, err = diagnose.ValuesOf(ctx, train, survey, threads)
		return err
	}}
	if held != nil {
		do = append(do, func(ctx context.Context) (err error) {
			if errors, err = evaluate.ScoreErrors(ctx, held, fitted.Predictor(), threads); err == nil {
				fitted.Summary.Holdout = &errors.Metrics
			}
			return err
		}, func(ctx context.Context) (err error) {
			looked.Held, err = diagnose.ValuesOf(ctx, held, survey, threads)
			return err
		})
	}
	err = pass.Together(ctx, do...)
	if noise != nil {
		fitted.Link.Noise = noise
	}
	return looked, errors, err
}
