package main

import (
	"context"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/model"
	"optcomplete/model/tables"
	"optcomplete/pass"
)

// observedFlags are the flags of complete that treat observed entries apart.
type observedFlags struct {
	mark    bool
	keep    string // file of the entries; empty: predictions stay
	options ingest.Settings
}

// entries is what complete does with observed entries.
func (f *observedFlags) entries(ctx context.Context, c *common, m *model.Model) (o tables.Observed, err error) {
	o.Mark = f.mark
	switch {
	case f.keep != "":
		o.Entries, err = f.kept(ctx, c, m)
	case f.mark:
		o.Entries, err = seenEntries(m)
	}
	return o, err
}

// kept reads the entries whose values are kept.
func (f *observedFlags) kept(ctx context.Context, c *common, m *model.Model) (func(i int) ([]int32, []float64), error) {
	options := f.options
	options.Weight = ingest.NoWeights // values are kept as they are, whatever they weigh
	ratings, _, err := readNewRatings(ctx, c, f.keep, m, options)
	if err != nil {
		return nil, err
	}
	defer ratings.Close()
	matrix, err := pass.Collect(ctx, ratings.Source(), c.threads, "copy to memory")
	if err != nil {
		return nil, err
	}
	at := make(map[int]int, len(ratings.RowIDs)) // rows of the file, by rows of the model
	for x, id := range ratings.RowIDs {
		if i, known := m.Row(id); known {
			at[i] = x
		}
	}
	switch unknown := len(ratings.RowIDs) - len(at); {
	case len(at) == 0:
		return nil, &data.InputError{File: f.keep, Problem: "none of its rows is in the model", Remedy: "give the ratings that the model was fitted on"}
	case unknown > 0:
		c.notef("warning: %s: %s not in the model%s", f.keep, counted(unknown, "row is", "rows are"), data.LeftOut)
	}
	return func(i int) ([]int32, []float64) {
		x, ok := at[i]
		if !ok {
			return nil, nil
		}
		return matrix.Row(x)
	}, nil
}

// seenEntries are the entries that the fit was given, without their values.
func seenEntries(m *model.Model) (func(i int) ([]int32, []float64), error) {
	seen, _, err := m.SeenAndFitted()
	if err != nil {
		return nil, &usageError{err}
	}
	if !seen.Known() {
		return nil, usagef("the model was saved without which entries it was given: name the ratings with --keep-observed RATINGS")
	}
	return func(i int) ([]int32, []float64) {
		columns, _, _ := m.Seen(i) // a saved model has them in memory
		return columns, nil
	}, nil
}
