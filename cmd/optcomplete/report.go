package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete/internal/atomicfile"
	"optcomplete/internal/settings"
	"optcomplete/model"
	"optcomplete/regress/saved"
	"optcomplete/report"
)

func reportCommand(c *common) *cobra.Command {
	var output, pathFile, names string
	cmd := verb("report", func(cmd *cobra.Command, args []string) error {
		if err := c.needsFile(output); err != nil {
			return err
		}
		m, err := report.Read(args[0])
		if err != nil {
			return &usageError{err}
		}
		if beside := filepath.Join(args[0], "path.json"); pathFile == "" && isFile(beside) {
			pathFile = beside
		}
		var path *report.Path
		if pathFile != "" {
			if path, err = report.ReadPath(pathFile); err != nil {
				return &usageError{err}
			}
		}
		if m.Names, err = readNames(c, names, m.Shown()); err != nil {
			return err
		}
		return writeResult(c, output, func(w io.Writer) error { return report.Write(w, m, path) })
	})
	flags := flagsOf(cmd)
	flags.Bind("path", &pathFile)
	flags.Bind("names", &names)
	flags.Bind("output", &output)
	return cmd
}

func compareCommand(c *common) *cobra.Command {
	var output, test string
	cmd := verb("compare", func(cmd *cobra.Command, args []string) error {
		if err := c.needsFile(output); err != nil {
			return err
		}
		var models []*report.Model
		for _, dir := range args {
			if saved.Is(dir) != saved.Is(args[0]) {
				return usagef("%s and %s: one is a regression and the other a model of a matrix, which have nothing in common to compare", args[0], dir)
			}
			m, err := report.Read(dir)
			if err != nil {
				return &usageError{err}
			}
			if test != "" {
				if m.Test, err = kindAt(dir).test(cmd, c, dir, test); err != nil {
					return err
				}
			}
			models = append(models, m)
		}
		return writeResult(c, output, func(w io.Writer) error { return report.Compare(w, models) })
	})
	flags := flagsOf(cmd)
	flags.Bind("test", &test)
	flags.Bind("output", &output)
	return cmd
}

// needsFile refuses to write a page onto a screen.
func (c *common) needsFile(output string) error {
	if output == "" && c.outTerminal.shown {
		return usagef("the page is HTML, for a browser: give a file to write it to, such as -o report.html")
	}
	return nil
}

// writeReport writes the report on a model that was just fitted, if a file is
// given for it. The model's folder names it, or else the ratings' file.
func writeReport(file, ratings, folder string, names map[string]string, summary interface{ WriteJSON(io.Writer) error }) error {
	if file == "" {
		return nil
	}
	name, _, _ := strings.Cut(filepath.Base(ratings), ".")
	if folder != "" {
		name = report.NameOf(folder)
	}
	m, err := report.ParseSummary(name, summary)
	if err != nil {
		return err
	}
	m.Names = names
	return atomicfile.File(file, func(w io.Writer) error { return report.Write(w, m, nil) })
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// elsewhere are settings that the summary has a field for, and those that do not
// change the result.
var elsewhere = []string{"k", "model", "method", "always", "never", "at-most", "seed", "threads", "quiet", "output", "report", "names", "json", "save-cuts", "proof", "log-times", "config", "print-config", "checkpoint", "memory", "engine", "engine-program", "engine-from", "engine-tasks", "engine-folder", "dry-run"}

// recordSettings notes how a model was asked for, so that it can be made again.
func recordSettings(cmd *cobra.Command, s *model.Summary, ratings string) {
	if s.Settings == nil {
		s.Settings = map[string]string{}
	}
	s.Settings["ratings"] = ratings
	recordFlags(cmd, s.Settings)
}

func recordFlags(cmd *cobra.Command, into map[string]string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(elsewhere, f.Name) {
			return
		}
		into[f.Name] = strings.Join(settings.Words(f), "\n")
	})
}
