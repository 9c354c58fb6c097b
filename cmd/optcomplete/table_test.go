package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete/internal/must"
	"optcomplete/internal/settings"
)

var update = flag.Bool("update", false, "write the golden files and docs/settings.md anew")

// eachVerb calls f for every command that runs, with the name the table has for
// it.
func eachVerb(f func(verb string, cmd *cobra.Command)) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Name() == "completion" || cmd.Name() == "help" {
			return
		}
		f(strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "optcomplete"), " "), cmd)
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRoot(newCommon(io.Discard, io.Discard)))
}

// TestEveryFlagIsInTheTable: one that is not has no range, no group, no line in
// docs/settings.md.
func TestEveryFlagIsInTheTable(t *testing.T) {
	eachVerb(func(verb string, cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Name == "version" || settings.Of(f) != nil {
				return
			}
			t.Errorf("table.go lacks a line such as\n\t{Name: %q, Type: settings.%s, Default: %q, Group: inOutput, Verbs: []string{%q}, Help: %q},\nwith flags.Bind(%q, &…) instead of flags.…Var", f.Name, guess(f), f.DefValue, verb, f.Usage, f.Name)
		})
	})
}

func guess(f *pflag.Flag) string {
	if kind, ok := map[string]string{"int": "Whole", "uint64": "Whole", "float64": "Number", "bool": "Switch", "duration": "Duration", "stringSlice": "Names", "stringArray": "Repeated"}[f.Value.Type()]; ok {
		return kind
	}
	return "Text"
}

// TestEverySettingIsBound by every verb that the table says takes it, and has a
// group and a help.
func TestEverySettingIsBound(t *testing.T) {
	bound := map[string]map[*settings.Setting]bool{}
	eachVerb(func(verb string, cmd *cobra.Command) {
		bound[verb] = map[*settings.Setting]bool{}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { bound[verb][settings.Of(f)] = true })
	})
	for i := range table {
		s := &table[i]
		verbs := s.Verbs
		if verbs == nil {
			verbs = []string{""}
		}
		for _, verb := range verbs {
			if !bound[verb][s] {
				t.Errorf("%q does not take --%s, though the table says so", verb, s.Name)
			}
		}
		if !slices.Contains(groups, s.Group) || s.Help == "" || strings.HasSuffix(s.Help, ".") {
			t.Errorf("--%s: group %q, help %q", s.Name, s.Group, s.Help)
		}
	}
}

// TestSettingsPage: docs/settings.md is what the table gives.
func TestSettingsPage(t *testing.T) {
	var page bytes.Buffer
	page.WriteString(`# Settings

Every setting of every verb. This page is made from the table in
[cmd/optcomplete/table.go](../cmd/optcomplete/table.go) (` + "`make settings`" + `), as are the flags, their checks and
` + "`--help`" + `.
`)
	writePage(&page)
	golden(t, "../../docs/settings.md", page.Bytes())
}

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		must.Do(t, os.WriteFile(path, got, 0o666))
		return
	}
	want := must.Get(os.ReadFile(path))(t)
	if !bytes.Equal(got, want) {
		a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		at := 0
		for at < min(len(a), len(b))-1 && a[at] == b[at] {
			at++
		}
		t.Errorf("%s:%d differs (make settings writes it anew)\ngot:  %s\nwant: %s", path, at+1, a[at], b[at])
	}
}

// writePage writes the table as a page of the manual, in Markdown.
func writePage(b *bytes.Buffer) {
	for _, group := range groups {
		fmt.Fprintf(b, "\n## %s\n\n| setting | takes | default | verbs | applies to | for |\n| --- | --- | --- | --- | --- | --- |\n", group)
		for i := range table {
			s := &table[i]
			if s.Group != group {
				continue
			}
			name := "`--" + s.Name + "`"
			if s.Short != "" {
				name = "`-" + s.Short + "`, " + name
			}
			verbs := strings.Join(s.Verbs, ", ")
			if verbs == "" {
				verbs = "all"
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", name, cell(takes(s)), cell(s.Default), verbs, s.Use, cell(s.Help))
		}
	}
}

// takes says what the setting takes, in few words.
func takes(s *settings.Setting) string {
	kind := [...]string{"text", "a file", "a folder", "a whole number", "a number", "on or off", "a time such as 90s or 5m", "names, with commas", "text, several times", "whole numbers, with commas"}[s.Type]
	switch {
	case s.Range == "":
		return kind
	case s.Type == settings.Text:
		return s.Brief()
	}
	return kind + ": " + s.Brief()
}

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
