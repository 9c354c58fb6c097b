package objective

import "optcomplete/internal/kernel"

// panel collects the residuals of many rows and correlates them with all features
// together, a tile of columns after the other, so that the features of a tile are
// read from a near cache for all rows of the panel. The sums over a row's entries
// are taken in the order of its columns, whatever the tiles.
type panel struct {
	width   int       // columns of a tile
	block   int       // features of a block
	tiles   []tile    // the entries
	rows    int       // taken in
	entries int       // of all of them
	r       []float64 // the residual of the row to come
	z       []float64 // b_jᵀr of each row, for a block of features
}

// tile is the entries of the rows in some columns, row after row.
type tile struct {
	columns []int32
	r       []float64
	spans   []int32 // of each row with entries here: its place in z, and where they are
}

func (o *Exact) newPanel() panel {
	width := o.tile()
	p := panel{width: width, block: o.block}
	if width > 0 {
		p.tiles = make([]tile, (o.m+width-1)/width)
	}
	return p
}

// A panel has as many rows as leave room beside a tile in the second cache for
// their sums over a block of features, in bytes, and no more than this many entries.
const (
	panelBytes   = 512 << 10
	panelEntries = 8 << 20
)

// A tile's features take this many bytes of the cache: the less the better, as long
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

// room is where the residual of a row of this many entries is to be written before
// it is added, with room for kernel.Combine behind it.
func (p *panel) room(entries int) []float64 {
	p.r = grow(p.r, entries+kernel.CombineRoom)
	return p.r
}

// add takes a row into the panel, given its columns, with the residual in room.
func (p *panel) add(columns []int32) {
	place := int32(p.rows * p.block)
	p.rows++
	p.entries += len(columns)
	for at := 0; at < len(columns); {
		x := int(columns[at]) / p.width
		t, end := &p.tiles[x], (x+1)*p.width
		from := at
		for at < len(columns) && int(columns[at]) < end {
			at++
		}
		first := int32(len(t.r))
		t.columns = append(t.columns, columns[from:at]...)
		t.r = append(t.r, p.r[from:at]...)
		t.spans = append(t.spans, place, first, int32(len(t.r)))
	}
}

// full tells whether the panel should be taken.
func (p *panel) full() bool { return p.entries >= panelEntries || 8*p.block*p.rows >= panelBytes }

// take correlates all rows of the panel, hands b_jᵀr of each to f, in order, one
// block of features from j on after the other, and empties the panel.
func (p *panel) take(o *Exact, f func(j int, z []float64)) {
	p.z = grow(p.z, p.rows*p.block)
	z := p.z[:p.rows*p.block]
	for q := range o.blocks {
		clear(z)
		vectors := min(o.block, kernel.Pad(o.p)-q*o.block) / 4
		b := o.b[q*o.m*o.block:]
		for x := range p.tiles {
			if t := &p.tiles[x]; len(t.spans) > 0 {
				kernel.CorrelateSpans(z, vectors, t.spans, t.columns, t.r, b, o.block)
			}
		}
		for i := range p.rows {
			f(q*o.block, z[i*o.block:][:o.block])
		}
	}
	p.empty()
}

// empty forgets all rows, such as those of a chunk that was given up.
func (p *panel) empty() {
	p.rows, p.entries = 0, 0
	for x := range p.tiles {
		t := &p.tiles[x]
		t.columns, t.r, t.spans = t.columns[:0], t.r[:0], t.spans[:0]
	}
}
