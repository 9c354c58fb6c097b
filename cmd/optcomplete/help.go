package main

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete/internal/settings"
	"optcomplete/internal/suggest"
	"optcomplete/milp"
)

// The words of a verb: its usage, what it is for, what it does, and examples. Those of a topic: its
// title and its text.
//
//go:embed help
var helpFiles embed.FS

// helpText is a file of help.
func helpText(name string) string {
	text, err := helpFiles.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // it is in the program
	}
	return string(text)
}

// verb is a command with the words of its file, which takes the arguments that its usage names.
func verb(name string, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	text := strings.NewReplacer("{ratings}", strings.TrimSpace(helpText("ratings")), "{solvers}", milp.SolversVariable).Replace(helpText(name))
	use, text, _ := strings.Cut(text, "\n")
	short, text, _ := strings.Cut(text, "\n\n")
	long, examples, _ := strings.Cut(text, "\nExamples\n")
	least, most := 0, 0
	for _, argument := range argumentsIn(use) {
		if most++; !strings.HasPrefix(argument, "[") {
			least++
		}
		if strings.Contains(argument, "...") {
			most = math.MaxInt
		}
	}
	return &cobra.Command{Use: use, Short: short, Long: strings.TrimSpace(long), Example: strings.TrimRight(examples, "\n"), Args: cobra.RangeArgs(least, most), RunE: run}
}

// argumentsIn are those that a usage names, between its verb and the first flag.
func argumentsIn(use string) (names []string) {
	for _, word := range strings.Fields(use)[1:] {
		if strings.HasPrefix(strings.TrimPrefix(word, "["), "-") {
			break
		}
		names = append(names, word)
	}
	return names
}

// verbGroups are the headings of the list of verbs.
var verbGroups = []struct {
	id, title string
	verbs     []string
}{
	{"start", "Start", []string{"demo", "features"}},
	{"fit", "Select and fit", []string{"fit", "path", "regress"}},
	{"use", "Use a model", []string{"predict", "complete", "recommend", "fold-in", "explain", "evaluate", "verify", "report", "compare"}},
	{"study", "Data and solvers", []string{"pack", "inspect", "synth", "master", "solvers", "engine", "worker", "serve"}},
}

// arrangeHelp gives the program help of its own.
func arrangeHelp(root *cobra.Command, out terminal) {
	for _, g := range verbGroups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, name := range g.verbs {
			if cmd, _, err := root.Find([]string{name}); err == nil && cmd != root {
				cmd.GroupID = g.id
			}
		}
	}
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) { printHelp(cmd.OutOrStdout(), cmd, out) })
	root.SetFlagErrorFunc(flagError)
}

// widestHelp is the length of lines that is still easy to read.
const widestHelp = 100

// printHelp says what a verb is for, how it is used, and what it takes.
func printHelp(w io.Writer, cmd *cobra.Command, out terminal) {
	width := min(out.width, widestHelp)
	fmt.Fprintf(w, "%s\n\nUsage\n  %s\n", cmd.Short, useLine(cmd))
	if cmd.Long != "" {
		fmt.Fprintf(w, "\n%s\n", cmd.Long)
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples\n%s\n", cmd.Example)
	}
	printVerbs(w, cmd, width)
	fmt.Fprintf(w, "\n%s", table.Usage(flagsIn(cmd), groups, width))
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s VERB --help describes a verb.\n", cmd.CommandPath())
	}
	if !cmd.HasParent() {
		fmt.Fprintf(w, "optcomplete help %s is a page on that topic.\n", strings.Join(topics, "|"))
	}
}

// useLine is the usage of a verb.
func useLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " VERB"
	}
	return cmd.UseLine()
}

// printVerbs lists verbs under their headings.
func printVerbs(w io.Writer, cmd *cobra.Command, width int) {
	const indent = 14
	heading := ""
	list := func(group, title string) {
		for _, verb := range cmd.Commands() {
			if !verb.IsAvailableCommand() || verb.GroupID != group {
				continue
			}
			if heading != title {
				heading = title
				fmt.Fprintf(w, "\n%s\n", title)
			}
			text := strings.Join(settings.Wrap(verb.Short, max(width-indent, 24)), "\n"+strings.Repeat(" ", indent))
			fmt.Fprintf(w, "  %-*s%s\n", indent-2, verb.Name(), text)
		}
	}
	for _, g := range cmd.Groups() {
		list(g.ID, g.Title)
	}
	list("", "More")
}

// flagError says what is wrong with a flag, and what was meant.
func flagError(cmd *cobra.Command, err error) error {
	var bad *settings.RangeError
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &bad):
		return usagef("%s %v", bad.Setting.Flag(), bad)
	case errors.As(err, &invalid):
		return usagef("--%s: %v", invalid.GetFlag().Name, invalid.Unwrap())
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		hint := fmt.Sprintf("see: %s --help", cmd.CommandPath())
		if near := suggest.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			hint = fmt.Sprintf("did you mean --%s?", near)
		} else if unknown.GetSpecifiedName() == "k-max" && cmd.Flags().Lookup("k") != nil {
			hint = "here -k gives the largest number of features"
		}
		return usagef("%s has no flag --%s (%s)", cmd.CommandPath(), unknown.GetSpecifiedName(), hint)
	}
	return usagef("%v (see: %s --help)", err, cmd.CommandPath())
}

// topics are those of help that are no verbs.
var topics = []string{"certificate", "gamma", "models"}

// helpCommand is the verb help: of a verb, or one of the essays.
func helpCommand(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB or TOPIC]",
		Short: "Help about a verb, or an essay on a topic",
		Example: `  optcomplete help fit
  optcomplete help certificate`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return append(slices.Clone(topics), verbNames(cmd.Root())...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if len(args) == 0 {
				return root.Help()
			}
			if slices.Contains(topics, args[0]) && len(args) == 1 {
				title, text, _ := strings.Cut(helpText(args[0]), "\n")
				_, err := fmt.Fprintf(c.stdout, "%s\n%s", c.outTerminal.style(bold, title), text)
				return err
			}
			verb, rest, err := root.Find(args)
			if err != nil || verb == root || len(rest) > 0 {
				return usagef("there is no help on %q%s", strings.Join(args, " "), suggest.After(args[0], append(slices.Clone(topics), verbNames(root)...)))
			}
			return verb.Help()
		},
	}
}
