package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/model/tables"
	"optcomplete/regress"
	"optcomplete/regress/saved"
)

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
