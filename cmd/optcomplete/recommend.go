package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/model"
	"optcomplete/model/tables"
	"optcomplete/result"
	"optcomplete/service"
)

// recommendFlags are the flags of recommend.
type recommendFlags struct {
	Row, Features, Ratings, Names, Output string
	All, KeepSeen, JSON                   bool
	what                                  model.RecommendSettings
	options                               ingest.Settings
}

func recommendCommand(c *common) *cobra.Command {
	var f recommendFlags
	cmd := verb("recommend", func(cmd *cobra.Command, args []string) error { return f.run(cmd, c, args[0]) })
	flags := flagsOf(cmd)
	flags.BindFields(&f)
	flags.BindFields(&f.what)
	flags.Bind("least-entries", &f.what.Least)
	flags.Bind("raw-names", &c.rawNames)
	flags.BindFields(&f.options)
	return cmd
}

func (f *recommendFlags) run(cmd *cobra.Command, c *common, path string) error {
	switch {
	case f.All == cmd.Flags().Changed("row"):
		return usagef("for whom? Give a row with --row ID, or all with --all")
	case f.All && f.JSON:
		return usagef("--json is for one row: with --all write a file with -o")
	case f.JSON && f.Output != "":
		return usagef("--json prints to stdout: leave out -o")
	}
	format, err := c.formatOf(f.Output)
	if err != nil {
		return err
	}
	m, err := loadWith(c, path, f.Features)
	if err != nil {
		return err
	}
	if m, err = f.foldIn(cmd, c, m); err != nil {
		return err
	}
	skip, err := f.skipper(m)
	if err != nil {
		return err
	}
	if err := f.prepare(cmd, c, m); err != nil {
		return err
	}
	if f.All {
		return writeResult(c, f.Output, func(w io.Writer) error {
			return tables.RecommendAll(c.whileWriting(cmd.Context(), f.Output), m, w, format, f.what, skip, threadsOf(c))
		})
	}
	say := worded(m.Summary.Nouns)
	i, known := m.Row(f.Row)
	if !known {
		i = -1
		remedy := "fold its entries in with --ratings FILE"
		switch {
		case f.Ratings != "":
			remedy = f.Ratings + " has no entries of it"
		case m.ByFeatures:
			remedy = "fold its features in with: optcomplete fold-in MODEL FEATURES -o MODEL"
		}
		c.notef("%s", say("warning: {row} %q is not in the model: this is what the model recommends to a new {row} (%s)", f.Row, remedy))
	}
	done := c.working("Recommending", "nowhere")
	defer done()
	r, err := m.Recommender(f.what)
	if err != nil {
		return err
	}
	list, err := r.Row(i, skip(i))
	done()
	if err != nil {
		return err
	}
	if len(list) == 0 && f.what.Least > 0 {
		c.notef("%s", say("warning: none of the remaining {columns} has %s {entries} or more: lower --least-entries", grouped(f.what.Least)))
	}
	if f.JSON {
		return writeJSON(c.stdout, service.Recommended(m, f.Row, f.what.Names, list))
	}
	return writeResult(c, f.Output, func(w io.Writer) error {
		return tables.Recommendations(m, w, format, f.what.Names, f.Row, list)
	})
}

// prepare reads the names, and says where there can be no caution.
func (f *recommendFlags) prepare(cmd *cobra.Command, c *common, m *model.Model) error {
	if f.what.Caution > 0 {
		_, err := m.Intervals()
		switch {
		case err == nil:
			varied := ""
			if f.what.Diversity > 0 {
				varied = ", and by --diversity"
			}
			less, off := "less", "takes nothing off"
			if f.what.Lowest {
				less, off = "plus", "adds nothing"
			}
			c.notef("note: ordered by cautious predictions, each %s %s%s (--caution 0 %s)", less, deviations(f.what.Caution), varied, off)
		case errors.Is(err, model.ErrEntriesUnknown):
			c.notef("%s", worded(m.Summary.Nouns)("warning: the model was saved without the {entries} of its {rows}: ranking by the predictions, without caution"))
		case !errors.Is(err, model.ErrNoIntervals):
			return &usageError{err}
		case cmd.Flags().Changed("caution"):
			return usagef("--caution: %v; --caution 0 goes by the predictions", err)
		}
	}
	var err error
	f.what.Names, err = namesOf(c, f.Names, m)
	return err
}

// namesOf reads the names of a model's columns. A column without one keeps its id.
func namesOf(c *common, path string, m *model.Model) ([]string, error) {
	all, err := readNames(c, path, m.ColumnIDs)
	if all == nil {
		return nil, err
	}
	names, found := slices.Clone(m.ColumnIDs), 0
	for j, id := range m.ColumnIDs {
		name, known := all[id]
		if known {
			found++
		}
		if name != "" {
			names[j] = name
		}
	}
	if missing := len(names) - found; missing > 0 {
		c.notef("warning: %s has no name for %s of the model: their ids are shown", path, counted(missing, m.Summary.Nouns.Item(), m.Summary.Nouns.Columns()))
	}
	return names, nil
}

// readNames reads a table of names, by the ids of columns: those of its first field, or of the
// field that has most of them. The names are in the column called name or title, or the first
// whose name ends so, or else in the one after the ids. No path gives none.
func readNames(c *common, path string, columns []string) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	table, err := data.ReadRawTable(path, data.FeaturesOptions{Context: c.ctx})
	if err != nil {
		return nil, err
	}
	is := make(map[string]bool, len(columns))
	for _, id := range columns {
		is[id] = true
	}
	if len(columns) > 0 && !slices.ContainsFunc(table.IDs, func(id string) bool { return is[id] }) {
		best, most := "", 0
		for field, name := range table.Names {
			found := 0
			for x := range table.IDs {
				if is[strings.TrimSpace(table.Row(x)[field])] {
					found++
				}
			}
			if found > most {
				best, most = name, found
			}
		}
		if most == 0 {
			return nil, &data.InputError{File: path, Problem: "none of its ids is a column of the model", Remedy: "give a table with the ids of the model's columns in one of its fields"}
		}
		if table, err = data.ReadRawTable(path, data.FeaturesOptions{ID: best, Context: c.ctx}); err != nil {
			return nil, err
		}
	}
	find := func(is func(name, word string) bool) int {
		return slices.IndexFunc(table.Names, func(name string) bool {
			name = strings.ToLower(strings.TrimSpace(name))
			return is(name, "name") || is(name, "title")
		})
	}
	field := find(func(name, word string) bool { return name == word })
	if field < 0 {
		field = max(0, find(strings.HasSuffix))
		c.notef("note: %s: the names are those of the field %q", path, table.Names[field])
	}
	names := make(map[string]string, len(table.IDs))
	for x, id := range table.IDs {
		names[id] = strings.TrimSpace(table.Row(x)[field])
	}
	return names, nil
}

// foldIn adds the rows of --ratings that the model does not know, and for those
// it knows what they have seen.
func (f *recommendFlags) foldIn(cmd *cobra.Command, c *common, m *model.Model) (*model.Model, error) {
	if f.Ratings == "" {
		return m, nil
	}
	ratings, err := readNewRows(cmd.Context(), c, f.Ratings, m, f.options)
	if err != nil {
		return nil, err
	}
	if m.ByFeatures {
		known := 0
		for _, id := range ratings.RowIDs {
			if _, is := m.Row(id); is {
				known++
			}
		}
		if known < len(ratings.RowIDs) {
			return nil, usagef("%s has rows that the two-sided model does not know: it needs their features (optcomplete fold-in MODEL FEATURES -o MODEL)", f.Ratings)
		}
	}
	more, err := m.WithNewRows(cmd.Context(), ratings, threadsOf(c))
	if err != nil {
		return nil, foldFault(f.Ratings, ratings, err)
	}
	return more, nil
}

// skipper tells which columns to leave out for a row.
func (f *recommendFlags) skipper(m *model.Model) (func(row int) []int32, error) {
	none := func(int) []int32 { return nil }
	if f.KeepSeen || len(m.RowIDs) == 0 {
		return none, nil
	}
	_, known, err := m.Seen(0)
	if err != nil {
		return nil, &usageError{err}
	}
	if !known {
		return nil, usagef("%s", worded(m.Summary.Nouns)("the model does not hold which {entries} its {rows} had: fit it again, or use --keep-seen to list {columns} that a {row} has seen"))
	}
	return func(row int) []int32 {
		if row < 0 {
			return nil
		}
		seen, _, _ := m.Seen(row) // it was read above
		return seen
	}, nil
}

// readNewRatings reads entries whose columns are those of the model, and says how they
// were understood.
func readNewRatings(ctx context.Context, c *common, path string, m *model.Model, options ingest.Settings) (*data.Ratings, *ingest.Report, error) {
	options.Columns, options.Where = m.ColumnIDs, "the model"
	ratings, report, err := ingest.Ratings(ctx, []string{path}, options)
	if err != nil {
		return nil, nil, err
	}
	c.notes(report)
	c.warn(path, report.Warnings())
	return ratings, report, nil
}

// readNewRows reads the entries of rows that are to be fitted into the model.
func readNewRows(ctx context.Context, c *common, path string, m *model.Model, options ingest.Settings) (*data.Ratings, error) {
	ratings, report, err := readNewRatings(ctx, c, path, m, options)
	if err == nil && m.Summary.Weighted && !report.Weighted {
		c.notef("note: %s: the model was fitted to entries with weights, and these have none: each counts as one of weight 1", path)
	}
	return ratings, err
}

// writeJSON writes what --json prints.
var writeJSON = result.WriteJSON

// deviations are as many standard deviations.
func deviations(n float64) string {
	if n == 1 {
		return "1 standard deviation"
	}
	return fmt.Sprintf("%g standard deviations", n)
}
