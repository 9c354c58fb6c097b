package pass

import "optcomplete/data"

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
