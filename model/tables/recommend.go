package tables

import (
	"context"
	"io"
	"slices"

	"optcomplete/internal/columnar"
	"optcomplete/internal/parallel"
	"optcomplete/internal/progress"
	"optcomplete/model"
	"optcomplete/model/store"
	"optcomplete/result"
)

// recommendRows is how many rows are recommended to, and written, at a time.
const recommendRows = 1 << 14

// RecommendAll writes the recommendations for every row to w, as a table with
// the columns row, rank (from 1), column, name if there are names, and
// prediction. skip tells which columns to leave out for a row, increasing; it is
// called by several goroutines. The bytes do not depend on the number of threads.
func RecommendAll(ctx context.Context, m *model.Model, w io.Writer, format Format, s model.RecommendSettings, skip func(row int) []int32, threads int) error {
	out, err := newRecommendWriter(m, w, format, s.Names)
	if err != nil {
		return err
	}
	task := progress.Start(ctx, "Recommending", int64(len(m.RowIDs)), m.Summary.Nouns.Rows())
	defer task.Done()
	first, err := m.Recommender(s)
	if err != nil {
		return err
	}
	lists := make([][]result.Recommendation, recommendRows)
	for lo := 0; lo < len(m.RowIDs); lo += recommendRows {
		hi := min(len(m.RowIDs), lo+recommendRows)
		err := parallel.Do(ctx, hi-lo, threads, func(int) func(x int) error {
			r, err := first.Another()
			return func(x int) error {
				if err != nil {
					return err
				}
				var failed error
				lists[x], failed = r.Row(lo+x, skip(lo+x))
				task.Add(1)
				return failed
			}
		})
		if err != nil {
			return err
		}
		if err := out.write(m.RowIDs[lo:hi], lists[:hi-lo]); err != nil {
			return err
		}
	}
	return out.Close()
}

// Recommendations writes one row's recommendations as RecommendAll does.
func Recommendations(m *model.Model, w io.Writer, format Format, names []string, row string, list []result.Recommendation) error {
	out, err := newRecommendWriter(m, w, format, names)
	if err != nil {
		return err
	}
	if err := out.write([]string{row}, [][]result.Recommendation{list}); err != nil {
		return err
	}
	return out.Close()
}

// recommendWriter writes the lists of some rows.
type recommendWriter struct {
	store.GroupWriter
	m     *model.Model
	names []string
}

func newRecommendWriter(m *model.Model, w io.Writer, format Format, names []string) (*recommendWriter, error) {
	fields := []columnar.Field{
		{Name: "row", Kind: columnar.Text},
		{Name: "rank", Kind: columnar.Int},
		{Name: "column", Kind: columnar.Text},
		{Name: "prediction", Kind: columnar.Float},
	}
	if names != nil {
		fields = slices.Insert(fields, 3, columnar.Field{Name: "name", Kind: columnar.Text})
	}
	out, err := newTable(w, format, fields)
	return &recommendWriter{out, m, names}, err
}

func (o *recommendWriter) write(rowIDs []string, lists [][]result.Recommendation) error {
	var rows, ranks, columns []int32
	var values []float64
	for x, list := range lists {
		for rank, r := range list {
			rows, ranks = append(rows, int32(x)), append(ranks, int32(rank+1))
			columns, values = append(columns, int32(r.Column)), append(values, r.Value)
		}
	}
	group := []any{columnar.Coded{Texts: rowIDs, Codes: rows}, ranks, columnar.Coded{Texts: o.m.ColumnIDs, Codes: columns}, values}
	if o.names != nil {
		group = slices.Insert(group, 3, any(columnar.Coded{Texts: o.names, Codes: columns}))
	}
	return o.WriteGroup(group...)
}
