//go:build !amd64 || purego

package kernel

var accelerated, acceleratedWide = false, false

func dotLanes(acc, a, b []float64, n int) { dotLanesGo(acc, a, b, n) }

func dot4Lanes(a0, a1, a2, a3, b []float64, n int) { dot4LanesGo(a0, a1, a2, a3, b, n) }

func axpyLanes(dst, c, a []float64, n int) { axpyLanesGo(dst, c, a, n) }

func axpy4Lanes(dst, c, a0, a1, a2, a3 []float64, n int) {
	axpy4LanesGo(dst, c, a0, a1, a2, a3, n)
}

func gramTile(tile, vi, vj []float64, rows, width int) { gramTileGo(tile, vi, vj, rows, width) }

func correlate(z []float64, vectors int, spans, cols []int32, r, b []float64, stride int, _ []float64, _ int) {
	correlateGo(z, vectors, spans, cols, r, b, stride)
}

func correlateTwo(z, low, high []float64, cols []int32, r []float64, bits []uint64) {
	correlateTwoGo(z, low, high, cols, r, bits)
}

func gather(v, table []float64, width int, cols []int32, a []float64, place int) {
	gatherGo(v, table, width, cols, a, place)
}

func gram(dst, a, b []float64, entries, width, rows, vectors int) {
	gramGo(dst, a, b, entries, width, rows, vectors)
}

func combine(r, v, w, a []float64, entries, width int) (ar, rr float64) {
	return combineGo(r, v, w, a, entries, width)
}

func products(a, r []float64, entries int) (ar, rr float64) {
	return productsGo(a, r, entries)
}

func addSquares(sum, z []float64, stride, rows int) {
	addSquaresGo(sum, z, stride, rows)
}

func peak(x []float64, n int) {
	peakGo(x, n)
}

func schurLanes(dst, src, c, a []float64, n int) { schurLanesGo(dst, src, c, a, n) }

func pairGains(gains []float64, base float64, t, y, d, h, w []float64, n int) {
	pairGainsGo(gains, base, t, y, d, h, w, n)
}

func split(columns []int32, r []float64, at int, spans, next, ends, fromColumns []int32, fromR []float64, end, step int) (after, used int) {
	return splitGo(columns, r, at, spans, next, ends, fromColumns, fromR, end, step)
}

func gramTable(square, table []float64, width int, cols []int32, a []float64, t int) {
	gramTableGo(square, table, width, cols, a, t)
}

func combineTable(r, table []float64, width int, cols []int32, w, a []float64, entries, t int) (ar, rr float64) {
	return combineTableGo(r, table, width, cols, w, a, entries, t)
}

func cholesky(k []float64, t int, floor float64) { choleskyGo(k, t, floor) }

func solve(l, u []float64, t int) { solveGo(l, u, t) }

func toLanes(dst, squares []float64, stride, width, first, rows int) {
	toLanesGo(dst, squares, stride, width, first, rows)
}

func fetch([]int32, []float64) {}
