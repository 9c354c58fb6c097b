package data

// Weight is how much an entry counts: as if it stood there so often.
var Weight = NewProperty(Property{Name: "weight", Plural: "weights", Least: MinWeight, Most: MaxWeight})

// MinWeight and MaxWeight are the least and the largest weight: sums of others and
// their products may leave the range of numbers, and so may a γ that suits them.
const (
	MinWeight = 1e-100
	MaxWeight = 1e100
)

// ValidWeight tells whether a number can be the weight of an entry.
func ValidWeight(w float64) bool { return Weight.Valid(w) }

// IsWeighted tells whether the entries of a source have weights.
func IsWeighted(s Source) bool { return PropertiesOf(s).Has(Weight) }

// Weighted tells whether the matrix has weights.
func (m *Matrix) Weighted() bool { return m.numbers.Of(Weight) != nil }

// RowWeights returns the weights of the entries of row i; nil if there are none. The
// slice is the matrix's own and must not be changed.
func (m *Matrix) RowWeights(i int) []float64 { return m.RowProperty(Weight, i) }

// WithWeights returns the same matrix with weights: one for each entry, row by row;
// nil: with none. It keeps the slice. A weight that is not valid is an error.
func (m *Matrix) WithWeights(weights []float64) (*Matrix, error) {
	return m.WithProperty(Weight, weights)
}

// ForEachWeighed is ForEach with the weights; nil if the source has none.
func ForEachWeighed(s Source, f func(row int, columns []int32, values, weights []float64) error) error {
	return ForEachNumbered(s, func(row int, columns []int32, values []float64, numbers *Numbers) error {
		return f(row, columns, values, numbers.Of(Weight))
	})
}
