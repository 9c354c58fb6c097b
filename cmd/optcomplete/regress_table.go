package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/textfile"
	"optcomplete/loss"
	"optcomplete/model/tables"
	"optcomplete/regress"
	"optcomplete/regress/saved"
	"optcomplete/selection"
	"optcomplete/spec"
)

// regressTable is a table to regress on, understood.
type regressTable struct {
	problem  regress.Problem
	encoding *encode.Encoding
	warnings []string
}

// readTable reads a table, takes the target out of its columns and makes features
// of the others: as they are if all are numbers and nothing else is asked for, or
// else as encode understands them. The column of weights, if one is named, is no
// feature.
func readTable(ctx context.Context, path, target, weight string, options data.RowsOptions, understand encode.Options, asked bool) (*regressTable, error) {
	whole, err := data.ReadRows(path, options)
	if err != nil {
		return nil, err
	}
	whole, none := weighing(whole, weight)
	at, err := targetOf(whole, target)
	if err != nil {
		return nil, err
	}
	if len(whole.Names) == 1 {
		return nil, &data.InputError{File: whole.File, Line: 1, Problem: "there is no column but the target", Remedy: "add columns to explain it with"}
	}
	rest, cells := whole.Without(at)
	t := &regressTable{}
	if none > 0 {
		t.warnings = append(t.warnings, fmt.Sprintf("%s of weight 0: left out", counted(none, "row", "rows")))
	}
	if t.problem.Y, err = targets(whole, target, cells); err != nil {
		return nil, err
	}
	if slices.Min(t.problem.Y) == slices.Max(t.problem.Y) {
		t.warnings = append(t.warnings, fmt.Sprintf("column %s is %s in every row: there is nothing to explain", data.Quote(target), data.Quote(cells[0])))
	}
	if weight != "" {
		if slices.Contains(options.Skip, weight) {
			return nil, usagef("--weight %s is a column that --skip leaves out: leave it out of --skip (a column of weights is no feature)", weight)
		}
		if rest, t.problem.Weights, err = weightsOf(rest, weight); err != nil {
			return nil, err
		}
		if len(rest.Names) == 0 {
			return nil, usagef("there is no column but the target and the weight: add columns to explain it with")
		}
	}
	if values, wrong := rest.Numbers(); wrong == nil && !asked {
		t.encoding = encode.Plain(rest.Names, values)
		t.problem.Names, t.problem.X = rest.Names, values
	} else {
		understand.Scale = encode.AsIs // regress scales
		encoding, features, report, err := encode.Learn(ctx, rest, understand)
		if err != nil {
			return nil, err
		}
		t.encoding, t.warnings = encoding, append(t.warnings, report.Warnings...)
		for _, f := range report.Fields {
			if f.Blanks > 0 && len(f.Features) > 0 {
				t.warnings = append(t.warnings, fmt.Sprintf("field %s is blank in %s: filled with the mean", data.Quote(f.Name), counted(f.Blanks, "row", "rows")))
			}
		}
		t.problem.Names = features.Names
		for _, f := range encoding.Features {
			t.problem.Fields = append(t.problem.Fields, encoding.Fields[f.Field].Name)
		}
		for i := range t.problem.Y {
			t.problem.X = append(t.problem.X, features.Row(i)...)
		}
	}
	// Whoever predicts may give them again.
	t.encoding.LeftOut = append(append(t.encoding.LeftOut, target), options.Skip...)
	if weight != "" {
		t.encoding.LeftOut = append(t.encoding.LeftOut, weight)
	}
	return t, nil
}

// weighing leaves out the rows of weight 0, as fit leaves out such entries, and counts
// them. If there are no others, they stay, and weightsOf refuses them.
func weighing(table *data.RawTable, weight string) (*data.RawTable, int) {
	at := slices.Index(table.Names, weight)
	if at < 0 {
		return table, 0
	}
	var lines []int32
	for i := range table.IDs {
		if w, problem, _ := data.ParseNumber(table.Row(i)[at]); problem != "" || w != 0 {
			lines = append(lines, int32(i))
		}
	}
	if len(lines) == 0 || len(lines) == len(table.IDs) {
		return table, 0
	}
	return table.Some(lines), len(table.IDs) - len(lines)
}

// weightsOf takes the column of weights out of a table without the target.
func weightsOf(rest *data.RawTable, weight string) (*data.RawTable, []float64, error) {
	at := slices.Index(rest.Names, weight)
	if at < 0 {
		return nil, nil, usagef("--weight: there is no column %q beside the target; the columns are %s", weight, firstNames(rest.Names))
	}
	rest, cells := rest.Without(at)
	weights := make([]float64, len(cells))
	for i, cell := range cells {
		var err error
		if weights[i], err = rest.Number(i, weight, cell); err != nil {
			return nil, nil, err
		}
		if !data.ValidWeight(weights[i]) {
			return nil, nil, &data.InputError{File: rest.File, Line: rest.Lines[i], Problem: fmt.Sprintf("the weight is %g", weights[i]), Remedy: "weights are numbers from 1e-100 to 1e100, and 0 for a row that is to be left out"}
		}
	}
	return rest, weights, nil
}

// targetOf is the place of the column that is explained.
func targetOf(table *data.RawTable, target string) (int, error) {
	at := slices.Index(table.Names, target)
	if at < 0 {
		return 0, &data.InputError{File: table.File, Line: 1, Problem: fmt.Sprintf("there is no column %q to explain", target),
			Remedy: "its columns are " + firstNames(table.Names)}
	}
	return at, nil
}

// targets are the values to explain: numbers, or yes and no.
func targets(table *data.RawTable, target string, cells []string) ([]float64, error) {
	values := make([]float64, len(cells))
	words := false // yes and no
	for i, cell := range cells {
		y, yes := textfile.Boolean([]byte(cell))
		if !yes {
			var err error
			if y, err = table.Number(i, target, cell); err != nil {
				return nil, err
			}
		}
		words = words || yes
		values[i] = y
	}
	for i, y := range values {
		if words && y != 0 && y != 1 {
			return nil, &data.InputError{File: table.File, Line: table.Lines[i], Problem: fmt.Sprintf("column %s: %s stands among yes and no", data.Quote(target), data.Quote(cells[i])),
				Remedy: "write numbers, or yes and no, but not both"}
		}
	}
	return values, nil
}

// loss is the named loss, or the one that the values suggest.
func (t *regressTable) loss(name string) (loss.Loss, error) {
	if name != "auto" {
		l, err := loss.Parse(name)
		if err != nil {
			return 0, usagef("--loss: %v", err)
		}
		return l, nil
	}
	for _, y := range t.problem.Y {
		if y != 0 && y != 1 {
			return loss.Squared, nil
		}
	}
	if slices.Min(t.problem.Y) == slices.Max(t.problem.Y) {
		return loss.Squared, nil // a constant: nothing to tell apart
	}
	return loss.Logistic, nil
}

// nonnegative turns names of fields into those of their features.
func (t *regressTable) nonnegative(names *[]string) error {
	if len(*names) == 0 {
		return nil
	}
	found, err := t.encoding.Resolve(selection.WithAll(*names, t.problem.Names))
	if err != nil {
		return usagef("--nonnegative: %v", err)
	}
	*names = nil
	for _, x := range found {
		*names = append(*names, t.encoding.Features[t.encoding.Groups[x].Features[0]].Name)
	}
	return nil
}

// resolve turns names of fields into those of their features, and adds what was
// said about fields.
func (t *regressTable) resolve(choice *spec.Choice) error {
	for _, g := range t.encoding.Groups {
		if len(g.Features) > 1 {
			return usagef("--field: regress selects features one by one, not the group %q: leave out group", g.Name)
		}
	}
	for _, list := range []struct {
		flag  string
		names *[]string
		said  func(encode.Group) bool
	}{
		{"always", &choice.Always, func(g encode.Group) bool { return g.Always }},
		{"never", &choice.Never, func(g encode.Group) bool { return g.Never }},
	} {
		named, err := t.encoding.Resolve(*list.names)
		if err != nil {
			return usagef("--%s: %v", list.flag, err)
		}
		*list.names = nil
		for x, g := range t.encoding.Groups {
			if slices.Contains(named, x) || list.said(g) {
				*list.names = append(*list.names, t.encoding.Features[g.Features[0]].Name)
			}
		}
	}
	return nil
}

// firstNames names the first few of a list.
func firstNames(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// openRegression reads a saved regression and a table to use it on.
func openRegression(cmd *cobra.Command, dir, table string) (*saved.Model, *data.RawTable, error) {
	m, err := saved.Load(dir)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	rows, err := data.ReadRows(table, data.RowsOptions{Context: cmd.Context()})
	return m, rows, err
}

// predictRegression explains the rows of a table, one prediction a line.
func predictRegression(cmd *cobra.Command, c *common, dir, table, output string) error {
	if format, err := c.formatOf(output); err != nil {
		return err
	} else if format == tables.Parquet {
		return usagef("--output %s: the predictions of a regression are written as CSV (name a file that ends in .csv)", output)
	}
	m, rows, err := openRegression(cmd, dir, table)
	if err != nil {
		return err
	}
	predictions, warnings, err := m.Predict(rows)
	if err != nil {
		return err
	}
	c.warn(table, warnings)
	return writeResult(c, output, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprintln(b, "prediction")
		for _, v := range predictions {
			b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
			b.WriteByte('\n')
		}
		return b.Flush()
	})
}

// explainRegression says what each feature does and what the selection would cost
// without it.
func explainRegression(c *common, dir string, asJSON bool) error {
	m, err := saved.Load(dir)
	if err != nil {
		return &usageError{err}
	}
	if asJSON {
		return m.WriteJSON(c.stdout)
	}
	printRegression(c, &m.Result, m.Target, m.Choice)
	for _, r := range m.Removal {
		if m.Cost > 0 {
			fmt.Fprintf(c.stdout, "Without   %-28s cost +%s\n", r.Name, percent((r.Cost-m.Cost)/m.Cost))
		}
	}
	return nil
}

// explainLine takes the prediction for one line of a table apart.
func explainLine(cmd *cobra.Command, c *common, dir, table, line string, asJSON bool) error {
	m, rows, err := openRegression(cmd, dir, table)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(line)
	if err != nil || n < 1 || n > len(rows.IDs) {
		return usagef("--row is %q, but must be the number of a line of %s, 1 to %d", line, table, len(rows.IDs))
	}
	e, warnings, err := m.Explain(rows, n-1)
	if err != nil {
		return err
	}
	c.warn(table, warnings)
	if asJSON {
		return writeJSON(c.stdout, e)
	}
	w := c.stdout
	fmt.Fprintf(w, "%s, line %d: %s\n", table, n, m.Target)
	for _, p := range e.Parts {
		fmt.Fprintf(w, "  %-28s %+12.6g  %.6g × %+.6g\n", p.Name, p.Part, p.Value, p.Coefficient)
	}
	fmt.Fprintf(w, "  %-28s %+12.6g\n", "(intercept)", e.Intercept)
	if scale := m.Loss.Scale(); scale != "" {
		fmt.Fprintf(w, "  %-28s %+12.6g  %s\n", "sum", e.Sum, scale)
	}
	amount := "%+12.6g" // of a sum of signed parts
	if m.Loss.Linked() {
		amount = "%12.6g"
	}
	fmt.Fprintf(w, "  %-28s "+amount+"\n", m.Loss.Prediction(), e.Prediction)
	return nil
}

// evaluateRegression compares predictions with the target of a table, whose rows count
// by the column of weights if one is named.
func evaluateRegression(cmd *cobra.Command, c *common, dir, table, weight string, asJSON bool) error {
	m, score, err := scoreRegression(cmd, c, dir, table, weight)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(c.stdout, score)
	}
	printScore(c.stdout, "Test", &m.Result, score)
	return nil
}

func scoreRegression(cmd *cobra.Command, c *common, dir, table, weight string) (*saved.Model, *regress.Score, error) {
	m, rows, err := openRegression(cmd, dir, table)
	if err != nil {
		return nil, nil, err
	}
	if weight != "" && weight != "none" {
		rows, _ = weighing(rows, weight)
	}
	at, err := targetOf(rows, m.Target)
	if err != nil {
		return nil, nil, err
	}
	rest, cells := rows.Without(at)
	values, err := targets(rows, m.Target, cells)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range values {
		if !m.Loss.Allows(v) {
			return nil, nil, &data.InputError{File: table, Line: rows.Lines[i], Problem: fmt.Sprintf("column %s is %g, but the regression was fitted by the %v loss, which is for %s", data.Quote(m.Target), v, m.Loss, m.Loss.Values()), Remedy: "give values of that kind"}
		}
	}
	var weights []float64
	if weighed := weight != "" && weight != "none"; weighed {
		if _, weights, err = weightsOf(rest, weight); err != nil {
			return nil, nil, err
		}
	}
	score, warnings, err := m.Evaluate(rows, values, weights)
	if err != nil {
		return nil, nil, err
	}
	c.warn(table, warnings)
	if by := m.Settings["weight"]; by != "" && weight == "" {
		c.notef("note: the regression was fitted with weights; here all rows count alike (--weight %s weighs them)", by)
	}
	return m, score, nil
}
