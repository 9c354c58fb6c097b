package kernel

// The loops of one row of the matrix that read the rows of a table where they are,
// instead of gathering them first. They add in the order of AddGram and Combine.

// DirectTables tells whether GramTable and CombineTable are faster than gathering, and
// Split about as fast as copying.
func DirectTables() bool { return acceleratedWide }

// gramTableMost is the most features whose products the registers hold all together.
const gramTableMost = 11

// gramTableGo: the lower triangle of the square of V = [table[cols], a] of t features and
// the values, by vectors of four.
func gramTableGo(square, table []float64, width int, cols []int32, a []float64, t int) {
	for x := range t + 1 {
		clear(square[x*width:][:min(x|3, (t-1)|3)+1])
	}
	square[t*width+t] = 0
	for e, c := range cols {
		row := table[int(c)*width:][:width]
		for x := range t + 1 {
			by := a[e]
			if x < t {
				by = row[x]
			}
			for y := range min(x|3, (t-1)|3) + 1 {
				square[x*width+y] += by * row[y]
			}
		}
		square[t*width+t] += a[e] * a[e]
	}
}

// GramTable computes the lower triangle of VᵀV, V being the rows cols of a table of t
// features and zeros behind them, with the values a after the features. Rows of the
// table and of the square have the given width, which is TableWidth(t). Above the
// diagonal the square is left undefined.
func GramTable(square, table []float64, width int, cols []int32, a []float64, t int) {
	if t < 1 || width != TableWidth(t) || len(square) < (t+1)*width || len(a) != len(cols) {
		panic(badShape)
	}
	if last := len(cols) - 1; last >= 0 && int(cols[last]) >= len(table)/width {
		panic(badShape)
	}
	gramTable(square, table, width, cols, a, t)
}

// combineTableGo: r[e] = a[e] + Σ_y table[cols[e]·width+y]·w[y], and Σ a[e]·r[e] and
// Σ r[e]².
func combineTableGo(r, table []float64, width int, cols []int32, w, a []float64, entries, t int) (ar, rr float64) {
	for e, c := range cols[:entries] {
		sum := 0.0
		for y, x := range table[int(c)*width:][:t] {
			sum += x * w[y]
		}
		sum += a[e]
		r[e] = sum
		ar += a[e] * sum
		rr += sum * sum
	}
	return ar, rr
}

// CombineTable computes r = a + Vw for V of the rows cols of a table of t features,
// with zeros behind them to the given width, TableWidth(t), as w has, and returns aᵀr
// and rᵀr. Room after r, CombineRoom, must be there.
func CombineTable(r, table []float64, width int, cols []int32, w, a []float64, t int) (ar, rr float64) {
	entries := len(cols)
	if len(r) < Pad(entries) || len(w) < width || width != TableWidth(t) || len(a) != entries || t < 1 {
		panic(badShape)
	}
	if last := entries - 1; last >= 0 && int(cols[last]) >= len(table)/width {
		panic(badShape)
	}
	whole := entries &^ 3
	ar, rr = combineTable(r, table, width, cols, w, a, whole, t)
	if rest := entries - whole; rest > 0 {
		var lastCols [4]int32
		var last [4]float64
		copy(lastCols[:], cols[whole:])
		copy(last[:], a[whole:])
		combineTable(r[whole:], table, width, lastCols[:], w, last[:], 4, t)
		x, y := productsGo(last[:], r[whole:], rest)
		ar, rr = ar+x, rr+y
	}
	return ar, rr
}
