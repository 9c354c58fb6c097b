package pass

// EachWeighed is EachRow for who needs the weights too; they are nil if there are
// none.
func EachWeighed[P Part](fresh func() P, add func(part P, i int, columns []int32, values, weights []float64) error) Worker {
	return Each(fresh, func(part P, c *Chunk, i int) error {
		columns, values := c.Row(i)
		return add(part, i, columns, values, c.Weights(i))
	})
}
