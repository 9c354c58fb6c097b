package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"optcomplete"
	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/encode"
	"optcomplete/formulation"
	"optcomplete/internal/lists"
	"optcomplete/internal/settings"
	"optcomplete/internal/textfile"
	"optcomplete/result"
	"optcomplete/spec"
)

// inputFlags say where the data are and how to read them.
type inputFlags struct {
	Features   string
	ID         string // the field of their ids
	MinEntries int
	Split      string // random, or time: the times of the entries are read too
	stored     bool   // a pack may stay where it is
	optional   bool   // without features the columns are those of the ratings
	ratings    ingest.Settings
	encode     encodeFlags
	table      *encode.Options // how the feature table is understood; nil: by the flags
}

func (f *inputFlags) register(flags *settings.Flags) {
	flags.BindFields(f)
	ratingsFlags(flags, &f.ratings)
	flags.BindFields(&f.encode)
}

// unweighted ignores weights of entries.
func (f *inputFlags) unweighted() { f.ratings.Weight = ingest.NoWeights }

// splitOf is the split that was asked for. A name of the times without it would do
// nothing.
func (f *inputFlags) splitOf(cmd *cobra.Command) (spec.Split, error) {
	split, err := spec.ParseSplit(f.Split)
	if err != nil {
		return split, usagef("--split: %v", err)
	}
	if split != spec.TimeSplit && cmd.Flags().Changed("time-name") {
		return split, usagef("--time-name names the column of the times for --split time, which was not given")
	}
	return split, nil
}

// load reads both files; what was left out becomes warnings. For the paper's
// model the features are numbers, used as they are given.
func (f *inputFlags) load(cmd *cobra.Command, c *common, ratingsPath string, kind spec.Kind) (formulation.Problem, []string, error) {
	if f.Features == "" && !f.optional {
		return formulation.Problem{}, nil, usagef("the features are missing: give them with --features FILE")
	}
	settings := optcomplete.ReadSettings{Model: kind, ID: f.ID, Ratings: f.ratings, MinEntries: f.MinEntries, Stored: f.stored, Threads: c.threads, Times: f.Split == spec.TimeSplit.String()}
	if settings.Features = f.table; settings.Features == nil && (!kind.AsGiven() || f.encode.given(cmd)) {
		options, err := f.understand(cmd, kind)
		if err != nil {
			return formulation.Problem{}, nil, err
		}
		settings.Features = &options
	}
	var read func()
	settings.Ratings.Progress, read = c.follow(ratingsPath, "")
	problem, notes, err := optcomplete.Read(cmd.Context(), ratingsPath, f.Features, settings)
	read()
	if err != nil {
		return problem, nil, swapped(err, ratingsPath, f.Features)
	}
	if notes.Features == nil {
		c.warn("", problem.Features.Warnings()) // the fit keeps them itself
	}
	c.notes(notes.Ratings)
	for _, w := range notes.Warnings {
		if slices.Contains(notes.Ratings.Warnings(), w) {
			w = ratingsPath + ": " + w
		}
		c.notef("warning: %s", w)
	}
	ratings, warnings := problem.Ratings, notes.Warnings
	c.factf("Data", "%s, %s", dataText(ratings, notes.Empty, problem.Nouns),
		count(len(problem.Features.Names), "feature"))
	return problem, warnings, nil
}

// dataText says how large the data are, in the words of their header; empty columns have no entries.
func dataText(ratings *data.Ratings, empty int, nouns *result.Nouns) string {
	n, m := ratings.Dims()
	m -= empty
	more := ""
	if empty > 0 {
		more = fmt.Sprintf("; %s more without %s", grouped(empty), nouns.Entries())
	}
	return fmt.Sprintf("%s: %s × %s (%s observed%s)", counted(ratings.Observed(), nouns.One(), nouns.Entries()), counted(n, nouns.Each(), nouns.Rows()),
		counted(m, nouns.Item(), nouns.Columns()), percent(float64(ratings.Observed())/(float64(n)*float64(m))), more)
}

// swapped says so if an input is faulty because the two files are taken for each
// other: the header of the features names a row, a column and a value.
func swapped(err error, ratings, features string) error {
	var input *data.InputError
	if !errors.As(err, &input) || features == "" || errors.Is(err, context.Canceled) {
		return err
	}
	isLong := func(path string) bool {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return false // a pipe cannot be read again
		}
		header := lists.Each(tableHeader(path), func(name string) []byte { return []byte(name) })
		_, long := textfile.Roles(header, textfile.RowRole, textfile.ColumnRole, textfile.ValueRole)
		return long
	}
	if !isLong(features) || isLong(ratings) {
		return err
	}
	return &data.InputError{
		File: features, Problem: "holds a row, a column and a value in each line, so it is the ratings and not the features", Err: err,
		Remedy: "swap the two files: the ratings come first, and --features names the table of the columns",
	}
}

// choices is the number of features, or groups of them, that are selected from.
func choices(problem formulation.Problem) int {
	if problem.Encoding != nil {
		return len(problem.Encoding.Groups)
	}
	return len(problem.Features.Names)
}

// choiceNames are the names of those.
func choiceNames(problem formulation.Problem) []string {
	if problem.Encoding != nil {
		return lists.Each(problem.Encoding.Groups, func(g encode.Group) string { return g.Name })
	}
	return problem.Features.Names
}

// understand is how the feature table is to be understood, for a model.
func (f *inputFlags) understand(cmd *cobra.Command, kind spec.Kind) (encode.Options, error) {
	options, err := f.encode.options(cmd)
	if err == nil && kind.AsGiven() {
		if !cmd.Flags().Changed("scale") {
			options.Scale = encode.AsIs
		}
		if !cmd.Flags().Changed("keep") {
			options.Keep = true
		}
	}
	return options, err
}
