package remainder

import (
	"bytes"
	"context"
	"encoding/gob"
	"math"

	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// error is Σ E (x − μ − c − hᵀθ)² given the columns that the sums were made with.
// As θ̂ solves (Σ⁻¹ + G/σ²)θ̂ = Σ⁻¹(m + Bz) + y/σ² with G = Σ_j E hhᵀ, and S is the
// inverse of that matrix, tr(G(S + θ̂θ̂ᵀ)) needs no second look at the entries.
func (l *learner) error(s *Sums) float64 {
	inside := dense.Dot(l.pull, s.Mean) + dense.Dot(l.lean, s.Cross) + l.rows*float64(l.fit.size()) - dense.Dot(l.inverse, s.Second)
	return max(s.Square-s.Explained+l.fit.Noise*inside, 1e-13*s.Square)
}

// pass solves all rows given the columns and adds up what a step needs.
func (l *learner) pass(ctx context.Context) (*Sums, error) {
	with := of(l.fit, l.design)
	l.inverse, l.pull, l.lean = with.ready.inverse, with.ready.pull, with.ready.lean
	if l.ask == nil {
		return pass.One[*Sums](ctx, l.Values, l.threads, stepping{with})
	}
	answer, err := l.ask("remainder "+with.Fit.Name()+" "+with.Design.Name(), func() ([]byte, error) {
		sums, err := pass.One[*Sums](ctx, l.Values, l.threads, stepping{with})
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		err = gob.NewEncoder(&out).Encode(sums)
		return out.Bytes(), err
	})
	if err != nil {
		return nil, err
	}
	sums := new(Sums)
	return sums, gob.NewDecoder(bytes.NewReader(answer)).Decode(sums)
}

// prepared is what solving rows needs, for a fit that no longer changes.
type prepared struct {
	fit           *Fit
	inverse, pull []float64 // Σ⁻¹ and Σ⁻¹m
	lean          []float64 // Σ⁻¹B
	floor         float64   // of pivots
	table         []float64 // m×width: h_j
	width         int
	logSpread     float64 // log|Σ|
	all           []int32 // 0, 1, ...

	// For short rows; nil: there are none.
	through []float64 // m×width: Σh_j
	spread  []float64 // Σ in lines of the width
	leaning []float64 // Σ⁻¹B, turned, in lines of the width
}

// prepare sets Σ⁻¹ and the table of h_j.
func prepare(f *Fit) *prepared {
	d, own, first := f.size(), f.own(), f.levels()
	p := &prepared{fit: f, width: kernel.GramWidth(d)}
	p.inverse, p.logSpread = inverse(f.Spread, d)
	p.floor = floor(f.Spread, d)
	p.pull = product(p.inverse, f.Prior, d)
	if f.Habits != nil {
		p.lean = f.Habits.leaning(p.inverse, d)
	}
	m := 0
	if f.Known > 0 {
		m = len(f.Design) / f.Known
	} else if own > 0 {
		m = len(f.Columns) / own
	}
	p.table = make([]float64, m*p.width)
	for j := range m {
		row := p.table[j*p.width:]
		copy(row, f.Design[j*f.Known:][:f.Known])
		copy(row[f.Known:], f.Columns[j*own+first:][:f.Rank])
	}
	p.all = make([]int32, max(d, f.habits()))
	for x := range p.all {
		p.all[x] = int32(x)
	}
	p.prepareShort()
	return p
}

// solver solves rows, eight side by side.
type solver struct {
	*prepared
	columns [kernel.Lanes][]int32
	targets [kernel.Lanes][]float64 // x − μ − c
	h       []float64               // gathered h_j of a row

	k, y, u, scratch []float64 // lane arrays: precision, right-hand side, θ̂
	extra            []float64 // Σ_j Cov v_j, packed
	theta            []float64
	cross            []float64 // S between design and traits, and θ̂ of the design behind it: known lines
	told             []float64 // what a column's design tells of them
	outer            []float64 // E w̃w̃ᵀ, packed
	logs             []float64 // log|S| of each lane
	habits           []float64 // z of each lane, one after the other
	line, ones       []float64
}

func newSolver(p *prepared) *solver {
	d, own := p.fit.size(), p.fit.own()
	vector := func(n int) []float64 { return make([]float64, n*kernel.Lanes) }
	return &solver{
		prepared: p, line: make([]float64, p.width), logs: make([]float64, kernel.Lanes), habits: make([]float64, p.fit.habits()*kernel.Lanes),
		k: vector(kernel.Tri(d)), y: vector(d), u: vector(d), scratch: vector(d), extra: make([]float64, kernel.Tri(p.fit.Rank)),
		theta: make([]float64, d), cross: make([]float64, p.fit.Known*kernel.Pad(p.fit.Rank+1)), told: make([]float64, kernel.Pad(p.fit.Rank+1)), outer: make([]float64, kernel.Tri(own)),
	}
}

// fill puts a row into a lane: G = Σ E hhᵀ into k, y = Σ E h(x − μ − c). It returns
// Σ E (x − μ − c)². The columns are increasing.
func (w *solver) fill(lane int, columns []int32, values []float64) (square float64) {
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
		t := values[e] - f.Mean
		cov := f.Error[j*tri:][:tri]
		if f.Levels {
			t -= f.Columns[j*own]
			square += cov[0]
		}
		w.targets[lane] = append(w.targets[lane], t)
		copy(w.h[e*w.width:][:w.width], w.table[j*w.width:][:w.width])
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
		square += t * t
	}
	if d == 0 {
		return square
	}
	kernel.Correlate(w.line, w.targets[lane], columns, w.table, w.width)
	for x, v := range w.line[:d] {
		w.y[x*lanes+lane] += v
	}
	if h := f.Habits; h != nil {
		for len(w.ones) < len(columns) {
			w.ones = append(w.ones, 1)
		}
		kernel.Correlate(w.line, w.ones[:len(columns)], columns, w.table, w.width)
		h.of(w.habit(lane), w.line[:f.Known], len(columns))
	}
	kernel.Gram(w.k, lane, w.h, len(columns), w.width, d)
	at := 0
	for x := range f.Rank {
		for y := range x + 1 {
			w.k[(kernel.Tri(f.Known+x)+f.Known+y)*lanes+lane] += w.extra[at]
			at++
		}
	}
	return square
}

// habit is z of a lane.
func (w *solver) habit(lane int) []float64 {
	q := w.fit.habits()
	return w.habits[lane*q:][:q]
}

// solve sets u to θ̂, k to S and logs to log|S|, for each lane.
func (w *solver) solve(used int) {
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
	if q := w.fit.habits(); q > 0 {
		for lane := range used {
			z := w.habit(lane)
			for x := range d {
				w.u[x*lanes+lane] += dense.Dot(w.lean[x*q:][:q], z)
			}
		}
	}
	kernel.Cholesky(w.k, d, w.floor)
	for lane := range used {
		w.logs[lane] = 0
		p := 1.0 // products of a few pivots: fewer logarithms, none out of range
		for x := range d {
			p *= w.k[(kernel.Tri(x)+x)*lanes+lane]
			if x%8 == 7 || x == d-1 {
				w.logs[lane] += 2 * math.Log(p)
				p = 1
			}
		}
	}
	kernel.Solve(w.k, w.u, d)
	kernel.Inverse(w.k, w.scratch, d)
	for lane := range used {
		sum := 0.0
		for x := range d {
			sum += w.u[x*lanes+lane]
		}
		if !finite(sum) { // only rounding can bring it here
			for x, v := range w.fit.Prior {
				w.u[x*lanes+lane] = v
			}
		}
	}
}

// collect adds what the lanes in use give.
func (w *stepper) collect(used int) {
	const lanes = kernel.Lanes
	d := w.fit.size()
	for _, v := range w.logs[:used] {
		w.into.Logs += v
	}
	kernel.AddMoments(w.mean, w.second, &w.into.Explained, w.u, w.k, w.y, d, used)
	for lane := range used {
		if q := w.fit.habits(); q > 0 {
			z := w.habit(lane)
			for x := range d {
				dense.Axpy(w.u[x*lanes+lane], z, w.into.Cross[x*q:][:q])
			}
		}
		if w.fit.own() > 0 {
			w.lane(lane)
			w.forColumns(w.columns[lane], w.targets[lane])
		}
	}
}

// lane takes the posterior of a lane apart: θ̂, S between traits and design, and
// E w̃w̃ᵀ.
func (w *solver) lane(lane int) {
	const lanes = kernel.Lanes
	f := w.fit
	known, first := f.Known, f.levels()
	for x := range w.theta {
		w.theta[x] = w.u[x*lanes+lane]
	}
	traits := w.theta[known:]
	wide := kernel.Pad(f.Rank + 1)
	for y, v := range w.theta[:known] {
		w.cross[y*wide+f.Rank] = v
	}
	if f.Levels {
		w.outer[0] = 1
	}
	for x, wx := range traits {
		row := w.k[kernel.Tri(known+x)*lanes+lane:]
		for y := range known {
			w.cross[y*wide+x] = row[y*lanes]
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

// forColumns adds a row whose posterior was taken apart to the sums of its columns.
func (w *stepper) forColumns(columns []int32, targets []float64) {
	f := w.fit
	own, known, first, stride := f.own(), f.Known, f.levels(), f.stride()
	tri := kernel.Tri(own)
	for e, c := range columns {
		j := int(c)
		kernel.Correlate(w.told, w.table[j*w.width:][:known], w.all[:known], w.cross, len(w.told))
		y := targets[e] - w.told[f.Rank]
		if f.Levels {
			y += f.Columns[j*own]
		}
		to := w.into.Columns[j*stride:][:stride]
		add(to[:tri], w.outer)
		right := to[tri:]
		if f.Levels {
			right[0] += y
		}
		for x := range f.Rank {
			right[first+x] += w.theta[known+x]*y - w.told[x]
		}
	}
}
