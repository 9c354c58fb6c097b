package optcomplete

import (
	"context"
	"fmt"
	"path/filepath"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/encode"
	"optcomplete/internal/amount"
	"optcomplete/internal/progress"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/spec"
)

// ReadSettings say how files are understood. All may be left at zero.
type ReadSettings struct {
	// Model is the one to be fitted: paper takes features that are numbers as they
	// are given, the others encode a table as people have them.
	Model spec.Kind

	// Features says how the feature table is understood; nil: as its cells show, for
	// Model.
	Features *encode.Options

	ID string // name of the field of the feature table that holds the ids; "" means the first

	// Ratings says how the ratings are read. Columns and Threads are set by Read.
	Ratings ingest.Settings

	Times      bool // read when entries were made too; the ratings are then read twice
	MinEntries int  // rows with fewer entries are left out
	Stored     bool // a pack stays in its file and is read from there, pass by pass
	Threads    int  // zero: all processors
}

// Notes are what is worth knowing of files that were read.
type Notes struct {
	Warnings []string       // what was filled, left out or looks wrong
	Ratings  *ingest.Report // what was counted
	Features *encode.Report // how the fields were understood; nil: numbers, as they were given
	Empty    int            // columns that have features but no entries; not counted above mostCounted entries
}

// Read reads observed entries and the features of the columns, in any form that the
// command line takes (Arrow, if the program imports optcomplete/data/arrowfile); "" for
// the features means that none are known, which is for baselines only. Close the problem when the model is done with. What is wrong with
// a file is a *data.InputError with its line.
func Read(ctx context.Context, ratings, features string, settings ReadSettings) (problem Problem, notes Notes, err error) {
	reading := progress.Start(ctx, "Reading "+filepath.Base(features), 0, "")
	defer reading.Done()
	var table *data.RawTable
	options := encode.Options{}
	switch {
	case features == "":
	case settings.Model.AsGiven() && settings.Features == nil:
		if problem.Features, err = data.ReadFeatures(features, data.FeaturesOptions{ID: settings.ID, Context: ctx}); err != nil {
			return Problem{}, notes, err
		}
	default:
		if settings.Features != nil {
			options = *settings.Features
		}
		if table, err = data.ReadRawTable(features, data.FeaturesOptions{ID: settings.ID, Context: ctx}); err != nil {
			return Problem{}, notes, err
		}
		if problem.Encoding, problem.Features, notes.Features, err = encode.Learn(ctx, table, options); err != nil {
			return Problem{}, notes, err
		}
		settings.Ratings.DropUnknown = settings.Ratings.DropUnknown || options.CompleteOnly
	}
	reading.Done()
	if problem.Features != nil {
		settings.Ratings.Columns = problem.Features.IDs
	}
	settings.Ratings.Threads = settings.Threads
	stored := false
	if settings.Stored {
		problem.Ratings, notes.Ratings, stored, err = ingest.Stored(ratings, settings.Ratings)
	}
	if err == nil && !stored {
		problem.Ratings, notes.Ratings, err = ingest.Ratings(ctx, []string{ratings}, settings.Ratings)
	}
	if err != nil {
		return Problem{}, notes, err
	}
	if err := countEmpty(ctx, &problem, table, options, &notes, settings.Threads); err != nil {
		problem.Close()
		return Problem{}, notes, err
	}
	if settings.Times {
		if stored {
			problem.Close()
		}
		settings.Ratings.Columns = problem.Ratings.ColumnIDs
		if problem.Times, _, err = ingest.Times(ctx, []string{ratings}, settings.Ratings); err != nil {
			return Problem{}, notes, err
		}
	}
	if problem.Features == nil {
		problem.Features = data.NewFeatures(problem.Ratings.ColumnIDs, nil, nil)
	}
	problem.Nouns = result.NounsOf(notes.Ratings.Called[0], notes.Ratings.Called[1], notes.Ratings.Called[2])
	notes.Warnings = append(notes.Warnings, notes.Ratings.Warnings()...)
	return problem, notes, leaveOut(&problem, ratings, settings.MinEntries, &notes)
}

// mostCounted is how many entries are read once more to see which columns have any.
const mostCounted = 1_000_000_000

// countEmpty understands the features again from the columns with entries alone, where some have none.
func countEmpty(ctx context.Context, p *Problem, table *data.RawTable, options encode.Options, notes *Notes, threads int) (err error) {
	if p.Ratings.Observed() <= mostCounted {
		survey, err := pass.Survey(ctx, p.Ratings.Source(), threads)
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		for j, n := range survey.Columns {
			if n > 0 {
				seen[p.Ratings.ColumnIDs[j]] = true
			}
		}
		notes.Empty = len(survey.Columns) - len(seen)
		options.Counts = func(id string) bool { return seen[id] }
	}
	if table == nil {
		return nil
	}
	if notes.Empty > 0 {
		if p.Encoding, p.Features, notes.Features, err = encode.Learn(ctx, table, options); err != nil {
			return err
		}
	}
	notes.Warnings = append(notes.Warnings, notes.Features.Warnings...)
	return nil
}

// leaveOut leaves out rows with too few entries.
func leaveOut(p *Problem, file string, least int, notes *Notes) error {
	if least <= 0 {
		return nil
	}
	before, _ := p.Ratings.Dims()
	p.Ratings = p.Ratings.WithEntries(least)
	after, _ := p.Ratings.Dims()
	if after == 0 {
		p.Close()
		return &data.InputError{File: file, Problem: fmt.Sprintf("no row has %d entries or more", least), Remedy: "ask for fewer"}
	}
	if after < before {
		notes.Warnings = append(notes.Warnings, fmt.Sprintf("%s of %s with fewer than %d entries%s", amount.Grouped(before-after), amount.Of(before, "row", "rows"), least, data.LeftOut))
	}
	return nil
}
