package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/model"
	"optcomplete/model/tables"
	"optcomplete/result"
)

// predictFlags are the flags of predict.
type predictFlags struct {
	Output, Features string
	SkipUnknown      bool
	Interval         float64
	options          data.PairsOptions
}

func predictCommand(c *common) *cobra.Command {
	var f predictFlags
	cmd := verb("predict", func(cmd *cobra.Command, args []string) error {
		return kindAt(args[0]).predict(cmd, c, args[0], args[1], &f)
	})
	flags := flagsOf(cmd)
	flags.Bind("raw-names", &c.rawNames)
	flags.BindFields(&f)
	flags.BindFields(&f.options)
	return cmd
}

func (matrixModel) predict(cmd *cobra.Command, c *common, path, pairs string, f *predictFlags) error {
	format, err := c.formatOf(f.Output)
	if err != nil {
		return err
	}
	m, err := loadWith(c, path, f.Features)
	if err != nil {
		return err
	}
	p := pairPredictor{model: m, skip: f.SkipUnknown, probability: f.Interval / 100}
	if f.Interval > 0 {
		if p.intervals, err = m.Intervals(); err != nil {
			return usagef("--interval: %w", err)
		}
	}
	done := c.working("Predicting", f.Output)
	err = writeResult(c, f.Output, func(w io.Writer) error { return p.write(cmd.Context(), w, format, pairs, f.options) })
	done()
	p.note(c)
	return err
}

// pairPredictor answers a file of pairs.
type pairPredictor struct {
	model *model.Model
	skip  bool

	intervals   *model.Intervals // nil: none are asked for
	probability float64

	skipped, featureless int
	example              string // of a column without features
}

func (p *pairPredictor) write(ctx context.Context, w io.Writer, format tables.Format, path string, options data.PairsOptions) error {
	out, err := tables.NewPredictionWriter(w, format, p.kind())
	if err != nil {
		return err
	}
	options.Context = ctx
	if options.Known == nil {
		options.Known = func(row, column string) bool {
			_, knownRow := p.model.Row(row)
			_, knownColumn := p.model.Column(column)
			return knownRow || knownColumn
		}
	}
	err = data.ReadPairs(path, options, func(line int, row, column []byte) error {
		if line%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		answer, ok, err := p.answer(string(row), string(column))
		if err != nil {
			return err
		}
		if !ok {
			p.skipped++
			return nil
		}
		return out.Write(string(row), string(column), answer)
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// kind is which intervals there are.
func (p *pairPredictor) kind() tables.Intervals {
	switch {
	case p.intervals == nil:
		return tables.NoIntervals
	case p.model.LossOf().Loss.Counts():
		return tables.CountIntervals
	}
	return tables.WithIntervals
}

// answer is false for a pair to leave out.
func (p *pairPredictor) answer(row, column string) (answer result.Answer, ok bool, err error) {
	_, knownRow := p.model.Row(row)
	_, knownColumn := p.model.Column(column)
	if p.skip && !(knownRow && knownColumn) {
		return answer, false, nil
	}
	if !knownColumn {
		if p.featureless++; p.example == "" {
			p.example = column
		}
	}
	if p.intervals != nil {
		answer, err = p.intervals.Answer(row, column, p.probability)
		return answer, err == nil, err
	}
	return p.model.Answer(row, column), true, nil
}

// note says what was left out or answered without features.
func (p *pairPredictor) note(c *common) {
	if p.skipped > 0 {
		c.notef("warning: %s left out: the row or the column is not in the model", count(p.skipped, "pair"))
	}
	if p.featureless > 0 {
		c.notef("warning: %s predicted as for a typical column, because the model does not know the column (such as %q): give its record with --features", count(p.featureless, "pair"), p.example)
	}
}
