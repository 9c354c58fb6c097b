package estimate

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/pass"
)

// rowsGiven is a model of rows with known variances.
type rowsGiven struct {
	Design  *pass.Shared[[]float64] // a constant and features of every column
	Gamma   []float64               // variances of the level and of the features, in parts of the noise
	Noise   float64
	Mean    float64
	Columns *pass.Shared[[]float64] // nil: none
	Loss    loss.Scaled
	Unit    float64 // mean weight of the entries: theirs are in parts of it
}

// rowsWorker takes one row after the other.
type rowsWorker struct {
	rowsGiven
	design, columns []float64
	d               int
	root            []float64 // of the variances
	linked          bool

	offset, rest, weight []float64 // of the entries of a row: what is predicted, working response less that, weight

	// In the space of the entries.
	turned, packed, system []float64 // S Xᵀ, X S² Xᵀ, I + W^½ X S² Xᵀ W^½ or its factor
	beta, at               []float64
	lines                  []float64 // L⁻¹ W^½ X S

	scores, inside float64 // see score
}

func (g *rowsGiven) worker() rowsWorker {
	w := rowsWorker{rowsGiven: *g, design: g.Design.Get(), d: len(g.Gamma), root: make([]float64, len(g.Gamma)), linked: g.Loss.Loss != loss.Squared}
	if g.Columns != nil {
		w.columns = g.Columns.Get()
	}
	for x, v := range g.Gamma {
		w.root[x] = math.Sqrt(v)
	}
	return w
}

// newtonSteps of a row whose loss is not a square; each moves no prediction by more than
// twice loss.Step, and they end when none moves by more than newtonNear of it.
const (
	newtonSteps = 12
	newtonNear  = 1e-3
)

// begin takes the entries of a row as they are before any step.
func (w *rowsWorker) begin(columns []int32, values, weights []float64) {
	n := len(columns)
	w.offset, w.rest, w.weight = dense.Resize(w.offset, n), dense.Resize(w.rest, n), dense.Resize(w.weight, n)
	for e, c := range columns {
		w.offset[e] = w.Mean
		if w.columns != nil {
			w.offset[e] += w.columns[c]
		}
		w.respond(e, values[e], w.offset[e], weights)
	}
}

// respond sets the working response of an entry that is predicted as x.
func (w *rowsWorker) respond(e int, value, x float64, weights []float64) {
	w.rest[e], w.weight[e] = value-w.offset[e], 1
	if w.linked {
		response, weight := w.Loss.Working(value, x)
		w.rest[e], w.weight[e] = response-w.offset[e], weight
	}
	if weights != nil {
		w.weight[e] *= weights[e] / w.Unit
	}
}

// score adds up what a loss with a unit tells of the noise, where the entries are predicted so.
func (w *rowsWorker) score(values, predicted, weights []float64) {
	w.scores, w.inside = 0, 0
	if !w.Loss.Loss.HasUnit() {
		return
	}
	for e, v := range values {
		x, by := w.offset[e]+predicted[e], 1.0
		if weights != nil {
			by = weights[e] / w.Unit
		}
		_, weight := w.Loss.Working(v, x)
		w.scores += by * weight * weight * (v - x) * (v - x)
		if weight > 1-1e-9 {
			w.inside += by
		}
	}
}

// deviance is twice the loss of an entry.
func (w *rowsWorker) deviance(e int, value, x float64, weights []float64) float64 {
	value = 2 * w.Loss.Value(value, x)
	if weights != nil {
		value *= weights[e] / w.Unit
	}
	return value
}

// short solves a row in the space of its entries: with M = I + W^½XS²XᵀW^½ = LLᵀ, the lines
// are L⁻¹W^½XS and beta is L⁻¹W^½a, so that v = linesᵀbeta and I − K⁻¹ = linesᵀlines.
func (w *rowsWorker) short(columns []int32, values, weights []float64) (logDet, square, explained, deviance float64) {
	n, d := len(columns), w.d
	w.begin(columns, values, weights)
	width := kernel.GramWidth(n)
	w.turned, w.packed = dense.Resize(w.turned, d*width), dense.Resize(w.packed, kernel.Tri(n))
	clear(w.turned)
	clear(w.packed)
	w.lines = dense.Resize(w.lines, n*d)
	for e, c := range columns {
		for x, b := range w.design[int(c)*d:][:d] {
			b *= w.root[x]
			w.turned[x*width+e], w.lines[e*d+x] = b, b
		}
	}
	kernel.PackedGram(w.packed, w.turned, d, width, n)
	w.system, w.beta, w.at = dense.Resize(w.system, n*n), dense.Resize(w.beta, n), dense.Resize(w.at, n)
	clear(w.at) // what is predicted besides the offset
	steps := 1
	if w.linked {
		steps = newtonSteps
	}
	for step := range steps {
		for e := range n {
			root := math.Sqrt(w.weight[e])
			w.beta[e] = root * w.rest[e]
			for f, v := range w.packed[kernel.Tri(e):][:e+1] {
				w.system[e*n+f] = root * v * math.Sqrt(w.weight[f])
			}
			w.system[e*n+e]++
		}
		if !dense.Cholesky(w.system, n, 0) {
			return math.NaN(), 0, 0, 0
		}
		if !w.linked || step == steps-1 || !w.advance(columns, values, weights, n) {
			break
		}
	}
	for e := range n { // forward substitution, of beta and the lines
		row := w.system[e*n:][:n]
		root := math.Sqrt(w.weight[e])
		line := w.lines[e*d:][:d]
		for x := range line {
			line[x] *= root
		}
		square += w.beta[e] * w.beta[e]
		for f := range e {
			w.beta[e] -= row[f] * w.beta[f]
			floats.AddScaled(line, -row[f], w.lines[f*d:][:d])
		}
		by := 1 / row[e]
		w.beta[e] *= by
		for x := range line {
			line[x] *= by
		}
		logDet += 2 * math.Log(row[e])
		explained += w.beta[e] * w.beta[e]
	}
	explained = square - explained // aᵀWa − aᵀW^½M⁻¹W^½a
	if w.Loss.Loss.Linked() {
		for e, v := range values {
			deviance += w.deviance(e, v, w.offset[e]+w.at[e], weights)
		}
	}
	w.score(values, w.at, weights)
	return logDet, square, explained, deviance
}

// advance makes a Newton step of the predictions, and takes the working responses there. It
// tells whether the responses moved; if not they are as they were.
func (w *rowsWorker) advance(columns []int32, values, weights []float64, n int) bool {
	alpha := dense.Resize(nil, n)
	copy(alpha, w.beta)
	dense.CholeskySolve(w.system, n, alpha)
	for e := range alpha {
		alpha[e] *= math.Sqrt(w.weight[e])
	}
	to, far := make([]float64, n), 0.0
	for e := range n {
		for f := range n {
			to[e] += w.packed[kernel.Tri(max(e, f))+min(e, f)] * alpha[f]
		}
		far = max(far, math.Abs(to[e]-w.at[e]))
	}
	if !(far > newtonNear*min(w.Loss.Step(), math.MaxFloat64)) {
		copy(w.at, to)
		return false
	}
	by := min(1, 2*w.Loss.Step()/far)
	for e := range n {
		w.at[e] += by * (to[e] - w.at[e])
		w.respond(e, values[e], w.offset[e]+w.at[e], weights)
	}
	return true
}

// varianceStep is the reading of a step of learning variances.
type varianceStep struct {
	Given rowsGiven
	kept  []keptGrams // nil: none, or the pass was sent
}

// Start makes a worker.
func (p *varianceStep) Start(in *pass.Input) (pass.Worker, error) {
	d := len(p.Given.Gamma)
	vector := func(n int) []float64 { return make([]float64, n*kernel.Lanes) }
	return &varianceWorker{
		rowsWorker: p.Given.worker(), kept: p.kept, sums: newVarianceSums(d),
		gram: vector(kernel.Tri(d)), k: vector(kernel.Tri(d)), y: vector(d), u: vector(d), scratch: vector(d),
	}, nil
}

// varianceWorker adds rows up: long ones eight side by side.
type varianceWorker struct {
	rowsWorker
	kept                   []keptGrams
	sums                   *varianceSums
	gram, k, y, u, scratch []float64 // by lanes
	rows                   []float64
}

// Add adds the rows of a chunk.
func (w *varianceWorker) Add(c *pass.Chunk) error {
	var group [kernel.Lanes]int
	n, at := 0, 0
	for i := c.First; i < c.End; i++ {
		columns, values := c.Row(i)
		switch {
		case len(columns) == 0:
		case few(len(columns), w.d):
			w.addShort(columns, values, c.Weights(i))
		default:
			group[n] = i
			n++
		}
		if n == kernel.Lanes || n > 0 && i+1 == c.End {
			w.addGroup(c, at, group[:n])
			at, n = at+1, 0
		}
	}
	return nil
}

// addShort adds a row with few entries.
func (w *varianceWorker) addShort(columns []int32, values, weights []float64) {
	logDet, square, explained, deviance := w.short(columns, values, weights)
	s := w.sums
	s.Rows++
	s.Entries += float64(len(columns))
	s.LogDet += logDet
	s.Square += square
	s.Explained += explained
	s.Deviance += deviance
	s.Scores += w.scores
	s.Inside += w.inside
	w.y, w.u = w.y[:w.d*kernel.Lanes], w.u[:w.d*kernel.Lanes]
	mean, free := w.y[:w.d], w.u[:w.d]
	clear(mean)
	clear(free)
	for e := range columns {
		for x, t := range w.lines[e*w.d:][:w.d] {
			mean[x] += t * w.beta[e]
			free[x] += t * t
		}
	}
	for x, v := range mean {
		s.Means[x] += v * v
		s.Free[x] += free[x]
		s.FreeSquares[x] += free[x] * free[x]
	}
}

// products is XᵀX of a group's rows, kept or made now.
func (w *varianceWorker) products(c *pass.Chunk, at int, group []int) []float64 {
	if w.kept == nil {
		clear(w.gram)
		for lane, i := range group {
			w.addGram(c, w.gram, lane, i)
		}
		return w.gram
	}
	kept := &w.kept[c.Number]
	size := len(w.gram)
	if at*size == len(kept.values) {
		kept.values = append(kept.values, make([]float64, size)...)
		for lane, i := range group {
			w.addGram(c, kept.values[at*size:], lane, i)
		}
	}
	return kept.values[at*size:][:size]
}

// addGram adds XᵀWX of a row to a lane, with the weights of begin and respond.
func (w *varianceWorker) addGram(c *pass.Chunk, triangles []float64, lane, i int) {
	columns, values := c.Row(i)
	if !w.linked {
		w.begin(columns, values, c.Weights(i))
	}
	width := kernel.GramWidth(w.d)
	w.rows = dense.Resize(w.rows, len(columns)*width)
	for e, c := range columns {
		root := math.Sqrt(w.weight[e])
		row := w.rows[e*width:][:width]
		for x, b := range w.design[int(c)*w.d:][:w.d] {
			row[x] = root * b
		}
		clear(row[w.d:])
	}
	kernel.Gram(triangles, lane, w.rows, len(columns), width, w.d)
}

// predict is what a lane's coefficients add to the offset of a column.
func (w *varianceWorker) predict(lane int, column int32) (x float64) {
	for f, b := range w.design[int(column)*w.d:][:w.d] {
		x += b * w.root[f] * w.u[f*kernel.Lanes+lane]
	}
	return x
}

// addGroup solves the rows of a group and adds them to the sums.
func (w *varianceWorker) addGroup(c *pass.Chunk, at int, group []int) {
	const lanes = kernel.Lanes
	d, s := w.d, w.sums
	steps := 1
	var predicted [][]float64
	if w.linked {
		steps = newtonSteps
		predicted = make([][]float64, len(group))
	}
	square := 0.0
	for step := range steps {
		gram := w.gram
		if !w.linked {
			gram = w.products(c, at, group)
		} else {
			clear(gram)
		}
		clear(w.y)
		moved := false
		square = 0
		for lane, i := range group {
			columns, values := c.Row(i)
			weights := c.Weights(i)
			w.begin(columns, values, weights)
			if w.linked {
				if step == 0 {
					predicted[lane] = make([]float64, len(columns))
				} else {
					moved = w.move(lane, columns, predicted[lane]) || moved
				}
				for e, v := range values {
					w.respond(e, v, w.offset[e]+predicted[lane][e], weights)
				}
				w.addGram(c, gram, lane, i)
			}
			for e, c := range columns {
				by := w.weight[e] * w.rest[e]
				for x, b := range w.design[int(c)*d:][:d] {
					w.y[x*lanes+lane] += b * by
				}
				square += by * w.rest[e]
			}
		}
		for x := range d {
			for y := range x + 1 {
				by := w.root[x] * w.root[y]
				from, to := lanesIn(gram, kernel.Tri(x)+y), lanesIn(w.k, kernel.Tri(x)+y)
				for lane := range to {
					to[lane] = by * from[lane]
				}
			}
			right, u, pivot := lanesIn(w.y, x), lanesIn(w.u, x), lanesIn(w.k, kernel.Tri(x)+x)
			for lane := range u {
				right[lane] *= w.root[x]
				u[lane] = right[lane]
				pivot[lane]++
			}
		}
		kernel.Cholesky(w.k, d, 1)
		kernel.Solve(w.k, w.u, d)
		if step > 0 && !moved {
			break
		}
	}
	s.Square += square
	for lane, i := range group {
		columns, values := c.Row(i)
		s.Rows++
		s.Entries += float64(len(columns))
		if w.linked {
			weights := c.Weights(i)
			w.begin(columns, values, weights)
			w.score(values, predicted[lane], weights)
			s.Scores += w.scores
			s.Inside += w.inside
			for e, v := range values {
				if w.Loss.Loss.Linked() {
					s.Deviance += w.deviance(e, v, w.offset[e]+predicted[lane][e], weights)
				}
			}
		}
	}
	for x := range d {
		pivot := lanesIn(w.k, kernel.Tri(x)+x) // its reciprocal
		for _, r := range pivot[:len(group)] {
			s.LogDet -= 2 * math.Log(r)
		}
	}
	kernel.Inverse(w.k, w.scratch, d)
	for x := range d {
		right, u, inverse := lanesIn(w.y, x), lanesIn(w.u, x), lanesIn(w.k, kernel.Tri(x)+x)
		for lane := range len(group) {
			free := 1 - inverse[lane]
			s.Explained += u[lane] * right[lane]
			s.Means[x] += u[lane] * u[lane]
			s.Free[x] += free
			s.FreeSquares[x] += free * free
		}
	}
}

// move takes the predictions of a lane along a Newton step, and tells whether they moved.
func (w *varianceWorker) move(lane int, columns []int32, predicted []float64) bool {
	far := 0.0
	to := make([]float64, len(columns))
	for e, c := range columns {
		to[e] = w.predict(lane, c)
		far = max(far, math.Abs(to[e]-predicted[e]))
	}
	by := 1.0
	if far > 2*w.Loss.Step() {
		by = 2 * w.Loss.Step() / far
	}
	for e := range to {
		predicted[e] += by * (to[e] - predicted[e])
	}
	return far > newtonNear*w.Loss.Step()
}

func lanesIn(x []float64, at int) *[kernel.Lanes]float64 {
	return (*[kernel.Lanes]float64)(x[at*kernel.Lanes:])
}

// Part is the sums so far.
func (w *varianceWorker) Part() (pass.Part, error) {
	s := w.sums
	w.sums = newVarianceSums(w.d)
	return s, nil
}

// varianceScores is the reading that tells what the evidence would gain if a feature that has
// none got a variance: it rises by half of Σ (b_fᵀM⁻¹r)²/σ² − b_fᵀM⁻¹b_f for each unit. The second is
// estimated by (b_fᵀL⁻ᵀz)² with random signs z, which has it as expectation.
type varianceScores struct {
	Given rowsGiven
	All   *pass.Shared[[]float64] // features of every column
	P     int
	Seed  uint64
}

// Start makes a worker.
func (p *varianceScores) Start(*pass.Input) (pass.Worker, error) {
	w, all := p.Given.worker(), p.All.Get()
	var signs, some, its []float64
	var at []int32
	one, two := make([]float64, p.P), make([]float64, p.P)
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(3 * p.P) }, func(part *pass.Sums, i int, columns []int32, values, weights []float64) error {
		if every := (len(columns) + mostScored - 1) / mostScored; every > 1 {
			at, some, its = at[:0], some[:0], its[:0]
			for e := i % every; e < len(columns); e += every {
				at, some = append(at, columns[e]), append(some, values[e])
				if weights != nil {
					its = append(its, weights[e])
				}
			}
			if columns, values = at, some; weights != nil {
				weights = its
			}
		}
		n := len(columns)
		if n < 2 {
			return nil
		}
		w.short(columns, values, weights) // leaves L in system, L⁻¹W^½a in beta
		signs = dense.Resize(signs, n)
		for e := range signs {
			signs[e] = 1
			if random.Hash(p.Seed, uint64(i), uint64(e))&1 == 0 {
				signs[e] = -1
			}
		}
		back(w.system, n, w.beta)
		back(w.system, n, signs)
		clear(one)
		clear(two)
		for e, c := range columns {
			root := math.Sqrt(w.weight[e])
			b := all[int(c)*p.P:][:p.P]
			dense.Axpy(root*w.beta[e], b, one)
			dense.Axpy(root*signs[e], b, two)
		}
		gain, expected, spread := part.Values[:p.P], part.Values[p.P:2*p.P], part.Values[2*p.P:]
		for f := range one {
			square := two[f] * two[f]
			gain[f] += one[f] * one[f] / p.Given.Noise
			expected[f] += square
			spread[f] += square * square / 3 // a square of a normal has three times its variance squared
		}
		return nil
	}), nil
}

// mostScored is how many entries of a row tell about features without a variance, at most.
const mostScored = 48

// back replaces x by L⁻ᵀx.
func back(l []float64, n int, x []float64) {
	for e := n - 1; e >= 0; e-- {
		x[e] /= l[e*n+e]
		dense.Axpy(-x[e], l[e*n:e*n+e], x[:e])
	}
}

func init() {
	pass.Register("variances", &varianceStep{}, new(varianceSums))
	pass.Register("variances", &varianceScores{}, new(pass.Sums))
}
