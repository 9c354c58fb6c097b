//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

var (
	accelerated     = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	acceleratedWide = accelerated && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
)

func dotLanes(acc, a, b []float64, n int) {
	if accelerated {
		dotLanesAVX(acc, a, b, n)
	} else {
		dotLanesGo(acc, a, b, n)
	}
}

func dot4Lanes(a0, a1, a2, a3, b []float64, n int) {
	if accelerated {
		dot4LanesAVX(a0, a1, a2, a3, b, n)
	} else {
		dot4LanesGo(a0, a1, a2, a3, b, n)
	}
}

func axpyLanes(dst, c, a []float64, n int) {
	if accelerated {
		axpyLanesAVX(dst, c, a, n)
	} else {
		axpyLanesGo(dst, c, a, n)
	}
}

func axpy4Lanes(dst, c, a0, a1, a2, a3 []float64, n int) {
	if accelerated {
		axpy4LanesAVX(dst, c, a0, a1, a2, a3, n)
	} else {
		axpy4LanesGo(dst, c, a0, a1, a2, a3, n)
	}
}

func gramTile(tile, vi, vj []float64, rows, width int) {
	if accelerated {
		gramTileAVX(tile, vi, vj, rows, width)
	} else {
		gramTileGo(tile, vi, vj, rows, width)
	}
}

func correlate(z []float64, vectors int, spans, cols []int32, r, b []float64, stride int, ahead []float64, lines int) {
	switch {
	case acceleratedWide:
		correlateAVX512(z, vectors, spans, cols, r, b, stride, ahead, lines)
	case accelerated:
		correlateAVX(z, vectors, spans, cols, r, b, stride)
	default:
		correlateGo(z, vectors, spans, cols, r, b, stride)
	}
}

func correlateTwo(z, low, high []float64, cols []int32, r []float64, bits []uint64) {
	if acceleratedWide {
		correlateTwoAVX512(z, low, high, cols, r, bits)
	} else {
		correlateTwoGo(z, low, high, cols, r, bits)
	}
}

func gather(v, table []float64, width int, cols []int32, a []float64, place int) {
	if accelerated {
		gatherAVX(v, table, width, cols, a, place)
	} else {
		gatherGo(v, table, width, cols, a, place)
	}
}

func gram(dst, a, b []float64, entries, width, rows, vectors int) {
	if accelerated {
		gramAVX(dst, a, b, entries, width, rows, vectors)
	} else {
		gramGo(dst, a, b, entries, width, rows, vectors)
	}
}

func combine(r, v, w, a []float64, entries, width int) (ar, rr float64) {
	if accelerated {
		return combineAVX(r, v, w, a, entries, width)
	}
	return combineGo(r, v, w, a, entries, width)
}

func products(a, r []float64, entries int) (ar, rr float64) {
	if accelerated {
		return productsAVX(a, r, entries)
	}
	return productsGo(a, r, entries)
}

func addSquares(sum, z []float64, stride, rows int) {
	if accelerated {
		addSquaresAVX(sum, z, stride, rows)
	} else {
		addSquaresGo(sum, z, stride, rows)
	}
}

func peak(x []float64, n int) {
	if accelerated {
		peakAVX(x, n)
	} else {
		peakGo(x, n)
	}
}

func schurLanes(dst, src, c, a []float64, n int) {
	if accelerated {
		schurLanesAVX(dst, src, c, a, n)
	} else {
		schurLanesGo(dst, src, c, a, n)
	}
}

func pairGains(gains []float64, base float64, t, y, d, h, w []float64, n int) {
	if !accelerated {
		pairGainsGo(gains, base, t, y, d, h, w, n)
		return
	}
	// The generated version takes four at a time; a rest goes through a copy,
	// reading up to three lane arrays more, which pairPad makes room for.
	whole := n &^ 3
	pairGainsAVX(gains, base, t, y, d, h, w, whole)
	if n > whole {
		var rest [4]float64
		at := whole * Lanes
		pairGainsAVX(rest[:], base, t[at:], y[at:], d[at:], h, w, 4)
		for a, x := range rest[:n-whole] {
			gains[whole+a] += x
		}
	}
}

func split(columns []int32, r []float64, at int, spans, next, ends, fromColumns []int32, fromR []float64, end, step int) (after, used int) {
	if acceleratedWide {
		return splitAVX512(columns, r, at, spans, next, ends, fromColumns, fromR, end, step)
	}
	return splitGo(columns, r, at, spans, next, ends, fromColumns, fromR, end, step)
}

func gramTable(square, table []float64, width int, cols []int32, a []float64, t int) {
	switch {
	case acceleratedWide && t <= gramTableMost:
		gramTableAVX512(square, table, width, cols, a, t)
	case acceleratedWide:
		gramTableBlocks(square, table, width, cols, a, t)
	default:
		gramTableGo(square, table, width, cols, a, t)
	}
}

func combineTable(r, table []float64, width int, cols []int32, w, a []float64, entries, t int) (ar, rr float64) {
	if acceleratedWide {
		return combineTableAVX512(r, table, width, cols, w, a, entries, t)
	}
	return combineTableGo(r, table, width, cols, w, a, entries, t)
}

func cholesky(k []float64, t int, floor float64) {
	if acceleratedWide && t > 0 {
		choleskyAVX512(k, t, floor)
	} else {
		choleskyGo(k, t, floor)
	}
}

func solve(l, u []float64, t int) {
	if acceleratedWide && t > 0 {
		solveAVX512(l, u, t)
	} else {
		solveGo(l, u, t)
	}
}

func toLanes(dst, squares []float64, stride, width, first, rows int) {
	if acceleratedWide {
		toLanesAVX512(dst, squares, stride, width, first, rows)
	} else {
		toLanesGo(dst, squares, stride, width, first, rows)
	}
}

func fetch(columns []int32, values []float64) { fetchRow(columns, values) }
