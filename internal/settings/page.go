package settings

import (
	"fmt"
	"io"
	"strings"
)

// WritePage writes the table as a page of the manual, in Markdown.
func (t Table) WritePage(w io.Writer, groups []string) error {
	var b strings.Builder
	for _, group := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n| setting | takes | default | verbs | applies to | for |\n| --- | --- | --- | --- | --- | --- |\n", group)
		for i := range t {
			s := &t[i]
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
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", name, cell(s.takes()), cell(s.Default), verbs, s.Use, cell(s.Help))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// takes says what the setting takes, in few words.
func (s *Setting) takes() string {
	kind := [...]string{"text", "a file", "a folder", "a whole number", "a number", "on or off", "a time such as 90s or 5m", "names, with commas", "text, several times", "whole numbers, with commas"}[s.Type]
	_, numbers := s.parts()
	switch {
	case s.Range == "":
		return kind
	case numbers == nil && s.Type == Text:
		return s.brief()
	}
	return kind + ": " + s.brief()
}

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
