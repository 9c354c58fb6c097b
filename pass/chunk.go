package pass

import "optcomplete/data"

// Chunk is consecutive rows, as they were read.
type Chunk struct {
	Number     int // of the chunk
	First, End int // its rows are First..End−1

	matrix  *data.Matrix // the source if it is in memory: its rows need no copy
	reader  data.Reader
	read    bool // its rows have been read: the first that is asked for lets all be
	failed  error
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
	if !c.read {
		c.fill()
	}
	if c.failed != nil {
		return nil, nil // the reading ends when the worker returns
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

// move makes it another chunk.
func (c *Chunk) move(number, first, end int) {
	c.Number, c.First, c.End = number, first, end
	c.read, c.failed = false, nil
}

// fill reads all rows.
func (c *Chunk) fill() {
	c.read = true
	c.start = append(c.start[:0], 0)
	c.columns, c.values = c.columns[:0], c.values[:0]
	for i := c.First; i < c.End && c.failed == nil; i++ {
		c.columns, c.values, c.failed = c.reader.Append(i, c.columns, c.values)
		c.start = append(c.start, len(c.columns))
	}
}
