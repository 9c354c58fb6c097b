package data

import (
	"fmt"
	"slices"
)

// The entries of a source may have weights: how much each counts, as many times as
// if it stood there so often. They come beside the columns and values, for those
// who ask: a source that says that it is weighted has readers that are
// WeightReaders too. Views give the weights of what they are views of, so nothing
// that drops entries or changes values has to know of them.

// Weighted is a source that may have weights.
type Weighted interface {
	Weighted() bool
}

// WeightReader is a Reader of a weighted source.
type WeightReader interface {
	Reader

	// AppendWeights appends the weights of the entries of row i in these columns,
	// which are increasing and all of them observed, to the slice given. Weights are
	// positive and finite.
	AppendWeights(i int, columns []int32, weights []float64) ([]float64, error)
}

// IsWeighted tells whether the entries of a source have weights.
func IsWeighted(s Source) bool {
	w, ok := s.(Weighted)
	return ok && w.Weighted()
}

// WeightsFrom is a reader of a source as one that gives weights; nil if the source
// has none.
func WeightsFrom(s Source, r Reader) WeightReader {
	if !IsWeighted(s) {
		return nil
	}
	return r.(WeightReader)
}

// PickWeights appends the weights that some columns of a row have, given all of its
// columns and their weights.
func PickWeights(all []int32, weights []float64, columns []int32, to []float64) []float64 {
	if len(columns) == len(all) {
		return append(to, weights...)
	}
	at := 0
	for _, c := range columns {
		for all[at] != c {
			at++
		}
		to = append(to, weights[at])
	}
	return to
}

// Weighted tells whether the matrix has weights.
func (m *Matrix) Weighted() bool { return m.weight != nil }

// AppendWeights appends weights of row i; see WeightReader.
func (m *Matrix) AppendWeights(i int, columns []int32, weights []float64) ([]float64, error) {
	lo, hi := m.start[i], m.start[i+1]
	return PickWeights(m.column[lo:hi], m.weight[lo:hi], columns, weights), nil
}

// RowWeights returns the weights of the entries of row i; nil if there are none. The
// slice is the matrix's own and must not be changed.
func (m *Matrix) RowWeights(i int) []float64 {
	if m.weight == nil {
		return nil
	}
	lo, hi := m.start[i], m.start[i+1]
	return m.weight[lo:hi:hi]
}

// WithWeights returns the same matrix with weights: one for each entry, row by row;
// nil: with none. It keeps the slice. A weight that is not valid is an
// error.
func (m *Matrix) WithWeights(weights []float64) (*Matrix, error) {
	if weights != nil && len(weights) != len(m.value) {
		panic(fmt.Sprintf("data: %d weights for %d entries", len(weights), len(m.value)))
	}
	for at, w := range weights {
		if !ValidWeight(w) {
			i, _ := slices.BinarySearchFunc(m.start, at, func(start, at int) int {
				if start <= at {
					return -1
				}
				return 1
			})
			return nil, fmt.Errorf("data: row %d, column %d has the weight %v, which is not a number from %g to %g", i-1, m.column[at], w, MinWeight, MaxWeight)
		}
	}
	return &Matrix{columns: m.columns, start: m.start, column: m.column, value: m.value, weight: weights, keys: m.keys}, nil
}

// MinWeight and MaxWeight are the least and the largest weight: sums of others and
// their products may leave the range of numbers, and so may a γ that suits them.
const (
	MinWeight = 1e-100
	MaxWeight = 1e100
)

// ValidWeight tells whether a number can be the weight of an entry.
func ValidWeight(w float64) bool { return w >= MinWeight && w <= MaxWeight }

// Weighted is that of what some rows are shown of.
func (s *someRows) Weighted() bool { return IsWeighted(s.Source) }

func (r *someRowsReader) AppendWeights(i int, columns []int32, weights []float64) ([]float64, error) {
	return r.from.(WeightReader).AppendWeights(r.rows[i], columns, weights)
}

// Weighted is that of what has keys.
func (w *withKeys) Weighted() bool { return IsWeighted(w.Source) }

// Weighted is that of what is renumbered.
func (n *renumbered) Weighted() bool { return IsWeighted(n.Source) }

func (r *renumberedReader) AppendWeights(i int, columns []int32, weights []float64) ([]float64, error) {
	from, back := r.from.(WeightReader), r.by.inverse()
	r.columns, r.places = r.columns[:0], r.places[:0]
	for x, c := range columns {
		r.columns, r.places = append(r.columns, back[c]), append(r.places, x)
	}
	if r.by.rising {
		return from.AppendWeights(i, r.columns, weights)
	}
	slices.SortFunc(r.places, func(x, y int) int { return int(back[columns[x]]) - int(back[columns[y]]) })
	slices.Sort(r.columns)
	var err error
	if r.weights, err = from.AppendWeights(i, r.columns, r.weights[:0]); err != nil {
		return weights, err
	}
	at := len(weights)
	weights = append(weights, r.weights...)
	for x, place := range r.places {
		weights[at+place] = r.weights[x]
	}
	return weights, nil
}

// inverse is which column of the source each column is.
func (n *renumbered) inverse() []int32 {
	n.once.Do(func() {
		n.back = make([]int32, n.columns)
		for from, to := range n.ranks {
			n.back[to] = int32(from)
		}
	})
	return n.back
}
