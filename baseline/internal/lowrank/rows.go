package lowrank

import (
	"context"
	"sync"
	"sync/atomic"

	"optcomplete/data"
)

// Rows is a source to be read many times over.
type Rows struct {
	source  data.Source
	matrix  *data.Matrix // the source in memory, nil: too large
	start   []int        // chunk c has the rows start[c]..start[c+1]
	Longest int          // most entries of a row
}

// Memory is how many bytes of entries are read into memory instead of at every
// pass, unless a caller says otherwise.
const Memory = 4 << 30

// NewRows cuts a source into chunks of rows with about as many entries each, at
// most so many. A source of which the entries fit into memory, in bytes (zero
// means Memory), is read once and kept.
func NewRows(source data.Source, chunks int, memory int64) (*Rows, error) {
	if memory == 0 {
		memory = Memory
	}
	n, _ := source.Dims()
	r := &Rows{source: source}
	if int64(source.Observed())*12+int64(n)*8 <= memory {
		m, err := data.Collect(source, nil)
		if err != nil {
			return nil, err
		}
		r.source, r.matrix = m, m
	}
	chunks = max(1, min(chunks, n))
	// A row weighs its entries and one more, so that empty rows count too.
	total := source.Observed() + n
	at := 0
	for i := range n {
		if at*chunks >= len(r.start)*total {
			r.start = append(r.start, i)
		}
		entries := source.Entries(i)
		at += entries + 1
		r.Longest = max(r.Longest, entries)
	}
	r.start = append(r.start, n)
	return r, nil
}

// ChunksFor is how many chunks to cut a source into if each adds up tables of so
// many numbers a column: so that adding the chunks up costs little beside the
// entries, and takes at most 1 GiB.
func ChunksFor(source data.Source, numbers int) int {
	_, m := source.Dims()
	table := max(m*numbers, 1)
	return max(1, min(64, source.Observed()/max(4*m, 1), (1<<30)/(8*table)))
}

// Chunks is the number of chunks.
func (r *Rows) Chunks() int { return len(r.start) - 1 }

// Source is what the rows are read from: in memory if they fit.
func (r *Rows) Source() data.Source { return r.source }

// Dims returns the number of rows and of columns.
func (r *Rows) Dims() (rows, columns int) { return r.source.Dims() }

// Each reads every row once. begin is called for every chunk, by that many
// goroutines at once, and gives the function that gets the chunk's rows in order.
// The slices are valid until it returns.
func (r *Rows) Each(ctx context.Context, threads int, begin func(chunk int) func(i int, columns []int32, values []float64)) error {
	var (
		next   atomic.Int64
		wg     sync.WaitGroup
		failed = make([]error, r.Chunks())
	)
	for range max(1, min(threads, r.Chunks())) {
		wg.Go(func() {
			reader := r.source.Reader()
			var columns []int32
			var values []float64
			for {
				c := int(next.Add(1)) - 1
				if c >= r.Chunks() || ctx.Err() != nil {
					return
				}
				row := begin(c)
				for i := r.start[c]; i < r.start[c+1]; i++ {
					if r.matrix != nil {
						columns, values = r.matrix.Row(i)
					} else if columns, values, failed[c] = reader.Append(i, columns[:0], values[:0]); failed[c] != nil {
						return
					}
					row(i, columns, values)
				}
			}
		})
	}
	wg.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Blocks calls work for blocks of the given length that cover 0..n-1, by that many
// goroutines: for results that each have a place of their own.
func Blocks(n, block, threads int, work func(lo, hi int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range max(1, min(threads, (n+block-1)/block)) {
		wg.Go(func() {
			for {
				lo := int(next.Add(int64(block))) - block
				if lo >= n {
					return
				}
				work(lo, min(lo+block, n))
			}
		})
	}
	wg.Wait()
}
