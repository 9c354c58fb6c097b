package objective

import (
	"slices"

	"optcomplete/internal/kernel"
)

// panel collects the residuals of many rows and correlates them with all features
// together, a tile of columns after the other, so that the features of a tile are
// read from a near cache for all rows of the panel. The sums over a row's entries
// are taken in the order of its columns, whatever the tiles.
type panel struct {
	entries
	ends   []int     // of each row
	at     []int     // of each row, the first entry not yet in a tile
	packed entries   // by tiles, in each by rows
	spans  []int32   // of each row with entries in a tile: its place in z, and where they are
	z      []float64 // b_jᵀr of each row, for a block of features
}

// entries are observed entries, one after the other.
type entries struct {
	columns []int32
	r       []float64 // the residuals
}

// A panel has as many rows as leave room beside a tile in the second cache for
// their sums over a block of features, in bytes, and no more than so many entries.
const (
	panelBytes   = 512 << 10
	panelEntries = 8 << 20
)

// A tile's features take so many bytes of the cache: the less the better, as long
// as a row has some entries in it.
const (
	tileBytes   = 256 << 10
	tileMost    = 768 << 10
	tileEntries = 24
)

// tile is the number of columns of a tile.
func (o *Exact) tile() int {
	if o.block == 0 {
		return o.m
	}
	columns := tileBytes / (8 * o.block)
	if observed := o.matrix.Observed(); observed > 0 {
		wanted := float64(tileEntries) * float64(o.m) * float64(o.n) / float64(observed)
		columns = max(columns, int(min(wanted, tileMost/float64(8*o.block))))
	}
	tiles := max(1, (o.m+columns-1)/columns)
	return (o.m + tiles - 1) / tiles
}

// add takes a row into the panel and returns where its residual is to be written,
// with room for kernel.Combine behind it.
func (p *panel) add(columns []int32) []float64 {
	p.columns = append(p.columns, columns...)
	from := len(p.r)
	p.r = slices.Grow(p.r, len(columns)+kernel.CombineRoom)[:len(p.columns)]
	p.ends = append(p.ends, len(p.columns))
	return p.r[from : len(p.columns)+kernel.CombineRoom]
}

// full tells whether the panel should be taken.
func (p *panel) full(o *Exact) bool {
	return len(p.r) >= panelEntries || 8*o.block*len(p.ends) >= panelBytes
}

// take correlates all rows of the panel, hands b_jᵀr of each to f, in order, one
// block of features from j on after the other, and empties the panel.
func (p *panel) take(o *Exact, f func(j int, z []float64)) {
	by := p.pack(o)
	p.z = grow(p.z, len(p.ends)*o.block)
	z := p.z[:len(p.ends)*o.block]
	for q := range o.blocks {
		clear(z)
		vectors := min(o.block, kernel.Pad(o.p)-q*o.block) / 4
		kernel.CorrelateSpans(z, vectors, p.spans, by.columns, by.r, o.b[q*o.m*o.block:], o.block)
		for i := range p.ends {
			f(q*o.block, z[i*o.block:][:o.block])
		}
	}
	p.empty()
}

// pack divides the rows into spans, one for each tile, and puts the entries of a
// tile together, as they are read once for each block of features.
func (p *panel) pack(o *Exact) entries {
	p.spans = p.spans[:0]
	p.at = append(append(p.at[:0], 0), p.ends...)[:len(p.ends)]
	tile := o.tile()
	if tile >= o.m {
		for i, at := range p.at {
			p.spans = append(p.spans, int32(i*o.block), int32(at), int32(p.ends[i]))
		}
		return p.entries
	}
	by := entries{p.packed.columns[:0], p.packed.r[:0]}
	for end := tile; end < o.m+tile; end += tile {
		for i, at := range p.at {
			columns := p.columns[at:p.ends[i]]
			n := 0
			for n < len(columns) && int(columns[n]) < end {
				n++
			}
			if n == 0 {
				continue
			}
			from := len(by.r)
			by.columns = append(by.columns, columns[:n]...)
			by.r = append(by.r, p.r[at:at+n]...)
			p.spans = append(p.spans, int32(i*o.block), int32(from), int32(from+n))
			p.at[i] += n
		}
	}
	p.packed = by
	return by
}

// empty forgets all rows, such as those of a chunk that was given up.
func (p *panel) empty() { p.columns, p.r, p.ends = p.columns[:0], p.r[:0], p.ends[:0] }
