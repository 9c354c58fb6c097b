package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete/internal/settings"
	"optcomplete/internal/textfile"
)

// completeFlags tells the shell's completion what the flags take: the words of
// their ranges, folders, and the names of features.
func completeFlags(cmd *cobra.Command) {
	for _, verb := range cmd.Commands() {
		completeFlags(verb)
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		s := settings.Of(f)
		if s == nil {
			return
		}
		var complete cobra.CompletionFunc
		switch {
		case len(s.Words()) > 0:
			complete = cobra.FixedCompletions(s.Words(), cobra.ShellCompDirectiveNoFileComp)
		case s.Name == "always" || s.Name == "never" || s.Name == "group":
			complete = completeNames
		case s.Type == settings.Folder:
			complete = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
		case s.Type != settings.File:
			complete = cobra.NoFileCompletions
		default:
			return // files
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic(err)
		}
	})
}

// completeNames completes a list of names by the header of the feature table, as
// far as that is given and text.
func completeNames(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	flag := cmd.Flag("features")
	if flag == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var names []cobra.Completion
	for _, name := range headerOf(flag.Value.String()) {
		if name = before + name; strings.HasPrefix(name, typed) {
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// headerOf is the names of a table's fields without the first, which is the id.
func headerOf(path string) []string {
	if names := tableHeader(path); len(names) > 1 {
		return names[1:]
	}
	return nil
}

// tableHeader reads the names of a table's fields from its first line. Nobody is
// there to complain to: a file that cannot be read has none.
func tableHeader(path string) (names []string) {
	if path == "" || path == "-" {
		return nil
	}
	textfile.WithFile(context.Background(), path, func(r io.Reader, name string) error {
		text, release, err := textfile.Unpack(r, name)
		if err != nil {
			return err
		}
		defer release()
		line, err := bufio.NewReader(io.LimitReader(text, 1<<20)).ReadBytes('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimRight(bytes.TrimPrefix(line, []byte("\ufeff")), "\r\n")
		fields, fault := textfile.Split(line, textfile.DetectDelimiter(line, 2), nil)
		if fault == "" {
			names = textfile.Texts(fields)
		}
		return nil
	})
	return names
}
