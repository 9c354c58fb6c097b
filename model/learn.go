package model

import (
	"context"

	"optcomplete/data"
	"optcomplete/internal/kernel"
)

// learner learns priors of one design on one set of observed entries, eight
// rows side by side. What does not depend on the values, the rows' XᵀX, is
// computed once, so that learning again from other values costs little.
type learner struct {
	design  []float64
	d       int
	threads int
	n       int
	groups  [][]int32 // rows with entries, eight at a time; a group lies in one block of rows
	blocks  []int     // the groups of block b are blocks[b]..blocks[b+1]
	grams   []float64 // packed triangles of all groups, nil: too many to keep
	longest int       // most entries of a row
}

// learnBytes is the most memory that the rows' products may take.
const learnBytes = 512 << 20

func newLearner(m *data.Matrix, design []float64, d, threads int) *learner {
	l := &learner{design: design, d: d, threads: threads, blocks: []int{0}}
	l.n, _ = m.Dims()
	for lo := 0; lo < l.n; lo += rowBlock {
		var rows []int32
		for i := lo; i < min(l.n, lo+rowBlock); i++ {
			if at, _ := m.Row(i); len(at) > 0 {
				rows = append(rows, int32(i))
				l.longest = max(l.longest, len(at))
			}
		}
		for len(rows) > 0 {
			take := min(kernel.Lanes, len(rows))
			l.groups = append(l.groups, rows[:take])
			rows = rows[take:]
		}
		l.blocks = append(l.blocks, len(l.groups))
	}
	if size := kernel.Tri(d) * kernel.Lanes * len(l.groups); size*8 <= learnBytes {
		l.grams = make([]float64, size)
		// Without a context nothing can fail.
		_ = forBlocks(context.Background(), l.n, threads, func() func(lo, hi int) error {
			var scratch []float64
			return func(lo, hi int) error {
				for g := l.blocks[lo/rowBlock]; g < l.blocks[lo/rowBlock+1]; g++ {
					scratch = l.gram(l.kept(g), m, l.groups[g], scratch)
				}
				return nil
			}
		})
	}
	return l
}

// kept is the place of a group's products.
func (l *learner) kept(g int) []float64 {
	size := kernel.Tri(l.d) * kernel.Lanes
	return l.grams[g*size : (g+1)*size]
}

// gram adds XᵀX of each row of a group to its lane.
func (l *learner) gram(triangles []float64, m *data.Matrix, group []int32, scratch []float64) []float64 {
	width := kernel.GramWidth(l.d)
	scratch = resize(scratch, l.longest*width)
	for lane, i := range group {
		at, _ := m.Row(int(i))
		for e, c := range at {
			copy(scratch[e*width:], l.design[int(c)*l.d:][:l.d])
		}
		kernel.Gram(triangles, lane, scratch, len(at), width, l.d)
	}
	return scratch
}

// learn takes steps from the given prior, at most so many (zero means
// priorSteps), until it hardly moves. It changes and returns that prior.
func (l *learner) learn(ctx context.Context, values *data.Matrix, p *priorState, steps int) (*priorState, error) {
	if steps == 0 {
		steps = priorSteps
	}
	for range steps {
		if err := p.invert(); err != nil {
			return nil, err
		}
		moments := make([]*priorSums, len(l.blocks)-1)
		err := forBlocks(ctx, l.n, l.threads, func() func(lo, hi int) error {
			w := l.newWorker(values, p)
			return func(lo, hi int) error {
				moments[lo/rowBlock] = w.block(lo / rowBlock)
				return nil
			}
		})
		if err != nil {
			return nil, err
		}
		total := newPriorSums(l.d)
		for _, sums := range moments {
			total.merge(sums)
		}
		if !p.maximise(total) {
			break
		}
	}
	return p, p.invert()
}

// coefficients solves every row by itself: the mean of its posterior, exactly
// as Prior.Posterior gives it.
func (l *learner) coefficients(ctx context.Context, values *data.Matrix, p *priorState) ([]float64, error) {
	out := make([]float64, l.n*l.d)
	return out, forBlocks(ctx, l.n, l.threads, func() func(lo, hi int) error {
		s := newPosterior(l.d)
		return func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				at, a := values.Row(i)
				s.solve(p, l.design, at, a, out[i*l.d:(i+1)*l.d])
			}
			return nil
		}
	})
}

// priorSums is what a step of learning needs of the rows.
type priorSums struct {
	rows, entries float64
	mean          []float64 // Σ û
	second        []float64 // Σ S + û ûᵀ, d×d
	explained     float64   // Σ ûᵀXᵀa
	square        float64   // Σ ‖a‖²
}

func newPriorSums(d int) *priorSums {
	return &priorSums{mean: make([]float64, d), second: make([]float64, d*d)}
}

func (p *priorSums) merge(q *priorSums) {
	p.rows += q.rows
	p.entries += q.entries
	p.explained += q.explained
	p.square += q.square
	axpy(1, q.mean, p.mean)
	axpy(1, q.second, p.second)
}

// error is Σ ‖a − Xû‖² + tr(X S Xᵀ) under the prior that the sums were made
// with. As û solves (Σ⁻¹ + XᵀX/σ²)û = Σ⁻¹μ + Xᵀa/σ², and S is the inverse of
// that matrix, it is
//
//	Σ‖a‖² − Σ ûᵀXᵀa + σ²·(μᵀΣ⁻¹Σû + rows·d − tr(Σ⁻¹ Σ(S + ûûᵀ))),
//
// which needs no second look at the entries. Digits cancel where the noise is
// next to nothing, so it is never less than rounding makes it.
func (p *priorSums) error(prior *priorState) float64 {
	d := float64(len(p.mean))
	inside := dot(prior.pull, p.mean) + p.rows*d - dot(prior.inverse, p.second)
	return max(p.square-p.explained+prior.Noise*inside, 1e-13*p.square)
}

// learnWorker adds up blocks of rows for one step.
type learnWorker struct {
	*learner
	values        *data.Matrix
	prior         *priorState
	k, y, u       []float64 // lane arrays: precision, Xᵀa, posterior mean
	scratch, rows []float64
	mean, second  []float64 // sums by lanes
}

func (l *learner) newWorker(values *data.Matrix, prior *priorState) *learnWorker {
	vector := func(n int) []float64 { return make([]float64, n*kernel.Lanes) }
	return &learnWorker{
		learner: l, values: values, prior: prior,
		k: vector(kernel.Tri(l.d)), y: vector(l.d), u: vector(l.d), scratch: vector(l.d),
		mean: vector(l.d), second: vector(kernel.Tri(l.d)),
	}
}

// block is the sums of one block of rows.
func (w *learnWorker) block(b int) *priorSums {
	sums := newPriorSums(w.d)
	clear(w.mean)
	clear(w.second)
	for g := w.blocks[b]; g < w.blocks[b+1]; g++ {
		w.solve(g, sums)
	}
	for x := range w.d {
		sums.mean[x] = lanesOf(w.mean, x)
		for y := range x + 1 {
			v := lanesOf(w.second, kernel.Tri(x)+y)
			sums.second[x*w.d+y], sums.second[y*w.d+x] = v, v
		}
	}
	return sums
}

// lanesOf is the sum of a lane array.
func lanesOf(x []float64, at int) float64 {
	v := (*[kernel.Lanes]float64)(x[at*kernel.Lanes:])
	return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
}

// solve finds û and S of each row of a group and adds them to the sums.
func (w *learnWorker) solve(g int, sums *priorSums) {
	const lanes = kernel.Lanes
	group, d := w.groups[g], w.d
	gram := w.k
	if w.grams != nil {
		gram = w.kept(g)
	} else {
		clear(w.k)
		w.rows = w.gram(w.k, w.values, group, w.rows)
	}
	by := 1 / w.prior.Noise
	for x := range d {
		for y, v := range w.prior.inverse[x*d:][:x+1] {
			at := (kernel.Tri(x) + y) * lanes
			from, to := (*[lanes]float64)(gram[at:]), (*[lanes]float64)(w.k[at:])
			for lane := range to {
				to[lane] = v + by*from[lane]
			}
		}
	}
	w.right(group, sums)
	for x := range d {
		for lane := range lanes {
			w.u[x*lanes+lane] = w.prior.pull[x] + by*w.y[x*lanes+lane]
		}
	}
	kernel.Cholesky(w.k, d, tiny)
	kernel.Solve(w.k, w.u, d)
	kernel.Inverse(w.k, w.scratch, d)
	w.collect(len(group), sums)
}

// right sets y = Xᵀa for each row of a group.
func (w *learnWorker) right(group []int32, sums *priorSums) {
	const lanes = kernel.Lanes
	clear(w.y)
	for lane, i := range group {
		at, a := w.values.Row(int(i))
		for e, c := range at {
			for x, b := range w.design[int(c)*w.d:][:w.d] {
				w.y[x*lanes+lane] += b * a[e]
			}
			sums.square += a[e] * a[e]
		}
		sums.rows++
		sums.entries += float64(len(at))
	}
}

// collect adds û and S + ûûᵀ of the lanes in use.
func (w *learnWorker) collect(used int, sums *priorSums) {
	const lanes = kernel.Lanes
	for x := range w.d {
		ux := (*[lanes]float64)(w.u[x*lanes:])
		clear(ux[used:])
		mean := (*[lanes]float64)(w.mean[x*lanes:])
		for lane := range used {
			sums.explained += ux[lane] * w.y[x*lanes+lane]
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
}
