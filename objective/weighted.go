package objective

import (
	"math"

	"optcomplete/pass"
)

// Weights of entries multiply the squares of their errors. A row with weights is one
// without whose values and features were multiplied by the roots of the weights: so
// are both where a row is read, and its residuals once more before they are
// correlated with the features of all columns. All else need not know.

// weighing is how many roundings more than without weights an entry goes through: of
// its root, its value, its features and its residual.
func (o *Exact) weighing() int {
	if o.heaviest == 0 {
		return 0
	}
	return 8
}

// read takes the rows of a group out of a chunk, multiplied by the roots of their
// weights if those count.
func (k *worker) read(c *pass.Chunk, rows []int32) {
	k.group.read(c, rows)
	if k.heaviest == 0 {
		return
	}
	for lane, i := range rows {
		at := &k.lanes[lane]
		at.scaled = at.scaled[:0]
		for _, w := range c.Weights(int(i)) {
			at.scaled = append(at.scaled, math.Sqrt(w))
		}
		n := len(at.scaled)
		for e, v := range at.values {
			at.scaled = append(at.scaled, v*at.scaled[e])
		}
		at.roots, at.values = at.scaled[:n:n], at.scaled[n:]
	}
}

// rooted is a single row as read takes it.
func (k *worker) rooted(c *pass.Chunk, row int32) (columns []int32, values, roots []float64) {
	k.read(c, []int32{row})
	return k.lanes[0].columns, k.lanes[0].values, k.lanes[0].roots
}

// correlate takes the residual of a lane, which is in the panel's room, into the panel.
func (k *worker) correlate(lane int) {
	for e, root := range k.lanes[lane].roots {
		k.panel.r[e] *= root
	}
	k.panel.add(k.Exact, k.lanes[lane].columns)
}

// rootsOf are the roots of weights; nil if there are none.
func rootsOf(weights []float64) []float64 {
	var roots []float64
	for _, w := range weights {
		roots = append(roots, math.Sqrt(w))
	}
	return roots
}
