package data

// RowReader reads one row after the other, without copying where it can.
type RowReader struct {
	matrix  *Matrix
	reader  Reader
	more    PropertyReader // nil: entries have no properties
	columns []int32
	values  []float64
	numbers Numbers
}

// NewRowReader returns a reader of s for one goroutine.
func NewRowReader(s Source) *RowReader {
	if m, ok := s.(*Matrix); ok {
		return &RowReader{matrix: m}
	}
	reader := s.Reader()
	return &RowReader{reader: reader, more: NumbersFrom(s, reader), numbers: NoNumbers(PropertiesOf(s))}
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

// Numbered is Row with the properties of the entries.
func (r *RowReader) Numbered(i int) (columns []int32, values []float64, numbers *Numbers, err error) {
	columns, values, err = r.Row(i)
	if r.matrix != nil {
		r.numbers = r.matrix.RowNumbers(i)
	} else if r.more != nil && err == nil {
		r.numbers.Clear()
		err = r.more.AppendNumbers(i, columns, &r.numbers)
	}
	return columns, values, &r.numbers, err
}
