package data

import (
	"slices"
	"sort"
	"sync"
)

// Rows is the source of some rows of another, in the order given.
func Rows(s Source, rows []int) Source {
	out := &someRows{Source: s, rows: rows}
	for _, i := range rows {
		out.observed += s.Entries(i)
	}
	return out
}

type someRows struct {
	Source
	rows     []int
	observed int
}

func (s *someRows) Dims() (rows, columns int) {
	_, columns = s.Source.Dims()
	return len(s.rows), columns
}
func (s *someRows) Observed() int     { return s.observed }
func (s *someRows) Entries(i int) int { return s.Source.Entries(s.rows[i]) }
func (s *someRows) Reader() Reader    { return &someRowsReader{s.Source.Reader(), s.rows} }

type someRowsReader struct {
	from Reader
	rows []int
}

func (r *someRowsReader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	return r.from.Append(r.rows[i], columns, values)
}

// Renumber is the source with this many columns whose column j is column ranks[j]
// of it; columns that no rank names have no entries.
func Renumber(s Source, columns int, ranks []int32) Source {
	if _, m := s.Dims(); len(ranks) != m || columns < m {
		panic("data: every column needs a place of its own")
	}
	return &renumbered{Source: s, columns: columns, ranks: ranks, rising: slices.IsSorted(ranks)}
}

type renumbered struct {
	Source
	SurveyCache
	columns int
	ranks   []int32
	rising  bool // the columns of a row stay in order

	once sync.Once
	back []int32 // the inverse of ranks; see inverse
}

func (n *renumbered) Dims() (rows, columns int) {
	rows, _ = n.Source.Dims()
	return rows, n.columns
}

func (n *renumbered) Reader() Reader { return &renumberedReader{from: n.Source.Reader(), by: n} }

type renumberedReader struct {
	from Reader
	by   *renumbered

	columns []int32 // scratch of AppendWeights
	places  []int
	weights []float64
}

func (r *renumberedReader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	at := len(columns)
	columns, values, err := r.from.Append(i, columns, values)
	if err != nil {
		return columns, values, err
	}
	for x := at; x < len(columns); x++ {
		columns[x] = r.by.ranks[columns[x]]
	}
	if !r.by.rising {
		sort.Sort(&byColumn{columns[at:], values[at:]})
	}
	return columns, values, nil
}

// byColumn sorts a row by its columns, which are distinct.
type byColumn struct {
	columns []int32
	values  []float64
}

func (b *byColumn) Len() int           { return len(b.columns) }
func (b *byColumn) Less(x, y int) bool { return b.columns[x] < b.columns[y] }
func (b *byColumn) Swap(x, y int) {
	b.columns[x], b.columns[y] = b.columns[y], b.columns[x]
	b.values[x], b.values[y] = b.values[y], b.values[x]
}

// Basis tells what a source is a view of: which rows of it, nil for all, and how
// its columns are numbered, nil if as they are.
func Basis(s Source) (base Source, columns int, ranks []int32, rows []int) {
	_, columns = s.Dims()
	for {
		switch v := s.(type) {
		case *withKeys:
			s = v.Source
			continue
		case *someRows:
			if ranks != nil {
				return s, columns, ranks, rows
			}
			rows = v.of(rows)
			s = v.Source
			continue
		case *renumbered:
			if ranks != nil {
				return s, columns, ranks, rows
			}
			s, ranks = v.Source, v.ranks
			continue
		}
		break
	}
	if _, m := s.Dims(); ranks != nil && slices.IsSorted(ranks) && (m == 0 || ranks[m-1] == int32(m-1)) {
		ranks = nil
	}
	return s, columns, ranks, rows
}

// of is which rows of the source some of the rows are; nil: all of them.
func (s *someRows) of(rows []int) []int {
	if rows == nil {
		return s.rows
	}
	out := make([]int, len(rows))
	for x, i := range rows {
		out[x] = s.rows[i]
	}
	return out
}

// Chunks is those of what is renumbered.
func (n *renumbered) Chunks() []int { return Chunks(n.Source) }
