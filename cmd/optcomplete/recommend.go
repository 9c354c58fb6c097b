package main

import (
	"context"
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/model"
)

// recommendFlags are the flags of recommend.
type recommendFlags struct {
	row, records, ratings, output string
	top                           int
	all, keep, asJSON             bool
	options                       ingest.Settings
}

func recommendCommand(c *common) *cobra.Command {
	var f recommendFlags
	cmd := &cobra.Command{
		Use:   "recommend MODEL --row ID",
		Short: "List the columns with the largest predictions for a row, or for all rows",
		Long: `recommend lists the columns with the largest predicted values for a row, best
first: row,rank,column,prediction. Columns that the row had entries for when the
model was fitted, held out or not, are left out, and with --ratings those of that
file too. A row that the model does not know is folded in from --ratings; without
entries there it gets what the population likes.`,
		Example: `  optcomplete recommend model --row alice --top 10
  optcomplete recommend model --row zoe --ratings new-ratings.csv
  optcomplete recommend model --all --top 20 -o recommended.parquet`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, c, args[0]) },
	}
	flags := flagsOf(cmd, "recommend")
	flags.Bind("row", &f.row)
	flags.Bind("top", &f.top)
	flags.Bind("all", &f.all)
	flags.Bind("raw-names", &c.rawNames)
	flags.Bind("output", &f.output)
	flags.Bind("json", &f.asJSON)
	flags.Bind("ratings", &f.ratings)
	flags.Bind("keep-seen", &f.keep)
	flags.Bind("features", &f.records)
	flags.Bind("drop-unknown", &f.options.DropUnknown)
	return cmd
}

func (f *recommendFlags) run(cmd *cobra.Command, c *common, path string) error {
	switch {
	case f.all == cmd.Flags().Changed("row"):
		return usagef("for whom? Give a row with --row ID, or all with --all")
	case f.all && f.asJSON:
		return usagef("--json is for one row: with --all write a file with -o")
	case f.asJSON && f.output != "":
		return usagef("--json prints to stdout: leave out -o")
	}
	format, err := c.formatOf(f.output)
	if err != nil {
		return err
	}
	m, err := loadWith(c, path, f.records)
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
	if f.all {
		return writeResult(c, f.output, func(w io.Writer) error {
			return m.RecommendAll(cmd.Context(), w, format, f.top, skip, threadsOf(c))
		})
	}
	i, known := m.Row(f.row)
	if !known {
		i = -1
		c.notef("warning: row %q is not in the model: these are the population's (fold its entries in with --ratings FILE)", f.row)
	}
	list := m.Recommend(i, skip(i), f.top)
	if f.asJSON {
		return writeJSON(c.stdout, recommendationsOf(m, f.row, list))
	}
	return writeResult(c, f.output, func(w io.Writer) error { return m.WriteRecommendations(w, format, f.row, list) })
}

// foldIn adds the rows of --ratings that the model does not know, and for those
// it knows what they have seen.
func (f *recommendFlags) foldIn(cmd *cobra.Command, c *common, m *model.Model) (*model.Model, error) {
	if f.ratings == "" {
		return m, nil
	}
	ratings, report, err := readNewRatings(cmd.Context(), f.ratings, m, f.options)
	if err != nil {
		return nil, err
	}
	c.notes(report)
	for _, w := range report.Warnings() {
		c.notef("warning: %s: %s", f.ratings, w)
	}
	more, err := m.WithNewRows(cmd.Context(), ratings, threadsOf(c))
	if err != nil {
		return nil, foldFault(f.ratings, ratings, err)
	}
	return more, nil
}

// skipper tells which columns to leave out for a row.
func (f *recommendFlags) skipper(m *model.Model) (func(row int) []int32, error) {
	none := func(int) []int32 { return nil }
	if f.keep || len(m.RowIDs) == 0 {
		return none, nil
	}
	_, known, err := m.Seen(0)
	if err != nil {
		return nil, &usageError{err}
	}
	if !known {
		return nil, usagef("the model does not hold which entries its rows had: fit it again, or use --keep-seen to list them too")
	}
	return func(row int) []int32 {
		if row < 0 {
			return nil
		}
		seen, _, _ := m.Seen(row) // it was read above
		return seen
	}, nil
}

type recommendation struct {
	Rank       int         `json:"rank"`
	Column     string      `json:"column"`
	Prediction float64     `json:"prediction"`
	Basis      model.Basis `json:"basis"`
}

func recommendationsOf(m *model.Model, row string, list []model.Recommendation) any {
	out := struct {
		Row             string           `json:"row"`
		Recommendations []recommendation `json:"recommendations"`
	}{row, []recommendation{}}
	for at, r := range list {
		out.Recommendations = append(out.Recommendations, recommendation{at + 1, m.ColumnIDs[r.Column], r.Value, r.Basis})
	}
	return out
}

// readNewRatings reads entries whose columns are those of the model.
func readNewRatings(ctx context.Context, path string, m *model.Model, options ingest.Settings) (*data.Ratings, *ingest.Report, error) {
	options.Columns, options.Where = m.ColumnIDs, "the model"
	return ingest.Ratings(ctx, []string{path}, options)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
