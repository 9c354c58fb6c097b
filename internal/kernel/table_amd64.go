//go:build !purego

package kernel

// Of the products of more features, blocks are kept in registers, in the shapes that are
// generated: one of the first gramTop features, and below them 16 for each row of the
// block and one for each vector of four.
const (
	gramTop    = 12
	gramRows   = 16
	gramValues = 128 // more, if the last row is that of the values
)

// Rows of a table of more than gramFar numbers, which the second cache might not hold,
// are fetched gramAhead entries before their turn.
const (
	gramFar   = 32 << 10
	gramAhead = 24
)

// gramTableBlocks is gramTable of at least gramTop features. Of a long row, as many
// entries are multiplied at a time as stay in the nearest cache.
func gramTableBlocks(square, table []float64, width int, cols []int32, a []float64, t int) {
	step := max(8, gramBytes/(8*width))
	for first := 1; first == 1 || len(cols) > 0; first = 0 {
		n := min(step, len(cols))
		fetch := 0
		if len(table) > gramFar {
			fetch = max(0, min(n, len(cols)-gramAhead))
		}
		gramTableBlockAVX512(square, table, width, cols[:n], a[:n], nil, 0, 0, 0, fetch, first)
		for x := gramTop; x < max(t, gramTop+1); x += 4 {
			rows, shape, most := 4, 0, 6 // vectors at a time
			if t-x <= 4 {
				rows, shape = t-x+1, gramValues
				most = [...]int{3, 8, 6, 6, 5}[t-x]
			}
			vectors := min(x, t-1)/4 + 1
			pieces := (vectors + most - 1) / most
			y := 0
			for piece := range pieces {
				own := square[width-1:] // not of the triangle
				if piece == pieces-1 {
					own = square[t*width+t:]
				}
				v := (vectors + piece) / pieces
				gramTableBlockAVX512(square[x*width+4*y:], table, width, cols[:n], a[:n], own, x, 4*y, gramRows*rows+v+shape, 0, first)
				y += v
			}
		}
		cols, a = cols[n:], a[n:]
	}
}
