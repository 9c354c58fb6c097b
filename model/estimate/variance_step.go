package estimate

import (
	"math"
	"sync"

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// varianceStep is the reading of a step of learning variances.
type varianceStep struct {
	Given rowsGiven
	kept  []keptGrams // nil: none, or the pass was sent

	once  sync.Once
	table []float64 // see rowsWorker.table
}

// mostTabled is the most columns that have a table of their products.
const mostTabled = 2048

// makeTable makes the products of all columns if short rows need them often enough.
func (p *varianceStep) makeTable(s data.Source, w *rowsWorker) {
	n, m := s.Dims()
	if m > mostTabled {
		return
	}
	needed := 0.0
	for i := range n {
		if e := s.Entries(i); few(e, w.d) {
			needed += float64(e * e)
		}
	}
	if needed < 2*float64(m*m) {
		return
	}
	columns := make([]int32, m)
	for c := range columns {
		columns[c] = int32(c)
	}
	p.table = make([]float64, kernel.Tri(m))
	w.gram(p.table, nil, columns)
}

// Start makes a worker.
func (p *varianceStep) Start(in *pass.Input) (pass.Worker, error) {
	d, rows := len(p.Given.Gamma), p.Given.worker()
	p.once.Do(func() { p.makeTable(in.Source, &rows) })
	rows.table = p.table
	vector := func(n int) []float64 { return make([]float64, n*kernel.Lanes) }
	return &varianceWorker{
		rowsWorker: rows, kept: p.kept, sums: newVarianceSums(d),
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
	for x, v := range w.mean {
		s.Means[x] += v * v
		s.Free[x] += w.free[x]
		s.FreeSquares[x] += w.free[x] * w.free[x]
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
	w.rows = laneGram(triangles, lane, w.rows, w.design, w.d, columns, w.weight)
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

func init() { pass.Register("variances", &varianceStep{}, new(varianceSums)) }
