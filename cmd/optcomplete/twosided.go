package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete"
	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/settings"
	"optcomplete/spec"
	"optcomplete/twosided"
)

// twoSidedFlags are the flags of fit for rows that have features too.
type twoSidedFlags struct {
	rowFeatures string
	constants   bool
	heredity    string
}

func (f *twoSidedFlags) register(flags *settings.Flags) {
	flags.Bind("row-features", &f.rowFeatures)
	flags.Bind("constants", &f.constants)
	flags.Bind("heredity", &f.heredity)
}

// resolve checks the flags; asked tells whether the fit is two-sided.
func (f *twoSidedFlags) resolve() (heredity twosided.Heredity, asked bool, err error) {
	if heredity, err = twosided.ParseHeredity(f.heredity); err != nil {
		return 0, false, usagef("--heredity is %q, but must be strong, weak or none", f.heredity)
	}
	return heredity, f.rowFeatures != "", nil
}

// fit is the verb fit with --row-features: it reads the three files, selects
// products, writes the model and prints it.
func (f *twoSidedFlags) fit(cmd *cobra.Command, c *common, in *inputFlags, ratingsPath string, s optcomplete.Settings, output, page string, asJSON bool) error {
	heredity, _, err := f.resolve()
	if err != nil {
		return err
	}
	start := time.Now()
	problem, warnings, err := f.load(cmd, c, in, ratingsPath)
	if err != nil {
		return err
	}
	loaded := time.Since(start)
	fitted, err := twosided.Fit(cmd.Context(), problem, f.settings(cmd, c, problem, s, heredity))
	if err != nil {
		return err
	}
	summary := &fitted.Summary
	summary.Warnings = append(summary.Warnings, warnings...)
	summary.Seconds.Load = loaded.Seconds()
	summary.Seconds.Total += loaded.Seconds()
	recordSettings(cmd, &summary.Summary, ratingsPath)
	var files kept
	if output != "" {
		files.add("Model", output, fitted.Save(output))
	}
	files.add("Report", page, writeReport(page, ratingsPath, output, nil, summary))
	if asJSON {
		err = summary.WriteJSON(c.stdout)
	} else {
		printTwoSided(c, summary, files.words...)
	}
	return cmp.Or(files.failed, err, early(&summary.Summary))
}

// settings turns the flags into those of a two-sided fit.
func (f *twoSidedFlags) settings(cmd *cobra.Command, c *common, problem twosided.Problem, s optcomplete.Settings, heredity twosided.Heredity) twosided.Settings {
	constants := f.constants || heredity != twosided.NoHeredity
	rows, columns := len(problem.Rows.Names), len(problem.Columns.Names)
	if constants {
		rows, columns = rows+1, columns+1
	}
	log := newSearchLog(c)
	log.own = s.SearchTime
	log.begin(cmd, s.K, rows*columns)
	return twosided.Settings{
		K: s.K, Choice: s.Choice, Limits: s.Limits, Statistics: s.Statistics,
		Constants: constants, Heredity: heredity, Checkpoint: s.Checkpoint, OnEvent: log.event, OnGamma: log.gamma, OnChosen: log.chosen, OnDivided: log.divided,
	}
}

// path is the verb path with --row-features: every number of products up to a
// largest one.
func (f *twoSidedFlags) path(cmd *cobra.Command, c *common, in *inputFlags, ratingsPath string, s optcomplete.Settings, path optcomplete.PathSettings) (*optcomplete.PathResult, error) {
	heredity, _, err := f.resolve()
	if err != nil {
		return nil, err
	}
	problem, _, err := f.load(cmd, c, in, ratingsPath)
	if err != nil {
		return nil, err
	}
	s.K = path.KMax
	settings := f.settings(cmd, c, problem, s, heredity)
	settings.OnEvent = nil // with this many searches, a line for each k is enough
	return twosided.Path(cmd.Context(), problem, settings, path)
}

// load reads the ratings and both feature tables. Faults that only show when
// they are put together are the row features' file's.
func (f *twoSidedFlags) load(cmd *cobra.Command, c *common, in *inputFlags, ratingsPath string) (twosided.Problem, []string, error) {
	one, warnings, err := in.load(cmd, c, ratingsPath, spec.Paper)
	if err != nil {
		return twosided.Problem{}, nil, err
	}
	encoding, rows, more, err := f.readRows(cmd.Context())
	if err != nil {
		return twosided.Problem{}, nil, err
	}
	c.warn("", more)
	warnings = append(warnings, more...)
	problem := twosided.Problem{Ratings: one.Ratings, Columns: one.Features, Rows: rows, ColumnEncoding: one.Encoding, RowEncoding: encoding}
	fault := func(remedy, format string, args ...any) error {
		return &data.InputError{File: f.rowFeatures, Problem: fmt.Sprintf(format, args...), Remedy: remedy}
	}
	if name, shared := problem.SharedName(); shared {
		return problem, nil, fault("rename one of them", "feature %q is also a column feature of %s", name, in.features)
	}
	if text, many := twosided.TooManyProducts(len(rows.Names), len(one.Features.Names)); many {
		return problem, nil, fault("", "%s", text)
	}
	if ids, entries := problem.UnknownRows(); len(ids) > 0 {
		if !in.ratings.DropUnknown {
			return problem, nil, fault("add them, or use --drop-unknown to leave their entries out",
				"%s of %s %s no features, such as %q", counted(len(ids), "row", "rows"), ratingsPath, has(len(ids)), ids[0])
		}
		warning := fmt.Sprintf("%s left out: the row has no features (%s, such as %q)", counted(entries, "entry", "entries"), counted(len(ids), "row", "rows"), ids[0])
		c.notef("warning: %s", warning)
		warnings = append(warnings, warning)
		if problem, err = problem.WithoutUnknownRows(cmd.Context()); err != nil {
			return problem, nil, err
		}
	}
	return problem, warnings, nil
}

// readRows reads the features of the rows: numbers as they are given, or, if there
// are others, as people have them (text, lists, dates, blanks), encoded.
func (f *twoSidedFlags) readRows(ctx context.Context) (*encode.Encoding, *data.Features, []string, error) {
	rows, err := data.ReadFeatures(f.rowFeatures, data.FeaturesOptions{Context: ctx})
	var input *data.InputError
	if err == nil || !errors.As(err, &input) || input.Err != nil {
		return nil, rows, nil, err
	}
	raw, second := data.ReadRawTable(f.rowFeatures, data.FeaturesOptions{Context: ctx})
	if second != nil {
		return nil, nil, nil, err
	}
	encoding, rows, report, second := encode.Learn(ctx, raw, encode.Options{Scale: encode.AsIs})
	if second != nil {
		return nil, nil, nil, second
	}
	return encoding, rows, report.Warnings, nil
}

func has(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// printTwoSided prints a fitted two-sided model for people.
func printTwoSided(c *common, s *twosided.Summary, written ...string) {
	w := c.stdout
	fmt.Fprintf(w, "Selected %d of %s products (%d row features × %d column features)\n", s.K, grouped(s.Features), s.RowFeatures, s.ColumnFeatures)
	for i, name := range s.Selected {
		fmt.Fprintf(w, "  %-36s %12.6g\n", name, s.Products[i].Coefficient)
	}
	printCertificate(c, &s.Summary)
	printErrors(w, &s.Summary)
	printNearTies(w, &s.Summary)
	printWritten(w, written...)
}

// explainTwoSided says for each product what it does and what the selection
// would cost without it, or takes one prediction apart.
func explainTwoSided(c *common, path, row, column string, one, asJSON bool) error {
	m, err := twosided.Load(path)
	if err != nil {
		return &usageError{err}
	}
	if one {
		parts, prediction, err := m.Explain(row, column)
		if err != nil {
			return usagef("%s (a two-sided model needs the features of both)", strings.TrimPrefix(err.Error(), "model: "))
		}
		if asJSON {
			return writeJSON(c.stdout, struct {
				Row        string          `json:"row"`
				Column     string          `json:"column"`
				Parts      []twosided.Part `json:"parts"`
				Prediction float64         `json:"prediction"`
			}{row, column, parts, prediction})
		}
		fmt.Fprintf(c.stdout, "Row %s, column %s\n", row, column)
		for _, p := range parts {
			fmt.Fprintf(c.stdout, "  %-36s %+10.4f  %.4g × %.4g × %+.4g\n", p.Name, p.Value, p.Row, p.Column, p.Coefficient)
		}
		fmt.Fprintf(c.stdout, "  %-36s %+10.4f\n", "prediction", prediction)
		return nil
	}
	s := &m.Summary
	if asJSON {
		return s.WriteJSON(c.stdout)
	}
	fmt.Fprintf(c.stdout, "%d of %s products\n", s.K, grouped(s.Features))
	for i, name := range s.Selected {
		more := ""
		if i < len(s.Removal) && s.Cost > 0 {
			more = fmt.Sprintf("cost +%s without it", percent((s.Removal[i].Cost-s.Cost)/s.Cost))
		}
		fmt.Fprintf(c.stdout, "  %-36s %12.6g  %s\n", name, s.Products[i].Coefficient, more)
	}
	printNearTies(c.stdout, &s.Summary)
	return nil
}

// foldIn adds rows to a two-sided model: it needs their features, no entries.
func (productModel) foldIn(cmd *cobra.Command, c *common, path, table string, f *foldInFlags) (err error) {
	cmd.Flags().Visit(func(given *pflag.Flag) {
		if s := settings.Of(given); err == nil && s != nil && s.Group == inData && given.Name != "skip-unknown" {
			err = usagef("%s does not apply to two-sided models, whose rows are folded in from a table of their features", s.Flag())
		}
	})
	if err != nil {
		return err
	}
	if f.output == "-" || f.output != "" && filepath.Ext(f.output) != "" || f.output == "" && f.pairs == "" && f.complete == "" {
		return usagef("the rows of a two-sided model have no coefficients of their own: give a folder with -o for a model with the new rows, or ask for predictions with --pairs or --complete")
	}
	two, err := twosided.Load(path)
	if err != nil {
		return &usageError{err}
	}
	raw, err := data.ReadRawTable(table, data.FeaturesOptions{Context: cmd.Context()})
	if err != nil {
		return err
	}
	features, warnings, err := two.RowsFrom(raw)
	if err != nil {
		return err
	}
	c.warn(table, warnings)
	before := len(two.Rows.IDs)
	two, rows := two.WithRows(features)
	added := len(two.Rows.IDs) - before
	c.notef("Folded in %s: %s new, %s known before", count(len(rows), "row"), grouped(added), grouped(len(rows)-added))
	if f.output != "" {
		if err := two.Save(f.output); err != nil {
			return err
		}
	}
	m, err := two.Matrix()
	if err != nil {
		return err
	}
	return f.predict(cmd.Context(), c, m, rows)
}
