package kernel

import "math"

// Tri is the number of lane arrays of a packed lower triangle of n rows, and so
// the place of its row n: element (i,j), j ≤ i, is lane array Tri(i)+j.
func Tri(n int) int { return n * (n + 1) / 2 }

// at is lane array l of x and all that follow.
func at(x []float64, l int) []float64 { return x[l*Lanes:] }

// GramWidth is the width that the rows given to Gram must have for t columns:
// whole tiles, the rest being zeros or anything finite.
func GramWidth(t int) int { return (t + 7) &^ 7 }

// Gram computes VᵀV for the rows×t matrix V, whose rows lie width apart
// (GramWidth(t) or more), and adds it to one lane of a packed triangle.
func Gram(triangle []float64, lane int, v []float64, rows, width, t int) {
	if rows == 0 {
		return
	}
	if len(v) < (rows-1)*width+GramWidth(t) {
		panic(badShape)
	}
	var tile [32]float64
	for i := 0; i < t; i += 4 {
		for j := 0; j < min(i+4, t); j += 8 {
			gramTile(tile[:], v[i:], v[j:], rows, width)
			for x := range min(4, t-i) {
				row := triangle[(Tri(i+x)+j)*Lanes+lane:]
				for y := range min(8, i+x+1-j) {
					row[y*Lanes] += tile[x*8+y]
				}
			}
		}
	}
}

// Cholesky factors eight packed positive definite triangles in place, K = L Lᵀ,
// keeping the reciprocals of the pivots on the diagonal. A pivot below floor,
// which only rounding can bring about, is raised to it: no lane becomes NaN.
func Cholesky(k []float64, t int, floor float64) { cholesky(k[:Tri(t)*Lanes], t, floor) }

// choleskyGo is Cholesky by dot products of lane arrays.
func choleskyGo(k []float64, t int, floor float64) {
	for j := range t {
		b := at(k, Tri(j))
		dotLanes(at(b, j), b, b, j)
		pivot := (*[Lanes]float64)(at(b, j))
		for x, p := range pivot {
			pivot[x] = 1 / math.Sqrt(max(p, floor))
		}
		i := j + 1
		for ; i+3 < t; i += 4 {
			dot4Lanes(at(k, Tri(i)), at(k, Tri(i+1)), at(k, Tri(i+2)), at(k, Tri(i+3)), b, j)
		}
		for ; i < t; i++ {
			a := at(k, Tri(i))
			dotLanes(at(a, j), a, b, j)
		}
		for i := j + 1; i < t; i++ {
			scale((*[Lanes]float64)(at(k, Tri(i)+j)), pivot)
		}
	}
}

// Solve solves L Lᵀ u = u in place, L from Cholesky and u of t lane arrays.
func Solve(l, u []float64, t int) { solve(l[:Tri(t)*Lanes], u[:t*Lanes], t) }

// solveGo is Solve by dot products of lane arrays.
func solveGo(l, u []float64, t int) {
	for i := range t {
		row := at(l, Tri(i))
		dotLanes(at(u, i), row, u, i)
		scale((*[Lanes]float64)(at(u, i)), (*[Lanes]float64)(at(row, i)))
	}
	var minus [Lanes]float64
	for i := t - 1; i >= 0; i-- {
		row := at(l, Tri(i))
		ui := (*[Lanes]float64)(at(u, i))
		scale(ui, (*[Lanes]float64)(at(row, i)))
		for x := range minus {
			minus[x] = -ui[x]
		}
		axpyLanes(u, minus[:], row, i)
	}
}

// Inverse replaces L from Cholesky by the lower triangle of K⁻¹ = L⁻ᵀL⁻¹. The
// scratch needs t lane arrays.
func Inverse(l, scratch []float64, t int) {
	l, scratch = l[:Tri(t)*Lanes], scratch[:t*Lanes]
	var by [4 * Lanes]float64
	one := (*[Lanes]float64)(by[:])
	// W = L⁻¹ row by row: W_i = −d_i Σ_{x<i} L_ix W_x, with W_ii = d_i. Four x at a
	// time have their first x+1 numbers in common.
	for i := range t {
		row := at(l, Tri(i))
		d := (*[Lanes]float64)(at(row, i))
		copy(scratch, row[:i*Lanes])
		clear(row[:i*Lanes])
		x := 0
		for ; x+3 < i; x += 4 {
			for z, c := range at(scratch, x)[:4*Lanes] {
				by[z] = -d[z%Lanes] * c
			}
			axpy4Lanes(row, by[:], at(l, Tri(x)), at(l, Tri(x+1)), at(l, Tri(x+2)), at(l, Tri(x+3)), x+1)
			for z := 1; z < 4; z++ {
				axpyLanes(at(row, x+1), by[z*Lanes:], at(l, Tri(x+z)+x+1), z)
			}
		}
		for ; x < i; x++ {
			c := (*[Lanes]float64)(at(scratch, x))
			for y := range one {
				one[y] = -d[y] * c[y]
			}
			axpyLanes(row, one[:], at(l, Tri(x)), x+1)
		}
	}
	// Row i of K⁻¹ is Σ_{x≥i} W_xi W_x, cut at the diagonal; rows above i are
	// done and rows below are still W.
	for i := range t {
		row := at(l, Tri(i))
		*one = [Lanes]float64(at(row, i))
		for j := range i + 1 {
			scale((*[Lanes]float64)(at(row, j)), one)
		}
		x := i + 1
		for ; x+3 < t; x += 4 {
			for z := range 4 {
				copy(by[z*Lanes:][:Lanes], at(l, Tri(x+z)+i))
			}
			axpy4Lanes(row, by[:], at(l, Tri(x)), at(l, Tri(x+1)), at(l, Tri(x+2)), at(l, Tri(x+3)), i+1)
		}
		for ; x < t; x++ {
			w := at(l, Tri(x))
			axpyLanes(row, at(w, i), w, i+1)
		}
	}
}

// AddMoments adds what the lanes in use give of d posterior means u with the
// covariances spread, a packed triangle: u to mean, spread + uuᵀ to second, and uᵀy,
// one term after the other, to explained. It clears the lanes that are not in use.
func AddMoments(mean, second []float64, explained *float64, u, spread, y []float64, d, used int) {
	for i := range d {
		ui := (*[Lanes]float64)(at(u, i))
		clear(ui[used:])
		to := (*[Lanes]float64)(at(mean, i))
		for lane := range used {
			*explained += ui[lane] * y[i*Lanes+lane]
			to[lane] += ui[lane]
		}
		for j := range i + 1 {
			uj, s, to := (*[Lanes]float64)(at(u, j)), (*[Lanes]float64)(at(spread, Tri(i)+j)), (*[Lanes]float64)(at(second, Tri(i)+j))
			clear(s[used:])
			for lane := range to {
				to[lane] += s[lane] + ui[lane]*uj[lane]
			}
		}
	}
}

// scale multiplies a lane array by another.
func scale(a, by *[Lanes]float64) {
	for x := range a {
		a[x] *= by[x]
	}
}
