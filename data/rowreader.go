package data

// RowReader reads one row after the other, without copying where it can.
type RowReader struct {
	matrix  *Matrix
	reader  Reader
	more    WeightReader // nil: entries have no weights
	columns []int32
	values  []float64
	weights []float64
}

// NewRowReader returns a reader of s for one goroutine.
func NewRowReader(s Source) *RowReader {
	if m, ok := s.(*Matrix); ok {
		return &RowReader{matrix: m}
	}
	reader := s.Reader()
	return &RowReader{reader: reader, more: WeightsFrom(s, reader)}
}

// Row returns the observed columns of row i, increasing, and their values. The
// slices are valid until the next call and must not be changed.
func (r *RowReader) Row(i int) (columns []int32, values []float64, err error) {
	if r.matrix != nil {
		columns, values = r.matrix.Row(i)
		return columns, values, nil
	}
	r.columns, r.values, err = r.reader.Append(i, r.columns[:0], r.values[:0])
	return r.columns, r.values, err
}

// Weighed is Row with the weights of the entries, nil if they have none.
func (r *RowReader) Weighed(i int) (columns []int32, values, weights []float64, err error) {
	columns, values, err = r.Row(i)
	if r.matrix != nil {
		r.weights = r.matrix.RowWeights(i)
	} else if r.more != nil && err == nil {
		r.weights, err = r.more.AppendWeights(i, columns, r.weights[:0])
	}
	return columns, values, r.weights, err
}
