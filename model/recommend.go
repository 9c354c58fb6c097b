package model

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"

	"optcomplete/internal/columnar"
	"optcomplete/internal/parallel"
)

// Recommendation is a column and what is predicted for it.
type Recommendation struct {
	Column int
	Answer
}

// Recommend returns the columns with the largest predictions for a row, at most
// top of them, best first; −1 is a row of which nothing is known. Columns in
// skip, which are increasing, are left out. The order is that of the predictions
// before they are kept in range; of equal ones the first column comes first.
func (m *Model) Recommend(row int, skip []int32, top int) []Recommendation {
	var best []Recommendation
	for j := range m.ColumnIDs {
		if len(skip) > 0 && int(skip[0]) <= j {
			skip = skip[1:]
			continue
		}
		a := m.AnswerAt(row, j)
		if len(best) == top && (top == 0 || a.Unclipped <= best[top-1].Unclipped) {
			continue
		}
		at := sort.Search(len(best), func(x int) bool { return best[x].Unclipped < a.Unclipped })
		if len(best) == top {
			best = best[:top-1]
		}
		best = slices.Insert(best, at, Recommendation{j, a})
	}
	return best
}

// recommendRows is how many rows are recommended to, and written, at a time.
const recommendRows = 1 << 14

// RecommendAll writes the recommendations for every row to w, as a table with
// the columns row, rank (from 1), column and prediction. skip tells which columns
// to leave out for a row, increasing; it is called by several goroutines. The
// bytes do not depend on the number of threads.
func (m *Model) RecommendAll(ctx context.Context, w io.Writer, format Format, top int, skip func(row int) []int32, threads int) error {
	out, err := newRecommendWriter(m, w, format)
	if err != nil {
		return err
	}
	lists := make([][]Recommendation, recommendRows)
	for lo := 0; lo < len(m.RowIDs); lo += recommendRows {
		hi := min(len(m.RowIDs), lo+recommendRows)
		err := parallel.Do(ctx, hi-lo, threads, func(int) func(x int) error {
			return func(x int) error {
				lists[x] = m.Recommend(lo+x, skip(lo+x), top)
				return nil
			}
		})
		if err != nil {
			return err
		}
		if err := out.write(m.RowIDs[lo:hi], lists[:hi-lo]); err != nil {
			return err
		}
	}
	return out.close()
}

// WriteRecommendations writes one row's recommendations as RecommendAll does.
func (m *Model) WriteRecommendations(w io.Writer, format Format, row string, list []Recommendation) error {
	out, err := newRecommendWriter(m, w, format)
	if err != nil {
		return err
	}
	if err := out.write([]string{row}, [][]Recommendation{list}); err != nil {
		return err
	}
	return out.close()
}

// recommendWriter writes the lists of some rows.
type recommendWriter interface {
	write(rowIDs []string, lists [][]Recommendation) error
	close() error
}

func newRecommendWriter(m *Model, w io.Writer, format Format) (recommendWriter, error) {
	switch format {
	case CSV, RawCSV:
		out := &recommendCSV{m, csv.NewWriter(w), format}
		return out, out.w.Write([]string{"row", "rank", "column", "prediction"})
	case Parquet:
		return &recommendParquet{m, columnar.NewWriter(w, []columnar.Field{
			{Name: "row", Kind: columnar.Text, Repeats: true},
			{Name: "rank", Kind: columnar.Int},
			{Name: "column", Kind: columnar.Text, Repeats: true},
			{Name: "prediction", Kind: columnar.Float},
		})}, nil
	}
	return nil, fmt.Errorf("model: unknown format %v", format)
}

type recommendCSV struct {
	m      *Model
	w      *csv.Writer
	format Format
}

func (o *recommendCSV) write(rowIDs []string, lists [][]Recommendation) error {
	for x, list := range lists {
		for rank, r := range list {
			if err := o.w.Write([]string{o.format.cell(rowIDs[x]), strconv.Itoa(rank + 1), o.format.cell(o.m.ColumnIDs[r.Column]), string(appendNumber(nil, r.Value))}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *recommendCSV) close() error {
	o.w.Flush()
	return o.w.Error()
}

type recommendParquet struct {
	m   *Model
	out *columnar.Writer
}

func (o *recommendParquet) write(rowIDs []string, lists [][]Recommendation) error {
	var rows, ranks, columns []int32
	var values []float64
	for x, list := range lists {
		for rank, r := range list {
			rows, ranks = append(rows, int32(x)), append(ranks, int32(rank+1))
			columns, values = append(columns, int32(r.Column)), append(values, r.Value)
		}
	}
	return o.out.WriteGroup(coded(rowIDs, rows), ranks, coded(o.m.ColumnIDs, columns), values)
}

func (o *recommendParquet) close() error { return o.out.Close() }
