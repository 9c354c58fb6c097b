package data

import (
	"fmt"
	"slices"
)

// An entry may have a weight: how much it counts, as if it stood there so often. All
// entries of a source have one, or none. Whoever carries entries (matrices, views,
// packs, shards, passes, the engine) carries their weights.
//
// Sums of weights beyond these, and their products, may leave the range of numbers, and
// so may a γ that suits them.
const (
	LeastWeight = 1e-100
	MostWeight  = 1e100
)

// ValidWeight tells whether an entry can have this weight.
func ValidWeight(x float64) bool { return x >= LeastWeight && x <= MostWeight }

// InvalidWeight says what is wrong with one that is not valid.
func InvalidWeight(x float64) string {
	return fmt.Sprintf("the weight %v, which is not a number from %g to %g", x, LeastWeight, MostWeight)
}

// NoWeights are those of no entries; nil if entries have none.
func NoWeights(weighted bool) []float64 {
	if weighted {
		return []float64{}
	}
	return nil
}

// weighted is a source whose entries may have weights.
type weighted interface{ Weighted() bool }

// WeightReader is a Reader of a source whose entries have weights.
type WeightReader interface {
	Reader

	// AppendWeights appends the weights of the entries of row i in these columns, which
	// are increasing and all of them observed. They are valid.
	AppendWeights(i int, columns []int32, to []float64) ([]float64, error)
}

// IsWeighted tells whether the entries of a source have weights.
func IsWeighted(s Source) bool {
	w, ok := s.(weighted)
	return ok && w.Weighted()
}

// WeightsFrom is a reader of a source as one that gives weights; nil if the entries
// have none.
func WeightsFrom(s Source, r Reader) WeightReader {
	if !IsWeighted(s) {
		return nil
	}
	return r.(WeightReader)
}

// PickWeights appends the weights of the entries in some columns of a row, given all of
// its columns and their weights.
func PickWeights(all []int32, of []float64, columns []int32, to []float64) []float64 {
	if of == nil || len(columns) == len(all) {
		return append(to, of...)
	}
	at := 0
	for _, c := range columns {
		for all[at] != c {
			at++
		}
		to = append(to, of[at])
	}
	return to
}

// Weighted tells whether the matrix has weights.
func (m *Matrix) Weighted() bool { return m.weight != nil }

// AppendWeights appends those of row i; see WeightReader.
func (m *Matrix) AppendWeights(i int, columns []int32, to []float64) ([]float64, error) {
	all, _ := m.Row(i)
	return PickWeights(all, m.RowWeights(i), columns, to), nil
}

// Weights are those of all entries, row by row; nil if there are none. They are the
// matrix's own and must not be changed.
func (m *Matrix) Weights() []float64 { return m.weight }

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
// nil: with none. It keeps the slice. A weight that is not valid is an error.
func (m *Matrix) WithWeights(weights []float64) (*Matrix, error) {
	if weights != nil && len(weights) != len(m.value) {
		panic(fmt.Sprintf("data: %d weights for %d entries", len(weights), len(m.value)))
	}
	if at := slices.IndexFunc(weights, func(x float64) bool { return !ValidWeight(x) }); at >= 0 {
		i, _ := slices.BinarySearch(m.start, at+1) // the first row that begins behind it
		return nil, fmt.Errorf("data: row %d, column %d has %s", i-1, m.column[at], InvalidWeight(weights[at]))
	}
	return &Matrix{columns: m.columns, start: m.start, column: m.column, value: m.value, weight: weights, keys: m.keys}, nil
}

// Weighted is that of what some rows are shown of.
func (s *someRows) Weighted() bool { return IsWeighted(s.Source) }

func (r *someRowsReader) AppendWeights(i int, columns []int32, to []float64) ([]float64, error) {
	return r.from.(WeightReader).AppendWeights(r.rows[i], columns, to)
}

// Weighted is that of what has keys.
func (w *withKeys) Weighted() bool { return IsWeighted(w.Source) }

// Weighted is that of what is renumbered.
func (n *renumbered) Weighted() bool { return IsWeighted(n.Source) }

func (r *renumberedReader) AppendWeights(i int, columns []int32, to []float64) ([]float64, error) {
	from, back := r.from.(WeightReader), r.by.inverse()
	r.columns, r.places = r.columns[:0], r.places[:0]
	for x, c := range columns {
		r.columns, r.places = append(r.columns, back[c]), append(r.places, x)
	}
	if r.by.rising {
		return from.AppendWeights(i, r.columns, to)
	}
	slices.SortFunc(r.places, func(x, y int) int { return int(back[columns[x]]) - int(back[columns[y]]) })
	slices.Sort(r.columns)
	var err error
	if r.weights, err = from.AppendWeights(i, r.columns, r.weights[:0]); err != nil {
		return to, err
	}
	begin := len(to)
	to = append(to, r.weights...)
	for x, place := range r.places {
		to[begin+place] = r.weights[x]
	}
	return to, nil
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
