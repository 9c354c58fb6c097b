package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"optcomplete"
	"optcomplete/data"
	"optcomplete/experiment"
	"optcomplete/spec"
)

func benchGammaCommand(c *common) *cobra.Command {
	var (
		in      inputFlags
		ratings string
		names   []string
		ks      []int
		s       experiment.GammaSettings
	)
	cmd := &cobra.Command{
		Use:   "gamma [--ratings FILE --features FILE] [--sets NAMES]",
		Short: "Compare the γ that is chosen with the best of a grid, and what choosing costs",
		Long: `bench gamma holds out a fifth of the entries for every seed, fits the rest with γ
and shrinkages chosen as fit chooses them, and then with each γ of a grid around
the one chosen. It prints the error on the part held out at the γ chosen and at
the best γ of the grid, and the processor time of the choice beside that of the
fit that follows it: search to the gap, coefficients and scores.`,
		Example: `  optcomplete bench gamma --ratings ratings.csv --features books.csv -k 5,10 --seeds 3
  optcomplete bench gamma --sets paper-1000,netflix-3923 -k 5 --seeds 3 --grid=false`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if ratings == "" && len(names) == 0 {
				return usagef("which data? Give a file with --ratings, or generated ones with --sets")
			}
			if len(ks) == 0 {
				return usagef("how many features? Give their numbers with -k")
			}
			var sets []experiment.GammaSet
			if ratings != "" {
				problem, _, err := in.load(cmd, c, ratings, spec.Full)
				if err != nil {
					return err
				}
				for _, k := range ks {
					sets = append(sets, experiment.GammaSet{Name: ratings, K: k, Load: func(context.Context, uint64) (optcomplete.Problem, *data.Matrix, error) { return problem, nil, nil }})
				}
			}
			for _, name := range names {
				made, err := experiment.GeneratedSets(name, ks, c.threads)
				if err != nil {
					return usagef("--sets: %v", err)
				}
				sets = append(sets, made...)
			}
			s.First, s.Threads = c.seed, c.threads
			s.OnGridded = func(gamma, rmse float64, selected []string, cpu time.Duration) {
				c.notef("  γ %-8.3g RMSE %.5f  %.2f s of processor  %s", gamma, rmse, cpu.Seconds(), strings.Join(selected, ", "))
			}
			s.OnCell = func(cell experiment.GammaCell) {
				c.notef("%s k %d seed %d: γ %.3g RMSE %.5f, best %.3g %.5f; chosen in %.3f s, fitted in %.3f s of processor, gap %.3g %%; tried %s", cell.Set, cell.K, cell.Seed,
					cell.Gamma, cell.RMSE, cell.Best, cell.Least, cell.Choose.Seconds(), cell.Fit.Seconds(), 100*cell.Gap, cell.Path)
			}
			cells, err := experiment.Gamma(cmd.Context(), sets, s)
			fmt.Fprint(c.stdout, experiment.GammaTable(cells))
			return err
		},
	}
	flags := flagsOf(cmd, "bench gamma")
	flags.Bind("ratings", &ratings)
	flags.Bind("sets", &names)
	flags.Bind("k", &ks)
	flags.Bind("seeds", &s.Seeds)
	flags.Bind("grid", &s.Grid)
	flags.Bind("repeats", &s.Repeats)
	flags.Bind("gap", &s.Gap)
	flags.Bind("max-nodes", &s.MaxNodes)
	in.register(flags)
	in.unweighted() // the entries of a benchmark count alike
	return cmd
}
