package pack

import (
	"fmt"
	"sort"

	"optcomplete/data"
)

// Merged is rows of several packs as one source, in the canonical order of their ids.
// Each row is in one of the packs.
type Merged struct {
	joined
	IDs []string // of the rows
}

// place is where a row is.
type place struct{ part, row int32 }

// Merge puts together the rows of packs, each of which has its rows in the canonical
// order: those from the first id up to, but not with, the second; empty: all. Its columns
// are these, among which are those of the packs. The packs must stay open.
func Merge(parts []*File, columns []string, from, to string) (*Merged, error) {
	m := &Merged{joined: joined{columns: len(columns)}}
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
	if order := data.Order(m.IDs); order != nil {
		ids, at := make([]string, len(order)), make([]place, len(order))
		for x, i := range order {
			ids[x], at[x] = m.IDs[i], places[i]
		}
		m.IDs, places = ids, at
	}
	m.rows = len(places)
	m.find = func(i int) (part, row int) { return int(places[i].part), int(places[i].row) }
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

// joined is rows of several sources as one source.
type joined struct {
	parts                   []data.Source
	find                    func(i int) (part, row int) // where row i is
	rows, columns, observed int
	weighted                bool
	chunks                  data.ChunkCache
}

// Dims is that of all rows.
func (s *joined) Dims() (rows, columns int) { return s.rows, s.columns }

// Observed is that of all rows.
func (s *joined) Observed() int { return s.observed }

// Entries returns the number of entries of row i.
func (s *joined) Entries(i int) int {
	part, row := s.find(i)
	return s.parts[part].Entries(row)
}

// Chunks divides the rows as those of one pack: the number of packs changes nothing.
func (s *joined) Chunks() []int { return s.chunks.Of(s) }

// Weighted tells whether the entries have weights, those of all parts.
func (s *joined) Weighted() bool { return s.weighted }

// Reader reads rows of all parts.
func (s *joined) Reader() data.Reader { return &joinedReader{s, make([]data.Reader, len(s.parts))} }

type joinedReader struct {
	from    *joined
	readers []data.Reader
}

func (r *joinedReader) of(i int) (data.Reader, int) {
	part, row := r.from.find(i)
	if r.readers[part] == nil {
		r.readers[part] = r.from.parts[part].Reader()
	}
	return r.readers[part], row
}

func (r *joinedReader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	from, row := r.of(i)
	return from.Append(row, columns, values)
}

// AppendWeights is that of the row that was read last, or of another.
func (r *joinedReader) AppendWeights(i int, columns []int32, to []float64) ([]float64, error) {
	from, row := r.of(i)
	return from.(data.WeightReader).AppendWeights(row, columns, to)
}
