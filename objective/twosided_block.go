package objective

import (
	"math"

	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
)

// twoSidedBlock is how many rows are multiplied at a time, and twoSidedGroup how
// many of them a thread prepares at a time.
const (
	twoSidedBlock = 256
	twoSidedGroup = 16
	twoSidedPart  = 256 // entries of a row gathered at a time
)

// panels is a matrix of up to twoSidedBlock rows, eight columns at a time.
type panels []float64

func newPanels(columns int) panels {
	return make(panels, kernel.Panels(columns)*twoSidedBlock*kernel.PanelWidth)
}

func (p panels) panel(a int) []float64 {
	const size = twoSidedBlock * kernel.PanelWidth
	return p[a*size : (a+1)*size]
}

func (p panels) place(r, c int) int {
	return (c/kernel.PanelWidth*twoSidedBlock+r)*kernel.PanelWidth + c%kernel.PanelWidth
}

// setRow writes row r.
func (p panels) setRow(r int, values []float64) {
	for c := 0; c < len(values); c += kernel.PanelWidth {
		copy(p[p.place(r, c):][:kernel.PanelWidth], values[c:])
	}
}

// scale writes x with every row multiplied by its own element q.
func (p panels) scale(x panels, q, count, rows int) {
	by := x[x.place(0, q):]
	for a := range count {
		from, to := x.panel(a)[:rows*kernel.PanelWidth], p.panel(a)
		for at, v := range from {
			to[at] = v * by[at&^(kernel.PanelWidth-1)]
		}
	}
}

// twoSidedRow is a row's entries, as long as its chunk is there.
type twoSidedRow struct {
	at      int
	columns []int32
	values  []float64
	weights []float64 // nil: there are none
}

// twoSidedRows is what a pass needs of a block of rows. What is nil is not made.
type twoSidedRows struct {
	of      []twoSidedRow
	x, xx   panels   // x_i and its squares
	y, d    panels   // y_i and the diagonal of G_i
	p, q    panels   // the triangles of x_i x_iᵀ and of G_i
	wanted  []int    // columns of G_i wanted by themselves
	columns []panels // those columns
	work    []*twoSidedWork
}

// twoSidedWork is one thread's scratch.
type twoSidedWork struct {
	v        []float64 // features of a part of a row's entries
	triangle []float64
	y        []float64
	xx       []float64
	pairs    []float64
	wanted   []float64 // columns of G_i wanted by themselves, where they are few
}

// newBlock makes room for what y and the diagonal need, and if whole for all of G.
func newBlock(p1, p2 int, whole bool) *twoSidedRows {
	b := &twoSidedRows{
		x: newPanels(p1), xx: newPanels(p1), y: newPanels(p2), d: newPanels(p2),
		work: make([]*twoSidedWork, twoSidedBlock/twoSidedGroup),
	}
	if whole {
		b.p, b.q = newPanels(kernel.Tri(p1)), newPanels(kernel.Tri(p2))
	}
	return b
}

// newColumnBlock makes room for columns of the G_i.
func newColumnBlock(p1, p2 int, wanted []int) *twoSidedRows {
	b := &twoSidedRows{x: newPanels(p1), wanted: wanted, work: make([]*twoSidedWork, twoSidedBlock/twoSidedGroup)}
	for range wanted {
		b.columns = append(b.columns, newPanels(p2))
	}
	return b
}

func (t *twoSidedWorker) newWork() *twoSidedWork {
	return &twoSidedWork{
		v:        make([]float64, twoSidedPart*t.width),
		triangle: make([]float64, kernel.Tri(t.Of.P2)), y: make([]float64, t.Of.P2),
		xx: make([]float64, max(t.Of.P1, t.Of.P2)), pairs: make([]float64, kernel.Tri(t.Of.P1)),
	}
}

// prepare writes row r of the block.
func (t *twoSidedWorker) prepare(w *twoSidedWork, r int) {
	block := t.block
	row := &block.of[r]
	if few := 2*len(block.wanted) <= t.Of.P2; block.wanted != nil && few {
		t.columnsOf(w, row, block.wanted)
	} else {
		t.gram(w, row.columns, row.values, row.weights, block.q != nil || block.wanted != nil)
	}
	x := t.Of.X.Get()[row.at*t.Of.P1:][:t.Of.P1]
	block.x.setRow(r, x)
	if block.y != nil {
		block.y.setRow(r, w.y)
		for l := range t.Of.P2 {
			w.xx[l] = w.triangle[kernel.Tri(l)+l]
		}
		block.d.setRow(r, w.xx[:t.Of.P2])
		for q, v := range x {
			w.xx[q] = v * v
		}
		block.xx.setRow(r, w.xx[:t.Of.P1])
	}
	if block.q != nil {
		for q, v := range x {
			for q2, v2 := range x[:q+1] {
				w.pairs[kernel.Tri(q)+q2] = v * v2
			}
		}
		block.p.setRow(r, w.pairs)
		block.q.setRow(r, w.triangle)
	}
	for c, l := range block.wanted {
		if 2*len(block.wanted) <= t.Of.P2 {
			block.columns[c].setRow(r, w.wanted[c*t.Of.P2:][:t.Of.P2])
			continue
		}
		column := w.xx[:t.Of.P2]
		copy(column, w.triangle[kernel.Tri(l):][:l+1])
		for l2 := l + 1; l2 < t.Of.P2; l2++ {
			column[l2] = w.triangle[kernel.Tri(l2)+l]
		}
		block.columns[c].setRow(r, column)
	}
}

// columnsOf computes some columns of G_i of a row, which is quicker than all of G_i where
// they are at most half.
func (t *twoSidedWorker) columnsOf(w *twoSidedWork, row *twoSidedRow, wanted []int) {
	p2 := t.Of.P2
	w.wanted = grow(w.wanted, len(wanted)*p2)[:len(wanted)*p2]
	clear(w.wanted)
	for e, c := range row.columns {
		b := t.b[int(c)*t.width:][:p2]
		by := 1.0
		if row.weights != nil {
			by = row.weights[e]
		}
		for x, l := range wanted {
			if v := by * b[l]; v != 0 {
				dense.Axpy(v, b, w.wanted[x*p2:][:p2])
			}
		}
	}
}

// gram computes y_i and G_i of a row, or only the diagonal of G_i.
func (t *twoSidedWorker) gram(w *twoSidedWork, columns []int32, values, weights []float64, whole bool) {
	clear(w.triangle)
	clear(w.y)
	for len(columns) > 0 {
		part := min(twoSidedPart, len(columns))
		for e, c := range columns[:part] {
			b := t.b[int(c)*t.width:][:t.width]
			line, a := w.v[e*t.width:][:t.width], values[e]
			copy(line, b)
			if weights != nil {
				a *= weights[e]
				root := math.Sqrt(weights[e])
				for l := range line {
					line[l] *= root
				}
			}
			for l := range w.y {
				w.y[l] += a * b[l]
			}
			if !whole {
				for l := range w.y {
					w.triangle[kernel.Tri(l)+l] += line[l] * line[l]
				}
			}
		}
		if whole {
			kernel.PackedGram(w.triangle, w.v, part, t.width, t.Of.P2)
		}
		columns, values = columns[part:], values[part:]
		if weights != nil {
			weights = weights[part:]
		}
	}
}
