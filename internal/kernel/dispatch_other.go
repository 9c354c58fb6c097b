//go:build !amd64 || purego

package kernel

var accelerated = false

func dotLanes(acc, a, b []float64, n int) { dotLanesGo(acc, a, b, n) }

func dot4Lanes(a0, a1, a2, a3, b []float64, n int) { dot4LanesGo(a0, a1, a2, a3, b, n) }

func axpyLanes(dst, c, a []float64, n int) { axpyLanesGo(dst, c, a, n) }

func gramTile(tile, vi, vj []float64, rows, width int) { gramTileGo(tile, vi, vj, rows, width) }

func correlate(z, r []float64, cols []int32, b []float64, width int) {
	correlateGo(z, r, cols, b, width)
}

func schurLanes(dst, src, c, a []float64, n int) { schurLanesGo(dst, src, c, a, n) }

func pairGains(gains []float64, base float64, t, y, d, h, w []float64, n int) {
	pairGainsGo(gains, base, t, y, d, h, w, n)
}
