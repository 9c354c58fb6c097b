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
	near    []float64 // b_jᵀr of each row, for the near blocks
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
	if width > 0 && o.block > 0 {
		p.tiles = make([]tile, (o.m+width-1)/width)
	}
	return p
}

// A panel has as many rows as leave room beside a tile in the second cache for
// their sums over a block of features, in bytes, and no more than this many entries.
const (
	panelBytes   = 512 << 10
	panelEntries = 8 << 20
	panelRows    = 4096
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

// add takes a row into the panel, given its columns, with the residual in room. It is
// correlated with the near blocks at once.
func (p *panel) add(o *Exact, columns []int32) {
	place := int32(p.rows * p.block)
	p.addNear(o, columns)
	p.rows++
	p.entries += len(columns)
	if p.block == 0 {
		return
	}
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

// addNear correlates a row with the near blocks.
func (p *panel) addNear(o *Exact, columns []int32) {
	if need := (p.rows + 1) * o.near; len(p.near) < need {
		p.near = append(p.near, make([]float64, max(need, 2*len(p.near))-len(p.near))...)
	}
	r, span := p.r[:len(columns)], [...]int32{0, 0, int32(len(columns))}
	for x := range o.blocks {
		b := &o.blocks[x]
		if !b.near {
			return // they are the first
		}
		z := p.near[p.rows*o.near+b.from:][:b.size]
		if b.b == nil {
			kernel.CorrelateTwo(z, b.low, b.high, columns, r, b.bits)
			continue
		}
		clear(z)
		if len(columns) > 0 {
			kernel.CorrelateSpans(z, b.vectors, span[:], columns, r, b.b, b.size)
		}
	}
}

// full tells whether the panel should be taken.
func (p *panel) full() bool {
	return p.entries >= panelEntries || 8*p.block*p.rows >= panelBytes || p.rows >= panelRows
}

// take correlates all rows of the panel, hands b_jᵀr of each to f, in order, one
// block of features from j on after the other, and empties the panel.
func (p *panel) take(o *Exact, f func(j int, z []float64)) {
	p.z = grow(p.z, p.rows*p.block)
	z := p.z[:p.rows*p.block]
	for _, b := range o.blocks {
		if b.near {
			for i := range p.rows {
				f(b.from, p.near[i*o.near+b.from:][:b.size])
			}
			continue
		}
		clear(z)
		for x := range p.tiles {
			if t := &p.tiles[x]; len(t.spans) > 0 {
				kernel.CorrelateSpans(z, b.vectors, t.spans, t.columns, t.r, b.b, b.size)
			}
		}
		for i := range p.rows {
			f(b.from, z[i*b.size:][:b.size])
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
