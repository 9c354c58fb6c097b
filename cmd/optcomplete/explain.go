package main

import (
	"github.com/spf13/cobra"

	"optcomplete/model"
	"optcomplete/result"
	"optcomplete/spec"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	Row, Column, Features string
	Names                 string
	Top                   int
	JSON                  bool
}

func explainCommand(c *common) *cobra.Command {
	var f explainFlags
	cmd := verb("explain", func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("column") && !cmd.Flags().Changed("row") {
			return usagef("--column needs --row: one prediction is of a row and a column")
		}
		return kindAt(args[0]).explain(cmd, c, args[0], &f)
	})
	flagsOf(cmd).BindFields(&f)
	return cmd
}

func (matrixModel) explain(cmd *cobra.Command, c *common, path string, f *explainFlags) error {
	asked := cmd.Flags().Changed
	m, err := loadWith(c, path, f.Features)
	if err != nil {
		return err
	}
	if f.Names != "" && (asked("column") || !asked("row")) {
		return usagef("--names is for the recommendations of a row: it needs --row, without --column")
	}
	switch {
	case asked("column"):
		e := m.ExplainSum(f.Row, f.Column)
		noteUnknown(c, m, f.Row, f.Column, true)
		if f.JSON {
			return writeJSON(c.stdout, e)
		}
		return printSum(c.stdout, e, m.Summary.Nouns)
	case asked("row"):
		e, err := explainRow(c, m, f.Row, f.Top)
		if err != nil {
			return err
		}
		if err := nameItems(c, f.Names, m, e); err != nil {
			return err
		}
		noteUnknown(c, m, f.Row, "", false)
		if f.JSON {
			return writeJSON(c.stdout, e)
		}
		return printRow(c.stdout, e, spec.EffectsOf(m.Summary.Model).Columns, m.Summary.Nouns)
	}
	e := m.Explain()
	if f.JSON {
		return writeJSON(c.stdout, e)
	}
	return printExplanation(c.stdout, e, &m.Summary)
}

// explainRow explains a row with its recommendations: what it has not seen, as
// far as that is known.
func explainRow(c *common, m *model.Model, row string, top int) (*result.RowExplanation, error) {
	i, known := m.Row(row)
	if !known {
		i = -1
	}
	var skip []int32
	if known {
		var err error
		if skip, _, err = m.Seen(i); err != nil {
			return nil, &usageError{err}
		}
	}
	defer c.working("Explaining", "nowhere")()
	r, err := m.Recommender(model.RecommendSettings{Top: top, Caution: model.DefaultCaution})
	if err != nil {
		return nil, &usageError{err}
	}
	list, err := r.Row(i, skip)
	if err != nil {
		return nil, err
	}
	return m.ExplainRow(row, list)
}

// nameItems gives the recommendations of a row their names, if a table has them.
func nameItems(c *common, path string, m *model.Model, e *result.RowExplanation) error {
	if path == "" {
		return nil
	}
	names, err := namesOf(c, path, m)
	if err != nil {
		return err
	}
	for x := range e.Top {
		if j, known := m.Column(e.Top[x].Column); known {
			e.Top[x].Name = names[j]
		}
	}
	return nil
}

// noteUnknown says which of a row and a column the model has never heard of.
func noteUnknown(c *common, m *model.Model, row, column string, both bool) {
	say := worded(m.Summary.Nouns)
	if _, known := m.Row(row); !known {
		c.notef("%s", say("warning: {row} %q is not in the model: the average {row} is shown instead", row))
	}
	if !both {
		return
	}
	if _, known := m.Column(column); !known {
		c.notef("%s", say("warning: {column} %q is not in the model: it is treated as a typical {column} (give its record with --features)", column))
	}
}
