package data

import (
	"slices"
	"sort"
)

// Map is the source of the same entries whose values are those of f. For a
// Matrix they are computed at once; otherwise nothing is copied, and f is asked
// at every reading, by many goroutines.
func Map(s Source, f func(row int, column int32, value float64) float64) Source {
	if m, ok := s.(*Matrix); ok {
		return m.Map(f)
	}
	return &mapped{Source: s, f: f}
}

type mapped struct {
	Source
	f func(row int, column int32, value float64) float64
}

func (m *mapped) Reader() Reader { return &mappedReader{m.Source.Reader(), m.f} }

type mappedReader struct {
	from Reader
	f    func(row int, column int32, value float64) float64
}

func (r *mappedReader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	at := len(values)
	columns, values, err := r.from.Append(i, columns, values)
	if err != nil {
		return columns, values, err
	}
	for x := at; x < len(values); x++ {
		values[x] = r.f(i, columns[x], values[x])
	}
	return columns, values, nil
}

// Filter is the source of the same shape with the entries for which keep is
// true. A Matrix gives another one; any other source is read once, to count the
// entries, and copied nowhere.
func Filter(s Source, keep func(row int, column int32) bool) (Source, error) {
	if m, ok := s.(*Matrix); ok {
		return m.Filter(keep), nil
	}
	n, _ := s.Dims()
	out := &filtered{from: s, keep: keep, entries: make([]int32, n)}
	err := ForEach(s, func(i int, columns []int32, _ []float64) error {
		for _, c := range columns {
			if keep(i, c) {
				out.entries[i]++
			}
		}
		out.observed += int(out.entries[i])
		return nil
	})
	return out, err
}

type filtered struct {
	from     Source
	keep     func(row int, column int32) bool
	entries  []int32 // of each row
	observed int
}

func (f *filtered) Dims() (rows, columns int) { return f.from.Dims() }
func (f *filtered) Observed() int             { return f.observed }
func (f *filtered) Entries(i int) int         { return int(f.entries[i]) }
func (f *filtered) Reader() Reader            { return &filteredReader{f.from.Reader(), f.keep} }

type filteredReader struct {
	from Reader
	keep func(row int, column int32) bool
}

func (r *filteredReader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	to := len(columns)
	columns, values, err := r.from.Append(i, columns, values)
	if err != nil {
		return columns, values, err
	}
	for x := to; x < len(columns); x++ {
		if r.keep(i, columns[x]) {
			columns[to], values[to] = columns[x], values[x]
			to++
		}
	}
	return columns[:to], values[:to], nil
}

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

// Renumber is the source with so many columns whose column j is column ranks[j]
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
