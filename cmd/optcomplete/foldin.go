package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/model/store"
	"optcomplete/model/tables"
)

// foldInFlags are the flags of fold-in.
type foldInFlags struct {
	Output, Pairs, Complete, Features string
	SkipUnknown                       bool
	ratings                           ingest.Settings
}

func foldInCommand(c *common) *cobra.Command {
	var f foldInFlags
	cmd := verb("fold-in", func(cmd *cobra.Command, args []string) error { return f.run(cmd, c, args[0], args[1]) })
	flags := flagsOf(cmd)
	flags.BindFields(&f)
	flags.Bind("raw-names", &c.rawNames)
	ratingsFlags(flags, &f.ratings)
	return cmd
}

func (f *foldInFlags) run(cmd *cobra.Command, c *common, modelPath, ratingsPath string) error {
	for _, path := range []string{f.Output, f.Complete} {
		if ext := filepath.Ext(path); ext != "" && path != "-" {
			if _, err := tables.FormatOf(path); err != nil {
				return &usageError{err}
			}
		} else if path == f.Complete && path != "" {
			return usagef("--complete writes a file: give it the extension .csv or .parquet")
		}
	}
	return kindAt(modelPath).foldIn(cmd, c, modelPath, ratingsPath, f)
}

func (matrixModel) foldIn(cmd *cobra.Command, c *common, modelPath, ratingsPath string, f *foldInFlags) error {
	m, err := loadWith(c, modelPath, f.Features)
	if err != nil {
		return err
	}
	ratings, err := readNewRows(cmd.Context(), c, ratingsPath, m, f.ratings)
	if err != nil {
		return err
	}
	before := m
	m, rows, err := before.WithRows(cmd.Context(), ratings, threadsOf(c))
	if err != nil {
		return foldFault(ratingsPath, ratings, err)
	}
	added := len(m.RowIDs) - len(before.RowIDs)
	c.warnOfFewer(before, m, rows)
	c.notef("Folded in %s: %s new, %s known before", count(len(rows), "row"), grouped(added), grouped(len(rows)-added))
	return f.write(cmd.Context(), c, m, rows)
}

// warnOfFewer says where rows that were known are now fitted to fewer entries than
// before: most often somebody gave only those that are new.
func (c *common) warnOfFewer(before, m *model.Model, rows []int) {
	fewer := slices.DeleteFunc(slices.Clone(rows), func(i int) bool { return i >= len(before.RowIDs) || m.Entries[i] >= before.Entries[i] })
	if len(fewer) == 0 {
		return
	}
	i, n := fewer[0], m.Summary.Nouns
	others := ""
	if more := len(fewer) - 1; more > 0 {
		others = fmt.Sprintf(", and %s more likewise", counted(more, n.Each(), n.Rows()))
	}
	c.notef("warning: %s is now fitted to %s instead of %s%s: give old %s too",
		data.Quote(m.RowIDs[i]), counted(int(m.Entries[i]), n.One(), n.Entries()), grouped(int(before.Entries[i])), others, n.Entries())
}

// foldFault names the row that has a number that is too large.
func foldFault(path string, ratings *data.Ratings, err error) error {
	var large *estimate.RangeError
	if !errors.As(err, &large) {
		return err
	}
	if large.Wants != "" {
		return &data.InputError{
			File: path, Problem: fmt.Sprintf("row %s has the value %g, but the model's loss is for %s", data.Quote(ratings.RowIDs[large.Row]), large.Value, large.Wants),
			Remedy: "give values of that kind", Err: err,
		}
	}
	return &data.InputError{
		File: path, Problem: fmt.Sprintf("row %s has the number %g, too large to compute with", data.Quote(ratings.RowIDs[large.Row]), large.Value),
		Remedy: "give the values in the unit of the model's", Err: err,
	}
}

// predict writes the predictions that were asked for.
func (f *foldInFlags) predict(ctx context.Context, c *common, m *model.Model, rows []int) error {
	if f.Complete != "" {
		format, _ := c.formatOf(f.Complete) // checked before
		err := writeResult(c, f.Complete, func(w io.Writer) error {
			return tables.Complete(ctx, m, w, format, rows, tables.Observed{}, threadsOf(c))
		})
		if err != nil {
			return err
		}
	}
	if f.Pairs != "" {
		plain, _ := c.formatOf("")
		p := pairPredictor{model: m, skip: f.SkipUnknown}
		if err := writeResult(c, "", func(w io.Writer) error { return p.write(ctx, w, plain, f.Pairs, data.PairsOptions{}) }); err != nil {
			return err
		}
		p.note(c)
	}
	return nil
}

// write writes what was asked for, in the end the coefficients if nothing else
// goes to stdout.
func (f *foldInFlags) write(ctx context.Context, c *common, m *model.Model, rows []int) error {
	if err := f.predict(ctx, c, m, rows); err != nil {
		return err
	}
	plain, _ := c.formatOf("")
	switch {
	case f.Output == "" && (f.Pairs != "" || f.Complete != ""):
		return nil
	case f.Output == "" || f.Output == "-":
		return writeResult(c, "", func(w io.Writer) error { return tables.Rows(m, w, plain, rows) })
	case filepath.Ext(f.Output) == "":
		return store.Save(m, f.Output)
	}
	format, _ := c.formatOf(f.Output)
	return writeResult(c, f.Output, func(w io.Writer) error { return tables.Rows(m, w, format, rows) })
}
