package objective

import (
	"slices"

	"optcomplete/internal/kernel"
)

// tiles is the entries of a panel by tiles of columns, row after row in each.
type tiles struct {
	columns []int32
	r       []float64
	spans   []int32 // of each row with entries in a tile: its place in z, and where they are
	tiles   []tile
	next    []int32 // of each row: its next entry
	counts  []int32 // of each column: entries of some rows
}

// tile is some columns, and where their spans end.
type tile struct{ from, to, spans int }

// of is the features of the tile's columns in a block.
func (t tile) of(b *block) []float64 { return b.b[t.from*b.size : t.to*b.size] }

// tileSizes says how many bytes of a cache the features of a tile take at least, and at
// most where rows have fewer entries than wanted in it: for each row with entries in a
// tile, these are found, and its sums fetched and stored.
func tileSizes() (least, most, entries int) {
	if kernel.DirectTables() {
		return 64 << 10, 512 << 10, 10
	}
	return 256 << 10, 768 << 10, 24 // finding them takes longer
}

// tileColumns: for tiles to pay, a panel must have at least one entry for this many columns.
const tileColumns = 2

// countedRows is about how many rows of a panel tell where its entries are.
const countedRows = 64

// split sorts the entries of the panel into tiles and returns their columns and
// residuals. Where a tile ends depends on how many entries there are: skewed columns
// have narrow tiles where there are many, wide ones where there are few. Tiles are a
// matter of speed and of nothing else.
func (p *panel) split(o *Exact) (columns []int32, r []float64) {
	t := &p.tiled
	t.spans, t.tiles = t.spans[:0], t.tiles[:0]
	if p.block == 0 {
		return nil, nil
	}
	entries := p.entries()
	if tileColumns*entries < max(1, o.m) {
		from := int32(0)
		for i, to := range p.ends {
			if to > from {
				t.spans = append(t.spans, int32(i*p.block), from, to)
			}
			from = to
		}
		t.tiles = append(t.tiles, tile{spans: len(t.spans)})
		return p.columns, p.all[:entries]
	}
	t.next = append(t.next[:0], 0)
	t.next = append(t.next, p.ends[:p.rows-1]...)
	counted := p.count(o)
	if need := entries + kernel.SplitRoom; len(t.r) < need {
		t.columns, t.r = make([]int32, need), make([]float64, need)
	}
	p.columns = slices.Grow(p.columns, kernel.SplitRoom)
	source := p.columns[:entries+kernel.SplitRoom]
	least, most, wanted := tileSizes()
	least, most = least/(8*p.block), most/(8*p.block)
	at, first, sum := 0, 0, 0
	for c, n := range t.counts {
		sum += int(n)
		if width := c + 1 - first; c+1 < o.m && (width < least || width < most && sum < wanted*counted) {
			continue
		}
		t.spans = slices.Grow(t.spans, 3*p.rows+3)
		at, t.spans = kernel.Split(t.columns, t.r, at, t.spans, t.next, p.ends, source, p.all, c+1, p.block)
		t.tiles = append(t.tiles, tile{first, c + 1, len(t.spans)})
		first, sum = c+1, 0
	}
	return t.columns[:entries], t.r[:entries]
}

// count counts the entries of each column in some rows, and returns how many those are.
func (p *panel) count(o *Exact) (rows int) {
	t := &p.tiled
	if t.counts == nil {
		t.counts = make([]int32, o.m)
	}
	clear(t.counts)
	for i := 0; i < p.rows; i += (p.rows + countedRows - 1) / countedRows {
		for _, c := range p.columns[t.next[i]:p.ends[i]] {
			t.counts[c]++
		}
		rows++
	}
	return rows
}
