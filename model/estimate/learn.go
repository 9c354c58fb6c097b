package estimate

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// learner learns priors of one design on one set of observed entries, eight
// rows side by side. An entry of weight w has a w-th of the noise. What does not depend on the values, the rows' XᵀX, is
// kept once it was computed, so that learning again from other values costs little.
type learner struct {
	design  *pass.Shared[[]float64]
	d       int
	threads int
	kept    []keptGrams // of each chunk; nil: too many to keep
	every   int         // of this many blocks of rows, one is in the sample
}

// keptGrams is the packed triangles of the groups of a chunk, one after the other.
type keptGrams struct {
	values []float64
	made   []bool // of each group
}

// sampleRows is how many rows a sample to learn on has, about: their spread is
// then known to half a percent.
const sampleRows = 1 << 14

// learnBytes is the most memory that the rows' products may take unless a recipe
// says less.
const learnBytes = 512 << 20

// learnBlock is how many rows are in a sample together.
const learnBlock = 256

// newLearner prepares to learn. The rows' products are kept if they take at most
// this many bytes; zero means learnBytes.
func newLearner(s data.Source, design []float64, d, threads int, most int64) *learner {
	if most == 0 {
		most = learnBytes
	}
	l := &learner{design: pass.Share(design), d: d, threads: threads}
	chunks := data.Chunks(s)
	count := make([]int, len(chunks)-1)
	groups := 0
	for c := range count {
		eachGroup(s, chunks[c], chunks[c+1], func([]int) { count[c]++ })
		groups += count[c]
	}
	l.every = max(1, kernel.Lanes*groups/sampleRows)
	if size := kernel.Tri(d) * kernel.Lanes; int64(size)*int64(groups)*8 <= most {
		l.kept = make([]keptGrams, len(count))
		for c, groups := range count {
			l.kept[c].made = make([]bool, groups)
		}
	}
	return l
}

// eachGroup gives the rows with entries of first..end, up to eight at a time, all
// of one block of learnBlock rows.
func eachGroup(s data.Source, first, end int, use func(group []int)) {
	var group [kernel.Lanes]int
	n := 0
	for i := first; i < end; i++ {
		if s.Entries(i) > 0 {
			group[n] = i
			n++
		}
		if n == kernel.Lanes || n > 0 && (i+1 == end || (i+1)%learnBlock == 0) {
			use(group[:n])
			n = 0
		}
	}
}

// gram adds XᵀX of each row of a group to its lane.
func (w *learnWorker) gram(c *pass.Chunk, triangles []float64, group []int) {
	for lane, i := range group {
		columns, _ := c.Row(i)
		w.rows = laneGram(triangles, lane, w.rows, w.design, w.d, columns, c.Weights(i))
	}
}

// laneGram adds XᵀWX of a row to a lane; without weights W is I. It returns the memory it took.
func laneGram(triangles []float64, lane int, rows, design []float64, d int, columns []int32, weights []float64) []float64 {
	width := kernel.GramWidth(d)
	rows = dense.Resize(rows, len(columns)*width)
	for e, c := range columns {
		row := rows[e*width:][:width]
		clear(row[copy(row, design[int(c)*d:][:d]):])
		if weights != nil {
			floats.Scale(math.Sqrt(weights[e]), row[:d])
		}
	}
	kernel.Gram(triangles, lane, rows, len(columns), width, d)
	return rows
}

// learn takes steps from the given prior, at most this many (zero means
// priorSteps), until it hardly moves. It changes and returns that prior. Of many
// rows it learns on a sample, which knows the prior to half a percent, and takes one more
// step on all unless it is only to come near.
func (l *learner) learn(ctx context.Context, values data.Source, p *priorState, steps int, near bool) (*priorState, error) {
	if steps == 0 {
		steps = priorSteps
	}
	if err := l.steps(ctx, values, p, steps, l.every); err != nil {
		return nil, err
	}
	if l.every > 1 && !near {
		if err := l.steps(ctx, values, p, 1, 1); err != nil {
			return nil, err
		}
	}
	return p, p.invert()
}

// steps are those of learning, on one of every few blocks of rows.
func (l *learner) steps(ctx context.Context, values data.Source, p *priorState, most, every int) error {
	for range most {
		if err := p.invert(); err != nil {
			return err
		}
		step := &learnStep{Design: l.design, Prior: p.Prior, Every: every, kept: l.kept}
		total, err := pass.One[*priorSums](ctx, values, l.threads, step)
		if err != nil {
			return err
		}
		if !total.sound(p) || !p.maximise(total) {
			break
		}
	}
	return nil
}

// learnStep is the pass of one step of learning.
type learnStep struct {
	Design *pass.Shared[[]float64]
	Prior  Prior
	Every  int // one of this many blocks of rows is learned on

	kept []keptGrams // nil: none, or the pass was sent
}

// Start makes a worker.
func (p *learnStep) Start(in *pass.Input) (pass.Worker, error) {
	prior := &priorState{Prior: p.Prior}
	if err := prior.invert(); err != nil {
		return nil, err
	}
	d, floor := len(p.Prior.Mean), math.Inf(1)
	for x := range d {
		floor = min(floor, 1/prior.Covariance[x*d+x])
	}
	vector := func(n int) []float64 { return make([]float64, n*kernel.Lanes) }
	return &learnWorker{
		learnStep: p, source: in.Source, design: p.Design.Get(), d: d, prior: prior, floor: max(floor, tiny),
		k: vector(kernel.Tri(d)), y: vector(d), u: vector(d), scratch: vector(d),
		mean: vector(d), second: vector(kernel.Tri(d)), sums: newPriorSums(d),
	}, nil
}

// priorSums is what a step of learning needs of the rows.
type priorSums struct {
	Rows, Entries float64
	Mean          []float64 // Σ û
	Second        []float64 // Σ S + û ûᵀ, d×d
	Explained     float64   // Σ ûᵀXᵀa
	Square        float64   // Σ ‖a‖²
}

func newPriorSums(d int) *priorSums {
	return &priorSums{Mean: make([]float64, d), Second: make([]float64, d*d)}
}

// Merge adds the rows that follow.
func (p *priorSums) Merge(o pass.Part) {
	q := o.(*priorSums)
	p.Rows += q.Rows
	p.Entries += q.Entries
	p.Explained += q.Explained
	p.Square += q.Square
	dense.Axpy(1, q.Mean, p.Mean)
	dense.Axpy(1, q.Second, p.Second)
}

func init() { pass.Register("prior", &learnStep{}, new(priorSums)) }

// sound tells whether the sums can be what they stand for. Where rows are so badly
// conditioned that they cannot, being no numbers or explaining far more than there
// is, learning ends with the prior before.
func (p *priorSums) sound(prior *priorState) bool {
	sum := p.error(prior) + floats.Sum(p.Mean) + floats.Sum(p.Second)
	return !math.IsNaN(sum) && !math.IsInf(sum, 0) && math.Abs(p.Explained) <= 1e6*p.Square
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
	d := float64(len(p.Mean))
	inside := dense.Dot(prior.pull, p.Mean) + p.Rows*d - dense.Dot(prior.inverse, p.Second)
	return max(p.Square-p.Explained+prior.Noise*inside, 1e-13*p.Square)
}

// learnWorker adds up rows for one step.
type learnWorker struct {
	*learnStep
	source        data.Source
	design        []float64
	d             int
	prior         *priorState
	floor         float64   // of pivots: a precision is at least that of the prior
	k, y, u       []float64 // lane arrays: precision, Xᵀa, posterior mean
	scratch, rows []float64
	mean, second  []float64 // sums by lanes
	sums          *priorSums
}

// Add adds the groups of a chunk that are in the sample.
func (w *learnWorker) Add(c *pass.Chunk) error {
	at := 0
	eachGroup(w.source, c.First, c.End, func(group []int) {
		if group[0]/learnBlock%w.Every == 0 {
			w.solve(c, at, group, w.sums)
		}
		at++
	})
	return nil
}

// Part is the sums so far.
func (w *learnWorker) Part() (pass.Part, error) {
	sums := w.sums
	for x := range w.d {
		sums.Mean[x] = lanesOf(w.mean, x)
		for y := range x + 1 {
			v := lanesOf(w.second, kernel.Tri(x)+y)
			sums.Second[x*w.d+y], sums.Second[y*w.d+x] = v, v
		}
	}
	clear(w.mean)
	clear(w.second)
	w.sums = newPriorSums(w.d)
	return sums, nil
}

// lanesOf is the sum of a lane array.
func lanesOf(x []float64, at int) float64 {
	v := (*[kernel.Lanes]float64)(x[at*kernel.Lanes:])
	return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
}

// products is XᵀX of a group's rows, kept or made now.
func (w *learnWorker) products(c *pass.Chunk, at int, group []int) []float64 {
	size := kernel.Tri(w.d) * kernel.Lanes
	if w.kept == nil {
		clear(w.k)
		w.gram(c, w.k, group)
		return w.k
	}
	kept := &w.kept[c.Number]
	if kept.values == nil {
		kept.values = make([]float64, size*len(kept.made))
	}
	gram := kept.values[at*size : (at+1)*size]
	if !kept.made[at] {
		w.gram(c, gram, group)
		kept.made[at] = true
	}
	return gram
}

// solve finds û and S of each row of a group and adds them to the sums.
func (w *learnWorker) solve(c *pass.Chunk, at int, group []int, sums *priorSums) {
	const lanes = kernel.Lanes
	d := w.d
	gram := w.products(c, at, group)
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
	w.right(c, group, sums)
	for x := range d {
		for lane := range lanes {
			w.u[x*lanes+lane] = w.prior.pull[x] + by*w.y[x*lanes+lane]
		}
	}
	kernel.Cholesky(w.k, d, w.floor)
	kernel.Solve(w.k, w.u, d)
	kernel.Inverse(w.k, w.scratch, d)
	w.collect(len(group), sums)
}

// right sets y = Xᵀa for each row of a group.
func (w *learnWorker) right(c *pass.Chunk, group []int, sums *priorSums) {
	const lanes = kernel.Lanes
	clear(w.y) // of lanes without a row
	for lane, i := range group {
		at, a := c.Row(i)
		weights := c.Weights(i)
		y, square := w.scratch[:w.d], 0.0
		clear(y)
		for e, c := range at {
			by := a[e]
			if weights != nil {
				by *= weights[e]
			}
			b := w.design[int(c)*w.d:][:len(y)]
			for x := range y {
				y[x] += b[x] * by
			}
			square += by * a[e]
		}
		for x, v := range y {
			w.y[x*lanes+lane] = v
		}
		sums.Square += square
		sums.Rows++
		sums.Entries += float64(len(at))
	}
}

// collect adds û and S + ûûᵀ of the lanes in use.
func (w *learnWorker) collect(used int, sums *priorSums) {
	kernel.AddMoments(w.mean, w.second, &sums.Explained, w.u, w.k, w.y, w.d, used)
}
