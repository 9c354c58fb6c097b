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

// Making is the part that a worker makes: workers that are more than a function of
// rows (see EachRow) embed it, and add to Now.
type Making[P Part] struct {
	Now   P
	fresh func() P
}

// Makes begins with an empty part; fresh makes one.
func Makes[P Part](fresh func() P) Making[P] { return Making[P]{fresh(), fresh} }

// Part gives the part, and begins the next.
func (m *Making[P]) Part() (Part, error) {
	part := m.Now
	m.Now = m.fresh()
	return part, nil
}

// EachWeighed is EachRow for who needs the weights too; they are nil if there are
// none.
func EachWeighed[P Part](fresh func() P, add func(part P, i int, columns []int32, values, weights []float64) error) Worker {
	return Each(fresh, func(part P, c *Chunk, i int) error {
		columns, values := c.Row(i)
		return add(part, i, columns, values, c.Weights(i))
	})
}

// Jobs is a source without entries: rows that stand for pieces of work, numbered, for
// passes that compute from what they hold. Each is a chunk of its own, and counts as
// this many entries.
type Jobs struct{ N, Work int }

var _ data.Chunked = Jobs{}

// Dims has no columns.
func (j Jobs) Dims() (rows, columns int) { return j.N, 0 }

// Observed is the work of all.
func (j Jobs) Observed() int { return j.N * j.Work }

// Entries is the work of one.
func (j Jobs) Entries(int) int { return j.Work }

// Chunks has one for each.
func (j Jobs) Chunks() []int {
	bounds := make([]int, j.N+1)
	for x := range bounds {
		bounds[x] = x
	}
	return bounds
}

// Reader finds nothing.
func (j Jobs) Reader() data.Reader { return noEntries{} }

type noEntries struct{}

func (noEntries) Append(_ int, columns []int32, values []float64) ([]int32, []float64, error) {
	return columns, values, nil
}

// Returning is a pass that can tell how many bytes its parts have, about, all together:
// they have a way to come back.
type Returning interface {
	Back(in *Input) int
}
