package remainder

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/internal/parallel"
)

// sums is what a step needs of the rows, given the columns.
type sums struct {
	mean      []float64 // Σ θ̂
	second    []float64 // Σ S + θ̂θ̂ᵀ, d×d
	logs      float64   // Σ log|S|
	square    float64   // Σ E (x − μ − c)²
	explained float64   // Σ θ̂ᵀy, y = Σ_j E h_j (x − μ − c)
	// columns has of every column K, a packed triangle, and R:
	// K = Σ_i E w̃w̃ᵀ and R = Σ_i E w̃(x − μ − designᵀθ), w̃ = (1, w).
	columns []float64
}

// stride is how many numbers the sums have of a column.
func (f *Fit) stride() int { return kernel.Tri(f.own()) + f.own() }

func (s *sums) merge(t *sums) {
	s.logs += t.logs
	s.square += t.square
	s.explained += t.explained
	add(s.mean, t.mean)
	add(s.second, t.second)
	add(s.columns, t.columns)
}

func add(to, from []float64) {
	for x, v := range from {
		to[x] += v
	}
}

// error is Σ E (x − μ − c − hᵀθ)² given the columns that the sums were made with.
// As θ̂ solves (Σ⁻¹ + G/σ²)θ̂ = Σ⁻¹m + y/σ² with G = Σ_j E hhᵀ, and S is the
// inverse of that matrix, tr(G(S + θ̂θ̂ᵀ)) needs no second look at the entries.
func (l *learner) error(s *sums) float64 {
	inside := dot(l.pull, s.mean) + l.rows*float64(l.fit.size()) - dot(l.inverse, s.second)
	return max(s.square-s.explained+l.fit.Noise*inside, 1e-13*s.square)
}

// chunkBytes is about the most that the columns' sums of all chunks take, and
// mostChunks how many there are at most. Both are fixed, as the sums must not
// depend on the machine.
const (
	chunkBytes = 256 << 20
	mostChunks = 32
)

// cut cuts the rows into chunks with about as many entries each.
func (l *learner) cut() {
	chunks := min(mostChunks, chunkBytes/max(8*l.m*l.fit.stride(), 1), (l.n+63)/64)
	chunks = max(2, chunks)
	l.chunks = l.chunks[:0]
	total, at := l.Values.Observed()+l.n, 0
	for i := range l.n {
		if at*chunks >= len(l.chunks)*total {
			l.chunks = append(l.chunks, i)
		}
		at += l.Values.Entries(i) + 1
	}
	l.chunks = append(l.chunks, l.n)
}

// pass solves all rows given the columns and adds up what a step needs.
func (l *learner) pass(ctx context.Context) (*sums, error) {
	l.prepare()
	l.cut()
	parts := make([]*sums, len(l.chunks)-1)
	err := parallel.Do(ctx, len(parts), l.threads, func(int) func(int) error {
		w := l.newWorker()
		return func(chunk int) (err error) {
			parts[chunk], err = w.chunk(l.chunks[chunk], l.chunks[chunk+1])
			return err
		}
	})
	if err != nil {
		return nil, err
	}
	// Along a fixed tree: pairs, pairs of pairs, ...
	for step := 1; step < len(parts); step *= 2 {
		for at := 0; at+step < len(parts); at += 2 * step {
			parts[at].merge(parts[at+step])
			parts[at+step] = nil
		}
	}
	if len(parts) == 0 {
		return l.newSums(), nil
	}
	return parts[0], nil
}

func (l *learner) newSums() *sums {
	d := l.fit.size()
	return &sums{mean: make([]float64, d), second: make([]float64, d*d), columns: make([]float64, l.m*l.fit.stride())}
}

// prepare sets Σ⁻¹ and the table of h_j.
func (l *learner) prepare() {
	f := l.fit
	d := f.size()
	l.inverse, l.logSpread = inverse(f.Spread, d)
	l.pull = product(l.inverse, f.Prior, d)
	l.width = kernel.GramWidth(d)
	l.table = make([]float64, l.m*l.width)
	own, first := f.own(), f.levels()
	for j := range l.m {
		row := l.table[j*l.width:]
		copy(row, l.Design[j*f.Known:][:f.Known])
		copy(row[f.Known:], f.Columns[j*own+first:][:f.Rank])
	}
}

// worker solves rows, eight side by side.
type worker struct {
	*learner
	reader  *data.RowReader
	columns [kernel.Lanes][]int32
	targets [kernel.Lanes][]float64 // x − μ − c
	h       []float64               // gathered h_j of a row

	k, y, u, scratch []float64 // lane arrays: precision, right-hand side, θ̂
	extra            []float64 // Σ_j Cov v_j, packed
	mean, second     []float64 // sums by lanes
	theta            []float64
	cross            []float64 // S between traits and design, rank×known
	outer            []float64 // E w̃w̃ᵀ, packed
	own              []float64
	into             *sums
}

func (l *learner) newWorker() *worker {
	d, own := l.fit.size(), l.fit.own()
	vector := func(n int) []float64 { return make([]float64, n*kernel.Lanes) }
	var reader *data.RowReader
	if l.Values != nil {
		reader = data.NewRowReader(l.Values)
	}
	return &worker{
		learner: l, reader: reader,
		h: make([]float64, l.longest*l.width+kernel.Lanes),
		k: vector(kernel.Tri(d)), y: vector(d), u: vector(d), scratch: vector(d),
		extra: make([]float64, kernel.Tri(l.fit.Rank)), mean: vector(d), second: vector(kernel.Tri(d)),
		theta: make([]float64, d), cross: make([]float64, l.fit.Rank*l.fit.Known), outer: make([]float64, kernel.Tri(own)), own: make([]float64, own),
	}
}

// chunk adds up the rows lo..hi.
func (w *worker) chunk(lo, hi int) (*sums, error) {
	w.into = w.newSums()
	clear(w.mean)
	clear(w.second)
	lanes := 0
	for i := lo; i < hi; i++ {
		if w.Values.Entries(i) == 0 {
			continue
		}
		if err := w.load(lanes, i); err != nil {
			return nil, err
		}
		if lanes++; lanes == kernel.Lanes {
			w.solve(lanes)
			w.collect(lanes)
			lanes = 0
		}
	}
	if lanes > 0 {
		w.solve(lanes)
		w.collect(lanes)
	}
	d := w.fit.size()
	for x := range d {
		w.into.mean[x] = total(w.mean, x)
		for y := range x + 1 {
			v := total(w.second, kernel.Tri(x)+y)
			w.into.second[x*d+y], w.into.second[y*d+x] = v, v
		}
	}
	return w.into, nil
}

// total is the sum of a lane array.
func total(x []float64, at int) float64 {
	v := (*[kernel.Lanes]float64)(x[at*kernel.Lanes:])
	return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
}

// load puts a row into a lane: G = Σ E hhᵀ into k, y = Σ E h(x − μ − c).
func (w *worker) load(lane, i int) error {
	columns, values, err := w.reader.Row(i)
	if err != nil {
		return err
	}
	w.fill(lane, columns, values)
	return nil
}

func (w *worker) fill(lane int, columns []int32, values []float64) {
	const lanes = kernel.Lanes
	f := w.fit
	d, own, first := f.size(), f.own(), f.levels()
	if lane == 0 {
		clear(w.k)
		clear(w.y)
	}
	w.columns[lane] = append(w.columns[lane][:0], columns...)
	w.targets[lane] = w.targets[lane][:0]
	clear(w.extra)
	tri := kernel.Tri(own)
	if need := len(columns)*w.width + lanes; need > len(w.h) {
		w.h = make([]float64, need)
	}
	for e, c := range columns {
		j := int(c)
		t := values[e] - w.Mean
		cov := f.Error[j*tri:][:tri]
		if f.Levels {
			t -= f.Columns[j*own]
			if w.into != nil {
				w.into.square += cov[0]
			}
		}
		w.targets[lane] = append(w.targets[lane], t)
		h := w.h[e*w.width:][:w.width]
		copy(h, w.table[j*w.width:][:w.width])
		for x, v := range h[:d] {
			w.y[x*lanes+lane] += v * t
		}
		at := 0
		for x := range f.Rank {
			row := cov[kernel.Tri(x+first):]
			if f.Levels {
				w.y[(f.Known+x)*lanes+lane] -= row[0]
			}
			for _, v := range row[first : first+x+1] {
				w.extra[at] += v
				at++
			}
		}
		if w.into != nil {
			w.into.square += t * t
		}
	}
	kernel.Gram(w.k, lane, w.h, len(columns), w.width, d)
	at := 0
	for x := range f.Rank {
		for y := range x + 1 {
			w.k[(kernel.Tri(f.Known+x)+f.Known+y)*lanes+lane] += w.extra[at]
			at++
		}
	}
}

// solve sets u to θ̂ and k to S, for each lane.
func (w *worker) solve(used int) {
	const lanes = kernel.Lanes
	d := w.fit.size()
	by := 1 / w.fit.Noise
	for x := range d {
		for y, v := range w.inverse[x*d:][:x+1] {
			to := (*[lanes]float64)(w.k[(kernel.Tri(x)+y)*lanes:])
			for lane := range to {
				to[lane] = v + by*to[lane]
			}
		}
		for lane := range lanes {
			w.u[x*lanes+lane] = w.pull[x] + by*w.y[x*lanes+lane]
		}
	}
	kernel.Cholesky(w.k, d, tiny)
	if w.into != nil {
		for lane := range used {
			p := 1.0 // products of a few pivots: fewer logarithms, none out of range
			for x := range d {
				p *= w.k[(kernel.Tri(x)+x)*lanes+lane]
				if x%8 == 7 || x == d-1 {
					w.into.logs += 2 * math.Log(p)
					p = 1
				}
			}
		}
	}
	kernel.Solve(w.k, w.u, d)
	kernel.Inverse(w.k, w.scratch, d)
}

// collect adds what the lanes in use give.
func (w *worker) collect(used int) {
	const lanes = kernel.Lanes
	d := w.fit.size()
	for x := range d {
		ux := (*[lanes]float64)(w.u[x*lanes:])
		clear(ux[used:])
		mean := (*[lanes]float64)(w.mean[x*lanes:])
		for lane := range used {
			w.into.explained += ux[lane] * w.y[x*lanes+lane]
			mean[lane] += ux[lane]
		}
		for y := range x + 1 {
			at := (kernel.Tri(x) + y) * lanes
			uy, spread, second := (*[lanes]float64)(w.u[y*lanes:]), (*[lanes]float64)(w.k[at:]), (*[lanes]float64)(w.second[at:])
			clear(spread[used:])
			for lane := range second {
				second[lane] += spread[lane] + ux[lane]*uy[lane]
			}
		}
	}
	for lane := range used {
		w.forColumns(lane)
	}
}

// lane takes the posterior of a lane apart: θ̂, S between traits and design, and
// E w̃w̃ᵀ.
func (w *worker) lane(lane int) {
	const lanes = kernel.Lanes
	f := w.fit
	known, first := f.Known, f.levels()
	for x := range w.theta {
		w.theta[x] = w.u[x*lanes+lane]
	}
	traits := w.theta[known:]
	if f.Levels {
		w.outer[0] = 1
	}
	for x, wx := range traits {
		row := w.k[kernel.Tri(known+x)*lanes+lane:]
		cross := w.cross[x*known:][:known]
		for y := range cross {
			cross[y] = row[y*lanes]
		}
		out := w.outer[kernel.Tri(first+x):]
		if f.Levels {
			out[0] = wx
		}
		for y := range x + 1 {
			out[first+y] = row[(known+y)*lanes] + wx*traits[y]
		}
	}
}

// forColumns adds a row to the sums of its columns.
func (w *worker) forColumns(lane int) {
	f := w.fit
	own, known, first, stride := f.own(), f.Known, f.levels(), f.stride()
	if own == 0 {
		return
	}
	w.lane(lane)
	tri := kernel.Tri(own)
	for e, c := range w.columns[lane] {
		j := int(c)
		design := w.table[j*w.width:][:known]
		y := w.targets[lane][e] - dot(design, w.theta[:known])
		if f.Levels {
			y += f.Columns[j*own]
		}
		to := w.into.columns[j*stride:][:stride]
		add(to[:tri], w.outer)
		right := to[tri:]
		if f.Levels {
			right[0] += y
		}
		for x := range f.Rank {
			right[first+x] += w.theta[known+x]*y - dot(w.cross[x*known:][:known], design)
		}
	}
}
