package estimate

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
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
	table                  []float64 // X S² Xᵀ of all columns; nil: it is made for every row
	turned, packed, system []float64 // S Xᵀ, X S² Xᵀ, I + W^½ X S² Xᵀ W^½ or its factor
	beta, at               []float64
	lines                  []float64 // L⁻¹ W^½ X S
	mean, free             []float64 // linesᵀbeta, and the diagonal of linesᵀlines

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
	w.lines = dense.Resize(w.lines, n*d)
	w.gather(columns)
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
	w.mean, w.free = dense.Resize(w.mean, d), dense.Resize(w.free, d)
	clear(w.mean)
	clear(w.free)
	pivots := 1.0
	for e := range n { // forward substitution, of beta and the lines
		row := w.system[e*n:][:n]
		root := math.Sqrt(w.weight[e])
		line := w.lines[e*d:][:d]
		for x, b := range w.design[int(columns[e])*d:][:d] {
			line[x] = root * w.root[x] * b
		}
		square += w.beta[e] * w.beta[e]
		for f := range e {
			w.beta[e] -= row[f] * w.beta[f]
			floats.AddScaled(line, -row[f], w.lines[f*d:][:d])
		}
		by := 1 / row[e]
		w.beta[e] *= by
		beta, mean, free := w.beta[e], w.mean[:len(line)], w.free[:len(line)]
		for x, t := range line {
			t *= by
			line[x] = t
			mean[x] += t * beta
			free[x] += t * t
		}
		if pivots *= row[e]; pivots > 1e100 { // none is below 1
			logDet += 2 * math.Log(pivots)
			pivots = 1
		}
		explained += beta * beta
	}
	logDet += 2 * math.Log(pivots)
	explained = square - explained // aᵀWa − aᵀW^½M⁻¹W^½a
	if w.Loss.Loss.Linked() {
		for e, v := range values {
			deviance += w.deviance(e, v, w.offset[e]+w.at[e], weights)
		}
	}
	w.score(values, w.at, weights)
	return logDet, square, explained, deviance
}

// gather puts XS²Xᵀ of the columns in packed: from the table of all columns if there is one.
func (w *rowsWorker) gather(columns []int32) {
	n := len(columns)
	w.packed = dense.Resize(w.packed, kernel.Tri(n))
	if w.table != nil {
		for e, c := range columns {
			to, from := w.packed[kernel.Tri(e):][:e+1], w.table[kernel.Tri(int(c)):]
			for f := range to {
				to[f] = from[columns[f]]
			}
		}
		return
	}
	w.turned = w.gram(w.packed, w.turned, columns)
}

// gram makes XS²Xᵀ of columns, and returns the memory it took.
func (w *rowsWorker) gram(packed, turned []float64, columns []int32) []float64 {
	n := len(columns)
	width := kernel.GramWidth(n)
	turned = dense.Resize(turned, w.d*width)
	clear(turned)
	clear(packed)
	for e, c := range columns {
		for x, b := range w.design[int(c)*w.d:][:w.d] {
			turned[x*width+e] = w.root[x] * b
		}
	}
	kernel.PackedGram(packed, turned, w.d, width, n)
	return turned
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
