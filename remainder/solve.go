package remainder

import (
	"math"

	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
)

// solver solves one row after the other. With H its h'_j and, below them, a root of
// Σ_j Cov v_j, the covariance of θ' is S' = (1 + HᵀH/σ²)⁻¹. A row with few entries is
// solved in their space, with A = σ² + HHᵀ = LLᵀ, the others with 1 + HᵀH/σ² = LLᵀ:
//
//	S' = 1 − WᵀW, W = L⁻¹H   or   S' = WᵀW, W = L⁻¹
//
// An entry of weight w has the noise σ²/w: its line of H is multiplied by the root of w,
// and Cov v_j by w; sums over entries count by the weights.
type solver struct {
	*prepared
	columns []int32
	weights []float64 // of the entries; nil: 1
	targets []float64 // x − μ − c
	pulls   []float64 // the same times the weights
	square  float64   // Σ E (x − μ − c)²
	y       []float64 // Σ E h'(x − μ − c)
	z       []float64 // implicit feedback
	theta   []float64 // θ̂'
	logs    float64   // log|S|
	w       []float64 // W, in lines
	lines   int       // of W
	few     bool      // S' = 1 − WᵀW

	stacks    [2]stack  // of W, of rows with many entries and with few
	h, turned []float64 // H and its transpose
	side      int       // of its lines
	a, by     []float64 // what is factored, and a column of it
	products  []float64 // HHᵀ or HᵀH: the lower triangle
	g, prior  []float64 // S'⁻¹θ', and the prior's mean
	design    []float64 // sum over the entries
	errors    []float64 // Σ_j Cov φ_j, packed
	extra     []float64 // the traits' part of it, then its root
	fitted    []float64 // h'ᵀθ̂' of each entry

	response, working []float64 // of a loss: what the entries are fitted as, and by which weights
	sums              []float64 // where
}

func newSolver(p *prepared) *solver {
	f := p.fit
	line := func() []float64 { return make([]float64, p.width) }
	w := &solver{
		prepared: p, y: line(), theta: line(), g: line(), prior: line(), z: make([]float64, f.implicit()), design: make([]float64, f.Known),
		errors: make([]float64, kernel.Tri(f.own())), extra: make([]float64, kernel.Tri(f.Rank)), by: make([]float64, p.width+f.Rank), few: true,
	}
	for x := range w.stacks {
		w.stacks[x] = newStack(p.width, f.size())
	}
	return w
}

// hasFew tells whether a row of this many entries is solved in their space.
func (p *prepared) hasFew(entries int) bool {
	return !p.manyOnly && 5*(entries+p.fit.Rank) <= 4*p.fit.size()
}

// solve takes a row with entries. The columns are increasing; weights are nil if there are none.
func (w *solver) solve(columns []int32, values, weights []float64) {
	f, width := w.fit, w.width
	d := f.size()
	w.take(columns, values, weights)
	if d == 0 {
		return
	}
	w.lines, w.few = len(columns)+f.Rank, w.hasFew(len(columns))
	var h []float64
	if w.few {
		w.w = w.stacks[1].top(w.lines)
		h = w.w
	} else {
		w.h = dense.Resize(w.h, kernel.Pad(w.lines)*width)
		h = w.h
	}
	pulls := w.targets
	if weights != nil {
		w.pulls = w.pulls[:0]
		for e, t := range w.targets {
			w.pulls = append(w.pulls, weights[e]*t)
		}
		pulls = w.pulls
	}
	kernel.Correlate(w.y, pulls, columns, w.table, width)
	for e, c := range columns {
		line := h[e*width:][:width]
		copy(line, w.table[int(c)*width:])
		if weights != nil {
			root := math.Sqrt(weights[e])
			for x := range line {
				line[x] *= root
			}
		}
	}
	w.unsure(h[len(columns)*width:])
	w.expect()
	by := 1 / f.Noise
	for x, v := range w.prior {
		w.g[x] = v + by*w.y[x]
	}
	if w.few {
		w.factorFew()
	} else {
		w.factorMany()
	}
	// θ̂' = S'g
	clear(w.theta)
	for x := range w.lines {
		line := w.w[x*width:][:d]
		w.by[x] = dense.Dot(line, w.g)
		if w.few {
			w.by[x] = -w.by[x]
		}
	}
	combine(w.theta, w.all[:w.lines], w.by[:w.lines], w.w, width)
	if w.few {
		dense.Axpy(1, w.g, w.theta)
	}
	sum := 0.0
	for _, v := range w.theta[:d] {
		sum += v
	}
	if !finite(sum) { // only rounding can bring it here
		copy(w.theta, w.pull)
	}
}

// take sets the targets and what is not sure about the columns.
func (w *solver) take(columns []int32, values, weights []float64) {
	f := w.fit
	own := f.own()
	tri := kernel.Tri(own)
	w.columns, w.weights, w.targets, w.square = columns, weights, w.targets[:0], 0
	clear(w.errors)
	for e, c := range columns {
		j := int(c)
		t := values[e] - f.Mean
		if f.Levels {
			t -= f.Columns[j*own]
		}
		w.targets = append(w.targets, t)
		if weights != nil {
			dense.Axpy(weights[e], f.Error[j*tri:][:tri], w.errors)
			w.square += weights[e] * (t * t)
		} else {
			add(w.errors, f.Error[j*tri:][:tri])
			w.square += t * t
		}
	}
	if f.Levels {
		w.square += w.errors[0]
	}
}

// unsure sets the lines of H below those of the entries, and takes Cov(v_j, c_j) off y.
func (w *solver) unsure(lines []float64) {
	f := w.fit
	d, known, r, first := f.size(), f.Known, f.Rank, f.levels()
	for x := range r {
		row := w.errors[kernel.Tri(first+x):]
		copy(w.extra[kernel.Tri(x):], row[first:][:x+1])
		if at := known + x; f.Levels {
			dense.Axpy(-row[0], w.root[at*d+at:][:d-at], w.y[at:])
		}
	}
	packedRoot(w.extra, r)
	for x := range r {
		line := lines[x*w.width:][:w.width]
		clear(line)
		for y := x; y < r; y++ {
			at := known + y
			dense.Axpy(w.extra[kernel.Tri(y)+x], w.root[at*d+at:][:d-at], line[at:])
		}
	}
}

// expect sets the prior's mean of the row.
func (w *solver) expect() {
	h := w.fit.Implicit
	if h == nil {
		copy(w.prior, w.pull)
		return
	}
	known := w.fit.Known
	clear(w.design)
	for _, c := range w.columns {
		add(w.design, w.fit.Design[int(c)*known:][:known])
	}
	h.of(w.z, w.design, len(w.columns))
	kernel.Correlate(w.prior, w.z, w.all[:len(w.z)], w.coefficients, w.width)
	dense.Axpy(1, w.pull, w.prior)
}

// factorFew replaces H by W.
func (w *solver) factorFew() {
	d, width, noise, lines := w.fit.size(), w.width, w.fit.Noise, w.lines
	side := kernel.Pad(lines)
	w.side = side
	w.turned, w.a, w.products = dense.Resize(w.turned, d*side), dense.Resize(w.a, lines*side), dense.Resize(w.products, lines*side)
	turn(w.turned, side, w.w, width, lines, d)
	clear(w.products)
	kernel.AddGram(w.products, w.turned, d, side, lines)
	w.logs = w.logSpread // log|S| = log|Σ| − log|A/σ²|
	p := 1.0
	for i := range lines {
		from := i &^ 3
		row, line := w.a[i*side+from:][:side-from], w.w[i*width:][:width]
		clear(row)
		for x := i; x < lines; x++ {
			row[x-from] = w.products[x*side+i]
		}
		row[i-from] += noise
		by := w.by[:i]
		for k := range by {
			by[k] = -w.a[k*side+i]
		}
		if i > 0 {
			combine(row, w.all[:i], by, w.a[from:], side)
			combine(line, w.all[:i], by, w.w, width)
		}
		pivot := max(row[i-from], noise) // less by rounding alone
		scaled := 1 / math.Sqrt(pivot)
		for x := range row {
			row[x] *= scaled
		}
		for x := range line {
			line[x] *= scaled
		}
		p *= pivot / noise
		if p > 1e100 || i == lines-1 {
			w.logs -= math.Log(p)
			p = 1
		}
	}
}

// factorMany sets W from H.
func (w *solver) factorMany() {
	d, width := w.fit.size(), w.width
	w.products, w.a = dense.Resize(w.products, d*width), dense.Resize(w.a, d*width)
	clear(w.products)
	kernel.AddGram(w.products, w.h, w.lines, width, d)
	w.lines, w.w = d, w.stacks[0].top(d)
	noise := 1 / w.fit.Noise
	w.logs = w.logSpread
	p := 1.0
	for i := range d {
		from := i &^ 3
		row, line := w.a[i*width+from:][:width-from], w.w[i*width:][:width]
		clear(row)
		for x := i; x < d; x++ {
			row[x-from] = noise * w.products[x*width+i]
		}
		row[i-from]++
		clear(line)
		line[i] = 1
		by := w.by[:i]
		for k := range by {
			by[k] = -w.a[k*width+i]
		}
		if i > 0 {
			combine(row, w.all[:i], by, w.a[from:], width)
			combine(line[:from+4], w.all[:i], by, w.w, width)
		}
		pivot := max(row[i-from], 1)
		scaled := 1 / math.Sqrt(pivot)
		for x := range row {
			row[x] *= scaled
		}
		for x := range line[:from+4] {
			line[x] *= scaled
		}
		p *= pivot
		if p > 1e100 || i == d-1 {
			w.logs -= math.Log(p)
			p = 1
		}
	}
}

// spread is h'ᵀS'h'.
func (w *solver) spread(h []float64) float64 {
	sum, d := 0.0, w.fit.size()
	for x := range w.lines {
		v := dense.Dot(w.w[x*w.width:][:d], h)
		sum += v * v
	}
	if w.few {
		return max(0, dense.Dot(h[:d], h)-sum)
	}
	return sum
}

// parameters sets θ̂ = Rθ̂'.
func (w *solver) parameters(theta []float64) {
	d := w.fit.size()
	for x := range d {
		theta[x] = dense.Dot(w.root[x*d+x:][:d-x], w.theta[x:])
	}
}

// fitEntries sets fitted.
func (w *solver) fitEntries() {
	n := len(w.columns)
	w.fitted = dense.Resize(w.fitted, kernel.Pad(w.lines+n))
	if w.few {
		kernel.Correlate(w.fitted[:w.side], w.theta[:w.fit.size()], w.all[:w.fit.size()], w.turned, w.side)
	} else {
		kernel.Combine(w.fitted, w.h, w.theta, w.targets, w.width)
	}
	for e, weight := range w.weights {
		w.fitted[e] /= math.Sqrt(weight)
	}
}

// combine adds Σ by[x]·line cols[x] of b to a vector.
func combine(to []float64, cols []int32, by, b []float64, stride int) {
	vectors := len(to) / 4
	pieces := (vectors + kernel.CorrelateVectors - 1) / kernel.CorrelateVectors
	span := [...]int32{0, 0, int32(len(cols))}
	at := 0
	for piece := range pieces {
		n := (vectors + piece) / pieces
		kernel.CorrelateSpans(to[at:], n, span[:], cols, by, b[at:], stride)
		at += 4 * n
	}
}

// turn transposes the first columns of some lines, and fills the side with zeros.
func turn(to []float64, side int, lines []float64, width, count, columns int) {
	for e := 0; e < side; e += 4 {
		if e+4 > count {
			for y := range columns {
				out := to[y*side+e:][:4]
				clear(out)
				for x := e; x < count; x++ {
					out[x-e] = lines[x*width+y]
				}
			}
			continue
		}
		a, b, c, d := lines[e*width:][:columns], lines[(e+1)*width:][:columns], lines[(e+2)*width:][:columns], lines[(e+3)*width:][:columns]
		at := e
		for y, v := range a {
			out := (*[4]float64)(to[at:])
			out[0], out[1], out[2], out[3] = v, b[y], c[y], d[y]
			at += side
		}
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
