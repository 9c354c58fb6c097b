package objective

import "optcomplete/internal/kernel"

// panel collects the residuals of many rows and correlates them with all features
// together, a tile of columns after the other, so that the features of a tile are
// read from a near cache for all rows of the panel. The sums over a row's entries
// are taken in the order of its columns, whatever the tiles.
type panel struct {
	columns []int32 // of all rows, one after the other
	r       []float64
	ends    []int     // of each row
	at      []int     // of each row, the first entry not yet taken
	spans   []int32   // of a tile
	z       []float64 // b_jᵀr of each row, all features
}

// A panel has as many rows as use each column so often, on average, that reading
// its features from far away no longer counts; but not more than these.
const (
	panelUses    = 48
	panelEntries = 8 << 20
	panelRows    = 4096
)

// A tile's features take so many bytes of the cache: the less the better, as long
// as a row has some entries in it.
const (
	tileBytes   = 256 << 10
	tileMost    = 768 << 10
	tileEntries = 12
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
	for len(p.columns)+kernel.CombineRoom > cap(p.r) {
		p.r = append(p.r[:cap(p.r)], 0)
	}
	p.r = p.r[:len(p.columns)]
	p.ends = append(p.ends, len(p.columns))
	return p.r[from : len(p.columns)+kernel.CombineRoom]
}

// full tells whether the panel should be taken.
func (p *panel) full(m int) bool {
	return len(p.r) >= min(panelUses*m, panelEntries) || len(p.ends) >= panelRows
}

// take correlates all rows of the panel, hands b_jᵀr of each to f, in order, and
// empties it.
func (p *panel) take(o *Exact, f func(z []float64)) {
	width := o.width()
	p.z = grow(p.z, len(p.ends)*width)
	clear(p.z[:len(p.ends)*width])
	p.at = p.at[:0]
	start := 0
	for _, end := range p.ends {
		p.at = append(p.at, start)
		start = end
	}
	tile := o.tile()
	for first := 0; first < o.m; first += tile {
		p.spans = p.spans[:0]
		last := first + tile
		for i, at := range p.at {
			end := p.ends[i]
			to := end
			if last < o.m {
				to = at
				for to < end && int(p.columns[to]) < last {
					to++
				}
			}
			if to > at {
				p.spans = append(p.spans, int32(i*width), int32(at), int32(to))
				p.at[i] = to
			}
		}
		o.correlate(p.z, p.spans, p.columns, p.r)
	}
	for i := range p.ends {
		f(p.z[i*width:][:width])
	}
	p.empty()
}

// empty forgets all rows, such as those of a chunk that was given up.
func (p *panel) empty() { p.columns, p.r, p.ends = p.columns[:0], p.r[:0], p.ends[:0] }
