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
	every   int       // of so many blocks, one is in the sample
}

// sampleRows is how many rows a sample to learn on has, about: their spread is
// then known to half a percent.
const sampleRows = 1 << 16

// learnBytes is the most memory that the rows' products may take unless a recipe
// says less.
const learnBytes = 512 << 20

// newLearner prepares to learn. The rows' products are kept if they take at most
// so many bytes; zero means learnBytes.
func newLearner(ctx context.Context, s data.Source, design []float64, d, threads int, most int64) (*learner, error) {
	if most == 0 {
		most = learnBytes
	}
	l := &learner{design: design, d: d, threads: threads, blocks: []int{0}}
	l.n, _ = s.Dims()
	for lo := 0; lo < l.n; lo += data.BlockRows {
		var rows []int32
		for i := lo; i < min(l.n, lo+data.BlockRows); i++ {
			if entries := s.Entries(i); entries > 0 {
				rows = append(rows, int32(i))
				l.longest = max(l.longest, entries)
			}
		}
		for len(rows) > 0 {
			take := min(kernel.Lanes, len(rows))
			l.groups = append(l.groups, rows[:take])
			rows = rows[take:]
		}
		l.blocks = append(l.blocks, len(l.groups))
	}
	l.every = max(1, kernel.Lanes*len(l.groups)/sampleRows)
	if size := kernel.Tri(d) * kernel.Lanes * len(l.groups); int64(size)*8 <= most {
		l.grams = make([]float64, size)
		err := data.ForBlocks(ctx, s, threads, func(r *data.RowReader) func(lo, hi int) error {
			w := &learnWorker{learner: l, reader: r}
			return func(lo, hi int) error {
				for g := l.blocks[lo/data.BlockRows]; g < l.blocks[lo/data.BlockRows+1]; g++ {
					if err := w.gram(l.kept(g), l.groups[g]); err != nil {
						return err
					}
				}
				return nil
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// kept is the place of a group's products.
func (l *learner) kept(g int) []float64 {
	size := kernel.Tri(l.d) * kernel.Lanes
	return l.grams[g*size : (g+1)*size]
}

// gram adds XᵀX of each row of a group to its lane.
func (w *learnWorker) gram(triangles []float64, group []int32) error {
	width := kernel.GramWidth(w.d)
	w.rows = resize(w.rows, w.longest*width)
	for lane, i := range group {
		at, _, err := w.reader.Row(int(i))
		if err != nil {
			return err
		}
		for e, c := range at {
			copy(w.rows[e*width:], w.design[int(c)*w.d:][:w.d])
		}
		kernel.Gram(triangles, lane, w.rows, len(at), width, w.d)
	}
	return nil
}

// learn takes steps from the given prior, at most so many (zero means
// priorSteps), until it hardly moves. It changes and returns that prior. Of many
// rows it learns on a sample first, which brings it near, and unless it is only
// to come near then on all.
func (l *learner) learn(ctx context.Context, values data.Source, p *priorState, steps int, near bool) (*priorState, error) {
	if steps == 0 {
		steps = priorSteps
	}
	if l.every > 1 {
		if err := l.steps(ctx, values, p, steps, l.every); err != nil {
			return nil, err
		}
	}
	if l.every == 1 || !near {
		if err := l.steps(ctx, values, p, steps, 1); err != nil {
			return nil, err
		}
	}
	return p, p.invert()
}

// steps are those of learning, on one of every so many blocks of rows.
func (l *learner) steps(ctx context.Context, values data.Source, p *priorState, most, every int) error {
	for range most {
		if err := p.invert(); err != nil {
			return err
		}
		moments := make([]*priorSums, len(l.blocks)-1)
		err := data.ForBlocks(ctx, values, l.threads, func(r *data.RowReader) func(lo, hi int) error {
			w := l.newWorker(r, p)
			return func(lo, hi int) (err error) {
				if b := lo / data.BlockRows; b%every == 0 {
					moments[b], err = w.block(b)
				}
				return err
			}
		})
		if err != nil {
			return err
		}
		total := newPriorSums(l.d)
		for b := 0; b < len(moments); b += every {
			total.merge(moments[b])
		}
		if !p.maximise(total) {
			break
		}
	}
	return nil
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
	reader        *data.RowReader // of what the design is to explain
	prior         *priorState
	k, y, u       []float64 // lane arrays: precision, Xᵀa, posterior mean
	scratch, rows []float64
	mean, second  []float64 // sums by lanes
}

func (l *learner) newWorker(r *data.RowReader, prior *priorState) *learnWorker {
	vector := func(n int) []float64 { return make([]float64, n*kernel.Lanes) }
	return &learnWorker{
		learner: l, reader: r, prior: prior,
		k: vector(kernel.Tri(l.d)), y: vector(l.d), u: vector(l.d), scratch: vector(l.d),
		mean: vector(l.d), second: vector(kernel.Tri(l.d)),
	}
}

// block is the sums of one block of rows.
func (w *learnWorker) block(b int) (*priorSums, error) {
	sums := newPriorSums(w.d)
	clear(w.mean)
	clear(w.second)
	for g := w.blocks[b]; g < w.blocks[b+1]; g++ {
		if err := w.solve(g, sums); err != nil {
			return nil, err
		}
	}
	for x := range w.d {
		sums.mean[x] = lanesOf(w.mean, x)
		for y := range x + 1 {
			v := lanesOf(w.second, kernel.Tri(x)+y)
			sums.second[x*w.d+y], sums.second[y*w.d+x] = v, v
		}
	}
	return sums, nil
}

// lanesOf is the sum of a lane array.
func lanesOf(x []float64, at int) float64 {
	v := (*[kernel.Lanes]float64)(x[at*kernel.Lanes:])
	return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
}

// solve finds û and S of each row of a group and adds them to the sums.
func (w *learnWorker) solve(g int, sums *priorSums) error {
	const lanes = kernel.Lanes
	group, d := w.groups[g], w.d
	gram := w.k
	if w.grams != nil {
		gram = w.kept(g)
	} else {
		clear(w.k)
		if err := w.gram(w.k, group); err != nil {
			return err
		}
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
	if err := w.right(group, sums); err != nil {
		return err
	}
	for x := range d {
		for lane := range lanes {
			w.u[x*lanes+lane] = w.prior.pull[x] + by*w.y[x*lanes+lane]
		}
	}
	kernel.Cholesky(w.k, d, tiny)
	kernel.Solve(w.k, w.u, d)
	kernel.Inverse(w.k, w.scratch, d)
	w.collect(len(group), sums)
	return nil
}

// right sets y = Xᵀa for each row of a group.
func (w *learnWorker) right(group []int32, sums *priorSums) error {
	const lanes = kernel.Lanes
	clear(w.y)
	for lane, i := range group {
		at, a, err := w.reader.Row(int(i))
		if err != nil {
			return err
		}
		for e, c := range at {
			for x, b := range w.design[int(c)*w.d:][:w.d] {
				w.y[x*lanes+lane] += b * a[e]
			}
			sums.square += a[e] * a[e]
		}
		sums.rows++
		sums.entries += float64(len(at))
	}
	return nil
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
