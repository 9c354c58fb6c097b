package kernel

// The loops of one row of the matrix: the features of its entries gathered into
// a compact table, the products of its columns, residuals, and the correlation of
// residuals with every feature.

// CorrelateVectors is the most vectors of features that CorrelateSpans takes at
// once: as many as there are registers for.
const CorrelateVectors = 15

// correlateGo: z[place+y] += Σ_{from ≤ x < to} r[x]·b[cols[x]·stride+y], y below
// four times vectors, for each span (place, from, to).
func correlateGo(z []float64, vectors int, spans, cols []int32, r, b []float64, stride int) {
	for ; len(spans) > 0; spans = spans[3:] {
		out := z[spans[0]:][:4*vectors]
		for x := spans[1]; x < spans[2]; x++ {
			by := r[x]
			for y, v := range b[int(cols[x])*stride:][:len(out)] {
				out[y] += by * v
			}
		}
	}
}

// CorrelateSpans adds to rows of z the correlations of residuals with a block of
// features. A span is three numbers, (place, from, to): to the vectors of z from
// place on it adds Σ r[x]·b[cols[x]] over from ≤ x < to, which must not be empty.
// The block of features is the first vectors of the rows of b, which lie stride
// apart. That z is large enough, and b, is the caller's duty.
func CorrelateSpans(z []float64, vectors int, spans, cols []int32, r, b []float64, stride int) {
	CorrelateTile(z, vectors, spans, cols, r, b, stride, nil)
}

// CorrelateTile is CorrelateSpans, and brings what will be read next nearer, where the
// processor can.
func CorrelateTile(z []float64, vectors int, spans, cols []int32, r, b []float64, stride int, ahead []float64) {
	if vectors > CorrelateVectors || 4*vectors > stride || len(spans)%3 != 0 || len(r) != len(cols) {
		panic(badShape)
	}
	const line = 8 // numbers
	lines := 0     // with each span
	if len(ahead) > 0 && len(spans) > 0 {
		lines = (len(ahead)/line*3 + len(spans) - 1) / len(spans)
	}
	correlate(z, vectors, spans, cols, r, b, stride, ahead, lines)
}

// Correlate computes z_j = Σ_x r[x]·b[cols[x],j]: the correlation of a row's
// residual with every feature. b has rows of the given width, len(z) ≤ width is
// a multiple of four, and cols is increasing.
func Correlate(z, r []float64, cols []int32, b []float64, width int) {
	if len(r) != len(cols) || len(z)%4 != 0 || len(z) > width {
		panic(badShape)
	}
	clear(z)
	last := len(cols) - 1
	if last < 0 {
		return
	}
	if int(cols[last]) >= len(b)/width {
		panic(badShape)
	}
	span := [...]int32{0, 0, int32(len(cols))}
	for at := 0; at < len(z); at += 4 * CorrelateVectors {
		vectors := min(len(z)-at, 4*CorrelateVectors) / 4
		correlate(z[at:], vectors, span[:], cols, r, b[at:], width, nil, 0)
	}
}

// fetchMost is how many entries of a row Fetch asks for: the processor sees itself that
// the others follow.
const fetchMost = 256

// Fetch brings the entries of a row that is read soon into a nearer cache, where the
// processor can.
func Fetch(columns []int32, values []float64) {
	if n := min(len(columns), len(values), fetchMost); n > 0 {
		fetch(columns[:n], values[:n])
	}
}

// TableWidth is the width of the rows that Gather makes of t features and a value.
func TableWidth(t int) int { return Pad(t + 1) }

// gatherGo: v[e] = table[cols[e]] with a[e] at the place.
func gatherGo(v, table []float64, width int, cols []int32, a []float64, place int) {
	for e, c := range cols {
		row := v[e*width:][:width]
		copy(row, table[int(c)*width:])
		row[place] = a[e]
	}
}

// Gather copies the rows cols of a table, of the given width, to v, one after the
// other, and puts the values a beside them, at the given place of each row.
func Gather(v, table []float64, width int, cols []int32, a []float64, place int) {
	if len(cols) == 0 {
		return
	}
	if len(v) < len(cols)*width || width%4 != 0 || place >= width || len(a) != len(cols) || int(cols[len(cols)-1]) >= len(table)/width {
		panic(badShape)
	}
	gather(v, table, width, cols, a, place)
}

// gramGo: dst[x·width+y] += Σ_e a[e·width+x]·b[e·width+y] for x below rows and y
// in that many vectors. With vectors = 0 it is the top of a triangle: four rows
// of one vector, and below them that many of two.
func gramGo(dst, a, b []float64, entries, width, rows, vectors int) {
	if vectors == 0 {
		gramGo(dst, a, b, entries, width, 4, 1)
		gramGo(dst[4*width:], a[4:], b, entries, width, rows, 2)
		return
	}
	for e := range entries {
		y := b[e*width:][:4*vectors]
		for x, by := range a[e*width:][:rows] {
			out := dst[x*width:][:len(y)]
			for i, v := range y {
				out[i] += by * v
			}
		}
	}
}

// gramBytes is how much of V is multiplied at a time, to stay in the nearest cache.
const gramBytes = 24 << 10

// AddGram adds the lower triangle of VᵀV to a square matrix of the first t
// columns of V, which has that many entries (rows) of the given width, a multiple
// of four; so has the square. Above the diagonal the square is left undefined.
func AddGram(square, v []float64, entries, width, t int) {
	if width%4 != 0 || t > width || len(v) < entries*width || len(square) < t*width {
		panic(badShape)
	}
	step := max(8, gramBytes/(8*width))
	for ; entries > 0; entries -= step {
		addGram(square, v, min(step, entries), width, t)
		v = v[min(step, entries)*width:]
	}
}

// addGram is AddGram of a piece: blocks of four rows, each as far as the diagonal,
// of as many vectors as there are accumulators for.
func addGram(square, v []float64, entries, width, t int) {
	if t <= 4 {
		gram(square, v, v, entries, width, t, 1)
		return
	}
	gram(square, v, v, entries, width, min(t-4, 4), 0)
	for x := 8; x < t; x += 4 {
		rows := min(4, t-x)
		vectors := x/4 + 1
		pieces := (vectors + gramVectors(rows) - 1) / gramVectors(rows)
		y := 0
		for piece := range pieces {
			n := (vectors + piece) / pieces
			gram(square[x*width+y:], v[x:], v[y:], entries, width, rows, n)
			y += 4 * n
		}
	}
}

// gramVectors is how many vectors a block of this many rows can have.
func gramVectors(rows int) int { return min(12/rows, 6) }

// ToLane writes the lower triangle of a square matrix, whose rows lie width apart,
// to one lane of a packed triangle.
func ToLane(triangle []float64, lane int, square []float64, width, t int) {
	triangle = triangle[:Tri(t)*Lanes]
	for x := range t {
		row := triangle[Tri(x)*Lanes+lane:]
		for y, v := range square[x*width:][:x+1] {
			row[y*Lanes] = v
		}
	}
}

// LanesRoom is how many more numbers than it has to ToLanes may write to the triangle and
// to x, and read from the squares.
const LanesRoom = 7 * Lanes

// ToLanes is ToLane for eight squares of t+1 rows, which lie stride apart: it writes the
// first t rows to the triangle, and the first t numbers of the last row to the lane
// arrays x. Room after all three must be there.
func ToLanes(triangle, x, squares []float64, stride, width, t int) {
	if t < 1 || width < t || stride < (t+1)*width || len(squares) < Lanes*stride+LanesRoom || len(triangle) < Tri(t)*Lanes+LanesRoom || len(x) < t*Lanes+LanesRoom {
		panic(badShape)
	}
	toLanes(triangle, squares, stride, width, 0, t)
	toLanes(x, squares[t*width:], stride, width, t-1, 1)
}

// toLanesGo: rows of eight squares, the first x+1 numbers of row x, from first on, to the
// lane arrays of dst.
func toLanesGo(dst, squares []float64, stride, width, first, rows int) {
	for x := range rows {
		for y := range first + x + 1 {
			for lane := range Lanes {
				dst[lane] = squares[lane*stride+x*width+y]
			}
			dst = dst[Lanes:]
		}
	}
}

// combineGo: r[e] = Σ_y v[e·width+y]·w[y], and Σ a[e]·r[e] and Σ r[e]².
func combineGo(r, v, w, a []float64, entries, width int) (ar, rr float64) {
	for e := range entries {
		sum := 0.0
		for y, x := range v[e*width:][:width] {
			sum += x * w[y]
		}
		r[e] = sum
		ar += a[e] * sum
		rr += sum * sum
	}
	return ar, rr
}

// CombineRoom is how many more numbers than there are entries Combine may write
// to r, and how many more rows it may read from V.
const CombineRoom = 3

// Combine computes r = Vw for a matrix V of the given width with a row for each
// number of a, and returns aᵀr and rᵀr. Room after r and V must be there.
func Combine(r, v, w, a []float64, width int) (ar, rr float64) {
	entries := len(a)
	if len(r) < Pad(entries) || len(v) < Pad(entries)*width || len(w) < width || width%4 != 0 {
		panic(badShape)
	}
	whole := entries &^ 3
	ar, rr = combine(r, v, w, a, whole, width)
	if rest := entries - whole; rest > 0 {
		var last [4]float64
		copy(last[:], a[whole:])
		combine(r[whole:], v[whole*width:], w, last[:], 4, width)
		x, y := productsGo(last[:], r[whole:], rest)
		ar, rr = ar+x, rr+y
	}
	return ar, rr
}

// productsGo: Σ a[e]·r[e] and Σ r[e]².
func productsGo(a, r []float64, entries int) (ar, rr float64) {
	for e, x := range r[:entries] {
		ar += a[e] * x
		rr += x * x
	}
	return ar, rr
}

// Products returns aᵀr and rᵀr.
func Products(a, r []float64) (ar, rr float64) {
	if len(a) != len(r) {
		panic(badShape)
	}
	whole := len(r) &^ 7
	ar, rr = products(a, r, whole)
	x, y := productsGo(a[whole:], r[whole:], len(r)-whole)
	return ar + x, rr + y
}

// addSquaresGo: sum += z∘z for every row z.
func addSquaresGo(sum, z []float64, stride, rows int) {
	for i := range rows {
		for j, x := range z[i*stride:][:len(sum)] {
			sum[j] += x * x
		}
	}
}

// AddSquares adds z[j]² to sum[j], for all of sum, whose length is a multiple of four, and
// for one row z after the other, of rows that lie stride apart.
func AddSquares(sum, z []float64, stride, rows int) {
	if rows > 0 && (len(sum)%4 != 0 || stride < 0 || len(z) < (rows-1)*stride+len(sum)) {
		panic(badShape)
	}
	addSquares(sum, z, stride, rows)
}

// peakGo: n rounds of 48 multiplications and additions on 48 numbers.
func peakGo(x []float64, n int) {
	var acc [48]float64
	for i := range acc {
		acc[i] = x[i%4]
	}
	for range n {
		for i := range acc {
			acc[i] = acc[i]*x[i%4] + x[i%4]
		}
	}
	for i, v := range acc {
		x[i%4] += v
	}
}

// Peak does n rounds of PeakRound multiply-adds that wait for no memory and not
// for each other: how fast it runs is the limit of the processor.
func Peak(n int) float64 {
	x := []float64{0.5, 0.25, 0.125, 0.0625}
	peak(x, n)
	return x[0]
}

// PeakRound is how many multiply-adds a round of Peak is.
const PeakRound = 48
