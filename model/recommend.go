package model

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
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
	Rank float64 // what it is ranked by: Unclipped, less what caution takes off
}

// Recommend returns the columns with the largest predictions for a row, at most
// top of them, best first; −1 is a row of which nothing is known. Columns in
// skip, which are increasing, are left out. The order is that of the predictions
// before they are kept in range; of equal ones the first column comes first.
func (m *Model) Recommend(row int, skip []int32, top int) []Recommendation {
	list, _ := (&Recommender{m: m, RecommendSettings: RecommendSettings{Top: top}}).Row(row, skip) // reads nothing
	return list
}

// RecommendSettings say what to recommend.
type RecommendSettings struct {
	Top int // columns for each row, at most
	// Caution is how many standard deviations of a prediction are taken off before
	// predictions are ranked: what little is known of does not come first by
	// chance. The deviation is that of the expected value, the noise of an entry
	// not included. A model without a posterior ranks by the predictions.
	Caution float64
	Least   int      // entries that a column needs to be recommended
	Names   []string // of the columns, to be written beside their ids; nil: none
}

// DefaultCaution is that of recommendations unless told otherwise.
const DefaultCaution = 1

// Recommender recommends to one row after the other. It serves one goroutine.
type Recommender struct {
	RecommendSettings
	m    *Model
	sure *Intervals // nil: not known, or not needed
}

// Recommender prepares to recommend. A model that cannot tell how sure it is
// recommends without caution: see Model.Intervals. An error is one of reading.
func (m *Model) Recommender(s RecommendSettings) (*Recommender, error) {
	r := &Recommender{RecommendSettings: s, m: m}
	if s.Caution == 0 {
		return r, nil
	}
	var err error
	if r.sure, err = m.Intervals(); errors.Is(err, ErrNoIntervals) || errors.Is(err, ErrEntriesUnknown) {
		r.sure, err = nil, nil
	}
	return r, err
}

// Row recommends as Recommend does, cautiously.
func (r *Recommender) Row(row int, skip []int32) ([]Recommendation, error) {
	m, top := r.m, r.Top
	var best []Recommendation
	for j := range m.ColumnIDs {
		if len(skip) > 0 && int(skip[0]) <= j {
			skip = skip[1:]
			continue
		}
		if int(m.ColumnEntries[j]) < r.Least {
			continue
		}
		a := m.AnswerAt(row, j)
		rank := a.Unclipped
		full := len(best) == top
		if full && (top == 0 || rank <= best[top-1].Rank) {
			continue
		}
		if r.sure != nil {
			variance, err := r.sure.Variance(row, j)
			if err != nil {
				return nil, err
			}
			if rank -= r.Caution * math.Sqrt(max(variance-r.sure.of.Noise, 0)); full && rank <= best[top-1].Rank {
				continue
			}
		}
		at := sort.Search(len(best), func(x int) bool { return best[x].Rank < rank })
		if full {
			best = best[:top-1]
		}
		best = slices.Insert(best, at, Recommendation{j, a, rank})
	}
	return best, nil
}

// recommendRows is how many rows are recommended to, and written, at a time.
const recommendRows = 1 << 14

// RecommendAll writes the recommendations for every row to w, as a table with
// the columns row, rank (from 1), column, name if there are names, and
// prediction. skip tells which columns to leave out for a row, increasing; it is
// called by several goroutines. The bytes do not depend on the number of threads.
func (m *Model) RecommendAll(ctx context.Context, w io.Writer, format Format, s RecommendSettings, skip func(row int) []int32, threads int) error {
	out, err := newRecommendWriter(m, w, format, s.Names)
	if err != nil {
		return err
	}
	lists := make([][]Recommendation, recommendRows)
	for lo := 0; lo < len(m.RowIDs); lo += recommendRows {
		hi := min(len(m.RowIDs), lo+recommendRows)
		err := parallel.Do(ctx, hi-lo, threads, func(int) func(x int) error {
			r, err := m.Recommender(s)
			return func(x int) error {
				if err != nil {
					return err
				}
				var failed error
				lists[x], failed = r.Row(lo+x, skip(lo+x))
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
	return out.close()
}

// WriteRecommendations writes one row's recommendations as RecommendAll does.
func (m *Model) WriteRecommendations(w io.Writer, format Format, names []string, row string, list []Recommendation) error {
	out, err := newRecommendWriter(m, w, format, names)
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

func newRecommendWriter(m *Model, w io.Writer, format Format, names []string) (recommendWriter, error) {
	switch format {
	case CSV, RawCSV:
		out := &recommendCSV{m, names, csv.NewWriter(w), format}
		head := []string{"row", "rank", "column", "prediction"}
		if names != nil {
			head = slices.Insert(head, 3, "name")
		}
		return out, out.w.Write(head)
	case Parquet:
		fields := []columnar.Field{
			{Name: "row", Kind: columnar.Text, Repeats: true},
			{Name: "rank", Kind: columnar.Int},
			{Name: "column", Kind: columnar.Text, Repeats: true},
			{Name: "prediction", Kind: columnar.Float},
		}
		if names != nil {
			fields = slices.Insert(fields, 3, columnar.Field{Name: "name", Kind: columnar.Text, Repeats: true})
		}
		return &recommendParquet{m, names, columnar.NewWriter(w, fields)}, nil
	}
	return nil, fmt.Errorf("model: unknown format %v", format)
}

type recommendCSV struct {
	m      *Model
	names  []string
	w      *csv.Writer
	format Format
}

func (o *recommendCSV) write(rowIDs []string, lists [][]Recommendation) error {
	for x, list := range lists {
		for rank, r := range list {
			line := []string{o.format.cell(rowIDs[x]), strconv.Itoa(rank + 1), o.format.cell(o.m.ColumnIDs[r.Column]), string(appendNumber(nil, r.Value))}
			if o.names != nil {
				line = slices.Insert(line, 3, o.format.cell(o.names[r.Column]))
			}
			if err := o.w.Write(line); err != nil {
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
	m     *Model
	names []string
	out   *columnar.Writer
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
	if o.names != nil {
		return o.out.WriteGroup(coded(rowIDs, rows), ranks, coded(o.m.ColumnIDs, columns), coded(o.names, columns), values)
	}
	return o.out.WriteGroup(coded(rowIDs, rows), ranks, coded(o.m.ColumnIDs, columns), values)
}

func (o *recommendParquet) close() error { return o.out.Close() }
