package model

import (
	"sync"

	"optcomplete/data"
)

// MaxSeen is how many seen entries are saved: beyond it they would make up
// most of the model. Recommendations then need the ratings file.
const MaxSeen = 50_000_000

// Seen is which columns each row has an entry for. The zero value does not know.
type Seen struct {
	columns [][]int32   // n, increasing; nil if it is not known, or source has it
	weights [][]float64 // n, of those entries; nil: they have none, or source has them
	source  data.Source // to read rows from when they are asked for; nil: none
}

// Known tells whether it is known.
func (s *Seen) Known() bool { return s.columns != nil || s.source != nil }

// entries is what a model knows about the entries of its rows. A loaded model reads
// it from its file when it is first asked for, because only recommendations ask.
type entries struct {
	once   sync.Once
	read   func() (Lists, error) // nil: it is known, or was read
	seen   Seen
	fitted Seen // the entries fitted on, where those are not all that were seen
	err    error
}

// Lists are which columns the rows have entries for, which of them they were fitted
// on, and the weights of the latter. Lists of nil are not known, or there are no
// weights.
type Lists struct {
	Seen, Fitted [][]int32
	Weights      [][]float64
}

// SeenLater makes the model read the entries of its rows when it is first asked. It
// must be called before the model is in use.
func (m *Model) SeenLater(read func() (Lists, error)) { m.entries.read = read }

// SeenAndFitted is which columns the rows have entries for, and which of them they
// were fitted on.
func (m *Model) SeenAndFitted() (seen, fitted *Seen, err error) {
	m.entries.once.Do(func() {
		if m.entries.read != nil {
			lists, err := m.entries.read()
			m.entries.seen.columns, m.entries.err = lists.Seen, err
			m.entries.fitted = Seen{columns: lists.Fitted, weights: lists.Weights}
			if lists.Weights != nil && m.ColumnWeights == nil {
				m.weighColumns()
			}
		}
	})
	return &m.entries.seen, &m.entries.fitted, m.entries.err
}

// SetSeen tells the model which columns its rows have entries for, where that
// is more than it was fitted on: entries held out were seen too. It must be
// called before the model is in use.
//
// Entries that are not in memory are read where they are when they are asked
// for, at the latest by Save: until then their file must stay open. More of them
// than are saved are not remembered.
func (m *Model) SetSeen(from data.Source) {
	m.entries.read, m.entries.seen = nil, m.seenIn(from)
}

func (m *Model) seenIn(from data.Source) (seen Seen) {
	matrix, inMemory := from.(*data.Matrix)
	if !inMemory {
		if from.Observed() <= MaxSeen {
			seen.source = from
		}
		return seen
	}
	seen.columns = make([][]int32, len(m.RowIDs))
	if matrix.Weighted() {
		seen.weights = make([][]float64, len(m.RowIDs))
	}
	for i := range seen.columns {
		seen.columns[i], _ = matrix.Row(i)
		if seen.weights != nil {
			seen.weights[i] = matrix.RowWeights(i)
		}
	}
	return seen
}

// Seen returns the columns, increasing, that row i has an entry for. known is
// false if the model was saved without them. The slice must not be changed.
func (m *Model) Seen(i int) (columns []int32, known bool, err error) {
	seen, _, err := m.SeenAndFitted()
	switch {
	case err != nil:
		return nil, false, err
	case seen.source != nil:
		columns, _, err = seen.source.Reader().Append(i, nil, nil)
		return columns, err == nil, err
	case seen.columns == nil:
		return nil, false, nil
	}
	return seen.columns[i], true, nil
}

// Count is how many columns row i has an entry for.
func (s *Seen) Count(i int) int {
	switch {
	case s.source != nil:
		return s.source.Entries(i)
	case s.columns != nil:
		return len(s.columns[i])
	}
	return 0
}

// Reader reads one row after the other; the slice is valid until the next call.
func (s *Seen) Reader() func(i int) ([]int32, error) {
	if s.source == nil {
		return func(i int) ([]int32, error) {
			if s.columns == nil {
				return nil, nil
			}
			return s.columns[i], nil
		}
	}
	r := data.NewRowReader(s.source)
	return func(i int) ([]int32, error) {
		columns, _, err := r.Row(i)
		return columns, err
	}
}

// Weighed is Reader with the weights of the entries, nil if they have none.
func (s *Seen) Weighed() func(i int) ([]int32, []float64, error) {
	if s.source != nil {
		r := data.NewRowReader(s.source)
		return func(i int) ([]int32, []float64, error) {
			columns, _, weights, err := r.Weighed(i)
			return columns, weights, err
		}
	}
	read := s.Reader()
	return func(i int) ([]int32, []float64, error) {
		columns, err := read(i)
		if s.weights == nil {
			return columns, nil, err
		}
		return columns, s.weights[i], err
	}
}

// HasWeights tells whether the entries have weights.
func (s *Seen) HasWeights() bool {
	return s.weights != nil || s.source != nil && data.IsWeighted(s.source)
}
