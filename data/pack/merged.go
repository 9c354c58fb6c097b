package pack

import (
	"fmt"
	"sort"

	"optcomplete/data"
)

// Merged is rows of several packs as one source, in the canonical order of their ids.
// Each row is in one of the packs.
type Merged struct {
	IDs      []string // of the rows
	parts    []data.Source
	at       []place
	columns  int
	observed int
	weighted bool
	chunks   data.ChunkCache
}

// place is where a row is.
type place struct{ part, row int32 }

// Merge puts together the rows of packs, each of which has its rows in the canonical
// order: those from the first id up to, but not with, the second; empty: all. Its columns
// are these, among which are those of the packs. The packs must stay open.
func Merge(parts []*File, columns []string, from, to string) (*Merged, error) {
	m := &Merged{columns: len(columns)}
	number := make(map[string]int32, len(columns))
	for j, id := range columns {
		number[id] = int32(j)
	}
	var places []place
	for p, f := range parts {
		ranks := make([]int32, 0, f.columns)
		for _, id := range f.ColumnIDs() {
			j, known := number[id]
			if !known {
				return nil, fmt.Errorf("%s has a column %s that is not expected", f.path, data.Quote(id))
			}
			ranks = append(ranks, j)
		}
		m.parts = append(m.parts, data.Renumber(f, len(columns), ranks))
		m.weighted = f.weighted
		lo, hi := 0, f.rows
		if from != "" {
			lo = f.search(from)
		}
		if to != "" {
			hi = f.search(to)
		}
		for i := lo; i < hi; i++ {
			id, err := f.RowID(i)
			if err != nil {
				return nil, err
			}
			m.IDs, places = append(m.IDs, id), append(places, place{int32(p), int32(i)})
			m.observed += f.Entries(i)
		}
		if err := f.Err(); err != nil {
			return nil, err
		}
	}
	m.at = places
	if order := data.Order(m.IDs); order != nil {
		ids := make([]string, len(order))
		m.at = make([]place, len(order))
		for x, i := range order {
			ids[x], m.at[x] = m.IDs[i], places[i]
		}
		m.IDs = ids
	}
	for x := 1; x < len(m.IDs); x++ {
		if m.IDs[x] == m.IDs[x-1] {
			return nil, fmt.Errorf("row %s is in two parts", data.Quote(m.IDs[x]))
		}
	}
	return m, nil
}

// search is the first row whose id is not before this one.
func (f *File) search(id string) int {
	return sort.Search(f.rows, func(i int) bool {
		have, err := f.RowID(i)
		return err != nil || data.CompareIDs(have, id) >= 0
	})
}

// Dims is that of all rows.
func (m *Merged) Dims() (rows, columns int) { return len(m.at), m.columns }

// Observed is that of all rows.
func (m *Merged) Observed() int { return m.observed }

// Entries returns the number of entries of row i.
func (m *Merged) Entries(i int) int { return m.parts[m.at[i].part].Entries(int(m.at[i].row)) }

// Chunks divides the rows as those of one pack.
func (m *Merged) Chunks() []int { return m.chunks.Of(m) }

// Weighted tells whether the entries have weights.
func (m *Merged) Weighted() bool { return m.weighted }

// Reader reads rows of all packs.
func (m *Merged) Reader() data.Reader {
	return &mergedReader{m, make([]data.Reader, len(m.parts))}
}

type mergedReader struct {
	m       *Merged
	readers []data.Reader
}

func (r *mergedReader) of(i int) (data.Reader, int) {
	at := r.m.at[i]
	if r.readers[at.part] == nil {
		r.readers[at.part] = r.m.parts[at.part].Reader()
	}
	return r.readers[at.part], int(at.row)
}

func (r *mergedReader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	from, row := r.of(i)
	return from.Append(row, columns, values)
}

// AppendWeights is that of the row that was read last, or of another.
func (r *mergedReader) AppendWeights(i int, columns []int32, to []float64) ([]float64, error) {
	from, row := r.of(i)
	return from.(data.WeightReader).AppendWeights(row, columns, to)
}
