package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"optcomplete/formulation"
	"optcomplete/internal/settings"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/model/store"
	"optcomplete/spec"
)

// fitFlags are the flags of fit that become settings.
type fitFlags struct {
	model    string
	refit    string
	clip     string
	loss     string
	settings formulation.Settings
	method   methodFlags
	rank     rankFlag
}

func (f *fitFlags) resolve(cmd *cobra.Command, c *common) (formulation.Settings, error) {
	s := f.settings
	s.Threads, s.Seed = c.threads, c.seed
	kind, err := spec.ParseKind(f.model)
	if err != nil {
		return s, usagef("--model: %v", err)
	}
	s.Model = kind
	s.NoClip = f.clip == "none"
	if s.Loss = loss.Auto; f.loss != "auto" {
		if s.Loss, err = loss.Parse(f.loss); err != nil {
			return s, usagef("--loss: %v", err)
		}
	}
	s.NearTies = nearTies(s.NearTies)
	ownEnd(cmd, &s.Limits)
	if s.Refit, err = spec.ParseRefit(f.refit); err != nil {
		return s, usagef("--refit: %v", err)
	}
	if s.Method, err = f.method.resolve(f.rank); err != nil {
		return s, usagef("--method: %v", err)
	}
	if formulation.Baseline(s.Method) {
		s.NearTies, s.SearchTime = 0, 0
	} else {
		s.ResidualRank = int(f.rank)
	}
	return s, nil
}

// register adds the flags that every verb which fits takes.
func (f *fitFlags) register(flags *settings.Flags) {
	flags.BindFields(&f.settings)
	flags.Bind("model", &f.model)
	flags.Bind("refit", &f.refit)
	flags.Bind("clip", &f.clip)
	flags.Bind("loss", &f.loss)
}

func fitCommand(c *common) *cobra.Command {
	var (
		f      fitFlags
		in     inputFlags
		two    twoSidedFlags
		output string
		asJSON bool
		page   string
		names  string
		proven proofFile
		large  largeFlags
		remote engineFlags
		dry    bool
	)
	var live liveFlag
	cmd := verb("fit", func(cmd *cobra.Command, args []string) error {
		start := time.Now()
		settings, err := f.resolve(cmd, c)
		settings.Began = start
		if err != nil {
			return err
		}
		twoSided := two.asked()
		method, kind := kindOf(settings, twoSided)
		if err := checkApplies(cmd, method, kind); err != nil {
			return err
		}
		if settings.Delta > 0 && !settings.Loss.HasUnit() {
			return usagef("--delta is for --loss huber, not for %s", f.loss)
		}
		if settings.K == 0 && !formulation.Baseline(settings.Method) {
			return usagef("how many features? Give their number with -k")
		}
		if err := f.method.findSolver(cmd.Context(), settings.Method); err != nil {
			return err
		}
		if settings.Split, err = in.splitOf(cmd); err != nil {
			return err
		}
		if settings.Split == spec.TimeSplit && settings.Holdout == 0 {
			return usagef("--split time says which entries to hold out: add a share, such as --holdout 0.2")
		}
		if names != "" && page == "" {
			return usagef("--names shows names in the report, which was not asked for: add --report FILE")
		}
		if twoSided {
			return cmp.Or(two.fit(cmd, c, &in, args[0], settings, output, page, &proven, asJSON), live.open(output))
		}
		if err := large.resolve(&settings); err != nil {
			return err
		}
		settings.Folder = output
		if dry && remote.Engine == "" {
			return usagef("--dry-run estimates the time on a cluster: name one with --engine")
		}
		ended, err := remote.use(cmd, c)
		if err != nil {
			return err
		}
		defer ended()
		start = time.Now()
		in.stored, in.optional = true, formulation.Baseline(settings.Method) && !slices.Contains(usesAll, method)
		problem, warnings, err := in.load(cmd, c, args[0], settings.Model)
		if err != nil {
			return err
		}
		if dry {
			defer problem.Close()
			return dryRun(cmd, c, remote.spark, problem, settings, asJSON)
		}
		titles, err := readNames(c, names, problem.Ratings.ColumnIDs)
		if err != nil {
			return err
		}
		loaded := time.Since(start)
		log := newSearchLog(c)
		log.own = settings.SearchTime
		log.names = choiceNames(problem)
		if err := proven.open(&settings); err != nil { // whether a proof is asked for matters for the loss
			return err
		}
		defer proven.abort()
		suited, err := c.suit(cmd.Context(), problem, &settings, log)
		if err != nil {
			return err
		}
		log.begin(cmd, settings.K, choices(problem), suited...)
		settings.OnEvent, settings.OnUnits, settings.OnDivided, settings.OnOutlook = log.event, log.units, log.divided, log.outlook
		fitted, err := formulation.Fit(cmd.Context(), problem, settings)
		var files kept
		// The cuts are of use most where a solver has failed.
		cuts := f.method.cuts.save()
		if err != nil {
			return errors.Join(err, cuts)
		}
		defer fitted.Close()
		summary := &fitted.Summary
		if rows, ok := fitted.Coefficients.(*store.RowShards); ok {
			c.rowsWritten(rows, output)
		}
		for _, w := range summary.Warnings {
			if !slices.Contains(problem.Features.Warnings(), w) { // those were printed when they were read
				c.notef("warning: %s", w)
			}
		}
		summary.Warnings = append(summary.Warnings, warnings...)
		summary.Seconds.Load = loaded.Seconds()
		summary.Seconds.Total += loaded.Seconds()
		recordSettings(cmd, summary, args[0])
		if output == "" {
			files.add("Model", "not kept (give a folder with -o)", nil)
		} else {
			files.add("Model", output, store.Save(fitted, output))
		}
		files.add("Cuts", f.method.cuts.written(), cuts)
		files.add("Report", page, writeReport(page, args[0], output, titles, summary))
		files.add("Proof", proven.path, proven.commit())
		summary.Engine = remote.did()
		if asJSON {
			err = summary.WriteJSON(c.stdout)
		} else {
			printSummary(c, summary, files.words...)
		}
		return cmp.Or(files.failed, err, live.show(output, fitted), early(summary))
	})
	flags := flagsOf(cmd)
	live.wrap(cmd, c, flags)
	flags.Bind("output", &output)
	flags.Bind("report", &page)
	flags.Bind("names", &names)
	flags.Bind("proof", &proven.path)
	flags.Bind("json", &asJSON)
	f.register(flags)
	f.method.register(flags)
	flags.Bind("residual-rank", &f.rank)
	flags.BindFields(&large)
	flags.BindFields(&remote)
	flags.Bind("dry-run", &dry)
	in.register(flags)
	two.register(flags)
	flags.Bind("holdout-rows", &two.holdoutRows)
	flags.Bind("holdout-columns", &two.holdoutColumns)
	return cmd
}

// suit chooses the loss, where that is left to the values, and says so; of values that
// are all 0 or 1 also for the settings of the log.
func (c *common) suit(ctx context.Context, problem formulation.Problem, s *formulation.Settings, log *searchLog) (said []string, err error) {
	suitable, err := formulation.SuitableLoss(ctx, problem, *s)
	if err == nil && s.Loss == loss.Auto {
		why := ""
		switch why, err = formulation.WhySquares(ctx, problem, *s); {
		case suitable != loss.Squared:
			c.notef("note: all values are 0 or 1: their log-odds are explained, by --loss %v (--loss squared explains the numbers 0 and 1)", suitable)
			said = []string{"loss " + suitable.String()}
		case why != "":
			c.notef("note: all values are 0 or 1: they are fitted by squared errors, as numbers, because --%s needs them", why)
			said = []string{"loss " + suitable.String()}
		}
	}
	s.Loss, log.measure = suitable, suitable.Measure()
	return said, err
}

// nearTies is the setting of a number of near-ties, where 0 means some.
func nearTies(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// early is the error for a summary whose search was stopped.
func early(summary *model.Summary) error {
	if summary.Early() && !summary.Status.ByItself() {
		return &earlyStop{summary.Status}
	}
	return nil
}
