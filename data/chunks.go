package data

import (
	"sync"
	"sync/atomic"
)

// Of the chunks that the rows of a source are read in: how many small data have,
// how many entries one holds at most (about; the buffer of a reader), and that
// their rows with entries are a multiple of the lanes of package internal/kernel,
// so that none stays idle.
const (
	chunkLeast = 64
	chunkMost  = 1 << 16
	chunkRows  = 8
)

// countable is how many entries a source may have for its rows to be asked how
// many they have; with more, chunks have as many rows each.
const countable = 1e9

// Chunked is a source that knows the chunks it is read in; see Chunks.
type Chunked interface {
	Source
	Chunks() []int
}

// Chunks divides the rows of a source into chunks of about as many entries:
// chunk c is the rows bounds[c]..bounds[c+1]. They depend on the entries alone,
// so that sums over chunks are the same wherever and by however many they are
// computed. Views have the chunks of what they are views of.
func Chunks(s Source) (bounds []int) {
	if c, ok := s.(Chunked); ok {
		return c.Chunks()
	}
	return divide(s)
}

func divide(s Source) (bounds []int) {
	n, _ := s.Dims()
	if observed := s.Observed(); float64(observed) > countable {
		rows := max(1, int(float64(n)*chunkMost/float64(observed))/chunkRows) * chunkRows
		for i := 0; i < n; i += rows {
			bounds = append(bounds, i)
		}
		return append(bounds, n)
	}
	work := s.Observed() + n
	size := min(max(work/chunkLeast, 1), chunkMost)
	bounds = []int{0}
	work, filled := 0, 0
	for i := range n {
		entries := s.Entries(i)
		work += 1 + entries
		if entries > 0 {
			filled++
		}
		if work >= size && filled%chunkRows == 0 || i == n-1 {
			bounds = append(bounds, i+1)
			work, filled = 0, 0
		}
	}
	return bounds
}

// ChunkCache keeps the chunks of a source, to make it Chunked.
type ChunkCache struct {
	once   sync.Once
	bounds []int
}

// Of is the chunks of s, whose cache this is.
func (c *ChunkCache) Of(s Source) []int {
	c.once.Do(func() { c.bounds = divide(s) })
	return c.bounds
}

// Known is what is known about a matrix once it was asked for. It may be shared by
// matrices of the same entries.
type Known struct{ at atomic.Pointer[known] }

type known struct {
	ChunkCache
	SurveyCache
}

func (k *Known) get() *known {
	if k.at.Load() == nil {
		k.at.CompareAndSwap(nil, new(known))
	}
	return k.at.Load()
}

// Chunks is those of a matrix; see Chunked.
func (m *Matrix) Chunks() []int { return m.known.get().Of(m) }

// Surveyed keeps the survey; see Surveyed.
func (m *Matrix) Surveyed(s *Survey) *Survey { return m.known.get().Surveyed(s) }
