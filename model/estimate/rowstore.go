package estimate

// RowStore has the coefficients of all rows, in memory or not. Any number of
// goroutines may use it.
type RowStore interface {
	// Row returns the k coefficients of row i, which must not be changed.
	Row(i int) []float64

	// Term gives the coefficient of term f of every row, in order of the rows.
	Term(f int, row func(i int, u float64))

	// Len is the number of rows.
	Len() int

	// Err is what went wrong in reading, so far; the coefficients then are zeros.
	Err() error
}

// RowMatrix is a RowStore in memory.
type RowMatrix struct {
	K      int       // coefficients of a row
	Values []float64 // row by row
}

var _ RowStore = (*RowMatrix)(nil)

// NewRowMatrix makes room for this many rows of k coefficients.
func NewRowMatrix(rows, k int) *RowMatrix {
	return &RowMatrix{K: k, Values: make([]float64, rows*k)}
}

// InMemory is the coefficients of a store in memory, which may be the store itself.
func InMemory(s RowStore, k int) *RowMatrix {
	if m, ok := s.(*RowMatrix); ok {
		return m
	}
	out := &RowMatrix{K: k, Values: make([]float64, 0, s.Len()*k)}
	for i := range s.Len() {
		out.Values = append(out.Values, s.Row(i)...)
	}
	return out
}

// Row returns the coefficients of row i.
func (m *RowMatrix) Row(i int) []float64 { return m.Values[i*m.K : (i+1)*m.K] }

// Term gives a coefficient of every row.
func (m *RowMatrix) Term(term int, row func(i int, u float64)) {
	for at := term; at < len(m.Values); at += m.K {
		row(at/m.K, m.Values[at])
	}
}

// Len is the number of rows.
func (m *RowMatrix) Len() int { return len(m.Values) / max(m.K, 1) }

// Err is nil.
func (m *RowMatrix) Err() error { return nil }
