package objective

import (
	"slices"

	"optcomplete/internal/kernel"
	"optcomplete/internal/lists"
	"optcomplete/internal/parallel"
	"optcomplete/pass"
)

// twoSidedOf describes products: features of the rows and of the columns.
type twoSidedOf struct {
	X, B   *pass.Shared[[]float64] // n×P1, m×P2
	P1, P2 int
	padded []float64 // B with rows of width; nil: to be made
}

func (o *twoSidedOf) width() int { return kernel.GramWidth(o.P2) }

// pad makes the padded features, if they are not there.
func (o *twoSidedOf) pad() []float64 {
	if o.padded != nil {
		return o.padded
	}
	b, width := o.B.Get(), o.width()
	m := 0
	if o.P2 > 0 {
		m = len(b) / o.P2
	}
	padded := make([]float64, m*width)
	for j := range m {
		copy(padded[j*width:], b[j*o.P2:][:o.P2])
	}
	return padded
}

// unpanel puts a p₁×p₂ matrix of 8×8 blocks in the order of the products.
func (o *twoSidedOf) unpanel(blocks []float64) []float64 {
	const w = kernel.PanelWidth
	out := make([]float64, o.P1*o.P2)
	for q := range o.P1 {
		for l := range o.P2 {
			out[q*o.P2+l] = blocks[((q/w*kernel.Panels(o.P2)+l/w)*w+q%w)*w+l%w]
		}
	}
	return out
}

// twoSidedProducts is the pass of y, the diagonal of G and, if Whole, PᵀQ; or of
// columns of G. Column (q,l), as a p₁×p₂ matrix, is Σ_i (x_iq·x_i) ⊗ G_i[:,l].
type twoSidedProducts struct {
	Of       twoSidedOf
	Whole    bool
	Features []int // columns wanted; nil: y and the diagonal
	threads  int   // of this process, where all is one part
}

// Label is shown.
func (p *twoSidedProducts) Label() string { return "Products of the features" }

// twoSidedSmall is how many numbers a part may have for there to be several: each
// thread has one, which must stay in its cache, and more wait to be merged.
const twoSidedSmall = 1 << 16

// Cost lets parts be few where they are large. A large one is made by all threads.
func (p *twoSidedProducts) Cost(in *pass.Input) int {
	if numbers := p.numbers(); numbers <= twoSidedSmall {
		return numbers / max(1, kernel.Tri(p.Of.P2)) // a row's G takes as long as so many numbers
	}
	return in.Work()
}

// numbers of a part.
func (p *twoSidedProducts) numbers() int {
	n := 0
	for _, size := range p.sizes() {
		n += size
	}
	return n
}

// sizes are those of the sums of a part.
func (p *twoSidedProducts) sizes() []int {
	const w = kernel.PanelWidth
	plain := kernel.Panels(p.Of.P1) * kernel.Panels(p.Of.P2) * w * w
	if p.Features != nil {
		return slices.Repeat([]int{plain}, len(p.Features))
	}
	if p.Whole {
		return []int{plain, plain, kernel.Panels(kernel.Tri(p.Of.P1)) * w * kernel.Panels(kernel.Tri(p.Of.P2)) * w}
	}
	return []int{plain, plain}
}

// Start makes a worker.
func (p *twoSidedProducts) Start(*pass.Input) (pass.Worker, error) {
	w := &twoSidedWorker{twoSidedProducts: p, b: p.Of.pad(), width: p.Of.width(), inner: 1}
	if p.numbers() > twoSidedSmall {
		w.inner = max(1, p.threads)
	}
	if p.Features == nil {
		w.block = newBlock(p.Of.P1, p.Of.P2, p.Whole)
	} else {
		for _, j := range p.Features {
			w.ofRow, w.ofColumn = append(w.ofRow, j/p.Of.P2), append(w.ofColumn, j%p.Of.P2)
		}
		w.ofRow, w.ofColumn = lists.Distinct(w.ofRow), lists.Distinct(w.ofColumn)
		w.block = newColumnBlock(p.Of.P1, p.Of.P2, w.ofColumn)
		for range w.ofRow {
			w.scaled = append(w.scaled, newPanels(p.Of.P1))
		}
	}
	w.Making = pass.Makes(w.empty)
	return w, nil
}

// twoSidedSums is sums over rows.
type twoSidedSums struct {
	Sums    [][]float64
	Squares float64
}

// Merge adds.
func (p *twoSidedSums) Merge(o pass.Part) {
	other := o.(*twoSidedSums)
	for x, list := range other.Sums {
		for y, v := range list {
			p.Sums[x][y] += v
		}
	}
	p.Squares += other.Squares
}

type twoSidedWorker struct {
	*twoSidedProducts
	b     []float64 // padded
	width int
	inner int // threads of its own
	block *twoSidedRows
	pass.Making[*twoSidedSums]

	ofRow, ofColumn []int // the different q and l of columns wanted, which share factors
	scaled          []panels
}

func (w *twoSidedWorker) empty() *twoSidedSums {
	part := &twoSidedSums{}
	for _, size := range w.sizes() {
		part.Sums = append(part.Sums, make([]float64, size))
	}
	return part
}

// Add takes the rows with entries, block after block.
func (w *twoSidedWorker) Add(c *pass.Chunk) error {
	block := w.block
	block.of = block.of[:0]
	for i := c.First; i < c.End; i++ {
		columns, values := c.Row(i)
		if len(columns) == 0 {
			continue
		}
		weights := c.Weights(i)
		if weights == nil {
			w.Now.Squares += squares(values)
		}
		for e, by := range weights {
			w.Now.Squares += by * (values[e] * values[e])
		}
		if block.of = append(block.of, twoSidedRow{i, columns, values, weights}); len(block.of) == twoSidedBlock {
			w.take()
		}
	}
	w.take()
	return nil
}

// take prepares a block of rows and adds its products up.
func (w *twoSidedWorker) take() {
	block := w.block
	rows := len(block.of)
	if rows == 0 {
		return
	}
	parallel.Each((rows+twoSidedGroup-1)/twoSidedGroup, w.inner, func(g int) {
		if block.work[g] == nil {
			block.work[g] = w.newWork()
		}
		for r := g * twoSidedGroup; r < min(rows, (g+1)*twoSidedGroup); r++ {
			w.prepare(block.work[g], r)
		}
	})
	if w.Features == nil {
		w.products(rows)
	} else {
		w.columns(rows)
	}
	block.of = block.of[:0]
}

// products adds to y, the diagonal and PᵀQ.
func (w *twoSidedWorker) products(rows int) {
	const width = kernel.PanelWidth
	p1, p2 := kernel.Panels(w.Of.P1), kernel.Panels(w.Of.P2)
	block, sums := w.block, w.Now.Sums
	parallel.Each(p1, w.inner, func(a int) {
		for b := range p2 {
			at := (a*p2 + b) * width * width
			kernel.PanelProducts(sums[0][at:], width, block.x.panel(a), block.y.panel(b), rows)
			kernel.PanelProducts(sums[1][at:], width, block.xx.panel(a), block.d.panel(b), rows)
		}
	})
	if !w.Whole {
		return
	}
	stride := kernel.Panels(kernel.Tri(w.Of.P2)) * width
	parallel.Each(kernel.Panels(kernel.Tri(w.Of.P1)), w.inner, func(a int) {
		for b := 0; b*width < stride; b++ {
			kernel.PanelProducts(sums[2][a*width*stride+b*width:], stride, block.p.panel(a), block.q.panel(b), rows)
		}
	})
}

// columns adds to the columns wanted.
func (w *twoSidedWorker) columns(rows int) {
	const width = kernel.PanelWidth
	p1, p2 := kernel.Panels(w.Of.P1), kernel.Panels(w.Of.P2)
	parallel.Each(len(w.ofRow), w.inner, func(a int) { w.scaled[a].scale(w.block.x, w.ofRow[a], p1, rows) })
	parallel.Each(len(w.Features), w.inner, func(x int) {
		a, _ := slices.BinarySearch(w.ofRow, w.Features[x]/w.Of.P2)
		b, _ := slices.BinarySearch(w.ofColumn, w.Features[x]%w.Of.P2)
		for i := range p1 {
			for j := range p2 {
				kernel.PanelProducts(w.Now.Sums[x][(i*p2+j)*width*width:], width, w.scaled[a].panel(i), w.block.columns[b].panel(j), rows)
			}
		}
	})
}

// twoSidedResiduals is the pass of the squares that selected products leave.
type twoSidedResiduals struct {
	Of        twoSidedOf
	Selection []int
	U         []float64
}

// Start makes a worker.
func (p *twoSidedResiduals) Start(*pass.Input) (pass.Worker, error) {
	p1, p2, x, b := p.Of.P1, p.Of.P2, p.Of.X.Get(), p.Of.B.Get()
	by := make([]float64, p2)
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(1) }, func(part *pass.Sums, i int, columns []int32, values, weights []float64) error {
		clear(by)
		for s, j := range p.Selection {
			by[j%p2] += p.U[s] * x[i*p1+j/p2]
		}
		for e, c := range columns {
			r := values[e]
			for l, v := range b[int(c)*p2:][:p2] {
				r -= by[l] * v
			}
			if weights != nil {
				part.Values[0] += weights[e] * (r * r)
			} else {
				part.Values[0] += r * r
			}
		}
		return nil
	}), nil
}

func init() {
	pass.Register("products", &twoSidedProducts{}, new(twoSidedSums))
	pass.Register("residuals of products", &twoSidedResiduals{}, new(pass.Sums))
}
