package pass

import "optcomplete/data"

// Weights returns the weights of the entries of row i; nil if the source has none.
// The slice is valid until the worker returns, and must not be changed.
func (c *Chunk) Weights(i int) []float64 { return c.Property(data.Weight, i) }

// EachWeighed is EachRow for who needs the weights too; they are nil if there are
// none.
func EachWeighed[P Part](fresh func() P, add func(part P, i int, columns []int32, values, weights []float64) error) Worker {
	return Each(fresh, func(part P, c *Chunk, i int) error {
		columns, values := c.Row(i)
		return add(part, i, columns, values, c.Weights(i))
	})
}
