package data

import "io"

// Ratings is an observed matrix whose rows and columns have ids: where its entries
// are read from, and the ids. Who opened it closes it.
type Ratings struct {
	RowIDs    []string // n
	ColumnIDs []string // m, the ids of the feature table in its order
	entries   Source   // in memory or not
	file      io.Closer
}

// NewRatings gives the rows and columns of a source their ids, from which its keys
// are made when they are first asked for.
func NewRatings(entries Source, rowIDs, columnIDs []string) *Ratings {
	return OpenRatings(entries, rowIDs, columnIDs, nil)
}

// OpenRatings is NewRatings for entries that are read from a file, which Close
// closes.
func OpenRatings(entries Source, rowIDs, columnIDs []string, file io.Closer) *Ratings {
	if n, m := entries.Dims(); len(rowIDs) == n && len(columnIDs) == m {
		entries = WithKeys(entries, NewKeys(rowIDs, columnIDs))
	}
	return &Ratings{RowIDs: rowIDs, ColumnIDs: columnIDs, entries: entries, file: file}
}

// Close closes the file that the entries are read from, if there is one.
func (r *Ratings) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// Source is where the entries are, in memory or not, with the keys of the ids.
func (r *Ratings) Source() Source { return r.entries }

// Matrix is the entries if they are in memory; nil: they are not.
func (r *Ratings) Matrix() *Matrix {
	m, _ := r.entries.(*Matrix)
	return m
}

// Dims returns the number of rows and of columns.
func (r *Ratings) Dims() (rows, columns int) { return r.entries.Dims() }

// Observed returns the number of observed entries.
func (r *Ratings) Observed() int { return r.entries.Observed() }

// With is the ratings with other entries of the same rows and columns, which are
// not read from the file: closing them closes nothing.
func (r *Ratings) With(entries Source) *Ratings { return NewRatings(entries, r.RowIDs, r.ColumnIDs) }

// WithEntries is the ratings without the rows that have fewer entries.
func (r *Ratings) WithEntries(least int) *Ratings {
	var rows []int
	var ids []string
	for i, id := range r.RowIDs {
		if r.entries.Entries(i) >= least {
			rows, ids = append(rows, i), append(ids, id)
		}
	}
	from := r.Matrix()
	if from == nil {
		return OpenRatings(Rows(r.entries, rows), ids, r.ColumnIDs, r.file)
	}
	kept := &Matrix{columns: from.columns, start: []int{0}, weight: NoWeights(from.Weighted())}
	for _, i := range rows {
		columns, values := from.Row(i)
		kept.column = append(kept.column, columns...)
		kept.value = append(kept.value, values...)
		kept.weight = append(kept.weight, from.RowWeights(i)...)
		kept.start = append(kept.start, len(kept.value))
	}
	return OpenRatings(kept, ids, r.ColumnIDs, r.file)
}
