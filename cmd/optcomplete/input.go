package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"optcomplete"
	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/encode"
	"optcomplete/internal/settings"
	"optcomplete/model"
)

// inputFlags say where the data are and how to read them.
type inputFlags struct {
	features   string
	minEntries int
	stored     bool // a pack may stay where it is
	optional   bool // without features the columns are those of the ratings
	ratings    ingest.Settings
	encode     encodeFlags
}

func (f *inputFlags) register(flags *settings.Flags) {
	flags.Bind("features", &f.features)
	flags.Bind("drop-unknown", &f.ratings.DropUnknown)
	flags.Bind("min-entries", &f.minEntries)
	ratingsFlags(flags, &f.ratings)
	f.encode.register(flags)
}

// load reads both files; what was left out becomes warnings. For the paper's
// model the features are numbers, used as they are given.
func (f *inputFlags) load(cmd *cobra.Command, c *common, ratingsPath string, kind model.Kind) (optcomplete.Problem, []string, error) {
	var problem optcomplete.Problem
	var warnings []string
	var err error
	if f.features == "" {
		if !f.optional {
			return problem, nil, usagef("the features are missing: give them with --features FILE")
		}
	} else if kind == model.Paper && !f.encode.given(cmd) {
		if problem.Features, err = data.ReadFeatures(f.features, data.FeaturesOptions{Context: cmd.Context()}); err != nil {
			return problem, nil, err
		}
		for _, w := range problem.Features.Warnings() {
			c.notef("warning: %s", w) // the fit keeps them itself
		}
	} else {
		var report *encode.Report
		if problem.Encoding, problem.Features, report, err = f.learn(cmd, kind); err != nil {
			return problem, nil, err
		}
		warnings = report.Warnings
	}
	options := f.ratings
	options.DropUnknown = options.DropUnknown || f.encode.completeOnly
	options.Threads = c.threads
	if problem.Features != nil {
		options.Columns = problem.Features.IDs
	}
	ratings, report, stored, err := f.open(ratingsPath, options)
	if err == nil && !stored {
		var read func()
		options.Progress, read = c.follow(ratingsPath, "")
		ratings, report, err = ingest.Ratings(cmd.Context(), []string{ratingsPath}, options)
		read()
	}
	if err != nil {
		return problem, nil, err
	}
	c.notes(report)
	if problem.Features == nil {
		problem.Features = data.NewFeatures(ratings.ColumnIDs, nil, nil)
	}
	warnings = append(warnings, report.Warnings()...)
	if f.minEntries > 0 {
		before, _ := ratings.Dims()
		ratings = ratings.WithEntries(f.minEntries)
		after, _ := ratings.Dims()
		if after == 0 {
			return problem, nil, &data.InputError{File: ratingsPath, Problem: fmt.Sprintf("no row has %d entries or more", f.minEntries), Remedy: "lower --min-entries"}
		}
		if after < before {
			warnings = append(warnings, fmt.Sprintf("%s of %s rows have fewer than %d entries and were left out", grouped(before-after), grouped(before), f.minEntries))
		}
	}
	problem.Ratings = ratings
	for _, w := range warnings {
		c.notef("warning: %s", w)
	}
	n, m := ratings.Dims()
	c.factf("Data", "%s of %s and %s (%s observed), %s", counted(ratings.Observed(), "entry", "entries"), count(n, "row"), count(m, "column"),
		percent(float64(ratings.Observed())/(float64(n)*float64(m))), count(len(problem.Features.Names), "feature"))
	return problem, warnings, nil
}

// open opens the ratings where they are, if the verb can use them there.
func (f *inputFlags) open(path string, options ingest.Settings) (*data.Ratings, *ingest.Report, bool, error) {
	if !f.stored {
		return nil, nil, false, nil
	}
	return ingest.Stored(path, options)
}

// choices is the number of features, or groups of them, that are selected from.
func choices(problem optcomplete.Problem) int {
	if problem.Encoding != nil {
		return len(problem.Encoding.Groups)
	}
	return len(problem.Features.Names)
}

// learn reads a feature table as people have them.
func (f *inputFlags) learn(cmd *cobra.Command, kind model.Kind) (*encode.Encoding, *data.Features, *encode.Report, error) {
	options, err := f.encode.options(cmd)
	if err != nil {
		return nil, nil, nil, err
	}
	if kind == model.Paper {
		if !cmd.Flags().Changed("scale") {
			options.Scale = encode.AsIs
		}
		if !cmd.Flags().Changed("keep") {
			options.Keep = true
		}
	}
	table, err := data.ReadRawTable(f.features, data.FeaturesOptions{Context: cmd.Context()})
	if err != nil {
		return nil, nil, nil, err
	}
	return encode.Learn(table, options)
}
