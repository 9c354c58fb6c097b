package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"optcomplete/experiment"
	"optcomplete/internal/lists"
)

func benchPaperCommand(c *common) *cobra.Command {
	var (
		panels  []string
		room    string
		seconds float64
		s       experiment.PaperSettings
		remote  engineFlags
	)
	cmd := &cobra.Command{
		Use:   "paper --panel NAMES",
		Short: "Run the paper's own experiments, its figures beside ours",
		Long: `bench paper generates the data of the paper's tables, runs the methods on them and
shows the paper's own figures beside: time, MAPE against noisy and noise-free values
and relative to an oracle that knows the true features, how many of them are found,
the proven gap, cuts, passes and memory.

Panels are mu, n, m, p, k and large (its table of synthetic matrices) and netflix
(its two tables of ratings, here on generated ratings of the same shape). Tables
(Markdown, CSV, JSON), plots and every result go to one folder. Rows that
need too much memory are skipped, as are methods that are not done in time, and the
table says so. After an interrupt the same command resumes with the run it was at.`,
		Example: `  optcomplete bench paper --panel mu,n,m,p,k --methods certified,optcomplete,cutplanes --max-seconds 600
  optcomplete bench paper --panel large --methods certified --seeds 3 --memory 16G
  optcomplete bench paper --panel netflix --gamma 0.01 --methods certified --max-seconds 120`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(panels) == 0 {
				return usagef("which panel? Give it with --panel")
			}
			s.Panels = nil
			for _, name := range panels {
				panel, err := experiment.PanelOf(name)
				if err != nil {
					return usagef("--panel: %v", err)
				}
				s.Panels = append(s.Panels, panel)
			}
			if err := memoryFlag("memory", room, &s.Memory); err != nil {
				return err
			}
			s.Threads, s.TimeLimit = c.threads, time.Duration(seconds*float64(time.Second))
			s.OnCell = func(cell experiment.PaperCell, have bool) { c.notef("%s", paperLine(cell, have)) }
			ended, err := remote.use(cmd, c)
			if err != nil {
				return err
			}
			defer ended()
			_, err = experiment.Paper(cmd.Context(), s)
			return c.studied(err, s.Folder, "%s\n", lists.Each(s.Panels, func(p experiment.Panel) string { return experiment.PaperFile(p.Name, "md") })...)
		},
	}
	flags := flagsOf(cmd, "bench paper")
	flags.Bind("panel", &panels)
	flags.Bind("methods", &s.Methods)
	flags.Bind("seeds", &s.Seeds)
	flags.Bind("gamma", &s.Gamma)
	flags.Bind("max-seconds", &seconds)
	flags.Bind("memory", &room)
	flags.Bind("solver", &s.Solver)
	flags.Bind("test-entries", &s.Test)
	flags.Bind("output", &s.Folder)
	remote.register(flags)
	return cmd
}

// paperLine tells of a cell that is done.
func paperLine(cell experiment.PaperCell, have bool) string {
	if cell.Skipped != "" {
		return fmt.Sprintf("%s  seed %d  %-11s skipped: %s", cell.Shape, cell.Seed, cell.Method, cell.Skipped)
	}
	line := fmt.Sprintf("%s  seed %d  %-11s MAPE %s  ratio %.3f  %.3g s", cell.Shape, cell.Seed, cell.Method, percent(cell.MAPE), cell.Ratio, cell.Seconds.Total)
	if cell.Selects {
		line += fmt.Sprintf("  found %d of %d", cell.Found, cell.K)
	}
	if cell.Bounded {
		line += "  gap " + percent(cell.Gap)
	}
	if have {
		line += "  (done before)"
	}
	return line
}
