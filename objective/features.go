package objective

import (
	"context"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/internal/parallel"
	"optcomplete/pass"
)

// columnFeatures is the features of the columns: as given, and in blocks that the
// registers of one step of the correlation can hold. Features of two values, such
// as indicators, come first and take a bit of a column each.
type columnFeatures struct {
	m, p     int
	values   []float64 // m × p, as given
	arranged []int     // the features in the order of the blocks; -1: filling
	block    int       // most features in a block of numbers, with filling
	near     int       // features of the near blocks, with filling: the first ones
	blocks   []block
}

// block is some features of all columns.
type block struct {
	vectors    int       // of four, without those of filling alone
	from, size int       // its features are arranged[from:from+size]
	near       bool      // it stays in a cache as it is: rows are correlated with it one by one
	b          []float64 // m × size: those of a column together; nil: two values
	bits       []uint64  // of each column: which features have their high value
	low, high  []float64
}

// leastTwos is how many features of two values are worth blocks of their own.
const leastTwos = 8

func newColumnFeatures(f *data.Features) columnFeatures {
	m, p := f.Dims()
	c := columnFeatures{m: m, p: p, values: f.Values}
	var two []int
	if kernel.AcceleratedTwo() {
		two = c.twoValued()
	}
	c.inBlocks(two)
	return c
}

// inBlocks makes the blocks, some of them of the features of two values given.
func (c *columnFeatures) inBlocks(two []int) {
	if len(two) < leastTwos {
		two = nil
	}
	var rest []int
	for j := range c.p {
		if _, found := slices.BinarySearch(two, j); !found {
			rest = append(rest, j)
		}
	}
	for features := range slices.Chunk(two, kernel.TwoBits) {
		c.add(features, kernel.PadTwo(len(features)), true)
	}
	size := blockHere(len(rest))
	for features := range slices.Chunk(rest, max(1, size)) {
		c.add(features, size, false)
	}
	for x := range c.blocks {
		b := &c.blocks[x]
		if b.near = b.b == nil || size >= len(rest) && 8*c.m*size <= nearBytes; b.near {
			c.near = b.from + b.size
		} else {
			c.block = size
		}
	}
}

// nearBytes is how large a single block of numbers can be that is read from a cache
// as it is.
const nearBytes = 2 << 20

// twoValued is the features of at most two values, increasing.
func (c *columnFeatures) twoValued() (two []int) {
	if c.m == 0 {
		return nil
	}
	first := c.values[:c.p]
	other := slices.Clone(first) // the first value that is another
	for j := range c.p {
		two = append(two, j)
	}
	for row := range slices.Chunk(c.values, max(1, c.p)) {
		two = slices.DeleteFunc(two, func(j int) bool {
			if x := row[j]; x != first[j] && x != other[j] {
				if other[j] != first[j] {
					return true
				}
				other[j] = x
			}
			return false
		})
	}
	return two
}

// add makes a block of features, filled up to a size.
func (c *columnFeatures) add(features []int, size int, two bool) {
	b := block{from: len(c.arranged), size: size, vectors: kernel.Pad(len(features)) / 4}
	c.arranged = append(c.arranged, features...)
	for range size - len(features) {
		c.arranged = append(c.arranged, -1)
	}
	if !two {
		b.b = hugeArray(c.m * size)
		for column := range c.m {
			to := b.b[column*size:]
			for x, j := range features {
				to[x] = c.at(column, j)
			}
		}
		c.blocks = append(c.blocks, b)
		return
	}
	b.bits, b.low, b.high = make([]uint64, c.m), make([]float64, size), make([]float64, size)
	for column := range c.m {
		for x, j := range features {
			switch v := c.at(column, j); {
			case column == 0:
				b.low[x] = v
			case v != b.low[x]:
				b.high[x] = v
				b.bits[column] |= 1 << x
			}
		}
	}
	c.blocks = append(c.blocks, b)
}

// blockOf is how many of p features a block of numbers has at most: a multiple of four,
// of which the registers of any processor can hold the sums.
func blockOf(p int) int { return 4 * evenly(kernel.Pad(p)/4, kernel.CorrelateVectors) }

// blockHere is the same on this processor. Where it pays to have tiles in the nearest
// cache, a column of a block takes few lines of it, of eight features: with more, fewer
// columns fit into a tile; with fewer, finding an entry takes longer than multiplying it.
func blockHere(p int) int {
	const lines = 5
	if kernel.DirectTables() {
		return 8 * evenly((p+7)/8, lines)
	}
	return blockOf(p)
}

// evenly is the size of the largest of n things in as few parts as have no more than most.
func evenly(n, most int) int {
	parts := (n + most - 1) / most
	if parts == 0 {
		return 0
	}
	return (n + parts - 1) / parts
}

// width is the length of a vector of all features in the order of the blocks.
func (c *columnFeatures) width() int { return len(c.arranged) }

// at is feature j of a column.
func (c *columnFeatures) at(column, j int) float64 { return c.values[column*c.p+j] }

// arrange is a vector in the order of the blocks in that of the features.
func (c *columnFeatures) arrange(x []float64) []float64 {
	out := make([]float64, c.p)
	for place, j := range c.arranged {
		if j >= 0 {
			out[j] = x[place]
		}
	}
	return out
}

// table is the features of positive weight, for one evaluation: those of a column
// together, with a place for a value behind them.
type table struct {
	rows  []float64 // m × width, or nil where it does not pay: few entries, or as much memory as the features
	width int
}

// Where the table is made: for at least this many entries a column, and either half
// the memory of the features or this many numbers.
const (
	tableEntries = 2
	tableNumbers = 1 << 24
)

// newWeighting finds the features of an evaluation and makes their table.
func (o *Exact) newWeighting(weights []float64) weighting { return o.weigh(weights, &o.tables) }

// weigh is newWeighting with memory for the table; nil: new.
func (o *Exact) weigh(weights []float64, tables *[]float64) weighting {
	w := newWeighting(weights, o.gamma)
	width := kernel.TableWidth(len(w.support))
	w.table.width, w.more = width, o.weighing()
	if o.matrix.Observed() < tableEntries*o.m || (2*width > o.p && o.m*width > tableNumbers) {
		return w
	}
	if tables == nil {
		tables = new([]float64)
	}
	if len(*tables) < o.m*width {
		*tables = hugeArray(o.m * width)
	}
	w.table.rows = (*tables)[:o.m*width]
	const columns = 1024 // a part of the work
	// It cannot fail, and is too short to be interrupted.
	_ = parallel.Do(context.Background(), (o.m+columns-1)/columns, pass.Threads(o.threads), func(int) func(part int) error {
		return func(part int) error {
			for c := part * columns; c < min((part+1)*columns, o.m); c++ {
				row, b := w.table.rows[c*width:][:width], o.values[c*o.p:][:o.p]
				for y, j := range w.support {
					row[y] = b[j]
				}
				clear(row[len(w.support):])
			}
			return nil
		}
	})
	return w
}

// gather makes a row's table V of the features of positive weight of its entries,
// with the values behind them, in rows of the table's width, for the row that was read
// into the lane.
func (k *worker) gather(v []float64, lane int) {
	t, width := len(k.support), k.table.width
	columns, values := k.entries(lane)
	if k.table.rows != nil {
		kernel.Gather(v, k.table.rows, width, columns, values, t)
	} else {
		for e, c := range columns {
			row, b := v[e*width:][:width], k.values[int(c)*k.p:][:k.p]
			for y, j := range k.support {
				row[y] = b[j]
			}
			row[t] = values[e]
			clear(row[t+1:])
		}
	}
	for e, root := range k.lanes[lane].roots {
		for y := range v[e*width:][:t] {
			v[e*width+y] *= root
		}
	}
}
