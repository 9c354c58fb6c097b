package kernel

// TwoBits is the most features of two values that CorrelateTwo takes at once: a bit
// of a number for each.
const TwoBits = 64

// PadTwo rounds a number of features up to what CorrelateTwo takes.
func PadTwo(n int) int { return (n + 7) &^ 7 }

// AcceleratedTwo tells whether CorrelateTwo is faster than Correlate of the same
// features written out. Its sums have the same bits where both are generated.
func AcceleratedTwo() bool { return acceleratedWide }

// correlateTwoGo: z[y] = Σ_x r[x]·b, b being high[y] where bit y of bits[cols[x]] is
// set, else low[y].
func correlateTwoGo(z, low, high []float64, cols []int32, r []float64, bits []uint64) {
	clear(z)
	for x, c := range cols {
		set := bits[c]
		for y := range z {
			b := low[y]
			if set>>y&1 != 0 {
				b = high[y]
			}
			z[y] += r[x] * b
		}
	}
}

// CorrelateTwo computes z_y = Σ_x r[x]·b_y(cols[x]) for features of two values, which
// take a bit of each column: high[y] where bit y of bits[column] is set, else low[y].
// len(z) is what PadTwo gives, and cols is increasing.
func CorrelateTwo(z, low, high []float64, cols []int32, r []float64, bits []uint64) {
	if len(z)%8 != 0 || len(z) > TwoBits || len(low) != len(z) || len(high) != len(z) || len(r) != len(cols) {
		panic(badShape)
	}
	if last := len(cols) - 1; last >= 0 && int(cols[last]) >= len(bits) {
		panic(badShape)
	}
	correlateTwo(z, low, high, cols, r, bits)
}
