package data

import (
	"slices"
	"sort"
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
	return &renumbered{s, columns, ranks, slices.IsSorted(ranks)}
}

type renumbered struct {
	Source
	columns int
	ranks   []int32
	rising  bool // the columns of a row stay in order
}

func (n *renumbered) Dims() (rows, columns int) {
	rows, _ = n.Source.Dims()
	return rows, n.columns
}

func (n *renumbered) Reader() Reader { return &renumberedReader{n.Source.Reader(), n} }

type renumberedReader struct {
	from Reader
	by   *renumbered
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

// Renumbered tells what a source is, but for its columns, and how those are
// numbered; ranks is nil if they are as in the base.
func Renumbered(s Source) (base Source, columns int, ranks []int32) {
	if n, ok := s.(*renumbered); ok {
		if _, m := n.Source.Dims(); n.rising && (m == 0 || n.ranks[m-1] == int32(m-1)) {
			return n.Source, n.columns, nil
		}
		return n.Source, n.columns, n.ranks
	}
	_, columns = s.Dims()
	return s, columns, nil
}

// Chunks is those of what is renumbered.
func (n *renumbered) Chunks() []int { return Chunks(n.Source) }
