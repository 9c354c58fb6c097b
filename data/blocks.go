package data

import (
	"context"

	"optcomplete/internal/parallel"
)

// RowReader reads one row after the other, without copying where it can.
type RowReader struct {
	matrix  *Matrix
	reader  Reader
	columns []int32
	values  []float64
}

// NewRowReader returns a reader of s for one goroutine.
func NewRowReader(s Source) *RowReader {
	if m, ok := s.(*Matrix); ok {
		return &RowReader{matrix: m}
	}
	return &RowReader{reader: s.Reader()}
}

// Row returns the observed columns of row i, increasing, and their values. The
// slices are valid until the next call and must not be changed.
func (r *RowReader) Row(i int) (columns []int32, values []float64, err error) {
	if r.matrix != nil {
		columns, values = r.matrix.Row(i)
		return columns, values, nil
	}
	r.columns, r.values, err = r.reader.Append(i, r.columns[:0], r.values[:0])
	return r.columns, r.values, err
}

// BlockRows is how many rows ForBlocks hands out at a time. It is fixed, so that
// sums over blocks that are added in order depend on the data alone.
const BlockRows = 256

// Blocks is the number of blocks of n rows.
func Blocks(n int) int { return (n + BlockRows - 1) / BlockRows }

// ForBlocks does the work for every block of rows lo..hi, on so many goroutines
// (0 means 1), each of which starts its own worker with a reader of its own, until
// all is done, an error occurs or ctx ends. The block's number is lo/BlockRows.
// Of several errors the one of the first block is returned.
func ForBlocks(ctx context.Context, s Source, threads int, start func(r *RowReader) func(lo, hi int) error) error {
	rows, _ := s.Dims()
	return ForBlocksOf(ctx, s, 0, rows, threads, start)
}

// ForBlocksOf is ForBlocks for the rows from..to only, from being where a block
// begins.
func ForBlocksOf(ctx context.Context, s Source, from, to, threads int, start func(r *RowReader) func(lo, hi int) error) error {
	if from%BlockRows != 0 {
		panic("data: no block of rows begins there")
	}
	return parallel.Do(ctx, Blocks(to-from), threads, func(int) func(block int) error {
		work := start(NewRowReader(s))
		return func(block int) error {
			lo := from + block*BlockRows
			return work(lo, min(to, lo+BlockRows))
		}
	})
}
