package tables

import (
	"context"
	"fmt"
	"io"

	"optcomplete/internal/shards"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/pass"
)

// completing computes pieces of a completed matrix, in this process or elsewhere. Its
// jobs are the pieces.
type completing struct {
	Of     *pass.Shared[sentModel]
	Rows   *pass.Shared[[]int]       // nil: all
	Seen   *pass.Shared[sentEntries] // nil: every cell holds a prediction
	Format Format
	Cells  int            // of a piece, at most
	To     *shards.Writer // pieces are files of whole rows; nil: they are given back
}

// sentModel is what is needed of a model.
type sentModel struct {
	Fitted            estimate.Fitted
	RowIDs, ColumnIDs []string
}

// sentEntries is Observed as it is sent: the entries of all rows of the model, none of
// those that are not asked for.
type sentEntries struct {
	Mark    bool
	Start   []int
	Columns []int32
	Values  []float64 // nil: predictions stay
}

// sent is what is asked for of some rows of n; nil: nothing.
func (o Observed) sent(n int, rows []int) *pass.Shared[sentEntries] {
	if o.Entries == nil {
		return nil
	}
	wanted := make([]bool, n)
	for _, i := range rows {
		wanted[i] = true
	}
	s := sentEntries{Mark: o.Mark, Start: []int{0}}
	for i := range n {
		if wanted[i] {
			columns, values := o.Entries(i)
			s.Columns, s.Values = append(s.Columns, columns...), append(s.Values, values...)
		}
		s.Start = append(s.Start, len(s.Columns))
	}
	return pass.Share(s)
}

// observed is the inverse of sent.
func (p completing) observed() Observed {
	if p.Seen == nil {
		return Observed{}
	}
	s := p.Seen.Get()
	return Observed{Mark: s.Mark, Entries: func(i int) (columns []int32, values []float64) {
		from, to := s.Start[i], s.Start[i+1]
		if s.Values != nil {
			values = s.Values[from:to]
		}
		return s.Columns[from:to], values
	}}
}

// piece is what was computed.
type piece struct {
	Text     []byte
	Values   []float64
	Observed []int32
	File     *shards.File
}

// Merge is not asked for: pieces go to a sink.
func (p *piece) Merge(pass.Part) { panic("tables: pieces of a table are not merged") }

// completingOf describes the pieces of a table.
func completingOf(m *model.Model, format Format, rows []int, observed Observed, cells int, to *shards.Writer) (completing, pass.Jobs) {
	p := completing{Of: pass.Share(sentModel{m.Fitted(), m.RowIDs, m.ColumnIDs}), Format: format, Cells: cells, To: to}
	n := len(m.RowIDs)
	if rows != nil {
		p.Rows, n = pass.Share(rows), len(rows)
	} else {
		rows = allRows(m)
	}
	p.Seen = observed.sent(len(m.RowIDs), rows)
	all := p.grid(n, len(m.ColumnIDs))
	return p, pass.Jobs{N: all.len(), Work: all.height * all.width}
}

// grid is how n rows are divided: files have whole rows.
func (p completing) grid(n, columns int) grid {
	if p.To != nil {
		return gridOf(n, columns, max(p.Cells, columns))
	}
	return gridOf(n, columns, p.Cells)
}

// Back is what pieces have, about.
func (p completing) Back(in *pass.Input) int {
	switch {
	case p.To != nil:
		return 100 * in.Source.Observed() / max(p.Cells, 1)
	case p.Format == Parquet || p.Format == WideParquet:
		return 8 * in.Source.Observed()
	}
	return 24 * in.Source.Observed()
}

// Start makes a worker.
func (p completing) Start(*pass.Input) (pass.Worker, error) {
	of := p.Of.Get()
	m := &model.Model{Parts: *of.Fitted.Parts, RowIDs: of.RowIDs, ColumnIDs: of.ColumnIDs, Features: of.Fitted.Chosen}
	m.Summary.Terms = make([]string, of.Fitted.K)
	var rows []int
	if p.Rows != nil {
		rows = p.Rows.Get()
	} else {
		rows = allRows(m)
	}
	observed := p.observed()
	e, _, err := newEncoder(m, io.Discard, p.Format, rows, observed.Mark)
	if err != nil {
		return nil, err
	}
	all := p.grid(len(rows), len(m.ColumnIDs))
	return pass.EachRow(func() *piece { return new(piece) }, func(part *piece, i int, _ []int32, _ []float64) error {
		c := all.at(i)
		if p.To != nil {
			file, err := p.To.Write(fmt.Sprintf("part-%09d", i), ".parquet", func(w io.Writer) error {
				return Complete(context.Background(), m, w, p.Format, rows[c.rowLo:c.rowHi], observed, 1)
			})
			if err == nil && file == nil {
				err = fmt.Errorf("the executors do not see the folder %s, or may not write there: name one that they share with this machine", p.To.Folder)
			}
			part.File = file
			return err
		}
		j := &job{chunk: c}
		predictChunk(m, rows, j)
		observed.apply(rows, j)
		if e.prepare(j); j.text != nil {
			part.Text = j.text
		} else {
			part.Values, part.Observed = j.values, j.observed
		}
		return nil
	}), nil
}

func init() { pass.Register("completion", completing{}, new(piece)) }
