package objective

import (
	"context"

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

// twoSidedRows is what a pass needs of a block of rows. What is nil is not made.
type twoSidedRows struct {
	rows    int
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
}

// newBlock makes room for what y and the diagonal need, and if whole for all of G.
func (t *TwoSided) newBlock(whole bool) *twoSidedRows {
	b := &twoSidedRows{
		x: newPanels(t.p1), xx: newPanels(t.p1), y: newPanels(t.p2), d: newPanels(t.p2),
		work: make([]*twoSidedWork, twoSidedBlock/twoSidedGroup),
	}
	if whole {
		b.p, b.q = newPanels(kernel.Tri(t.p1)), newPanels(kernel.Tri(t.p2))
	}
	return b
}

// newColumnBlock makes room for columns of the G_i.
func (t *TwoSided) newColumnBlock(wanted []int) *twoSidedRows {
	b := &twoSidedRows{x: newPanels(t.p1), wanted: wanted, work: make([]*twoSidedWork, twoSidedBlock/twoSidedGroup)}
	for range wanted {
		b.columns = append(b.columns, newPanels(t.p2))
	}
	return b
}

// pass prepares the rows with entries, block after block, and calls use for
// each.
func (t *TwoSided) pass(ctx context.Context, block *twoSidedRows, use func()) error {
	for lo := 0; lo < len(t.rows); lo += twoSidedBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := t.rows[lo:min(len(t.rows), lo+twoSidedBlock)]
		block.rows = len(rows)
		groups := (len(rows) + twoSidedGroup - 1) / twoSidedGroup
		each(groups, t.threads, func(g int) {
			w := block.work[g]
			if w == nil {
				w = t.newWork()
				block.work[g] = w
			}
			for r := g * twoSidedGroup; r < min(len(rows), (g+1)*twoSidedGroup); r++ {
				t.prepare(block, w, r, int(rows[r]))
			}
		})
		use()
	}
	return ctx.Err()
}

func (t *TwoSided) newWork() *twoSidedWork {
	return &twoSidedWork{
		v:        make([]float64, twoSidedPart*t.width),
		triangle: make([]float64, kernel.Tri(t.p2)), y: make([]float64, t.p2),
		xx: make([]float64, max(t.p1, t.p2)), pairs: make([]float64, kernel.Tri(t.p1)),
	}
}

// prepare writes row i of the matrix as row r of the block.
func (t *TwoSided) prepare(block *twoSidedRows, w *twoSidedWork, r, i int) {
	t.gram(w, i, block.q != nil || block.wanted != nil)
	x := t.x[i*t.p1:][:t.p1]
	block.x.setRow(r, x)
	if block.y != nil {
		block.y.setRow(r, w.y)
		for l := range t.p2 {
			w.xx[l] = w.triangle[kernel.Tri(l)+l]
		}
		block.d.setRow(r, w.xx[:t.p2])
		for q, v := range x {
			w.xx[q] = v * v
		}
		block.xx.setRow(r, w.xx[:t.p1])
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
		column := w.xx[:t.p2]
		copy(column, w.triangle[kernel.Tri(l):][:l+1])
		for l2 := l + 1; l2 < t.p2; l2++ {
			column[l2] = w.triangle[kernel.Tri(l2)+l]
		}
		block.columns[c].setRow(r, column)
	}
}

// gram computes y_i and G_i of row i, or only the diagonal of G_i.
func (t *TwoSided) gram(w *twoSidedWork, i int, whole bool) {
	columns, values := t.matrix.Row(i)
	clear(w.triangle)
	clear(w.y)
	for len(columns) > 0 {
		part := min(twoSidedPart, len(columns))
		for e, c := range columns[:part] {
			b := t.b[int(c)*t.width:][:t.width]
			copy(w.v[e*t.width:], b)
			a := values[e]
			for l := range w.y {
				w.y[l] += a * b[l]
			}
			if !whole {
				for l := range w.y {
					w.triangle[kernel.Tri(l)+l] += b[l] * b[l]
				}
			}
		}
		if whole {
			kernel.PackedGram(w.triangle, w.v, part, t.width, t.p2)
		}
		columns, values = columns[part:], values[part:]
	}
}
