// Command optcomplete completes partly observed matrices from a few named
// features, and proves how good the choice of features is.
//
// It holds flags and printing only: progress and logs go to stderr, results to
// stdout. Exit codes: 0 done, 1 failed, 2 bad usage or input, 3 stopped early
// by a limit or an interrupt, with the result written, 4 a drift was found, 130 interrupted without a
// result.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete/checkpoint"
	"optcomplete/data"
	"optcomplete/engine"
	_ "optcomplete/files"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/events"
	"optcomplete/internal/lists"
	"optcomplete/internal/progress"
	"optcomplete/internal/progress/display"
	"optcomplete/internal/settings"
	"optcomplete/internal/suggest"
	"optcomplete/report"
	"optcomplete/result"
	"optcomplete/spec"
)

const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitEarly       = 3
	exitDrift       = 4
	exitInterrupted = 130
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main without the process: arguments in, exit code out.
func run(args []string, stdout, stderr io.Writer) int {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	// The first interrupt asks for the best answer so far; a second one kills.
	context.AfterFunc(ctx, stop)
	atomicfile.GiveUp(ctx.Done())

	c := newCommon(stdout, stderr)
	err := execute(ctx, c, args)
	code := exitCodeOf(err)
	if err != nil && code != exitDone && !hasResult(err) {
		fmt.Fprintf(c.stderr, "%s %v%s\n", c.errTerminal.style(red, "optcomplete:"), err, remedy(err))
	}
	return code
}

// execute runs the verb that the words of a command line name.
func execute(ctx context.Context, c *common, args []string) error {
	c.ctx = progress.NewContext(ctx, c.reporter())
	root := newRoot(c)
	root.SetArgs(args)
	defer c.release()
	defer func() { c.unwatch() }()
	err := withFlag(root.ExecuteContext(c.ctx))
	if failed := c.stdout.(*output).err; failed != nil && (err == nil || errors.Is(err, errPrinted) || hasResult(err)) {
		err = fmt.Errorf("the result could not be written to stdout: %w", failed)
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = errInterrupted
	}
	return err
}

// errInterrupted ends a verb that was interrupted and has nothing to show.
var errInterrupted = errors.New("interrupted before there was a result")

// reporter shows the progress of long work.
func (c *common) reporter() progress.Reporter {
	if c.events != nil {
		return c.events
	}
	return c.progress
}

// exitCodeOf is how a program ends after an error, or none.
func exitCodeOf(err error) int {
	var input *data.InputError
	var settings *spec.Error
	var usage *usageError
	var damaged *report.ModelError
	var otherRun *checkpoint.MismatchError
	var stray *checkpoint.StrayError
	var busy *checkpoint.BusyError
	switch {
	case err == nil, errors.Is(err, errPrinted):
		return exitDone
	case isEarly(err):
		return exitEarly
	case errors.Is(err, errDrift):
		return exitDrift
	case errors.As(err, &damaged), errors.As(err, &input), errors.As(err, &settings), errors.As(err, &usage), errors.As(err, &otherRun), errors.As(err, &stray), errors.As(err, &busy):
		return exitUsage
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	}
	return exitFailed
}

// remedy says what to do about what the system refuses, where the error itself
// does not.
func remedy(err error) string {
	var path *fs.PathError
	switch full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT); {
	case full && strings.Contains(err.Error(), "free some space"):
		return ""
	case full:
		return ": free some space, or write to another disk; what was there before is unchanged"
	case errors.As(err, &path) && path.Op == "mkdir":
		return ": the folder cannot be made there; name one in a place that you may write to"
	}
	return ""
}

// earlyStop says that a result was written, but not all that was asked for is
// proven.
type earlyStop struct{ status result.Status }

func (e *earlyStop) Error() string { return "stopped early: " + e.status.String() }

// usageError is a mistake on the command line.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// common is what every verb takes.
type common struct {
	ctx            context.Context // of the verb that runs
	stdout, stderr io.Writer
	threads        int
	seed           uint64
	quiet          bool
	logTimes       bool
	rawNames       bool // in CSV files, names that a spreadsheet would run
	config         string
	printConfig    bool

	outTerminal, errTerminal terminal // what stdout and stderr can show
	progress                 *display.Display
	unwatch                  func()   // ends the watch over memory
	releases                 []func() // of the outputs that are reserved

	// Of a server, and nil elsewhere.
	events *events.Stream           // receives what people read here
	models *modelCache              // those that were loaded before
	kept   map[string]*bytes.Buffer // outputs that are not to be written to files, by name
}

// notef prints a line for people, unless they asked for quiet.
func (c *common) notef(format string, args ...any) {
	if c.quiet {
		return
	}
	text := asFlags(fmt.Sprintf(format+"\n", args...))
	if rest, ok := strings.CutPrefix(text, "warning:"); ok {
		text = c.errTerminal.style(yellow, "warning:") + rest
	}
	io.WriteString(c.stderr, text)
}

// newCommon looks at the outputs. What goes to stderr goes through the display
// of progress, so that bars and text do not mix.
func newCommon(stdout, stderr io.Writer) *common {
	c := &common{outTerminal: terminalOf(stdout), errTerminal: terminalOf(stderr), logTimes: true, seed: 1, unwatch: func() {}}
	c.progress = display.New(stderr, display.Settings{Bars: c.errTerminal.is})
	c.stdout = &output{Writer: stdout, shown: c.outTerminal.shown}
	c.stderr = &output{Writer: c.progress, shown: c.errTerminal.shown}
	return c
}

// factf prints a line of the head of a log: a word, and what is known about it,
// broken where the terminal ends.
func (c *common) factf(name, format string, args ...any) {
	lines := settings.Wrap(fmt.Sprintf(format, args...), max(c.errTerminal.width-11, 30))
	c.notef("%-9s %s", name, strings.Join(lines, "\n          "))
}

func newRoot(c *common) *cobra.Command {
	root := verb("optcomplete", func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownVerb(cmd, args[0])
	})
	root.Version, root.SilenceErrors, root.SilenceUsage, root.Args = spec.Version, true, true, cobra.ArbitraryArgs
	root.SetOut(c.stdout)
	root.SetErr(c.stderr)
	flags := table.For("", root.PersistentFlags())
	flags.Bind("threads", &c.threads)
	flags.Bind("seed", &c.seed)
	flags.Bind("quiet", &c.quiet)
	flags.Bind("log-times", &c.logTimes)
	flags.Bind("config", &c.config)
	flags.Bind("print-config", &c.printConfig)
	root.AddCommand(demoCommand(c), featuresCommand(c), fitCommand(c), pathCommand(c),
		predictCommand(c), completeCommand(c), recommendCommand(c), foldInCommand(c), explainCommand(c), evaluateCommand(c), verifyCommand(c),
		reportCommand(c), compareCommand(c),
		regressCommand(c), packCommand(c), synthCommand(c), masterCommand(c), solversCommand(c), inspectCommand(c), serveCommand(c), engineCommand(c), workerCommand(c))
	c.prepare(root)
	if c.events == nil { // cobra keeps them, and with them the commands, for ever
		completeFlags(root)
	}
	root.SetHelpCommand(helpCommand(c))
	root.PersistentPreRun = func(*cobra.Command, []string) {
		// Lines of progress come by the clock.
		c.progress.None = c.quiet || !c.logTimes && !c.errTerminal.is
	}
	arrangeHelp(root, c.outTerminal)
	return root
}

// unknownVerb is the error for a word that is none of the verbs of a command.
func unknownVerb(cmd *cobra.Command, word string) error {
	hint := "see: " + cmd.CommandPath() + " --help"
	if near := suggest.Hint(word, verbNames(cmd)); near != "" {
		hint = near
	}
	return usagef("%q is not a verb (%s)", word, hint)
}

// verbNames are the verbs of a command.
func verbNames(cmd *cobra.Command) []string {
	var names []string
	for _, verb := range cmd.Commands() {
		if !verb.Hidden {
			names = append(names, verb.Name())
		}
	}
	return names
}

// prepare lets every verb take its settings from a file too, print them on
// request, and call a wrong number of arguments a usage error.
func (c *common) prepare(cmd *cobra.Command) {
	for _, verb := range cmd.Commands() {
		c.prepare(verb)
	}
	if cmd.HasParent() {
		cmd.Args = c.settled(cmd.Args)
	}
}

// errPrinted ends a verb that was asked for its settings only.
var errPrinted = errors.New("the settings were printed")

// settled checks the arguments once all settings are known. (Cobra calls it
// first of all that may fail.)
func (c *common) settled(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if c.config != "" {
			notes, err := table.ReadConfig(c.config, cmd.Flags())
			if err != nil {
				return err
			}
			for _, note := range notes {
				c.notef("%s", note)
			}
		}
		if c.printConfig {
			if f := cmd.Flags().Lookup("engine"); f != nil && f.Changed { // a token is for nobody to see
				shown, err := engine.CheckAddress(f.Value.String())
				if err != nil {
					return usagef("%v", err)
				}
				if err := f.Value.Set(shown); err != nil {
					return err
				}
			}
			title := fmt.Sprintf("Settings of %s, for: %s … --config FILE", cmd.CommandPath(), cmd.CommandPath())
			if err := table.WriteConfig(c.stdout, title, flagsIn(cmd), groups); err != nil {
				return err
			}
			return errPrinted
		}
		if check != nil && check(cmd, args) != nil {
			return wrongArguments(cmd, args)
		}
		if err := c.watchMemory(cmd); err != nil {
			return err
		}
		return c.reserve(cmd, args)
	}
}

// wrongArguments says which arguments a verb lacks, or has too many of.
func wrongArguments(cmd *cobra.Command, args []string) error {
	takes := argumentsIn(cmd.Use)
	what := strings.Join(takes, " ")
	switch {
	case len(takes) == 0:
		what = "no arguments"
	case len(args) < len(takes):
		return usagef("%s takes %s: %s is missing (usage: %s)", cmd.CommandPath(), what, strings.Join(takes[len(args):], " "), cmd.UseLine())
	}
	extra := lists.Each(args[len(takes):], data.Quote)
	return usagef("%s takes %s: %s %s too many (usage: %s)", cmd.CommandPath(), what, strings.Join(extra, ", "), map[bool]string{true: "is", false: "are"}[len(extra) == 1], cmd.UseLine())
}

// flagsIn are all the flags of a verb but help.
func flagsIn(cmd *cobra.Command) []*pflag.Flag {
	var flags []*pflag.Flag
	keep := func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "version" && !f.Hidden {
			flags = append(flags, f)
		}
	}
	cmd.LocalFlags().VisitAll(keep)
	cmd.InheritedFlags().VisitAll(keep)
	return flags
}
