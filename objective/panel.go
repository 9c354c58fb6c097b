package objective

import "optcomplete/internal/kernel"

// panel collects the residuals of many rows and correlates them with all features
// together, a tile of columns after the other, so that the features of a tile are
// read from a near cache for all rows of the panel. The sums over a row's entries
// are taken in the order of its columns, whatever the tiles.
type panel struct {
	block   int       // features of a block
	rows    int       // taken in
	ends    []int32   // of each row: where its entries end
	columns []int32   // of all entries, row after row
	all     []float64 // the residuals of all entries, and room
	r       []float64 // the residual of the row to come, behind them
	tiled   tiles     // the entries, tile after tile
	z       []float64 // b_jᵀr of each row, for a block of features
	near    []float64 // b_jᵀr of each row, for the near blocks
}

func (o *Exact) newPanel() panel { return panel{block: o.block} }

// A panel has as many rows as leave room beside a tile in the second cache for
// their sums over a block of features, in bytes, and no more than this many entries.
const (
	panelBytes   = 512 << 10
	panelEntries = 8 << 20
	panelRows    = 4096
)

// aheadBytes is the size of a block that does not stay in the second cache from one
// panel to the next: there, the next tile is fetched ahead.
const aheadBytes = 512 << 10

// room is where the residual of a row of this many entries is to be written before
// it is added, with room for kernel.Combine behind it.
func (p *panel) room(entries int) []float64 {
	kept := p.entries()
	if need := kept + entries + kernel.SplitRoom; len(p.all) < need {
		all := make([]float64, need+need/2)
		copy(all, p.all[:kept])
		p.all = all
	}
	p.r = p.all[kept:][:entries+kernel.CombineRoom]
	return p.r
}

// entries is how many there are.
func (p *panel) entries() int { return len(p.columns) }

// add takes a row into the panel, given its columns, with the residual in room. It is
// correlated with the near blocks at once.
func (p *panel) add(o *Exact, columns []int32) {
	p.addNear(o, columns)
	p.rows++
	if p.block > 0 {
		p.columns = append(p.columns, columns...)
		p.ends = append(p.ends, int32(len(p.columns)))
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
	return p.entries() >= panelEntries || 8*p.block*p.rows >= panelBytes || p.rows >= panelRows
}

// take correlates all rows of the panel, hands b_jᵀr of each to f, in order, one
// block of features from j on after the other, and empties the panel.
func (p *panel) take(o *Exact, f func(j int, z []float64)) {
	p.takeBlocks(o, func(b *block, z []float64, stride int) {
		for i := range p.rows {
			f(b.from, z[i*stride:][:b.size])
		}
	})
}

// takeBlocks is take with all rows of a block at once, which lie stride apart.
func (p *panel) takeBlocks(o *Exact, f func(b *block, z []float64, stride int)) {
	p.z = grow(p.z, p.rows*p.block)
	z := p.z[:p.rows*p.block]
	columns, r := p.split(o)
	for x := range o.blocks {
		b := &o.blocks[x]
		if b.near {
			if p.rows > 0 {
				f(b, p.near[b.from:], o.near)
			}
			continue
		}
		clear(z)
		from := 0
		for y, t := range p.tiled.tiles {
			var ahead []float64
			switch {
			case 8*len(b.b) < aheadBytes:
			case y+1 < len(p.tiled.tiles):
				ahead = p.tiled.tiles[y+1].of(b)
			case x+1 < len(o.blocks):
				ahead = p.tiled.tiles[0].of(&o.blocks[x+1])
			}
			kernel.CorrelateTile(z, b.vectors, p.tiled.spans[from:t.spans], columns, r, b.b, b.size, ahead)
			from = t.spans
		}
		f(b, z, p.block)
	}
	p.empty()
}

// empty forgets all rows, such as those of a chunk that was given up.
func (p *panel) empty() {
	p.rows, p.ends, p.columns = 0, p.ends[:0], p.columns[:0]
}
