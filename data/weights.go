package data

// Weight is how much an entry counts: as if it stood there so often. Sums of weights
// beyond its range, and their products, may leave the range of numbers, and so may a γ
// that suits them.
var Weight = NewProperty(Property{Name: "weight", Plural: "weights", Least: 1e-100, Most: 1e100})

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
