package data

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"optcomplete/internal/parallel"
)

// Entry is one observed entry: the value seen in a row and a column, both by index.
type Entry struct {
	Row, Column int32
	Value       float64
}

// Matrix is a partly observed n×m matrix, stored by rows (compressed sparse
// rows). It is immutable once made, so any number of goroutines may read it.
type Matrix struct {
	columns int
	start   []int     // entries of row i are start[i]..start[i+1]
	column  []int32   // increasing within a row
	value   []float64 // finite
	weight  []float64 // of the entries; nil: they have none
	known   Known
	keys    *Keys // nil: none
}

// ErrDuplicate is wrapped by the DuplicateError that NewMatrix returns.
var ErrDuplicate = errors.New("data: the same row and column are observed twice")

// DuplicateError names the entries that collide, by their position in the
// slice given to NewMatrix.
type DuplicateError struct{ First, Second int }

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("data: entries %d and %d observe the same row and column", e.First, e.Second)
}

func (e *DuplicateError) Unwrap() error { return ErrDuplicate }

// NewMatrix makes an n×m matrix from its observed entries, given in any order.
// An index outside the matrix is a programming error and panics; a value that
// is not finite, or two entries in one place, are bad data and return an error.
func NewMatrix(rows, columns int, entries []Entry) (*Matrix, error) {
	start := make([]int, rows+1)
	inOrder := true
	for at, e := range entries {
		if e.Row < 0 || int(e.Row) >= rows || e.Column < 0 || int(e.Column) >= columns {
			panic(fmt.Sprintf("data: entry %d at (%d,%d) is outside a %d×%d matrix", at, e.Row, e.Column, rows, columns))
		}
		if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
			return nil, fmt.Errorf("data: entry %d has the value %v, which is not a finite number", at, e.Value)
		}
		start[e.Row+1]++
		if at > 0 && inOrder {
			before := entries[at-1]
			inOrder = before.Row < e.Row || before.Row == e.Row && before.Column <= e.Column
		}
	}
	for i := range rows {
		start[i+1] += start[i]
	}
	m := &Matrix{columns: columns, start: start, column: make([]int32, len(entries)), value: make([]float64, len(entries))}
	if inOrder {
		for at, e := range entries {
			m.column[at], m.value[at] = e.Column, e.Value
		}
	} else {
		// A counting sort by column, then one by row that keeps that order.
		next := slices.Clone(start[:rows])
		for _, at := range orderByColumn(columns, entries) {
			e := entries[at]
			to := next[e.Row]
			m.column[to], m.value[to] = e.Column, e.Value
			next[e.Row]++
		}
	}
	for i := range rows {
		row := m.column[start[i]:start[i+1]]
		for j := 1; j < len(row); j++ {
			if row[j-1] == row[j] {
				return nil, duplicate(entries, int32(i), row[j])
			}
		}
	}
	return m, nil
}

// orderByColumn gives the positions of the entries by increasing column, those
// of one column in the order given.
func orderByColumn(columns int, entries []Entry) []int {
	next := make([]int, columns+1)
	for _, e := range entries {
		next[e.Column+1]++
	}
	for j := range columns {
		next[j+1] += next[j]
	}
	order := make([]int, len(entries))
	for at, e := range entries {
		order[next[e.Column]] = at
		next[e.Column]++
	}
	return order
}

// duplicate names the first two entries of a row and column that has several.
func duplicate(entries []Entry, row, column int32) *DuplicateError {
	at := func(from int) int {
		return from + slices.IndexFunc(entries[from:], func(e Entry) bool { return e.Row == row && e.Column == column })
	}
	first := at(0)
	return &DuplicateError{First: first, Second: at(first + 1)}
}

// NewMatrixByRows makes a matrix of what it is stored as, and keeps the slices:
// the entries of row i stand at start[i]..start[i+1], their columns increasing.
// It is for generators and files that are sorted already. Anything out of order
// or bounds is a programming error and panics; a value that is not finite is an
// error.
func NewMatrixByRows(columns int, start []int, column []int32, value []float64) (*Matrix, error) {
	rows := len(start) - 1
	if rows < 0 || start[0] != 0 || start[rows] != len(column) || len(column) != len(value) {
		panic(fmt.Sprintf("data: %d columns and %d values do not fit the row starts", len(column), len(value)))
	}
	check := func(first, end int) error {
		for i := first; i < end; i++ {
			if start[i] > start[i+1] || start[i+1] > len(column) {
				panic(fmt.Sprintf("data: row %d starts at %d and ends at %d", i, start[i], start[i+1]))
			}
			before := int32(-1)
			for at := start[i]; at < start[i+1]; at++ {
				if column[at] <= before || int(column[at]) >= columns {
					panic(fmt.Sprintf("data: row %d has column %d after column %d of %d", i, column[at], before, columns))
				}
				before = column[at]
				if math.IsNaN(value[at]) || math.IsInf(value[at], 0) {
					return fmt.Errorf("data: row %d, column %d has the value %v, which is not a finite number", i, column[at], value[at])
				}
			}
		}
		return nil
	}
	const parts = 64
	if len(column) < 1<<20 { // less work than sharing it
		if err := check(0, rows); err != nil {
			return nil, err
		}
	} else if err := parallel.Do(context.Background(), parts, 0, func(int) func(part int) error {
		return func(part int) error { return check(part*rows/parts, (part+1)*rows/parts) }
	}); err != nil {
		return nil, err
	}
	return &Matrix{columns: columns, start: start, column: column, value: value}, nil
}

// Dims returns the number of rows and of columns.
func (m *Matrix) Dims() (rows, columns int) { return len(m.start) - 1, m.columns }

// Observed returns the number of observed entries.
func (m *Matrix) Observed() int { return len(m.value) }

// Row returns the observed columns of row i, increasing, and their values. The
// slices are the matrix's own and must not be changed.
func (m *Matrix) Row(i int) (columns []int32, values []float64) {
	lo, hi := m.start[i], m.start[i+1]
	return m.column[lo:hi:hi], m.value[lo:hi:hi]
}

// WithValues returns the matrix of the same shape and entries that has other
// values: one for each entry, row by row. It keeps the slice.
func (m *Matrix) WithValues(values []float64) *Matrix {
	if len(values) != len(m.value) {
		panic(fmt.Sprintf("data: %d values for %d entries", len(values), len(m.value)))
	}
	return &Matrix{columns: m.columns, start: m.start, column: m.column, value: values, weight: m.weight, keys: m.keys}
}

// Map returns the matrix of the same shape and entries whose values are those
// of f.
func (m *Matrix) Map(f func(row int, column int32, value float64) float64) *Matrix {
	out := &Matrix{columns: m.columns, start: m.start, column: m.column, value: make([]float64, len(m.value)), weight: m.weight, keys: m.keys}
	for i := range len(m.start) - 1 {
		for at := m.start[i]; at < m.start[i+1]; at++ {
			out.value[at] = f(i, m.column[at], m.value[at])
		}
	}
	return out
}

// Filter returns the matrix of the same shape that keeps the entries for which
// keep is true.
func (m *Matrix) Filter(keep func(row int, column int32) bool) *Matrix {
	out := &Matrix{columns: m.columns, start: make([]int, len(m.start)), weight: NoWeights(m.Weighted()), keys: m.keys}
	for i := range len(m.start) - 1 {
		for at := m.start[i]; at < m.start[i+1]; at++ {
			if keep(i, m.column[at]) {
				out.column = append(out.column, m.column[at])
				out.value = append(out.value, m.value[at])
				if m.weight != nil {
					out.weight = append(out.weight, m.weight[at])
				}
			}
		}
		out.start[i+1] = len(out.value)
	}
	return out
}
