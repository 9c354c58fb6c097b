package remainder

import (
	"math"

	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
)

// A row with few entries is solved in their space: with H̃ its h_j and, below them, a
// root of Σ_j Cov v_j, and A = σ²I + H̃ΣH̃ᵀ = LLᵀ,
//
//	S = Σ − WWᵀ,  Wᵀ = L⁻¹H̃Σ,
//
// which takes systems of the number of entries and of traits, where the other way
// takes some of the number of parameters, and their inverses.

// isShort tells whether a row of this many entries is solved so.
func (p *prepared) isShort(entries int) bool {
	return p.through != nil && 5*(entries+p.fit.Rank) <= 3*p.fit.size()
}

// mostThrough is how many numbers Σh_j of all columns may be.
const mostThrough = 1 << 24

// prepareShort sets what short rows need.
func (p *prepared) prepareShort() {
	f := p.fit
	d := f.size()
	if d <= f.Rank || len(p.table) > mostThrough {
		return
	}
	p.spread = make([]float64, d*p.width)
	for x := range d {
		copy(p.spread[x*p.width:], f.Spread[x*d:][:d])
	}
	p.through = make([]float64, len(p.table))
	for at := 0; at < len(p.table); at += p.width {
		kernel.Correlate(p.through[at:][:p.width], p.table[at:][:d], p.all[:d], p.spread, p.width)
	}
	q := f.habits()
	p.leaning = make([]float64, q*p.width)
	for x := range d {
		for y := range q {
			p.leaning[y*p.width+x] = p.lean[x*q+y]
		}
	}
}

// short is the memory of short rows.
type short struct {
	targets []float64
	y, g    []float64 // Σ E h(x − μ − c), and that over σ² with Σ⁻¹ of the prior's mean
	root    []float64 // of Σ_j Cov v_j, packed
	traits  []float64 // a column of it
	w       []float64 // H̃Σ, then Wᵀ: a line for each entry and trait
	turned  []float64 // ΣH̃ᵀ
	a       []float64 // A and its factor
	square  []float64 // WWᵀ
	z       []float64 // habits
	theta   []float64 // with room

	rows, count  int
	sum, squares []float64 // Σ WWᵀ, and θ̂ of some rows
	outer        []float64 // Σ θ̂θ̂ᵀ
	mean         []float64
}

// thetas is how many θ̂ are multiplied together.
const thetas = 32

func (w *stepper) newShort() *short {
	d := w.fit.size()
	line := func(n int) []float64 { return make([]float64, n*w.width) }
	return &short{
		y: line(1), g: line(1), theta: line(1), root: make([]float64, kernel.Tri(w.fit.Rank)), traits: make([]float64, w.fit.Rank), square: line(d),
		z: make([]float64, w.fit.habits()), sum: line(d), squares: line(thetas), outer: line(d), mean: line(1),
	}
}

// solveShort solves one row and adds what it gives.
func (w *stepper) solveShort(columns []int32, values []float64) {
	if w.short == nil {
		w.short = w.newShort()
	}
	s, f, width := w.short, w.fit, w.width
	d, own, first, known := f.size(), f.own(), f.levels(), f.Known
	tri := kernel.Tri(own)
	s.targets = s.targets[:0]
	clear(s.root)
	clear(s.y)
	square := 0.0
	for e, c := range columns {
		j := int(c)
		t := values[e] - f.Mean
		cov := f.Error[j*tri:][:tri]
		if f.Levels {
			t -= f.Columns[j*own]
			square += cov[0]
		}
		s.targets = append(s.targets, t)
		square += t * t
		for x := range f.Rank {
			row := cov[kernel.Tri(x+first):]
			if f.Levels {
				s.y[known+x] -= row[0]
			}
			dense.Axpy(1, row[first:first+x+1], s.root[kernel.Tri(x):])
		}
	}
	w.into.Square += square
	kernel.Correlate(s.g, s.targets, columns, w.table, width)
	dense.Axpy(1, s.g[:d], s.y)
	by := 1 / f.Noise
	if h := f.Habits; h != nil {
		for len(w.ones) < len(columns) {
			w.ones = append(w.ones, 1)
		}
		kernel.Correlate(s.g, w.ones[:len(columns)], columns, w.table, width)
		h.of(s.z, s.g[:known], len(columns))
		kernel.Correlate(s.g, s.z, w.all[:len(s.z)], w.leaning, width)
	} else {
		clear(s.g)
	}
	for x := range d {
		s.g[x] += w.pull[x] + by*s.y[x]
	}
	w.factorShort(columns)

	// θ̂ = Sg and S = Σ − WWᵀ.
	lines := len(columns) + f.Rank
	kernel.Correlate(s.theta, s.g[:d], w.all[:d], w.spread, width)
	for x := range lines {
		dense.Axpy(-dense.Dot(s.w[x*width:][:d], s.g), s.w[x*width:][:d], s.theta)
	}
	clear(s.square)
	kernel.AddGram(s.square, s.w, lines, width, d)
	for x := range d {
		dense.Axpy(1, s.square[x*width:][:x+1], s.sum[x*width:])
	}
	theta := s.theta[:d]
	w.into.Explained += dense.Dot(theta, s.y)
	dense.Axpy(1, theta, s.mean)
	copy(s.squares[s.count*width:][:d], theta)
	s.rows++
	if s.count++; s.count == thetas {
		s.multiply(width, d)
	}
	for x, v := range theta {
		dense.Axpy(v, s.z, w.into.Cross[x*len(s.z):])
	}

	if own == 0 {
		return
	}
	copy(w.theta, theta)
	wide := kernel.Pad(f.Rank + 1)
	for y, v := range theta[:known] {
		w.cross[y*wide+f.Rank] = v
	}
	if f.Levels {
		w.outer[0] = 1
	}
	for x, wx := range theta[known:] {
		spread, less := w.spread[(known+x)*width:], s.square[(known+x)*width:]
		for y := range known {
			w.cross[y*wide+x] = spread[y] - less[y]
		}
		out := w.outer[kernel.Tri(first+x):]
		if f.Levels {
			out[0] = wx
		}
		for y := range x + 1 {
			out[first+y] = spread[known+y] - less[known+y] + wx*theta[known+y]
		}
	}
	w.forColumns(columns, s.targets)
}

// factorShort sets w to Wᵀ and adds log|S|.
func (w *stepper) factorShort(columns []int32) {
	s, f, width := w.short, w.fit, w.width
	d, known, n := f.size(), f.Known, len(columns)
	lines := n + f.Rank
	side := kernel.Pad(lines)
	if need := lines * width; len(s.w) < need {
		s.w = make([]float64, need)
	}
	if need := side * side; len(s.a) < need {
		s.a = make([]float64, need)
	}
	s.turned = append(s.turned[:0], make([]float64, d*side)...)
	a := s.a[:side*side]
	packedRoot(s.root, f.Rank)
	for e, c := range columns {
		copy(s.w[e*width:][:width], w.through[int(c)*width:])
	}
	part := func(x int) []float64 { // column x of the root, from x on
		for y := x; y < f.Rank; y++ {
			s.traits[y] = s.root[kernel.Tri(y)+x]
		}
		return s.traits[x:f.Rank]
	}
	for x := range f.Rank {
		kernel.Correlate(s.w[(n+x)*width:][:width], part(x), w.all[known+x:d], w.spread, width)
	}
	for e := range lines {
		for y, v := range s.w[e*width:][:d] {
			s.turned[y*side+e] = v
		}
	}
	for e := range side {
		line := a[e*side:][:side]
		switch {
		case e < n:
			kernel.Correlate(line, w.table[int(columns[e])*width:][:d], w.all[:d], s.turned, side)
		case e < lines:
			kernel.Correlate(line, part(e-n), w.all[known+e-n:d], s.turned, side)
		default:
			clear(line)
			line[e] = 0 // filling
		}
		line[e] += f.Noise
	}
	factor(a, side, f.Noise)    // A is no smaller than σ²
	logs, p := w.logSpread, 1.0 // log|S| = log|Σ| − log|A/σ²|
	for e := range lines {
		line, to := a[e*side:][:e+1], s.w[e*width:][:width]
		p *= line[e] * line[e] / f.Noise // at least 1
		if p > 1e100 || e == lines-1 {
			logs -= math.Log(p)
			p = 1
		}
		for x := range line[:e] {
			line[x] = -line[x]
		}
		if e > 0 {
			span := [...]int32{0, 0, int32(e)}
			for at := 0; at < width; at += 4 * kernel.CorrelateVectors {
				kernel.CorrelateSpans(to[at:], min(width-at, 4*kernel.CorrelateVectors)/4, span[:], w.all[:e], line[:e], s.w[at:], width)
			}
		}
		scale := 1 / line[e]
		for x := range to {
			to[x] *= scale
		}
	}
	w.into.Logs += logs
}

// factor sets the lower triangle of a, n×n, to its Cholesky factor. A pivot below the
// floor, which only rounding can bring about, is raised to it.
func factor(a []float64, n int, floor float64) {
	for x := range n {
		row := a[x*n:][:x+1]
		for y := range x {
			above := a[y*n:][:y+1]
			row[y] = (row[y] - dense.Dot(row[:y], above[:y])) / above[y]
		}
		row[x] = math.Sqrt(max(row[x]-dense.Dot(row[:x], row[:x]), floor))
	}
}

// packedRoot factors a packed covariance in place; where it has no more rank, the
// root has zeros.
func packedRoot(c []float64, n int) {
	for x := range n {
		row := c[kernel.Tri(x):][:x+1]
		for y := range x {
			above := c[kernel.Tri(y):][:y+1]
			row[y] -= dense.Dot(row[:y], above[:y])
			if above[y] > 0 {
				row[y] /= above[y]
			} else {
				row[y] = 0
			}
		}
		row[x] = math.Sqrt(max(0, row[x]-dense.Dot(row[:x], row[:x])))
	}
}

// multiply adds the products of the θ̂ that wait.
func (s *short) multiply(width, d int) {
	kernel.AddGram(s.outer, s.squares, s.count, width, d)
	s.count = 0
}

// give adds the short rows to the sums, and forgets them.
func (s *short) give(into *Sums, spread []float64, width, d int) {
	s.multiply(width, d)
	dense.Axpy(1, s.mean[:d], into.Mean)
	for x := range d {
		for y := range x + 1 {
			at := x*width + y
			v := float64(s.rows)*spread[at] - s.sum[at] + s.outer[at]
			into.Second[x*d+y] += v
			if y < x {
				into.Second[y*d+x] += v
			}
		}
	}
	s.rows = 0
	clear(s.sum)
	clear(s.outer)
	clear(s.mean)
}
