package pass

import "optcomplete/data"

// Chunk is consecutive rows, as they were read.
type Chunk struct {
	Number     int // of the chunk
	First, End int // its rows are First..End−1

	matrix  *data.Matrix // the source if it is in memory: its rows need no copy
	reader  data.Reader
	start   []int // where the entries of each row begin, and the last one's end
	columns []int32
	values  []float64
}

// Row returns the observed columns of row i, increasing, and their values. The
// slices are valid until the worker returns, and must not be changed.
func (c *Chunk) Row(i int) (columns []int32, values []float64) {
	if c.matrix != nil {
		return c.matrix.Row(i)
	}
	lo, hi := c.start[i-c.First], c.start[i-c.First+1]
	return c.columns[lo:hi:hi], c.values[lo:hi:hi]
}

// newChunk is a place to read chunks of a source into, by one goroutine.
func newChunk(s data.Source) *Chunk {
	if m, ok := s.(*data.Matrix); ok {
		return &Chunk{matrix: m}
	}
	return &Chunk{reader: s.Reader()}
}

// read reads a chunk.
func (c *Chunk) read(number, first, end int) (err error) {
	c.Number, c.First, c.End = number, first, end
	if c.matrix != nil {
		return nil
	}
	c.start = append(c.start[:0], 0)
	c.columns, c.values = c.columns[:0], c.values[:0]
	for i := first; i < end; i++ {
		if c.columns, c.values, err = c.reader.Append(i, c.columns, c.values); err != nil {
			return err
		}
		c.start = append(c.start, len(c.columns))
	}
	return nil
}
