package main

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/formulation"
	"optcomplete/internal/settings"
	"optcomplete/loss"
	"optcomplete/proof"
	"optcomplete/result"
	"optcomplete/selection"
	"optcomplete/spec"
	"optcomplete/twosided"
)

// twoSidedFlags are the flags of fit for rows that have features too.
type twoSidedFlags struct {
	rowFeatures string
	effects     string
	constants   bool
	heredity    string

	holdoutRows, holdoutColumns float64 // of fit alone
}

func (f *twoSidedFlags) register(flags *settings.Flags) {
	flags.Bind("row-features", &f.rowFeatures)
	flags.Bind("effects", &f.effects)
	flags.Bind("constants", &f.constants)
	flags.Bind("heredity", &f.heredity)
}

// asked tells whether the fit is two-sided.
func (f *twoSidedFlags) asked() bool { return f.rowFeatures != "" }

// fit is the verb fit with --row-features: it reads the three files, selects
// products, writes the model and prints it.
func (f *twoSidedFlags) fit(cmd *cobra.Command, c *common, in *inputFlags, ratingsPath string, s formulation.Settings, output, page string, proven *proofFile, asJSON bool) error {
	start := time.Now()
	problem, warnings, err := f.load(cmd, c, in, ratingsPath)
	if err != nil {
		return err
	}
	loaded := time.Since(start)
	if err := proven.open(&s); err != nil {
		return err
	}
	defer proven.abort()
	settings, err := f.settings(cmd, c, problem, s)
	if err != nil {
		return err
	}
	fitted, err := twosided.Fit(cmd.Context(), problem, settings)
	if err != nil {
		return withFlag(err)
	}
	summary := &fitted.Summary
	c.warn("", summary.Warnings)
	f.log(c, summary)
	summary.Warnings = append(summary.Warnings, warnings...)
	summary.Seconds.Load = loaded.Seconds()
	summary.Seconds.Total += loaded.Seconds()
	recordSettings(cmd, &summary.Summary, ratingsPath)
	var files kept
	if output != "" {
		files.add("Model", output, fitted.Save(output))
	}
	files.add("Report", page, writeReport(page, ratingsPath, output, nil, summary))
	files.add("Proof", proven.path, proven.commit())
	if asJSON {
		err = summary.WriteJSON(c.stdout)
	} else {
		printTwoSided(c, summary, files.words...)
	}
	return cmp.Or(files.failed, err, early(&summary.Summary))
}

// log tells which features are in no product, and which products are much the same.
func (f *twoSidedFlags) log(c *common, s *twosided.Summary) {
	for _, side := range []struct {
		names []string
		of    string
	}{{s.ConstantRowFeatures, s.Nouns.Rows()}, {s.ConstantColumnFeatures, s.Nouns.Columns()}} {
		if len(side.names) > 0 {
			c.notef("note: in no product, because they have one value on all %s with entries: %s", side.of, some(side.names, 5))
		}
	}
	for i := range s.Products {
		if words := s.Products[i].Copies(); words != "" {
			c.notef("note: %s: %s", s.Products[i].Name(), words)
		}
	}
}

// some is the first few of a list of names.
func some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// settings turns the flags into those of a two-sided fit.
func (f *twoSidedFlags) settings(cmd *cobra.Command, c *common, problem twosided.Problem, s formulation.Settings) (out twosided.Settings, err error) {
	out = twosided.Settings{
		K: s.K, Choice: s.Choice, Limits: s.Limits, Statistics: s.Statistics, Checkpoint: s.Checkpoint,
		HoldoutRows: f.holdoutRows, HoldoutColumns: f.holdoutColumns, Loss: s.Loss, Delta: s.Delta, Proof: s.Proof,
	}
	if out.Effects, err = twosided.ParseEffects(f.effects); err != nil {
		return out, usagef("--effects is %q, but must be shrunk or none", f.effects)
	}
	if out.Heredity, err = twosided.ParseHeredity(f.heredity); err != nil {
		return out, usagef("--heredity is %q, but must be strong, weak or none", f.heredity)
	}
	if (f.constants || out.Heredity != twosided.NoHeredity) && !cmd.Flags().Changed("effects") {
		c.notef("note: the terms of one side stand for the effects of rows and columns: --effects none")
		out.Effects = twosided.NoEffects
	}
	out.Constants = f.constants || out.Heredity != twosided.NoHeredity && out.Effects == twosided.NoEffects
	rows, columns := len(problem.Rows.Names), len(problem.Columns.Names)
	if out.Constants {
		rows, columns = rows+1, columns+1
	}
	if out.Loss = twosided.SuitableLoss(problem, out); s.Loss == loss.Auto && out.Loss != loss.Squared {
		c.notef("note: all values are 0 or 1: their log-odds are explained, by --loss %v (--loss squared explains the numbers 0 and 1)", out.Loss)
	}
	log := newSearchLog(c)
	log.own, log.measure = s.SearchTime, out.Loss.Measure()
	log.thing = "product"
	log.begin(cmd, s.K, rows*columns)
	out.OnEvent, out.OnGamma, out.OnChosen, out.OnDivided = log.event, log.gamma, log.chosen, log.divided
	if out.Effects != twosided.NoEffects {
		out.OnChosen = func(gamma float64, _ []result.GammaPoint) {
			c.factf("Gamma", "%.3g taken: the variance of the coefficients over that of the noise, or a smaller one of these that selects the same products, or predicts no worse, and is easier to prove", gamma)
		}
	}
	return out, nil
}

// path is the verb path with --row-features: every number of products up to a
// largest one.
func (f *twoSidedFlags) path(cmd *cobra.Command, c *common, in *inputFlags, ratingsPath string, s formulation.Settings, path selection.PathSettings) (*selection.PathResult, error) {
	problem, _, err := f.load(cmd, c, in, ratingsPath)
	if err != nil {
		return nil, err
	}
	s.K = path.KMax
	settings, err := f.settings(cmd, c, problem, s)
	if err != nil {
		return nil, err
	}
	settings.OnEvent = nil // with this many searches, a line for each k is enough
	result, err := twosided.Path(cmd.Context(), problem, settings, path)
	return result, withFlag(err)
}

// verify reads a two-sided model and the three files, and gives what checks its proof.
func (f *twoSidedFlags) verify(cmd *cobra.Command, c *common, in *inputFlags, path, ratingsPath string, p *proof.Proof) (func() (*proof.Verdict, error), error) {
	if !f.asked() {
		return nil, usagef("%s is a two-sided model: give the features of its rows with --row-features FILE", path)
	}
	m, err := twosided.Load(path)
	if err != nil {
		return nil, err
	}
	f.effects = m.Summary.Effects
	problem, _, err := f.load(cmd, c, in, ratingsPath)
	return func() (*proof.Verdict, error) {
		return twosided.Verify(cmd.Context(), problem, &m.Summary, p, threadsOf(c))
	}, err
}

// load reads the ratings and both feature tables. Faults that only show when
// they are put together are the row features' file's.
func (f *twoSidedFlags) load(cmd *cobra.Command, c *common, in *inputFlags, ratingsPath string) (twosided.Problem, []string, error) {
	table, err := data.ReadRawTable(f.rowFeatures, data.FeaturesOptions{Context: cmd.Context()})
	if err != nil {
		return twosided.Problem{}, nil, err
	}
	ofRows, ofColumns, err := f.understand(cmd, in, table)
	if err != nil {
		return twosided.Problem{}, nil, err
	}
	fault := func(remedy, format string, args ...any) error {
		return &data.InputError{File: f.rowFeatures, Problem: fmt.Sprintf(format, args...), Remedy: remedy}
	}
	columns := *in
	columns.table = &ofColumns
	one, warnings, err := columns.load(cmd, c, ratingsPath, spec.Paper)
	if err != nil {
		return twosided.Problem{}, nil, err
	}
	encoding, rows, report, err := encode.Learn(cmd.Context(), table, ofRows)
	if err != nil {
		return twosided.Problem{}, nil, err
	}
	if more := len(report.Warnings) - mostWarnings; more > 0 {
		report.Warnings = append(report.Warnings[:mostWarnings:mostWarnings], fmt.Sprintf("%d more warnings like these", more))
	}
	c.warn(f.rowFeatures, report.Warnings)
	for _, w := range report.Warnings {
		warnings = append(warnings, f.rowFeatures+": "+w)
	}
	problem := twosided.Problem{Ratings: one.Ratings, Columns: one.Features, Rows: rows, ColumnEncoding: one.Encoding, RowEncoding: encoding, Nouns: one.Nouns}
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

// mostWarnings is how many warnings of the row features are shown.
const mostWarnings = 20

// understand is how the two tables are understood: as numbers in their units, which the
// fit centres and scales itself, and with all features, of which it leaves out what says
// nothing. Flags are for the table that has the field; rows: and columns: say which,
// where both have it.
func (f *twoSidedFlags) understand(cmd *cobra.Command, in *inputFlags, table *data.RawTable) (ofRows, ofColumns encode.Options, err error) {
	rows, columns := in.encode, in.encode
	rows.FeaturesConfig, rows.Field, columns.Field, rows.Group, columns.Group = "", nil, nil, nil, nil
	var names []string // of the columns' table
	for _, list := range []struct {
		flag        string
		given       []string
		rows, other *[]string
	}{{"field", in.encode.Field, &rows.Field, &columns.Field}, {"group", in.encode.Group, &rows.Group, &columns.Group}} {
		for _, text := range list.given {
			switch {
			case strings.HasPrefix(text, twosided.RowsPrefix):
				*list.rows = append(*list.rows, strings.TrimPrefix(text, twosided.RowsPrefix))
				continue
			case strings.HasPrefix(text, twosided.ColumnsPrefix):
				*list.other = append(*list.other, strings.TrimPrefix(text, twosided.ColumnsPrefix))
				continue
			}
			if names == nil && in.Features != "" {
				other, err := data.ReadRawTable(in.Features, data.FeaturesOptions{ID: in.ID, Context: cmd.Context()})
				if err != nil {
					return ofRows, ofColumns, err
				}
				names = other.Names
			}
			name, _, _ := strings.Cut(text, ":")
			switch inRows, inColumns := slices.Contains(table.Names, name), slices.Contains(names, name); {
			case inRows && inColumns:
				return ofRows, ofColumns, usagef("--%s %s: %s and %s both have a field %q: write %s%s or %s%s", list.flag, text, f.rowFeatures, in.Features, name, twosided.RowsPrefix, text, twosided.ColumnsPrefix, text)
			case inRows:
				*list.rows = append(*list.rows, text)
			default:
				*list.other = append(*list.other, text)
			}
		}
	}
	for _, side := range []struct {
		flags *encodeFlags
		to    *encode.Options
	}{{&rows, &ofRows}, {&columns, &ofColumns}} {
		if *side.to, err = side.flags.options(cmd); err != nil {
			return ofRows, ofColumns, err
		}
		if !cmd.Flags().Changed("scale") {
			side.to.Scale = encode.AsIs
		}
		side.to.Keep = true
	}
	if f.effects != twosided.NoEffects.String() && !f.constants && f.heredity == twosided.NoHeredity.String() && cmd.Flags().Changed("scale") {
		return ofRows, ofColumns, usagef("--scale does not apply: with effects, features are centred and scaled over the rows and columns that have entries (leave it out, or use --effects none)")
	}
	return ofRows, ofColumns, nil
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
	group := ""
	for i := range s.Products {
		p := &s.Products[i]
		if p.Unit != group && p.Unit != p.Name() {
			fmt.Fprintf(w, "  %s\n", p.Unit)
		}
		group = p.Unit
		fmt.Fprintf(w, "  %-36s %12.6g%s\n", p.Name(), p.Coefficient, inDeviations(p))
	}
	printCertificate(c, &s.Summary)
	if l := s.Learned; l != nil {
		fmt.Fprintf(w, "Effects   standard deviations: %s %.4g, %s %.4g, noise %.4g; cost and bound are of what they leave\n",
			s.Nouns.Rows(), math.Sqrt(l.Rows.Variance), s.Nouns.Columns(), math.Sqrt(l.Columns.Variance), math.Sqrt(l.Noise))
	}
	printErrors(w, &s.Summary)
	say := worded(s.Nouns)
	for _, part := range []struct {
		of string
		m  *result.Metrics
	}{{say("new {rows}"), s.HoldoutNew.Rows}, {say("new {columns}"), s.HoldoutNew.Columns}, {"both new", s.HoldoutNew.Both}} {
		if part.m != nil {
			fmt.Fprintf(w, "  %s: %s on %s\n", part.of, measuresOn(s.Loss, part.m), counted(part.m.Entries, s.Nouns.One(), s.Nouns.Entries()))
		}
	}
	if a := s.Against; a != nil {
		on := "the validation entries"
		if s.Holdout != nil {
			on = "what is held out"
		}
		fmt.Fprintf(w, "  on %s, effects alone have %s %.5g, with the products it is %.5g\n", on, cmp.Or(a.Measure, "RMSE"), a.Effects, a.RMSE)
	}
	printNearTies(w, &s.Summary)
	printWritten(w, written...)
}

// measuresOn tells errors in the terms of a loss.
func measuresOn(l loss.Loss, m *result.Metrics) string {
	if l != loss.Squared {
		return measuresText(l, m.Measures, m.RMSE)
	}
	return fmt.Sprintf("RMSE %.5g, MAE %.5g", m.RMSE, m.MAE)
}

// inDeviations is what a product adds where both features are one standard deviation up.
func inDeviations(p *twosided.Product) string {
	if p.RowScale == 0 {
		return ""
	}
	return fmt.Sprintf("  %+.3g for a standard deviation of each", p.Size)
}

// explainTwoSided says for each product what it does and what the selection
// would cost without it, or takes one prediction apart.
func explainTwoSided(c *common, path, row, column string, one, asJSON bool) error {
	m, err := twosided.Load(path)
	if err != nil {
		return &usageError{err}
	}
	w, s := c.stdout, &m.Summary
	if one {
		sum, err := m.Explain(row, column)
		if err != nil {
			return usagef("%s (a two-sided model needs the features of both)", strings.TrimPrefix(err.Error(), "model: "))
		}
		if asJSON {
			return writeJSON(w, struct {
				Row    string `json:"row"`
				Column string `json:"column"`
				twosided.Sum
			}{row, column, sum})
		}
		fmt.Fprintln(w, worded(s.Nouns)("{Row} %s, {column} %s", row, column))
		if s.Learned != nil {
			from := func(known bool) string {
				if known {
					return "from its entries and features"
				}
				return "from its features: it has no entries"
			}
			fmt.Fprintf(w, "  %-36s %+10.4f\n", "mean", sum.Mean)
			fmt.Fprintf(w, "  %-36s %+10.4f  %s\n", s.Nouns.Each()+" effect", sum.RowEffect, from(sum.RowKnown))
			fmt.Fprintf(w, "  %-36s %+10.4f  %s\n", s.Nouns.Item()+" effect", sum.ColumnEffect, from(sum.ColumnKnown))
		}
		for _, p := range sum.Parts {
			fmt.Fprintf(w, "  %-36s %+10.4f  %.4g × %.4g × %+.4g\n", p.Name, p.Value, p.Row, p.Column, p.Coefficient)
		}
		if sum.Scale != "" {
			fmt.Fprintf(w, "  %-36s %+10.4f\n", sum.Scale, sum.Total)
		}
		fmt.Fprintf(w, "  %-36s %+10.4f\n", s.Loss.Prediction(), sum.Prediction)
		return nil
	}
	if asJSON {
		return s.WriteJSON(w)
	}
	fmt.Fprintf(w, "%d of %s products\n", s.K, grouped(s.Features))
	without := map[string]string{}
	for _, r := range s.Removal {
		if s.Cost > 0 {
			without[r.Name] = fmt.Sprintf("cost +%s without it", percent((r.Cost-s.Cost)/s.Cost))
		}
	}
	group := ""
	for i := range s.Products {
		p := &s.Products[i]
		if p.Unit != group && p.Unit != p.Name() {
			fmt.Fprintf(w, "  %s  %s\n", p.Unit, without[p.Unit])
		}
		group = p.Unit
		fmt.Fprintf(w, "  %-36s %12.6g  %s\n", p.Name(), p.Coefficient, without[p.Name()])
		fmt.Fprintf(w, "    %s\n", p.Sentence(s.Nouns))
	}
	printNearTies(w, &s.Summary)
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
	if f.Output == "-" || f.Output != "" && filepath.Ext(f.Output) != "" || f.Output == "" && f.Pairs == "" && f.Complete == "" {
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
	if f.Output != "" {
		if err := two.Save(f.Output); err != nil {
			return err
		}
	}
	m, err := two.Matrix()
	if err != nil {
		return err
	}
	return f.predict(cmd.Context(), c, m, rows)
}
