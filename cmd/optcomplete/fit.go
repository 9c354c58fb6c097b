package main

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete"
	"optcomplete/model"
)

// fitFlags are the flags of fit that become settings.
type fitFlags struct {
	gamma    string
	model    string
	refit    string
	clip     string
	method   string
	settings optcomplete.Settings
}

func (f *fitFlags) resolve(c *common) (optcomplete.Settings, error) {
	s := f.settings
	s.Threads, s.Seed = c.threads, c.seed
	kind, err := model.ParseKind(f.model)
	if err != nil {
		return s, usagef("--model: %v", err)
	}
	s.Model = kind
	switch f.clip {
	case "auto":
	case "none":
		s.NoClip = true
	default:
		return s, usagef("--clip is %q, but must be auto or none", f.clip)
	}
	if f.gamma != "auto" {
		gamma, err := strconv.ParseFloat(f.gamma, 64)
		if err != nil || !(gamma > 0) || math.IsInf(gamma, 0) {
			return s, usagef("--gamma is %q, but must be a positive number or auto", f.gamma)
		}
		s.Gamma = gamma
	}
	if s.Refit, err = model.ParseRefit(f.refit); err != nil {
		return s, usagef("--refit: %v", err)
	}
	if f.method != "" { // only fit has the flag
		if s.Method, err = optcomplete.ParseMethod(f.method); err != nil {
			return s, usagef("--method: %v", err)
		}
	}
	return s, nil
}

// register adds the flags that every verb which fits takes.
func (f *fitFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.gamma, "gamma", "auto", "weight of the fit against the size of the coefficients: a positive number, or auto to choose it on validation entries")
	flags.StringVar(&f.model, "model", model.Full.String(), "full (mean, row and column effects, and the features), pooled (mean, row effects, and features with coefficients for all rows beside each row's own) or paper (the features as given and nothing else)")
	flags.StringVar(&f.refit, "refit", model.AutoRefit.String(), "how to fit the rows once the features are selected: ls (least squares), ridge (with gamma) or prior (learned from all rows); auto is ls for paper, else prior")
	flags.Float64Var(&f.settings.Gamma0, "gamma0", 0, "gamma of the coefficients for all rows, in pooled; 0 chooses it on validation entries")
	flags.Float64Var(&f.settings.RowShrinkage, "row-shrinkage", 0, "entries at which a row's effect is believed by half; 0 chooses it on validation entries")
	flags.Float64Var(&f.settings.ColumnShrinkage, "column-shrinkage", 0, "entries at which a column's effect is believed by half; 0 chooses it on validation entries")
	flags.StringVar(&f.clip, "clip", "auto", "auto keeps predictions in the range of the training values (not in paper), none does not")
	flags.StringSliceVar(&f.settings.Always, "always", nil, "features to select in any case")
	flags.StringSliceVar(&f.settings.Never, "never", nil, "features never to select")
	flags.Float64Var(&f.settings.Gap, "gap", 0, "stop when the relative gap is this small; 0 proves the optimum")
	flags.IntVar(&f.settings.MaxNodes, "max-nodes", 0, "stop the search after so many nodes")
	flags.IntVar(&f.settings.NearTies, "near-ties", 5, "how many other good selections to report")
}

func fitCommand(c *common) *cobra.Command {
	var (
		f      fitFlags
		in     inputFlags
		two    twoSidedFlags
		output string
		asJSON bool
		page   string
		cuts   cutsFile
	)
	cmd := &cobra.Command{
		Use:   "fit RATINGS --features FILE -k K",
		Short: "Select the best k features, prove it, and fit every row",
		Long: `fit reads observed entries (CSV or TSV, also .gz or .zst: row, column, value) and
the features of the columns (the column's id, then its fields: numbers, text,
lists, blanks; see optcomplete features), selects the k features that explain the entries best, proves how good that
selection is, and fits the coefficients of every row.`,
		Example: `  optcomplete fit ratings.csv --features films.csv -k 5 -o model
  optcomplete fit ratings.csv.gz --features films.csv -k 8 --gamma 0.5 --holdout 0.2 --json
  optcomplete fit ratings.csv --features films.csv -k 5 --always Drama --never Month --time-limit 60s
  optcomplete fit ratings.csv --features films.csv -k 5 --method cutplanes --solver highs --save-cuts cuts.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, err := f.resolve(c)
			if err != nil {
				return err
			}
			if err := checkMethodFlags(cmd, settings); err != nil {
				return err
			}
			if settings.K == 0 {
				return usagef("how many features? Give their number with -k")
			}
			if _, asked, err := two.resolve(); err != nil {
				return err
			} else if asked {
				return two.fit(cmd, c, &in, args[0], settings, output, page, asJSON)
			}
			start := time.Now()
			problem, warnings, err := in.load(cmd, c, args[0], settings.Model)
			if err != nil {
				return err
			}
			loaded := time.Since(start)
			log := newSearchLog(c)
			settings.OnEvent, settings.OnGamma = log.event, log.gamma
			cuts.record(&settings.Master)
			fitted, err := optcomplete.Fit(cmd.Context(), problem, settings)
			// The cuts are of use most where a solver has failed.
			if err := errors.Join(err, cuts.save()); err != nil {
				return err
			}
			summary := &fitted.Summary
			summary.Warnings = append(summary.Warnings, warnings...)
			summary.Seconds.Load = loaded.Seconds()
			summary.Seconds.Total += loaded.Seconds()
			in.record(summary, args[0])
			if output != "" {
				if err := fitted.Save(output); err != nil {
					return err
				}
			}
			if err := writeReport(page, args[0], output, summary); err != nil {
				return err
			}
			if asJSON {
				if err := summary.WriteJSON(c.stdout); err != nil {
					return err
				}
			} else {
				printSummary(c.stdout, summary, output)
			}
			return early(summary)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.IntVarP(&f.settings.K, "k", "k", 0, "how many features to select")
	flags.StringVarP(&output, "output", "o", "", "folder to write the model to")
	flags.StringVar(&page, "report", "", "HTML file to write a report to; see optcomplete report")
	flags.BoolVar(&asJSON, "json", false, "print the result as one JSON object")
	f.register(flags)
	methodFlags(flags, &f, &cuts)
	flags.Float64Var(&f.settings.Holdout, "holdout", 0, "part of the entries to keep aside and score on, such as 0.2")
	flags.DurationVar(&f.settings.TimeLimit, "time-limit", 0, "stop the search after this time, such as 60s or 5m")
	in.register(cmd)
	two.register(flags)
	return cmd
}

// early is the error for a summary whose search was stopped.
func early(summary *model.Summary) error {
	if summary.Early() {
		return &earlyStop{summary.Status}
	}
	return nil
}
