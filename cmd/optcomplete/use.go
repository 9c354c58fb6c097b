package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/internal/atomicfile"
	"optcomplete/model"
	"optcomplete/twosided"
)

// writeResult writes to a file, all or nothing, or to stdout without one.
func writeResult(c *common, path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		w := bufio.NewWriterSize(c.stdout, 1<<16)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	return atomicfile.File(path, write)
}

// loadModel opens a saved model; one that cannot be read is bad input.
func loadModel(path string) (*model.Model, error) {
	if twosided.Is(path) {
		return nil, usagef("%s is a two-sided model: use predict", path)
	}
	m, err := model.Load(path)
	if err != nil {
		return nil, &usageError{err}
	}
	return m, nil
}

func predictCommand(c *common) *cobra.Command {
	var (
		output  string
		skip    bool
		options data.PairsOptions
	)
	cmd := &cobra.Command{
		Use:   "predict MODEL PAIRS",
		Short: "Predict the values of given rows and columns",
		Long: `predict reads pairs of a row's and a column's id (CSV, with or without the header
row,column) and writes them with their predicted value: row,column,prediction.`,
		Example: `  optcomplete predict model pairs.csv > predictions.csv
  optcomplete predict model test.csv --skip-unknown -o predictions.csv`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := loadPredictor(args[0])
			if err != nil {
				return err
			}
			skipped := 0
			err = writeResult(c, output, func(w io.Writer) error {
				if _, err := io.WriteString(w, "row,column,prediction\n"); err != nil {
					return err
				}
				var buffer []byte
				return data.ReadPairs(args[1], options, func(line int, row, column []byte) error {
					if line%4096 == 0 && cmd.Context().Err() != nil {
						return cmd.Context().Err()
					}
					value, err := m.Predict(string(row), string(column))
					if err != nil {
						if skip {
							skipped++
							return nil
						}
						return unknown(args[1], line, err)
					}
					buffer, err = appendPrediction(buffer[:0], string(row), string(column), value)
					if err != nil {
						return err
					}
					_, err = w.Write(buffer)
					return err
				})
			})
			if skipped > 0 {
				c.notef("warning: %s left out: the row or the column is not in the model", count(skipped, "pair"))
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&output, "output", "o", "", "file to write to; without it, stdout")
	flags.BoolVar(&skip, "skip-unknown", false, "leave out pairs whose row or column is not in the model")
	flags.StringVar(&options.RowName, "row-name", "", "header of the column that holds the row's id")
	flags.StringVar(&options.ColumnName, "column-name", "", "header of the column that holds the column's id")
	return cmd
}

// unknown is the error for a pair that the model does not know.
func unknown(file string, line int, err error) error {
	problem := strings.TrimPrefix(err.Error(), "model: ")
	return &data.InputError{File: file, Line: line, Problem: problem, Remedy: "use --skip-unknown to leave such pairs out", Err: err}
}

func appendPrediction(line []byte, row, column string, value float64) ([]byte, error) {
	line, err := data.AppendField(line, row)
	if err != nil {
		return nil, err
	}
	line = append(line, ',')
	if line, err = data.AppendField(line, column); err != nil {
		return nil, err
	}
	line = append(line, ',')
	return append(data.AppendNumber(line, value), '\n'), nil
}

func completeCommand(c *common) *cobra.Command {
	var (
		output string
		rows   []string
	)
	cmd := &cobra.Command{
		Use:   "complete MODEL -o FILE",
		Short: "Write the completed matrix, or some of its rows",
		Long: `complete writes the model's value for every column of every row, as a long table
row,column,value: CSV, or Parquet if FILE ends in .parquet. It streams, so the
matrix may be larger than memory.`,
		Example: `  optcomplete complete model -o completed.parquet
  optcomplete complete model --rows alice,bob -o some.csv
  optcomplete complete model --rows @people.txt > some.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			format := model.CSV
			if output != "" && output != "-" {
				var err error
				if format, err = model.FormatOf(output); err != nil {
					return &usageError{err}
				}
			}
			m, err := loadModel(args[0])
			if err != nil {
				return err
			}
			wanted, err := rowsOf(m, rows)
			if err != nil {
				return err
			}
			return writeResult(c, output, func(w io.Writer) error {
				return m.Complete(cmd.Context(), w, format, wanted, max(c.threads, 1))
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&output, "output", "o", "", "file to write to: .csv or .parquet; without it, CSV to stdout")
	flags.StringSliceVar(&rows, "rows", nil, "ids of the rows to write, or @FILE with one id a line; without it, all")
	return cmd
}

// rowsOf finds rows by id; nil means all.
func rowsOf(m *model.Model, ids []string) ([]int, error) {
	if len(ids) == 1 && strings.HasPrefix(ids[0], "@") {
		path := ids[0][1:]
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, &data.InputError{File: path, Problem: "cannot be read: " + rootCause(err), Err: err}
		}
		ids = strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' })
		if len(ids) == 0 {
			return nil, &data.InputError{File: path, Problem: "holds no row ids", Remedy: "write one id a line"}
		}
	}
	var rows []int
	for _, id := range ids {
		i, ok := m.Row(id)
		if !ok {
			return nil, usagef("--rows names %q, which is not a row of the model", id)
		}
		rows = append(rows, i)
	}
	return rows, nil
}

// rootCause is the innermost error's text: "no such file or directory".
func rootCause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
