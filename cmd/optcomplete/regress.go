package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/model"
	"optcomplete/regress"
)

func regressCommand(c *common) *cobra.Command {
	var (
		settings regress.Settings
		options  data.NumbersOptions
		target   string
		gamma    string
		refit    string
		path     bool
		asJSON   bool
	)
	cmd := &cobra.Command{
		Use:   "regress TABLE --target NAME -k K",
		Short: "Select the best k features of a plain table for a regression, and prove it",
		Long: `regress reads a table of numbers (CSV or TSV, also .gz or .zst) with a header,
selects the k columns that explain the target best in a linear regression, and
proves how good that selection is. Coefficients are in the units of the table;
inside, columns are centred and scaled, so that units do not matter.`,
		Example: `  optcomplete regress houses.csv --target price -k 5
  optcomplete regress houses.csv --target price -k 8 --path
  optcomplete regress houses.csv --target price -k 5 --always size --skip street --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if target == "" {
				return usagef("what is to be explained? Name its column with --target")
			}
			if settings.K == 0 {
				return usagef("how many features? Give their number with -k")
			}
			var err error
			if settings.Gamma, err = gammaFlag(gamma); err != nil {
				return err
			}
			if settings.Refit, err = model.ParseRefit(refit); err != nil {
				return usagef("--refit: %v", err)
			}
			problem, err := readProblem(args[0], target, options)
			if err != nil {
				return err
			}
			c.notef("Read %s rows, %s features", grouped(len(problem.Y)), grouped(len(problem.Names)))
			settings.Threads, settings.Seed = c.threads, c.seed
			log := newSearchLog(c)
			settings.OnEvent, settings.OnGamma = log.event, log.gamma
			if path {
				return regressPath(cmd.Context(), c, problem, settings, asJSON)
			}
			result, err := regress.Fit(cmd.Context(), problem, settings)
			if err != nil {
				return regressError(err)
			}
			if asJSON {
				err = result.WriteJSON(c.stdout)
			} else {
				printRegression(c.stdout, result, target)
			}
			if err == nil && result.Early() {
				err = &earlyStop{result.Status}
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&target, "target", "", "the column to explain")
	flags.IntVarP(&settings.K, "k", "k", 0, "how many features to select")
	flags.BoolVar(&path, "path", false, "every number of features from 1 to k")
	flags.BoolVar(&asJSON, "json", false, "print the result as one JSON object")
	flags.StringVar(&gamma, "gamma", "auto", "weight of the fit against the size of the coefficients, for columns with sum of squares n: a positive number, or auto to choose it by cross-validation")
	flags.StringVar(&refit, "refit", model.LeastSquares.String(), "how to fit the coefficients once the features are selected: ls (least squares) or ridge (with gamma)")
	flags.BoolVar(&settings.NoIntercept, "no-intercept", false, "fit no intercept")
	flags.StringSliceVar(&settings.Always, "always", nil, "features to select in any case")
	flags.StringSliceVar(&settings.Never, "never", nil, "features never to select")
	flags.StringSliceVar(&options.Skip, "skip", nil, "columns that are no features, such as ids and text")
	flags.Float64Var(&settings.Gap, "gap", 0, "stop when the relative gap is this small; 0 proves the optimum")
	flags.DurationVar(&settings.TimeLimit, "time-limit", 0, "stop each search after this time, such as 60s or 5m")
	flags.IntVar(&settings.MaxNodes, "max-nodes", 0, "stop each search after so many nodes")
	flags.IntVar(&settings.NearTies, "near-ties", 5, "how many other good selections to report")
	flags.IntVar(&settings.Folds, "folds", 5, "parts of the table to validate gamma on in turn")
	return cmd
}

// gammaFlag reads --gamma; auto is 0.
func gammaFlag(text string) (float64, error) {
	if text == "auto" {
		return 0, nil
	}
	gamma, err := strconv.ParseFloat(text, 64)
	if err != nil || !(gamma > 0) || math.IsInf(gamma, 0) {
		return 0, usagef("--gamma is %q, but must be a positive number or auto", text)
	}
	return gamma, nil
}

// readProblem reads a table and takes the target out of its columns.
func readProblem(path, target string, options data.NumbersOptions) (regress.Problem, error) {
	table, err := data.ReadNumbers(path, options)
	if err != nil {
		return regress.Problem{}, err
	}
	at := slices.Index(table.Names, target)
	if at < 0 {
		return regress.Problem{}, &data.InputError{File: table.File, Line: 1, Problem: fmt.Sprintf("there is no column %q to explain", target),
			Remedy: "its columns are " + firstNames(table.Names)}
	}
	n, p := table.Dims()
	if p == 1 {
		return regress.Problem{}, &data.InputError{File: table.File, Line: 1, Problem: "there is no column but the target", Remedy: "add columns to explain it with"}
	}
	problem := regress.Problem{Names: slices.Delete(slices.Clone(table.Names), at, at+1)}
	for i := range n {
		row := table.Values[i*p:][:p]
		problem.Y = append(problem.Y, row[at])
		problem.X = append(append(problem.X, row[:at]...), row[at+1:]...)
	}
	return problem, nil
}

// firstNames names the first few of a list.
func firstNames(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// regressError makes settings that cannot be meant a usage error.
func regressError(err error) error {
	var settings *regress.SettingsError
	if errors.As(err, &settings) {
		return &usageError{err}
	}
	return err
}

func regressPath(ctx context.Context, c *common, problem regress.Problem, settings regress.Settings, asJSON bool) error {
	path, err := regress.Path(ctx, problem, settings)
	if err != nil {
		return regressError(err)
	}
	if asJSON {
		err = regress.WriteJSON(c.stdout, path)
	} else {
		fmt.Fprintf(c.stdout, "%4s %13s %9s %9s %9s  %s\n", "k", "cost", "gap", "RMSE", "R2", "selected")
		for _, r := range path {
			fmt.Fprintf(c.stdout, "%4d %13.7g %9s %9.5g %9.4f  %s\n", r.K, r.Cost, percent(r.Gap), r.RMSE, r.RSquared, strings.Join(r.Selected, ", "))
		}
	}
	if err != nil {
		return err
	}
	for _, r := range path {
		if r.Early() {
			return &earlyStop{r.Status}
		}
	}
	return nil
}

// printRegression prints a fitted regression for people.
func printRegression(w io.Writer, r *regress.Result, target string) {
	fmt.Fprintf(w, "Selected %d of %d features for %s\n", r.K, r.Features, target)
	for x, name := range r.Selected {
		fmt.Fprintf(w, "  %-28s %12.6g\n", name, r.Coefficients[x])
	}
	fmt.Fprintf(w, "  %-28s %12.6g\n", "(intercept)", r.Intercept)
	s := &model.Summary{
		K: r.K, Gamma: r.Gamma, Selected: r.Selected, Cost: r.Cost, Bound: r.Bound, Gap: r.Gap, Status: r.Status,
		NearTies: r.NearTies,
	}
	fmt.Fprintf(w, "Cost      %.9g  (gamma %.4g)\n", s.Cost, s.Gamma)
	fmt.Fprintf(w, "Bound     %.9g  no selection of %d features costs less\n", s.Bound, s.K)
	fmt.Fprintf(w, "Gap       %s  %s\n", percent(s.Gap), certificate(s))
	fmt.Fprintf(w, "Search    %s, %s, %s; %s in all\n", count(r.Nodes, "node"), count(r.Cuts, "cut"), counted(r.Passes, "evaluation", "evaluations"), seconds(r.Seconds))
	fmt.Fprintf(w, "Fit       RMSE %.5g, R² %.4f on %s\n", r.RMSE, r.RSquared, counted(r.Rows, "row", "rows"))
	printNearTies(w, s)
}
