package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"optcomplete"
	"optcomplete/cutplanes"
	"optcomplete/data"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/settings"
	"optcomplete/milp"
)

// methodFlags are the flags of the paper's methods.
func methodFlags(flags *settings.Flags, f *fitFlags, cuts *cutsFile) {
	master := &f.settings.Master
	flags.Bind("method", &f.method)
	flags.Bind("solver", &master.Solver)
	flags.Bind("solver-path", &master.SolverPath)
	flags.Bind("sample-rows", &master.SampleRows)
	flags.Bind("sample-constant", &master.SampleConstant)
	flags.Bind("certify", &master.Certify)
	flags.Bind("save-cuts", &cuts.path)
}

// findSolver fails where the method needs a solver that is not there: better now
// than when the data are read and gamma is chosen.
func findSolver(ctx context.Context, s optcomplete.Settings) error {
	if s.Method != optcomplete.CutPlanes && s.Method != optcomplete.OptComplete {
		return nil
	}
	solver, err := milp.New(s.Master.Solver, s.Master.SolverPath)
	if err == nil {
		_, err = solver.Version(ctx)
	}
	if errors.Is(err, milp.ErrNotFound) {
		return err
	}
	return nil // what else may be wrong shows when it is used
}

// cutsFile keeps the cuts of a fit and writes them when it is over.
type cutsFile struct {
	path  string
	steps cutplanes.Steps
}

func (f *cutsFile) record(master *optcomplete.Master) {
	if f.path == "" {
		return
	}
	master.OnCuts = func(h cutplanes.Header) { f.steps.Header = h }
	master.OnStep = func(s cutplanes.Step) { f.steps.Steps = append(f.steps.Steps, s) }
}

// written is where the cuts are, if there were any to write.
func (f *cutsFile) written() string {
	if len(f.steps.Steps) == 0 {
		return ""
	}
	return f.path
}

func (f *cutsFile) save() error {
	if f.path == "" || len(f.steps.Steps) == 0 {
		return nil
	}
	return atomicfile.File(f.path, f.steps.Write)
}

func masterCommand(c *common) *cobra.Command {
	var (
		cuts, format, output string
		iteration            int
	)
	cmd := &cobra.Command{
		Use:   "master --cuts FILE",
		Short: "Write a MILP master of cutplanes or optcomplete as LP or MPS",
		Long: `master reads the cuts that fit --save-cuts wrote and writes the master problem of
any iteration, to look at or to solve with another program: minimise eta over
selections s1..sp (1 if the feature is selected), eta above every cut so far.`,
		Example: `  optcomplete fit ratings.csv --features films.csv -k 5 --method cutplanes --save-cuts cuts.jsonl
  optcomplete master --cuts cuts.jsonl --iteration 3 -o master.lp
  optcomplete master --cuts cuts.jsonl --format mps | less`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			write := map[string]func(io.Writer, *milp.Master) error{"lp": milp.WriteLP, "mps": milp.WriteMPS}[format]
			if cuts == "" {
				return usagef("which cuts? Give the file of fit --save-cuts with --cuts")
			}
			in, err := os.Open(cuts)
			if err != nil {
				return &data.InputError{File: cuts, Problem: "cannot be read: " + rootCause(err), Err: err}
			}
			defer in.Close()
			steps, err := cutplanes.ReadSteps(cuts, bufio.NewReader(in))
			if err != nil {
				return err
			}
			master, err := steps.Master(iteration)
			if err != nil {
				return &data.InputError{File: cuts, Problem: strings.TrimPrefix(err.Error(), "cutplanes: "), Err: err}
			}
			return writeResult(c, output, func(w io.Writer) error { return write(w, master) })
		},
	}
	flags := flagsOf(cmd, "master")
	flags.Bind("cuts", &cuts)
	flags.Bind("iteration", &iteration)
	flags.Bind("format", &format)
	flags.Bind("output", &output)
	return cmd
}

func solversCommand(c *common) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "solvers",
		Short: "List the MILP solvers that fit --solver can use",
		Long: `solvers lists the MILP solvers that are found, where, and in which version. The
embedded one is always there. Programs are looked for in the bin folder under
$` + milp.SolversVariable + ` and in PATH, or only in --solver-path, and nowhere else:
those that are found are run. scripts/install-solvers.sh installs HiGHS, CBC and GLPK.`,
		Example: `  optcomplete solvers
  optcomplete fit ratings.csv --features films.csv -k 5 --method cutplanes --solver highs`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			found := milp.Find(cmd.Context(), path)
			for _, name := range milp.Names() {
				at := slices.IndexFunc(found, func(f milp.Found) bool { return f.Name == name })
				if at < 0 {
					fmt.Fprintf(c.stdout, "%-9s not found\n", name)
					continue
				}
				path := found[at].Path
				if path == "" {
					path = "in this program"
				}
				fmt.Fprintf(c.stdout, "%-9s %-8s %s\n", name, found[at].Version, path)
			}
			return nil
		},
	}
	flagsOf(cmd, "solvers").Bind("solver-path", &path)
	return cmd
}
