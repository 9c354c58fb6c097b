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
	"optcomplete/internal/timelimit"
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

	ResidualRank int  // of the unnamed part of the remainder, at most; zero: no remainder, AutoRank: 10 at most. The evidence decides how many directions are kept
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
func Fit(ctx context.Context, problem Problem, settings Settings) (*model.Model, error) {
	ctx, readings := pass.WithCounts(ctx)
	if method, is := settings.Method.(baseline); is {
		if err := validate(ctx, problem, 0, &settings); err != nil {
			return nil, err
		}
		if err := checkEntries(ctx, problem, &settings); err != nil {
			return nil, err
		}
		fitted, err := fitBaseline(ctx, problem, method, settings)
		if err == nil {
			fitted.Summary.Readings = readings.Of()
		}
		return fitted, err
	}
	start := time.Now()
	t, err := uncheckedTask(ctx, problem, &settings)
	if err != nil {
		return nil, err
	}
	if err := t.standardise(ctx, &problem); err != nil {
		return nil, err
	}
	train, held, when, later, err := t.divide(ctx, problem)
	if err != nil {
		return nil, err
	}
	if settings.Checkpoint != "" {
		if t.memory, err = openCheckpoint(ctx, problem, &settings); err != nil {
			return nil, err
		}
		defer t.memory.Close()
	}
	t.clock = timelimit.New(settings.TimeLimit, cmp.Or(settings.Began, start))
	before := time.Since(start)
	f := &matrix{task: t}
	var summary model.Summary
	var parts *estimate.Parts
	var ahead *outlook // nil: the method proves nothing
	completing := progress.Task(progress.None{})
	found, err := selection.Fit[data.Source](ctx, f, train, selection.Run{
		K: settings.K, Start: len(t.find.Start) > 0, Clock: t.clock, Limit: settings.TimeLimit, Memory: t.memory,
		Reserve: func(ctx context.Context, _ *selection.Cost) (refit, extra time.Duration, err error) {
			return t.reserve(ctx, f.selector, train, f.c)
		},
		Search: func(ctx context.Context, cost *selection.Cost) (search.Result, time.Duration, error) {
			summary = t.summary(problem, f.c)
			if _, proves := t.method.(Certified); proves {
				ahead = &outlook{task: f.task, from: f.selector, choices: f.c, near: inSight, tell: settings.OnOutlook}
			}
			return f.search(ctx, cost, train, &summary, later)
		},
		Complete: func(ctx context.Context, found *selection.Found) (err error) {
			completing = progress.Start(ctx, "Fitting every row", 0, "")
			if settings.ResidualRank != 0 { // a remainder is fitted with a learned prior
				with := *t
				with.refit, summary.Refit = spec.LearnedPrior, spec.LearnedPrior
				t = &with
			}
			parts, err = t.allParts(ctx, problem.Ratings.RowIDs, train, found.Units, f.c)
			return err
		},
		OnEvent: func(e search.Event) {
			if settings.OnEvent != nil {
				settings.OnEvent(e)
			}
			if ahead != nil {
				ahead.event(ctx, e)
			}
		},
		OnDivided: settings.OnDivided, OnLearned: func(c choices) {
			if settings.OnUnits != nil {
				settings.OnUnits(t.describeUnits(c, problem.Encoding))
			}
		},
	})
	defer func() { completing.Done() }()
	if err != nil {
		return nil, err
	}
	finish := context.WithoutCancel(ctx) // an interrupt ends the search, not the answer
	summary.Split, summary.Observed = when, train.Observed()
	units := summary.Units
	summary.Selected, summary.Certificate, summary.Removal, summary.Trace = t.names(found.Units), found.Certificate, found.Removal, found.Trace
	if summary.Units = units; units != nil {
		for _, f := range t.members(found.Units) {
			summary.Units.Features[f].Selected = true
		}
	}
	if summary.Early() && ahead != nil {
		summary.Outlook = ahead.known
	}
	if found.RemovalError != nil {
		summary.WithoutDiagnostic("the cost of removing each feature is", found.RemovalError)
	}
	if v := parts.Survey; v != nil && v.Low == v.High && train.Observed() > 1 {
		others := "other values"
		switch v.Low {
		case 0:
			others = "entries that say yes, such as 1,"
		case 1:
			others = "entries that say no, such as 0,"
		}
		summary.Warnings = append(summary.Warnings, fmt.Sprintf("all values are %g: there is nothing to explain, and the proof says nothing about the features (%s are needed too)", v.Low, others))
	}
	if v := parts.Survey; v != nil {
		summary.Warnings = append(summary.Warnings, problem.Features.Rare(t.members(found.Units), v.Columns)...)
	}
	done := false
	defer func() {
		if !done {
			closeRows(parts)
		}
	}()
	if ctx.Err() == nil { // an interrupt of the search leaves the rest alone
		t.enough = func() bool { return ctx.Err() != nil || t.clock.Over() }
	}
	completing.Done()
	if err := t.setRemainder(finish, train, f.selector, found.Selection, f.c, parts, problem.Encoding, &summary); err != nil {
		return nil, err
	}
	if t.Model.Effects().Rows && !t.NoClip {
		parts.ClipToValues()
	}
	completing = progress.Start(ctx, "Scoring the predictions", 0, "")
	members := t.members(found.Units)
	if problem.Encoding != nil {
		summary.Encoding = problem.Encoding.Select(members)
	}
	fitted, err := model.New(summary, problem.Ratings.With(train),
		problem.Features, members, parts)
	if err != nil {
		return nil, err
	}
	looked, errors, err := score(finish, fitted, problem, train, held, settings.Threads)
	if err != nil {
		return nil, err
	}
	completing.Done()
	defer progress.Start(ctx, "Comparing with simpler predictions", 0, "").Done()
	describing, stop := t.clock.Before(finish, 0)
	if u := fitted.Summary.Units; u != nil && u.Learned && ctx.Err() == nil {
		if _, exact := t.method.(Certified); exact {
			if u.Others, err = t.otherFactors(describing, f.selector, found.Selection, f.c); err != nil {
				fitted.Summary.WithoutDiagnostic("the selections at other factors of gamma are", timelimit.Why(describing, err))
			}
		}
	}
	if err := t.describe(describing, fitted, train, held, looked, errors); err != nil {
		fitted.Summary.WithoutDiagnostic("comparisons and diagnostics are", timelimit.Why(describing, err))
	}
	stop()
	if err := parts.Coefficients.Err(); err != nil {
		return nil, err
	}
	selected, total := before+found.Prepared+found.At, time.Since(start)
	searched := before + found.Searched
	fitted.Summary.Seconds = result.Seconds{
		Choose: (before + found.Chosen).Seconds(), Select: selected.Seconds(), Certify: (searched - selected).Seconds(),
		Complete: (total - searched).Seconds(), Total: total.Seconds(),
	}
	if err := fitted.Summary.Normalize(); err != nil {
		return nil, err
	}
	fitted.Summary.Readings = readings.Of()
	done = true
	return fitted, nil
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
