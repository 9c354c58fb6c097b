package data

import "fmt"

// Source is a partly observed n×m matrix whose rows are read on demand, in any
// order: in memory (*Matrix), mapped from a file (package data/pack), or
// generated (package data/synth). A row is the same at every reading. Any number
// of goroutines may use a source, each with a Reader of its own.
type Source interface {
	// Dims returns the number of rows and of columns.
	Dims() (rows, columns int)

	// Observed returns the number of observed entries.
	Observed() int

	// Entries returns the number of observed entries of row i.
	Entries(i int) int

	// Reader returns a reader for one goroutine.
	Reader() Reader
}

// Reader reads the rows of a Source. It may keep scratch memory, so it serves
// one goroutine at a time.
type Reader interface {
	// Append appends the observed columns of row i, increasing, and their
	// values to the slices given, which are of one length, and returns the
	// longer ones. The values are finite. It fails where the file behind the source is damaged or gone.
	Append(i int, columns []int32, values []float64) ([]int32, []float64, error)
}

// Collect copies rows of a source into memory, in the order given; nil: all of
// them. A source that is a Matrix already is not copied for nil.
func Collect(s Source, rows []int) (*Matrix, error) {
	if m, ok := s.(*Matrix); ok && rows == nil {
		return m, nil
	}
	n, m := s.Dims()
	count := len(rows)
	if rows == nil {
		count = n
	}
	at := func(x int) int {
		if rows == nil {
			return x
		}
		return rows[x]
	}
	out := &Matrix{columns: m, start: make([]int, count+1), keys: KeysOf(s)}
	if rows != nil {
		out.keys = out.keys.Some(rows)
	}
	for x := range count {
		out.start[x+1] = out.start[x] + s.Entries(at(x))
	}
	out.column = make([]int32, 0, out.start[count])
	out.value = make([]float64, 0, out.start[count])
	reader := s.Reader()
	more := WeightsFrom(s, reader)
	if more != nil {
		out.weight = make([]float64, 0, out.start[count])
	}
	for x := range count {
		var err error
		if out.column, out.value, err = reader.Append(at(x), out.column, out.value); err != nil {
			return nil, err
		}
		if len(out.column) != out.start[x+1] {
			return nil, fmt.Errorf("data: row %d has %d entries, but %d were announced", at(x), len(out.column)-out.start[x], s.Entries(at(x)))
		}
		if more != nil {
			if out.weight, err = more.AppendWeights(at(x), out.column[out.start[x]:], out.weight); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// ForEach reads all rows in order. The slices that f gets are valid until it
// returns, and must not be changed.
func ForEach(s Source, f func(row int, columns []int32, values []float64) error) error {
	return ForEachWeighed(s, func(row int, columns []int32, values, _ []float64) error { return f(row, columns, values) })
}

// ForEachWeighed is ForEach with the weights of the entries, nil if they have none.
func ForEachWeighed(s Source, f func(row int, columns []int32, values, weights []float64) error) error {
	n, _ := s.Dims()
	reader := NewRowReader(s)
	for i := range n {
		columns, values, weights, err := reader.Weighed(i)
		if err == nil {
			err = f(i, columns, values, weights)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Entries returns the number of observed entries of row i; see Source.
func (m *Matrix) Entries(i int) int { return m.start[i+1] - m.start[i] }

// Reader returns the matrix itself; see Source.
func (m *Matrix) Reader() Reader { return m }

// Append appends row i; see Reader.
func (m *Matrix) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	c, v := m.Row(i)
	return append(columns, c...), append(values, v...), nil
}

var _ Source = (*Matrix)(nil)

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
