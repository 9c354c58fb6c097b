package data

// RowReader reads one row after the other, without copying where it can.
type RowReader struct {
	matrix  *Matrix
	reader  Reader
	columns []int32
	values  []float64
}

// NewRowReader returns a reader of s for one goroutine.
func NewRowReader(s Source) *RowReader {
	if m, ok := s.(*Matrix); ok {
		return &RowReader{matrix: m}
	}
	return &RowReader{reader: s.Reader()}
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
