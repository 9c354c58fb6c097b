package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// TestGoldenHelp: help is as it was looked at.
func TestGoldenHelp(t *testing.T) {
	for name, args := range map[string][]string{"help": {"--help"}, "help-fit": {"fit", "--help"}, "config-fit": {"fit", "--print-config"}} {
		stdout, _ := command(t, exitDone, args...)
		golden(t, "testdata/golden/"+name+".txt", []byte(stdout))
	}
}

// TestEveryVerbTeaches: a purpose in one line, how to use it, and at least
// two examples, with flags that exist.
func TestEveryVerbTeaches(t *testing.T) {
	eachVerb(func(verb string, cmd *cobra.Command) {
		if verb == "" || cmd.HasSubCommands() {
			return
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") || utf8.RuneCountInString(cmd.Short) > 90 {
			t.Errorf("%s: purpose %q", verb, cmd.Short)
		}
		examples := strings.Split(cmd.Example, "\n")
		if len(examples) < 2 {
			t.Errorf("%s: examples %q", verb, examples)
		}
		for _, e := range examples {
			if !strings.HasPrefix(e, "  optcomplete ") && !strings.Contains(e, "| optcomplete "+verb) {
				t.Errorf("%s: example %q", verb, e)
			}
			if !strings.HasPrefix(e, "  optcomplete "+verb) {
				continue
			}
			e, _, _ = strings.Cut(e, "|")
			for _, word := range strings.Fields(e) {
				if name, ok := strings.CutPrefix(word, "--"); ok {
					name, _, _ = strings.Cut(name, "=")
					if cmd.Flag(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
						t.Errorf("%s: the example %q has a flag that is not there: --%s", verb, e, name)
					}
				}
			}
		}
	})
}

// TestHelpFitsTheTerminal: the list of flags keeps to the width, as far as single
// words do.
func TestHelpFitsTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 100} {
		eachVerb(func(verb string, cmd *cobra.Command) {
			text := table.Usage(flagsIn(cmd), groups, width)
			for _, line := range strings.Split(text, "\n") {
				if n := utf8.RuneCountInString(line); n > width && strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("%s, width %d: %d letters: %s", verb, width, n, line)
				}
			}
		})
	}
}

// TestEssays keep to the usual width, and name only flags that exist.
func TestEssays(t *testing.T) {
	fit, _, err := newRoot(newCommon(new(bytes.Buffer), new(bytes.Buffer))).Find([]string{"fit"})
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range topics {
		for _, line := range strings.Split(helpText(topic), "\n") {
			if n := utf8.RuneCountInString(line); n > 84 {
				t.Errorf("%s: %d letters: %s", topic, n, line)
			}
			for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,;.()", r) }) {
				if name, ok := strings.CutPrefix(word, "--"); ok && fit.Flag(name) == nil {
					t.Errorf("%s: there is no --%s", topic, name)
				}
			}
		}
	}
}
