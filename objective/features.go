package objective

import (
	"context"

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/internal/parallel"
	"optcomplete/pass"
)

// columnFeatures is the features of the columns, in blocks that the registers of
// one step of the correlation can hold. Within a block the features of a column
// lie together, and the columns one after the other, so that many columns of one
// block fit into a cache.
type columnFeatures struct {
	m, p   int
	blocks int
	block  int       // features in a block, the last filled up with zeros: a multiple of four
	b      []float64 // blocks × m × block
}

func newColumnFeatures(f *data.Features) columnFeatures {
	m, p := f.Dims()
	vectors := kernel.Pad(p) / 4
	c := columnFeatures{m: m, p: p, blocks: (vectors + kernel.CorrelateVectors - 1) / kernel.CorrelateVectors}
	c.block = blockOf(p)
	c.b = make([]float64, c.blocks*m*c.block)
	for column := range m {
		row := f.Row(column)
		for q := range c.blocks {
			copy(c.b[(q*m+column)*c.block:][:c.block], row[q*c.block:])
		}
	}
	return c
}

// blockOf is how many of p features a block has.
func blockOf(p int) int {
	vectors := kernel.Pad(p) / 4
	blocks := (vectors + kernel.CorrelateVectors - 1) / kernel.CorrelateVectors
	if blocks == 0 {
		return 0
	}
	return 4 * ((vectors + blocks - 1) / blocks)
}

// width is the length of a vector of all features, with the filling of blocks.
func (c *columnFeatures) width() int { return c.blocks * c.block }

// place is where feature j of column 0 is; that of column c is c·block further.
func (c *columnFeatures) place(j int) int { return j/c.block*c.m*c.block + j%c.block }

// places are those of several features.
func (c *columnFeatures) places(features []int) []int {
	places := make([]int, len(features))
	for x, j := range features {
		places[x] = c.place(j)
	}
	return places
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
	w.places = o.columnFeatures.places(w.support)
	width := kernel.TableWidth(len(w.support))
	w.table.width = width
	if o.matrix.Observed() < tableEntries*o.m || (2*width > o.width() && o.m*width > tableNumbers) {
		return w
	}
	if tables != nil {
		*tables = grow(*tables, o.m*width)
		w.table.rows = (*tables)[:o.m*width]
	} else {
		w.table.rows = make([]float64, o.m*width)
	}
	const columns = 1024 // a part of the work
	// It cannot fail, and is too short to be interrupted.
	_ = parallel.Do(context.Background(), (o.m+columns-1)/columns, pass.Threads(o.threads), func(int) func(part int) error {
		return func(part int) error {
			for c := part * columns; c < min((part+1)*columns, o.m); c++ {
				row, b := w.table.rows[c*width:][:width], o.b[c*o.block:]
				for y, place := range w.places {
					row[y] = b[place]
				}
				clear(row[len(w.places):])
			}
			return nil
		}
	})
	return w
}

// gather makes a row's table V of the features of positive weight of its entries,
// with the values behind them, in rows of the table's width.
func (k *worker) gather(v []float64, columns []int32, values []float64) {
	t, width := len(k.support), k.table.width
	if k.table.rows != nil {
		kernel.Gather(v, k.table.rows, width, columns, values, t)
		return
	}
	for e, c := range columns {
		row, b := v[e*width:][:width], k.b[int(c)*k.block:]
		for y, place := range k.places {
			row[y] = b[place]
		}
		row[t] = values[e]
		clear(row[t+1:])
	}
}
