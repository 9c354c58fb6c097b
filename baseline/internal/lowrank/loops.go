package lowrank

// Dots sets out[x] = a·b[cols[x]], with lines of b of the width of a, which is a
// multiple of four.
func Dots(out, a, b []float64, cols []int32) {
	w := len(a)
	for x, c := range cols {
		line := b[int(c)*w:][:w]
		out[x] = Dot(a, line)
	}
}

// Dot is a·b, of one length that is a multiple of four.
func Dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	return (s0 + s1) + (s2 + s3)
}

// Axpy adds c·a to dst, of one length that is a multiple of four.
func Axpy(c float64, a, dst []float64) {
	for len(a) >= 4 && len(dst) >= 4 {
		dst[0] += c * a[0]
		dst[1] += c * a[1]
		dst[2] += c * a[2]
		dst[3] += c * a[3]
		a, dst = a[4:], dst[4:]
	}
}

// Scatter adds e[x]·a to line cols[x] of g.
func Scatter(g, e, a []float64, cols []int32) {
	w := len(a)
	for x, c := range cols {
		Axpy(e[x], a, g[int(c)*w:][:w])
	}
}

// Outer adds a bᵀ to the matrix g, whose rows have the width of b.
func Outer(g, a, b []float64) {
	w := len(b)
	for x, v := range a {
		if v != 0 {
			Axpy(v, b, g[x*w:][:w])
		}
	}
}

// Apply sets out = Mᵀa for a square matrix M of rows of the width of a: the line
// aᵀM.
func Apply(out, a, m []float64) {
	clear(out)
	w := len(a)
	for x, v := range a {
		if v != 0 {
			Axpy(v, m[x*w:][:w], out)
		}
	}
}

// Add adds a to dst.
func Add(dst, a []float64) {
	for x, v := range a[:len(dst)] {
		dst[x] += v
	}
}

// Gram is AᵀA of a table of lines of width w.
func Gram(a []float64, w int) []float64 {
	return Cross(a, a, w)
}

// Cross is AᵀB of two tables of lines of width w.
func Cross(a, b []float64, w int) []float64 {
	g := make([]float64, w*w)
	for at := 0; at+w <= len(a); at += w {
		Outer(g, a[at:at+w], b[at:at+w])
	}
	return g
}
