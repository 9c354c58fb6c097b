package pass

import "optcomplete/data"

// Chunk is consecutive rows, as they were read.
type Chunk struct {
	Number     int // of the chunk
	First, End int // its rows are First..End−1

	matrix  *data.Matrix // the source if it is in memory: its rows need no copy
	reader  data.Reader
	more    data.WeightReader // nil: entries have no weights
	rows    []span            // where those that were asked for are; from 0: not yet
	columns []int32
	values  []float64
	weights []float64
	failed  error
}

// span is from..to−1 of what was read, from 1 on.
type span struct{ from, to int }

// Row returns the observed columns of row i, increasing, and their values. The
// slices are valid until the worker returns, and must not be changed.
func (c *Chunk) Row(i int) (columns []int32, values []float64) {
	if c.matrix != nil {
		return c.matrix.Row(i)
	}
	if c.failed != nil {
		return nil, nil // the reading ends when the worker returns
	}
	at := &c.rows[i-c.First]
	if at.from == 0 {
		at.from = len(c.columns) + 1
		if c.columns, c.values, c.failed = c.reader.Append(i, c.columns, c.values); c.failed != nil {
			return nil, nil
		}
		at.to = len(c.columns) + 1
		if c.more != nil {
			if c.weights, c.failed = c.more.AppendWeights(i, c.columns[at.from-1:], c.weights); c.failed != nil {
				return nil, nil
			}
		}
	}
	lo, hi := at.from-1, at.to-1
	return c.columns[lo:hi:hi], c.values[lo:hi:hi]
}

// InMemory returns what Row does if that takes no reading, else nothing.
func (c *Chunk) InMemory(i int) (columns []int32, values []float64) {
	if c.matrix != nil {
		return c.matrix.Row(i)
	}
	return nil, nil
}

// Weights returns the weights of the entries of row i; nil if the source has none.
// The slice is valid until the worker returns, and must not be changed.
func (c *Chunk) Weights(i int) []float64 {
	if c.matrix != nil {
		return c.matrix.RowWeights(i)
	}
	if c.more == nil {
		return nil
	}
	if c.Row(i); c.failed != nil {
		return nil
	}
	at := c.rows[i-c.First]
	return c.weights[at.from-1 : at.to-1 : at.to-1]
}

// newChunk is a place to read chunks of a source into, by one goroutine.
func newChunk(s data.Source) *Chunk {
	if m, ok := s.(*data.Matrix); ok {
		return &Chunk{matrix: m}
	}
	reader := s.Reader()
	return &Chunk{reader: reader, more: data.WeightsFrom(s, reader)}
}

// move makes it another chunk. Its rows are read when they are first asked for.
func (c *Chunk) move(number, first, end int) {
	c.Number, c.First, c.End = number, first, end
	if c.matrix != nil {
		return
	}
	c.failed = nil
	c.columns, c.values = c.columns[:0], c.values[:0]
	c.weights = c.weights[:0]
	c.rows = append(c.rows[:0], make([]span, end-first)...)
}
