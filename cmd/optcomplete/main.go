// Command optcomplete completes partly observed matrices from a few named
// features, and proves how good the choice of features is.
//
// It holds flags and printing only: progress and logs go to stderr, results to
// stdout. Exit codes: 0 done, 1 failed, 2 bad usage or input, 3 stopped early
// by a limit or an interrupt, with the result written.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"optcomplete"
	"optcomplete/data"
)

const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitEarly  = 3
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main without the process: arguments in, exit code out.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first interrupt asks for the best answer so far; a second one kills.
	context.AfterFunc(ctx, stop)

	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var early *earlyStop
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &early):
		return exitEarly
	}
	fmt.Fprintf(stderr, "optcomplete: %v\n", err)
	var input *data.InputError
	var settings *optcomplete.SettingsError
	var usage *usageError
	switch {
	case errors.As(err, &input), errors.As(err, &settings), errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitEarly
	}
	return exitFailed
}

// earlyStop says that a result was written, but not all that was asked for is
// proven.
type earlyStop struct{ status string }

func (e *earlyStop) Error() string { return "stopped early: " + e.status }

// usageError is a mistake on the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// common is what every verb takes.
type common struct {
	stdout, stderr io.Writer
	threads        int
	seed           uint64
	quiet          bool
}

// notef prints a line for people, unless they asked for quiet.
func (c *common) notef(format string, args ...any) {
	if !c.quiet {
		fmt.Fprintf(c.stderr, format+"\n", args...)
	}
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	c := &common{stdout: stdout, stderr: stderr}
	root := &cobra.Command{
		Use:   "optcomplete",
		Short: "Complete a matrix from a few named features, with a proof that they are the best",
		Long: `optcomplete completes a partly observed matrix (ratings of items by people, say)
from k features chosen out of the p that are known of each item. It says which
features those are, and proves how close the choice is to the best possible.

Start with:  optcomplete demo`,
		Version:                    optcomplete.Version,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		Args:                       cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			hint := "see: optcomplete --help"
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				hint = "did you mean " + strings.Join(near, " or ") + "?"
			}
			return usagef("%q is not a verb (%s)", args[0], hint)
		},
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%v (see: %s --help)", err, cmd.CommandPath())
	})
	flags := root.PersistentFlags()
	flags.IntVar(&c.threads, "threads", 0, "processors to use; 0 means all. Results do not depend on it")
	flags.Uint64Var(&c.seed, "seed", 1, "seed of everything random: the same seed gives the same result")
	flags.BoolVar(&c.quiet, "quiet", false, "no progress and no notes on stderr")
	root.AddCommand(demoCommand(c), featuresCommand(c), fitCommand(c), pathCommand(c),
		predictCommand(c), completeCommand(c), recommendCommand(c), foldInCommand(c), explainCommand(c), evaluateCommand(c),
		regressCommand(c), packCommand(c), synthCommand(c), masterCommand(c), solversCommand(c), benchCommand(c))
	for _, verb := range root.Commands() {
		verb.Args = usageArgs(verb.Args)
	}
	return root
}

// usageArgs makes a wrong number of arguments a usage error.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usagef("%v (usage: %s)", err, cmd.UseLine())
		}
		return nil
	}
}
