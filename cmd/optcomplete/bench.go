package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"optcomplete"
	"optcomplete/experiment"
	"optcomplete/internal/rounding"
	"optcomplete/result"
	"optcomplete/spec"
)

func benchCommand(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Run a study and write its tables",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownVerb(cmd, args[0], "study")
		},
	}
	cmd.AddCommand(benchPaperCommand(c), benchRealCommand(c), benchGammaCommand(c))
	return cmd
}

func benchRealCommand(c *common) *cobra.Command {
	var (
		in      inputFlags
		ratings string
		models  []string
		seconds float64
		s       experiment.RealSettings
		remote  engineFlags
	)
	cmd := &cobra.Command{
		Use:   "real --ratings FILE --features FILE",
		Short: "Compare the models with each other and with effects alone on real data",
		Long: `bench real holds out a part of the entries for every seed, fits row and column
effects alone, the baselines, and every model at every k on the rest, and scores
them on the part held out. Tables (Markdown, CSV, JSON), a figure of the gap over
time and every result go to one folder. After an interrupt the same command resumes
with the fit it was at.`,
		Example: `  optcomplete bench real --ratings ratings.csv --features books.csv -k 5,10 --seeds 5 -o study
  optcomplete bench real --ratings ratings.csv --features books.csv -k 5 --models full --max-seconds 60`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if ratings == "" {
				return usagef("the ratings are missing: give them with --ratings FILE")
			}
			if len(s.K) == 0 {
				return usagef("how many features? Give their numbers with -k")
			}
			s.Models = models
			s.Threads, s.TimeLimit = c.threads, time.Duration(seconds*float64(time.Second))
			s.OnCell = func(cell experiment.Cell, have bool) {
				was := ""
				if have {
					was = "  (done before)"
				}
				c.notef("seed %d  %-14s k %-3d RMSE %.5f  ratio %.4f  gap %-8s  %.0f s%s", cell.Seed, cell.Model, cell.K,
					cell.Holdout.RMSE, cell.Ratio, rounding.PercentUp(cell.Gap), cell.Seconds.Choose+cell.Seconds.Search+cell.Seconds.Refit, was)
			}
			s.First = c.seed
			ended, err := remote.use(cmd, c)
			if err != nil {
				return err
			}
			defer ended()
			_, err = experiment.Real(cmd.Context(), loadOnce(cmd, c, &in, ratings), s)
			return c.studied(err, s.Folder, "%s", experiment.MarkdownFile)
		},
	}
	flags := flagsOf(cmd, "bench real")
	flags.Bind("ratings", &ratings)
	flags.Bind("k", &s.K)
	flags.Bind("seeds", &s.Seeds)
	flags.Bind("models", &models)
	flags.Bind("holdout", &s.Holdout)
	flags.Bind("max-seconds", &seconds)
	flags.Bind("output", &s.Folder)
	in.register(flags)
	in.unweighted() // the entries of a benchmark count alike
	remote.register(flags)
	return cmd
}

// studied ends a study and shows its tables.
func (c *common) studied(err error, folder, format string, tables ...string) error {
	var other *experiment.OtherStudyError
	switch {
	case errors.As(err, &other):
		return usagef("%v", err)
	case errors.Is(err, context.Canceled):
		c.notef("Stopped. The same command resumes here; results so far are in %s", folder)
		return &earlyStop{result.Interrupted}
	case err != nil:
		return err
	}
	for _, name := range tables {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, format, text)
	}
	return nil
}

// loadOnce reads the data for the models that scale features, and as they are
// for the paper's, each when it is first asked for.
func loadOnce(cmd *cobra.Command, c *common, in *inputFlags, ratings string) experiment.Problems {
	type loaded struct {
		problem optcomplete.Problem
		err     error
	}
	have := map[bool]*loaded{}
	load := func(kind spec.Kind) *loaded {
		l := have[kind.AsGiven()]
		if l == nil {
			l = new(loaded)
			l.problem, _, l.err = in.load(cmd, c, ratings, kind)
			have[kind.AsGiven()] = l
		}
		return l
	}
	return func(kind spec.Kind) (optcomplete.Problem, error) {
		l := load(kind)
		if first := load(spec.Full); l.err == nil && first.err == nil &&
			(!slices.Equal(first.problem.Ratings.RowIDs, l.problem.Ratings.RowIDs) || l.problem.Ratings.Observed() != first.problem.Ratings.Observed()) {
			return l.problem, errors.New("the models would not see the same entries")
		}
		return l.problem, l.err
	}
}
