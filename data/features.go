package data

import "fmt"

// Features is the m×p table B: what is known about each column of the matrix.
type Features struct {
	IDs    []string  // m ids of the matrix's columns
	Names  []string  // p feature names
	Values []float64 // m×p, row by row: all features of one column together
}

// NewFeatures checks the shape: ids × names values, all ids and names distinct
// being the reader's business. A wrong length is a programming error and panics.
func NewFeatures(ids, names []string, values []float64) *Features {
	if len(values) != len(ids)*len(names) {
		panic(fmt.Sprintf("data: %d values for %d columns × %d features", len(values), len(ids), len(names)))
	}
	return &Features{IDs: ids, Names: names, Values: values}
}

// Dims returns the number of columns m and of features p.
func (f *Features) Dims() (columns, features int) { return len(f.IDs), len(f.Names) }

// Row returns the p features of column j. It must not be changed.
func (f *Features) Row(j int) []float64 {
	p := len(f.Names)
	return f.Values[j*p : (j+1)*p : (j+1)*p]
}

// canonical is the table with its columns in the canonical order of their ids.
func (f *Features) canonical() *Features {
	order := Order(f.IDs)
	if order == nil {
		return f
	}
	out := &Features{Names: f.Names, Values: make([]float64, 0, len(f.Values))}
	for _, j := range order {
		out.IDs = append(out.IDs, f.IDs[j])
		out.Values = append(out.Values, f.Row(int(j))...)
	}
	return out
}
