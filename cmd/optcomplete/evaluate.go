package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/evaluate"
	"optcomplete/internal/lists"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/report"
	"optcomplete/result"
	"optcomplete/spec"
)

// evaluateFlags are the flags of evaluate.
type evaluateFlags struct {
	Features    string // of new columns
	Relevant    float64
	Split       string
	JSON, Drift bool
	settings    evaluate.MeasureSettings
	options     ingest.Settings
	lists       model.RecommendSettings
	remote      engineFlags
}

func evaluateCommand(c *common) *cobra.Command {
	var f evaluateFlags
	cmd := verb("evaluate", func(cmd *cobra.Command, args []string) error {
		return kindAt(args[0]).evaluate(cmd, c, args[0], args[1], &f)
	})
	flags := flagsOf(cmd)
	flags.BindFields(&f)
	flags.BindFields(&f.settings)
	flags.BindFields(&f.lists)
	flags.Bind("least-entries", &f.lists.Least)
	ratingsFlags(flags, &f.options)
	flags.BindFields(&f.remote)
	return cmd
}

func (matrixModel) evaluate(cmd *cobra.Command, c *common, path, file string, f *evaluateFlags) error {
	if f.settings.Resamples == 0 {
		f.settings.Resamples = -1
	}
	if cmd.Flags().Changed("relevant") {
		f.settings.Relevant = &f.Relevant
	}
	f.settings.Seed, f.settings.Threads = c.seed, threadsOf(c)
	if f.Split != spec.TimeSplit.String() && cmd.Flags().Changed("time-name") {
		return usagef("--time-name names the column of the times for --split time, which was not given")
	}
	ended, err := f.remote.use(cmd, c)
	if err != nil {
		return err
	}
	defer ended()
	if f.Drift {
		return findDrift(cmd, c, path, file, f)
	}
	m, test, measured, err := f.measure(cmd, c, path, file)
	if err != nil {
		return err
	}
	all := evaluation{Measurement: measured}
	done := c.working("Making lists", "nowhere")
	defer func() { done() }()
	f.lists.Top = f.settings.Places
	if all.Lists, err = evaluate.ListsOf(cmd.Context(), m, listRows(m, test, c.seed), f.lists, f.settings.Threads); err != nil {
		return &usageError{err}
	}
	if all.Fitted, err = fittedEntries(m, test); err != nil {
		return &usageError{err}
	}
	done()
	if all.Fitted > 0 {
		n := m.Summary.Nouns
		c.notef("warning: the model was fitted on %s of the %s here and knows their values: expect larger errors on new %s", grouped(all.Fitted), counted(all.Entries, n.One(), n.Entries()), n.Entries())
	}
	if all.RankedRows > 0 {
		all.Ranked = &all.NDCG
	}
	if all.RecallRows > 0 {
		all.Recalled = &all.Recall
	}
	all.Engine = f.remote.did()
	if f.JSON {
		return writeJSON(c.stdout, all)
	}
	return printMeasurement(c.stdout, &all, m.Summary.Nouns)
}

// measure scores a model on the entries of a file.
func (f *evaluateFlags) measure(cmd *cobra.Command, c *common, path, file string) (m *model.Model, test *data.Ratings, measured *evaluate.Measurement, err error) {
	if m, err = loadWith(c, path, f.Features); err != nil {
		return nil, nil, nil, err
	}
	f.options.AnyColumn = !f.options.DropUnknown
	if test, _, err = readNewRatings(cmd.Context(), c, file, m, f.options); err != nil {
		return nil, nil, nil, err
	}
	if f.Split == spec.TimeSplit.String() {
		if test, err = futureOf(cmd.Context(), c, m, []string{path, file}, test, f.options); err != nil {
			return nil, nil, nil, err
		}
	}
	f.settings.Popularity = m.ColumnEntries
	if err := allowed(m.LossOf().Loss, test, file); err != nil {
		return nil, nil, nil, err
	}
	defer c.working("Scoring", "nowhere")()
	measured, err = evaluate.Measure(cmd.Context(), test.Source(), m.AnswersTo(test.RowIDs), f.settings)
	return m, test, measured, err
}

// test scores a model for compare.
func (matrixModel) test(cmd *cobra.Command, c *common, path, file string) (*report.Test, error) {
	f := evaluateFlags{settings: evaluate.MeasureSettings{Seed: c.seed, Threads: threadsOf(c)}}
	m, entries, measured, err := f.measure(cmd, c, path, file)
	if err != nil {
		return nil, err
	}
	known, err := fittedEntries(m, entries)
	if err != nil {
		return nil, &usageError{err}
	}
	if known > 0 {
		c.notef("warning: %s was fitted on %s of the %s of %s and knows their values: errors do not tell which model predicts better", path, grouped(known), counted(measured.Entries, "entry", "entries"), file)
	}
	return &report.Test{Entries: measured.Entries, RMSE: measured.RMSE, MAE: measured.MAE, Fitted: known}, nil
}

// allowed refuses test entries that the model's loss is not for.
func allowed(l loss.Loss, test *data.Ratings, file string) error {
	return data.ForEach(test.Source(), func(i int, columns []int32, values []float64) error {
		for x, v := range values {
			if !l.Allows(v) {
				return &data.InputError{File: file, Problem: fmt.Sprintf("row %s, column %s has the value %g, but the model was fitted by the %v loss, which is for %s", data.Quote(test.RowIDs[i]), data.Quote(test.ColumnIDs[columns[x]]), v, l, l.Values()), Remedy: "give values of that kind"}
			}
		}
		return nil
	})
}

// futureOf is the test entries that were made after the model's training ended.
func futureOf(ctx context.Context, c *common, m *model.Model, args []string, test *data.Ratings, options ingest.Settings) (*data.Ratings, error) {
	if m.Summary.Split == nil {
		return nil, usagef("%s was not fitted with --split time, so no moment is known at which its training ended: leave --split time out, or fit with --split time --holdout 0.2", args[0])
	}
	options.Columns, options.Where = test.ColumnIDs, "the test entries"
	times, _, err := ingest.Times(ctx, []string{args[1]}, options)
	if err != nil {
		return nil, err
	}
	moments, err := evaluate.NewMoments(ctx, test, times, threadsOf(c))
	if err != nil {
		return nil, err
	}
	_, future := moments.Parts(test.Matrix(), m.Summary.Split.From, math.Inf(1))
	if future.Observed() == 0 {
		return nil, &data.InputError{File: args[1], Problem: "no entry is from " + m.Summary.Split.Moment + " (UTC) or later, when the training of the model ended", Remedy: "give later entries, or leave out --split time"}
	}
	c.notef("note: %s of %s are from %s (UTC) or later and are scored%s", grouped(future.Observed()), counted(test.Observed(), "entry", "entries"), m.Summary.Split.Moment,
		map[bool]string{true: fmt.Sprintf("; %s have no time and are left out", grouped(moments.Without))}[moments.Without > 0])
	return test.With(future).WithEntries(1), nil
}

// evaluation is all that evaluate says.
type evaluation struct {
	*evaluate.Measurement
	// What rankings are worth is null where no row has any, in place of Measurement's 0.
	Ranked   *evaluate.Interval `json:"ndcg"`
	Recalled *evaluate.Interval `json:"recall"`

	Fitted int             `json:"fitted_entries"`  // test entries that the model was fitted on
	Lists  *evaluate.Lists `json:"lists,omitempty"` // nil if it is not known what the rows have seen
	Engine any             `json:"engine,omitempty"`
}

// mostLists is how many rows are recommended to, to see how the lists differ.
const mostLists = 1000

// listRows picks known rows of the test, the same ones in whatever order they come.
func listRows(m *model.Model, test *data.Ratings, seed uint64) []int {
	type row struct {
		at  int
		key uint64
	}
	var rows []row
	keys := test.Matrix().Keys()
	for i, id := range test.RowIDs {
		if at, known := m.Row(id); known {
			rows = append(rows, row{at, random.Hash(seed, keys.Row(i))})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) })
	return lists.Each(rows[:min(len(rows), mostLists)], func(r row) int { return r.at })
}

// fittedEntries counts the entries that the model was fitted on, as far as it knows.
func fittedEntries(m *model.Model, test *data.Ratings) (int, error) {
	fitted, err := m.FittedColumns()
	if fitted == nil || err != nil {
		return 0, err
	}
	n := 0
	for i, id := range test.RowIDs {
		at, known := m.Row(id)
		if !known {
			continue
		}
		columns, err := fitted(at)
		if err != nil {
			return 0, err
		}
		here, _ := test.Matrix().Row(i)
		for _, c := range here {
			if _, found := slices.BinarySearch(columns, c); found {
				n++
			}
		}
	}
	return n, nil
}

func printMeasurement(w io.Writer, m *evaluation, nouns *result.Nouns) error {
	say := worded(nouns)
	entries := func(n int) string { return counted(n, nouns.One(), nouns.Entries()) }
	rows := func(n int) string { return counted(n, nouns.Each(), nouns.Rows()) }
	fmt.Fprintf(w, "%s of %s\n", entries(m.Entries), rows(m.Rows))
	if m.Weighted {
		fmt.Fprintf(w, "The errors are weighted by the weights of %s; rankings are not.\n", nouns.Entries())
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name string, x evaluate.Interval, note string, show func(float64) string) {
		interval := ""
		if x.Low < x.High { // without resamples there is none
			interval = show(x.Low) + " to " + show(x.High)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", name, show(x.Value), interval, note)
	}
	plain := func(x float64) string { return fmt.Sprintf("%.4g", x) }
	fmt.Fprintf(t, "\t\t95 %% interval\t\n")
	if l := m.Loss; l != nil {
		note := ""
		if l.Delta > 0 {
			note = fmt.Sprintf("errors beyond δ = %.4g count linearly", l.Delta)
		}
		line(l.Loss.Measure(), l.Mean, note, plain)
		if l.AUC != nil {
			line("AUC", *l.AUC, "", plain)
		}
		if l.Brier != nil {
			line("Brier", *l.Brier, "", plain)
		}
		if l.Explained != nil {
			line("deviance explained", *l.Explained, "", percent)
		}
	}
	line("RMSE", m.RMSE, "", plain)
	line("MAE", m.MAE, "", plain)
	if m.MAPE != nil && result.TellsMAPE(result.RelativeOf(m.MAPE.Value), m.MAPESkipped) {
		line("MAPE", *m.MAPE, "", percent)
	}
	line("R²", m.R2, "", plain)
	if m.RankedRows > 0 {
		line(fmt.Sprintf("NDCG@%d", m.Places), m.NDCG, rows(m.RankedRows)+" with different values", plain)
	}
	if p := m.Popularity; p != nil {
		line("  by popularity", p.NDCG, say("ranked by how many {entries} {a column} has"), plain)
	}
	if m.RecallRows > 0 {
		line(fmt.Sprintf("recall@%d", m.Places), m.Recall, fmt.Sprintf("%s with more than %s", rows(m.RecallRows), entries(m.Places)), plain)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if l := m.Loss; l != nil && len(l.Calibration) > 0 {
		fmt.Fprintln(w, "Calibration: entries in groups by their prediction, and the 95 % interval of what is observed")
		for _, g := range l.Calibration {
			fmt.Fprintf(t, "  predicted %.3g to %.3g\t%s\tmean %.3g\tobserved %.3g (%.3g to %.3g)\n", g.Low, g.High, counted(g.Entries, "entry", "entries"), g.Predicted, g.Observed, g.Interval.Low, g.Interval.High)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if p := m.Popularity; p != nil && p.Gain.Low <= 0 {
		fmt.Fprintf(w, "Popularity ranks these %s as well: the NDCG@%d of the predictions exceeds that of popularity by %s, 95 %% interval %s to %s\n", nouns.Entries(), m.Places, signed(p.Gain.Value), signed(p.Gain.Low), signed(p.Gain.High))
	}
	if l := m.Lists; l != nil {
		fmt.Fprintln(w, say("Recommended to %s, %d each: %s of %s (%s); the most frequent {column} is in %s of the lists; mean prediction %.4g; novelty %.3g bits (the most popular {columns}: %.3g)",
			rows(l.Rows), l.Places, grouped(l.Distinct), counted(l.Columns, nouns.Item(), nouns.Columns()), percent(l.Coverage), percent(l.Shared), l.Prediction, l.Novelty, l.PopularNovelty))
	}
	fmt.Fprintln(w, "Errors by what was known")
	for _, b := range m.Basis {
		fmt.Fprintf(t, "  %s\t%s\tRMSE %.4g\tMAE %.4g\n", basisText(b.Basis, nouns), entries(b.Entries), b.RMSE, b.MAE)
	}
	return t.Flush()
}
