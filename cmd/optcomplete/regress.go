package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/internal/rounding"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/regress"
	"optcomplete/regress/saved"
	"optcomplete/result"
	"optcomplete/selection"
	"optcomplete/spec"
)

func regressCommand(c *common) *cobra.Command {
	var (
		settings  regress.Settings
		options   data.RowsOptions
		target    string
		output    string
		page      string
		cells     encodeFlags
		refit     string
		path      bool
		asJSON    bool
		resamples int
		measured  string // the loss
		weight    string
	)
	var live liveFlag
	cmd := verb("regress", func(cmd *cobra.Command, args []string) error {
		if target == "" {
			return usagef("what is to be explained? Name its column with --target")
		}
		if settings.K == 0 {
			return usagef("how many features? Give their number with -k")
		}
		var err error
		if settings.Refit, err = spec.ParseRefit(refit); err != nil {
			return usagef("--refit: %v", err)
		}
		settings.Began = time.Now()
		if path && (output != "" || page != "") {
			return usagef("--path fits a model of every size and saves none: leave out --path, or --output and --report")
		}
		switch {
		case path && settings.Holdout > 0:
			return usagef("--path validates every size by folds: leave out --holdout")
		case path && settings.Checkpoint != "":
			return usagef("--checkpoint is for one fit: leave out --path")
		case !path && settings.Gamma > 0 && cmd.Flags().Changed("folds"):
			return usagef("--folds divides the rows to choose gamma, or to validate a --path, and gamma is given: leave out --folds or --gamma")
		case !path && resamples > 0:
			return usagef("--bootstrap looks at one size of a path: add --path")
		}
		options.Context = cmd.Context()
		understand, err := cells.options(cmd)
		if err != nil {
			return err
		}
		table, err := readTable(cmd.Context(), args[0], target, weight, options, understand, cells.given(cmd))
		if err != nil {
			return err
		}
		problem := table.problem
		if settings.Loss, err = table.loss(measured); err != nil {
			return err
		}
		if measured == "auto" && settings.Loss != loss.Squared {
			c.notef("note: all values of %s are yes or no: their log-odds are explained (--loss squared explains the numbers 0 and 1)", target)
		}
		if settings.Delta > 0 && !settings.Loss.HasUnit() {
			return usagef("--delta is for --loss huber, not for %v", settings.Loss)
		}
		c.warn("", table.warnings)
		c.factf("Data", "%s with %s", count(len(problem.Y), "row"), count(len(problem.Names), "feature"))
		if err := table.resolve(&settings.Choice); err != nil {
			return err
		}
		if err := table.nonnegative(&settings.Nonnegative); err != nil {
			return err
		}
		settings.Threads, settings.Seed, settings.NearTies = c.threads, c.seed, nearTies(settings.NearTies)
		ownEnd(cmd, &settings.Limits)
		log := newSearchLog(c)
		log.measure, log.names, log.own = settings.Loss.Measure(), problem.Names, settings.SearchTime
		log.begin(cmd, settings.K, len(problem.Names))
		settings.OnEvent, settings.OnGamma, settings.OnChosen, settings.OnDivided = log.event, log.gamma, log.chosen, log.divided
		if path {
			return regressPath(cmd.Context(), c, problem, settings, resamples, asJSON)
		}
		result, err := regress.Fit(cmd.Context(), problem, settings)
		if err != nil {
			return err
		}
		var files kept
		m := saved.New(target, result, table.encoding)
		m.Choice, m.Warnings = settings.Choice, table.warnings
		if worse := result.Warning(); worse != "" {
			c.warn("", []string{worse})
			m.Warnings = append([]string{worse}, m.Warnings...)
		}
		m.Seed, m.Version, m.Settings = c.seed, spec.Version, map[string]string{"table": args[0]}
		recordFlags(cmd, m.Settings)
		if output != "" {
			files.add("Model", output, m.Save(output))
			if err := live.open(output); err != nil {
				return err
			}
		}
		files.add("Report", page, writeReport(page, args[0], output, nil, m))
		if asJSON {
			err = writeJSON(c.stdout, result)
		} else {
			printRegression(c, result, target, settings.Choice)
			printWritten(c.stdout, files.words...)
		}
		if err == nil && result.Early() && !result.Status.ByItself() {
			err = &earlyStop{result.Status}
		}
		return cmp.Or(files.failed, err)
	})
	flags := flagsOf(cmd)
	live.wrap(cmd, c, flags)
	flags.Bind("target", &target)
	flags.Bind("path", &path)
	flags.Bind("json", &asJSON)
	flags.Bind("output", &output)
	flags.Bind("report", &page)
	flags.Bind("refit", &refit)
	flags.Bind("loss", &measured)
	flags.Bind("weight", &weight)
	flags.BindFields(&settings)
	flags.BindFields(&options)
	flags.BindFields(&cells)
	flags.Bind("bootstrap", &resamples)
	return cmd
}

func regressPath(ctx context.Context, c *common, problem regress.Problem, settings regress.Settings, resamples int, asJSON bool) error {
	var watched selection.PathSettings
	watched.KMax, settings.OnEvent = settings.K, nil // a line for each k is enough
	watched.Bootstrap = resamples
	watch(c, &watched)
	path, err := regress.Path(ctx, problem, settings, watched)
	if err != nil {
		return err
	}
	if worse := path.Warning(); worse != "" {
		c.warn("", []string{worse})
	}
	if asJSON {
		err = writeJSON(c.stdout, path)
	} else {
		fmt.Fprintf(c.stdout, "%4s %13s %9s %9s %9s %26s  %s\n", "k", "cost", "gap", "RMSE", "R2", "validation "+cmp.Or(path.Measure, "RMSE")+" ± se", "selected")
		for _, r := range path.Points {
			validation, mark := "-", ""
			if path.Folds > 0 {
				validation = fmt.Sprintf("%.5g ± %.3g", r.Validation, r.Error)
			}
			if r.K == path.Chosen {
				mark += "  ← one standard error"
			}
			if r.K == path.Best {
				mark += "  ← least error"
			}
			fmt.Fprintf(c.stdout, "%4d %13.7g %9s %9.5g %9.4f %26s  %s%s\n", r.K, r.Cost, rounding.PercentUp(r.Gap), r.RMSE, r.RSquared, validation, strings.Join(r.Selected, ", "), mark)
		}
		printEnds(c.stdout, path.AtEnd(len(problem.Names)), path.Needless(), "k")
		printPathGamma(c.stdout, path.Gamma, path.ChosenAt, "regress", fmt.Sprintf("--gamma %g makes it the same", path.Gamma))
		for _, r := range path.Points {
			if r.K == path.Chosen {
				printChoice(c.stdout, r.K, r.Selected)
			}
		}
		if problem.Weights != nil {
			fmt.Fprintln(c.stdout, "The errors are weighted by the weights of the rows.")
		}
	}
	if err != nil {
		return err
	}
	if path.Stability != nil && !asJSON {
		printFrequencies(c.stdout, path.Stability)
	}
	if path.Interrupted {
		return &earlyStop{result.Interrupted}
	}
	if path.TimeLimit {
		return &earlyStop{result.TimeLimit}
	}
	for _, r := range path.Points {
		if r.Early() && !r.Status.ByItself() {
			return &earlyStop{r.Status}
		}
	}
	return nil
}

// printRegression prints a fitted regression for people.
func printRegression(c *common, r *regress.Result, target string, choice spec.Choice) {
	w := c.stdout
	fmt.Fprintf(w, "Selected %d of %d features for %s\n", r.K, r.Features, target)
	ratio := r.Loss.Ratio()
	for x, name := range r.Selected {
		fmt.Fprintf(w, "  %-28s %12.6g", name, r.Coefficients[x])
		if ratio != "" {
			fmt.Fprintf(w, "   %s × %.4g for 1 more", ratio, math.Exp(r.Coefficients[x]))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "  %-28s %12.6g\n", "(intercept)", r.Intercept)
	s := &model.Summary{
		K: r.K, Gamma: r.Gamma, Selected: r.Selected, Certificate: r.Certificate, Choice: choice,
	}
	fmt.Fprintf(w, "Cost      %s  (gamma %.4g)\n", costText(s.Cost, s.Bound, summaryDigits), s.Gamma)
	fmt.Fprintf(w, "Bound     %s\n", rounding.Down(s.Bound, summaryDigits))
	c.printProof("Gap", rounding.PercentUp(s.Gap), green, certificate(s))
	fmt.Fprintf(w, "Search    %s, %s, %s%s\n", count(r.Nodes, "node"), count(r.Cuts, "cut"), counted(r.Passes, "evaluation", "evaluations"), c.took(r.Seconds, "; in all "))
	printScore(w, "Fit", r, &regress.Score{Rows: r.Rows, RMSE: r.RMSE, RSquared: r.RSquared, Measures: r.Measures, Weighted: r.Weighted})
	if r.Holdout != nil {
		printScore(w, "Hold-out", r, r.Holdout)
	}
	printNearTies(w, s)
}

// printScore tells how well rows are explained, in the terms of the loss.
func printScore(w io.Writer, name string, r *regress.Result, on *regress.Score) {
	fmt.Fprintf(w, "%-9s ", name)
	rows := counted(on.Rows, "row", "rows")
	if on.Weighted {
		rows += " (weighted)"
	}
	switch {
	case r.Loss.Linked():
		fmt.Fprintf(w, "%s on %s\n", measuresText(r.Loss, on.Measures, on.RMSE), rows)
	case r.Loss.HasUnit():
		fmt.Fprintf(w, "%s, R² %.4f on %s; errors beyond %.4g count linearly, and the cost is in units of its square\n", measuresText(r.Loss, on.Measures, on.RMSE), on.RSquared, rows, r.Delta)
	default:
		fmt.Fprintf(w, "RMSE %.5g, R² %.4f on %s\n", on.RMSE, on.RSquared, rows)
	}
}
