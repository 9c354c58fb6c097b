package pack

import "optcomplete/data"

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
