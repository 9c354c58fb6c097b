package objective

import (
	"cmp"
	"context"
	"slices"

	"optcomplete/internal/kernel"
	"optcomplete/internal/lists"
)

// columnBytes limits the memory for columns of G. When it is full, all columns
// but those of the support at hand make room.
const columnBytes = 512 << 20

// columnCache keeps the columns of G that were needed so far, side by side.
type columnCache struct {
	products Products
	p, width int
	most     int       // columns kept
	batch    int       // columns worth computing at a time
	values   []float64 // slots of width numbers, the padding zero
	used     int
	slot     []int32 // of each feature; −1: none
}

func newColumnCache(products Products) *columnCache {
	p := products.Dim()
	c := &columnCache{products: products, p: p, width: kernel.Pad(p), slot: make([]int32, p)}
	c.most = max(1, columnBytes/8/max(c.width, 1))
	for j := range c.slot {
		c.slot[j] = -1
	}
	if b, ok := products.(interface{ Batch() int }); ok {
		c.batch = b.Batch()
	}
	return c
}

// at is the column in a slot.
func (c *columnCache) at(slot int32) []float64 {
	return c.values[int(slot)*c.width:][:c.width]
}

// need gives the slots of the features' columns, computing those not there, and
// with them as many of those likely to be needed next as make a batch.
func (c *columnCache) need(ctx context.Context, features []int, likely func(j int) float64) ([]int32, error) {
	var missing []int
	for _, j := range features {
		if c.slot[j] < 0 {
			missing = append(missing, j)
		}
	}
	if len(missing) > 0 {
		if c.used+len(missing) > max(c.most, len(features)) {
			c.empty()
			missing = features
		}
		missing = c.fill(missing, likely)
		if err := c.compute(ctx, missing); err != nil {
			return nil, err
		}
	}
	return lists.Pick(c.slot, features), nil
}

// fill adds to the missing columns the likeliest others, up to a batch.
func (c *columnCache) fill(missing []int, likely func(j int) float64) []int {
	more := min(c.batch-len(missing), c.most-c.used-len(missing))
	if more <= 0 {
		return missing
	}
	asked := make(map[int]bool, len(missing))
	for _, j := range missing {
		asked[j] = true
	}
	var others []int
	score := make([]float64, c.p)
	for j := range c.p {
		if c.slot[j] < 0 && !asked[j] {
			others = append(others, j)
			score[j] = likely(j)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return append(slices.Clone(missing), others[:min(more, len(others))]...)
}

func (c *columnCache) empty() {
	c.used = 0
	for j := range c.slot {
		c.slot[j] = -1
	}
}

// compute puts the columns of features that are not there into new slots.
func (c *columnCache) compute(ctx context.Context, features []int) error {
	if room := (c.used + len(features)) * c.width; room > len(c.values) {
		larger := make([]float64, max(room, min(2*len(c.values), c.most*c.width)))
		copy(larger, c.values[:c.used*c.width])
		c.values = larger
	}
	dst := make([][]float64, len(features))
	for x := range features {
		column := c.at(int32(c.used + x))
		clear(column[c.p:])
		dst[x] = column[:c.p]
	}
	if err := c.products.Columns(ctx, features, dst); err != nil {
		return err
	}
	for _, j := range features {
		c.slot[j] = int32(c.used)
		c.used++
	}
	return nil
}

// correlate computes z = Σ_x u[x]·(the column in slots[x]).
func (c *columnCache) correlate(z, u []float64, slots []int32) {
	kernel.Correlate(z, u, slots, c.values[:c.used*c.width], c.width)
}
