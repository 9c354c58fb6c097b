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
	at := slices.Index(whole.Names, target)
	if at < 0 {
		return nil, &data.InputError{File: whole.File, Line: 1, Problem: fmt.Sprintf("there is no column %q to explain", target),
			Remedy: "its columns are " + firstNames(whole.Names)}
	}
	if len(whole.Names) == 1 {
		return nil, &data.InputError{File: whole.File, Line: 1, Problem: "there is no column but the target", Remedy: "add columns to explain it with"}
	}
	rest, cells := whole.Without(at)
	t := &regressTable{}
	words := false // yes and no
	for i, cell := range cells {
		y, yes := textfile.Boolean([]byte(cell))
		if !yes {
			if y, err = whole.Number(i, target, cell); err != nil {
				return nil, err
			}
		}
		words = words || yes
		t.problem.Y = append(t.problem.Y, y)
	}
	for i, y := range t.problem.Y {
		if words && y != 0 && y != 1 {
			return nil, &data.InputError{File: whole.File, Line: whole.Lines[i], Problem: fmt.Sprintf("column %s: %s stands among yes and no", data.Quote(target), data.Quote(cells[i])),
				Remedy: "write numbers, or yes and no, but not both"}
		}
	}
	if slices.Min(t.problem.Y) == slices.Max(t.problem.Y) {
		t.warnings = append(t.warnings, fmt.Sprintf("column %s is %s in every row: there is nothing to explain", data.Quote(target), data.Quote(cells[0])))
	}
	if weight != "" {
		at := slices.Index(rest.Names, weight)
		if at < 0 {
			return nil, usagef("--weight: there is no column %q beside the target; the columns are %s", weight, firstNames(rest.Names))
		}
		rest, cells = rest.Without(at)
		for i, cell := range cells {
			w, err := rest.Number(i, weight, cell)
			if err != nil {
				return nil, err
			}
			if !(w > 0) {
				return nil, &data.InputError{File: whole.File, Line: whole.Lines[i], Problem: fmt.Sprintf("the weight is %g", w), Remedy: "weights are positive: leave out lines that are not to count"}
			}
			t.problem.Weights = append(t.problem.Weights, w)
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
	if len(*names) == 1 && (*names)[0] == "all" {
		*names = t.problem.Names
		return nil
	}
	found, err := t.encoding.Resolve(*names)
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

// notRegression is the error for a saved regression, where a model of a matrix is
// needed.
func notRegression(path string) error {
	if saved.Is(path) {
		return usagef("%s is a regression, not a model of a matrix: use predict or explain", path)
	}
	return nil
}

// predictRegression explains the rows of a table, one prediction a line.
func predictRegression(cmd *cobra.Command, c *common, dir, table, output string) error {
	for _, name := range []string{"features", "skip-unknown", "interval", "row-name", "column-name"} {
		if cmd.Flags().Changed(name) {
			return usagef("%s is a regression: --%s means nothing to it", dir, name)
		}
	}
	if format, err := c.formatOf(output); err != nil {
		return err
	} else if format == tables.Parquet {
		return usagef("--output %s: the predictions of a regression are written as CSV (name a file that ends in .csv)", output)
	}
	m, err := saved.Load(dir)
	if err != nil {
		return &usageError{err}
	}
	rows, err := data.ReadRows(table, data.RowsOptions{Context: cmd.Context()})
	if err != nil {
		return err
	}
	predictions, warnings, err := m.Predict(rows)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		c.notef("warning: %s: %s", table, w)
	}
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
	printRegression(c, &m.Result, m.Target, spec.Choice{Always: m.Always, Never: m.Never})
	for _, r := range m.Removal {
		if m.Cost > 0 {
			fmt.Fprintf(c.stdout, "Without   %-28s cost +%s\n", r.Name, percent((r.Cost-m.Cost)/m.Cost))
		}
	}
	return nil
}
