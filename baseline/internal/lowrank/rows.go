package lowrank

import (
	"context"

	"optcomplete/data"
	"optcomplete/internal/parallel"
	"optcomplete/pass"
)

// Rows is a source to be read many times over.
type Rows struct {
	source  data.Source
	start   []int // chunk c has the rows start[c]..start[c+1]
	Longest int   // most entries of a row
	Columns []int // entries of each column
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
	if fits(source, memory) {
		m, err := data.Collect(source, nil)
		if err != nil {
			return nil, err
		}
		r.source = m
	}
	survey, err := pass.Survey(context.Background(), r.source, 1)
	if err != nil {
		return nil, err
	}
	r.Columns = survey.Columns
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

// fits tells whether the entries of a source take at most so many bytes.
func fits(source data.Source, memory int64) bool {
	n, _ := source.Dims()
	return int64(source.Observed())*12+int64(n)*8 <= memory
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

// Dims returns the number of rows and of columns.
func (r *Rows) Dims() (rows, columns int) { return r.source.Dims() }

// Each reads every row once. begin is called for every chunk, by that many
// goroutines at once, and gives the function that gets the chunk's rows in order.
// The slices are valid until it returns.
func (r *Rows) Each(ctx context.Context, threads int, begin func(chunk int) func(i int, columns []int32, values []float64)) error {
	return parallel.Do(ctx, r.Chunks(), threads, func(int) func(chunk int) error {
		reader := data.NewRowReader(r.source)
		return func(chunk int) error {
			row := begin(chunk)
			for i := r.start[chunk]; i < r.start[chunk+1]; i++ {
				columns, values, err := reader.Row(i)
				if err != nil {
					return err
				}
				row(i, columns, values)
			}
			return nil
		}
	})
}

// Blocks calls work for blocks of the given length that cover 0..n-1, by that many
// goroutines: for results that each have a place of their own.
func Blocks(n, block, threads int, work func(lo, hi int)) {
	// Without a context nothing can fail.
	_ = parallel.Do(context.Background(), (n+block-1)/block, threads, func(int) func(int) error {
		return func(x int) error {
			work(x*block, min((x+1)*block, n))
			return nil
		}
	})
}
