package kernel

// Lanes is how many rows are solved side by side: the length of a lane array.
const Lanes = 8

const badShape = "kernel: bad shape"

// Pad rounds a length up to whole vectors of four.
func Pad(n int) int { return (n + 3) &^ 3 }

// Accelerated tells whether the generated versions are in use.
func Accelerated() bool { return accelerated }

// dotLanesGo: acc −= Σ_{l<n} a[l]∘b[l], all of lane arrays.
func dotLanesGo(acc, a, b []float64, n int) {
	out := (*[Lanes]float64)(acc)
	for l := range n {
		x, y := (*[Lanes]float64)(a[l*Lanes:]), (*[Lanes]float64)(b[l*Lanes:])
		for i := range Lanes {
			out[i] -= x[i] * y[i]
		}
	}
}

// dot4LanesGo: a_r[n] −= Σ_{l<n} a_r[l]∘b[l] for four rows a_r.
func dot4LanesGo(a0, a1, a2, a3, b []float64, n int) {
	for _, a := range [...][]float64{a0, a1, a2, a3} {
		dotLanesGo(a[n*Lanes:], a, b, n)
	}
}

// axpyLanesGo: dst[l] += c∘a[l] for l < n.
func axpyLanesGo(dst, c, a []float64, n int) {
	by := (*[Lanes]float64)(c)
	for l := range n {
		out, x := (*[Lanes]float64)(dst[l*Lanes:]), (*[Lanes]float64)(a[l*Lanes:])
		for i := range Lanes {
			out[i] += by[i] * x[i]
		}
	}
}

// axpy4LanesGo: dst[l] += Σ_r c[r]∘a_r[l] for l < n, r from 0 to 3.
func axpy4LanesGo(dst, c, a0, a1, a2, a3 []float64, n int) {
	for r, a := range [...][]float64{a0, a1, a2, a3} {
		axpyLanesGo(dst, c[r*Lanes:], a, n)
	}
}

// gramTileGo: tile[x,y] = Σ_r vi[r·width+x]·vj[r·width+y], x < 4, y < 8.
func gramTileGo(tile, vi, vj []float64, rows, width int) {
	out := (*[32]float64)(tile)
	clear(out[:])
	for r := range rows {
		a, b := (*[4]float64)(vi[r*width:]), (*[8]float64)(vj[r*width:])
		for x := range 4 {
			for y := range 8 {
				out[x*8+y] += a[x] * b[y]
			}
		}
	}
}

// schurLanesGo: dst[l] = src[l] − c∘a[l] for l < n.
func schurLanesGo(dst, src, c, a []float64, n int) {
	by := (*[Lanes]float64)(c)
	for l := range n {
		out := (*[Lanes]float64)(dst[l*Lanes:])
		x, y := (*[Lanes]float64)(src[l*Lanes:]), (*[Lanes]float64)(a[l*Lanes:])
		for i := range Lanes {
			out[i] = x[i] - by[i]*y[i]
		}
	}
}

// pairGainsGo: gains[a] += base + Σ_lanes (y[a]−t[a]h)²/(d[a]−t[a]²w) for a < n.
// Two halves of the lanes share a division, as in the generated version.
func pairGainsGo(gains []float64, base float64, t, y, d, h, w []float64, n int) {
	for a := range n {
		gains[a] += base
		ta, ya, da := (*[Lanes]float64)(t[a*Lanes:]), (*[Lanes]float64)(y[a*Lanes:]), (*[Lanes]float64)(d[a*Lanes:])
		for i := range Lanes / 2 {
			j := i + Lanes/2
			n0, n1 := ya[i]-ta[i]*h[i], ya[j]-ta[j]*h[j]
			d0, d1 := da[i]-ta[i]*ta[i]*w[i], da[j]-ta[j]*ta[j]*w[j]
			gains[a] += (n0*n0*d1 + n1*n1*d0) / (d0 * d1)
		}
	}
}
