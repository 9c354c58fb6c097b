package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"optcomplete/cutplanes"
	"optcomplete/data"
	"optcomplete/formulation"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/settings"
	"optcomplete/milp"
)

// methodFlags say how to select, and what the methods have of their own.
type methodFlags struct {
	name     string
	sampling string
	own      formulation.OptComplete // has all that the paper's methods have
	cuts     cutsFile
}

func (f *methodFlags) register(flags *settings.Flags) {
	flags.Bind("method", &f.name)
	flags.Bind("sampling", &f.sampling)
	flags.BindFields(&f.own)
	flags.Bind("save-cuts", &f.cuts.path)
}

// resolve is the method that the flags ask for; the certified one of a verb that has
// no such flags.
func (f *methodFlags) resolve(rank rankFlag) (formulation.Method, error) {
	if f.name == "" {
		return formulation.Certified{}, nil
	}
	method, err := formulation.ParseMethod(f.name)
	of := f.own
	if f.cuts.path != "" {
		of.OnCuts, of.OnStep = f.cuts.head, f.cuts.step
	}
	switch method.(type) {
	case formulation.Certified:
		return formulation.Certified{Sampling: formulation.Sampling(slices.Index([]string{"auto", "never", "always"}, f.sampling))}, nil
	case formulation.CutPlanes:
		return formulation.CutPlanes{Solver: of.Solver, SolverPath: of.SolverPath, OnCuts: of.OnCuts, OnStep: of.OnStep}, nil
	case formulation.OptComplete:
		return of, nil
	case formulation.SoftImpute:
		return formulation.SoftImpute{Rank: max(int(rank), 0)}, nil
	case formulation.IMC:
		return formulation.IMC{Rank: max(int(rank), 0)}, nil
	}
	return method, err
}

// findSolver fails where the method needs a solver that is not there: better now
// than when the data are read and gamma is chosen.
func (f *methodFlags) findSolver(ctx context.Context, method formulation.Method) error {
	if !slices.Contains(masters, method.String()) {
		return nil
	}
	solver, err := milp.New(f.own.Solver, f.own.SolverPath)
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

func (f *cutsFile) head(h cutplanes.Header) { f.steps.Header = h }

func (f *cutsFile) step(s cutplanes.Step) { f.steps.Steps = append(f.steps.Steps, s) }

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
	cmd := verb("master", func(cmd *cobra.Command, args []string) error {
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
	})
	flags := flagsOf(cmd)
	flags.Bind("cuts", &cuts)
	flags.Bind("iteration", &iteration)
	flags.Bind("format", &format)
	flags.Bind("output", &output)
	return cmd
}

func solversCommand(c *common) *cobra.Command {
	var path string
	cmd := verb("solvers", func(cmd *cobra.Command, args []string) error {
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
	})
	flagsOf(cmd).Bind("solver-path", &path)
	return cmd
}

// rankFlag is a rank, or auto.
type rankFlag int

func (r *rankFlag) Set(text string) error {
	if text == "auto" {
		*r = formulation.AutoRank
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("it must be a whole number of at least 0, or auto")
	}
	*r = rankFlag(n)
	return nil
}

func (r *rankFlag) String() string {
	if *r == formulation.AutoRank {
		return "auto"
	}
	return strconv.Itoa(int(*r))
}

func (r *rankFlag) Type() string { return "rank" }
