package objective

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"optcomplete/internal/kernel"
	"optcomplete/internal/wide"
	"optcomplete/pass"
)

// norming adds up what the margin of an enumeration needs.
type norming struct{ Of costOf }

// Label is for progress.
func (p *norming) Label() string { return "Pass" }

// Start makes a worker.
func (p *norming) Start(in *pass.Input) (pass.Worker, error) {
	o, err := p.Of.exact(in)
	if err != nil {
		return nil, err
	}
	return &normingWorker{o.takeWorker(), pass.Makes(func() *rowNorms { return new(rowNorms) }), make([]float64, o.p)}, nil
}

// rowNorms is of some rows.
type rowNorms struct {
	Squares float64 // Σ ‖a_i‖²
	Rounded float64 // Σ ‖a_i‖²·max_j G_i[j,j]
}

// Merge adds the rows that follow.
func (n *rowNorms) Merge(o pass.Part) {
	after := o.(*rowNorms)
	n.Squares += after.Squares
	n.Rounded += after.Rounded
}

type normingWorker struct {
	*worker
	pass.Making[*rowNorms]
	diagonal []float64 // of G_i
}

// Add adds a chunk.
func (w *normingWorker) Add(c *pass.Chunk) error {
	for _, i := range w.order[c.Number] {
		columns, values, roots := w.rooted(c, i)
		for j := range w.diagonal {
			w.diagonal[j] = 0
			for e, c := range columns {
				x := w.at(int(c), j)
				if roots != nil {
					x *= roots[e]
				}
				w.diagonal[j] += x * x
			}
		}
		s := squares(values)
		w.Now.Squares += s
		if w.p > 0 {
			w.Now.Rounded += s * slices.Max(w.diagonal)
		}
	}
	return nil
}

// enumeration is the pass of Exact.Enumerate.
type enumeration struct {
	Of         costOf
	Order      []int // candidates, then the features already in
	Candidates int
	Left       int
	Wide       bool // with 106 bits
}

// Label is for progress.
func (p *enumeration) Label() string { return "Enumerating" }

// Cost is some rows: each is more work than to add the gains of a part.
func (p *enumeration) Cost(in *pass.Input) int { return enumerationCost(in) }

func enumerationCost(in *pass.Input) int {
	n, _ := in.Source.Dims()
	return min(enumerateRows*in.Work()/max(n, 1), in.Work()/enumerateParts)
}

// Start makes a worker.
func (p *enumeration) Start(in *pass.Input) (pass.Worker, error) {
	o, err := p.Of.exact(in)
	if err != nil {
		return nil, err
	}
	w := &enumerator{worker: o.takeWorker(), enumeration: p}
	w.Making = pass.Makes(w.newPart)
	return w, nil
}

// gainsPart is what selections explain of some rows: Base by the features already
// in, and Gains more by each.
type gainsPart struct {
	Base  float64
	Gains []float64
}

// Merge adds the rows that follow.
func (p *gainsPart) Merge(o pass.Part) {
	after := o.(*gainsPart)
	p.Base += after.Base
	floats.Add(p.Gains, after.Gains)
}

// enumerator walks the selections of one group of rows after the other.
type enumerator struct {
	*worker
	*enumeration
	kernel.Subsets
	pass.Making[*gainsPart]
	wide wide.Subsets
}

func (w *enumerator) newPart() *gainsPart {
	return &gainsPart{Gains: make([]float64, int(kernel.Choose(w.Candidates, w.Left)))}
}

// Add adds what each selection explains of a chunk's rows.
func (w *enumerator) Add(c *pass.Chunk) error {
	rows := w.worker.order[c.Number]
	if w.Wide {
		w.addWide(c, rows)
		return nil
	}
	kept := w.kept(c, rows)
	for at := 0; at < len(rows); at += kernel.Lanes {
		n := len(w.Order)
		k, y := w.Load(n)
		w.load(&system{k, y}, c, kept, at, w.Order)
		for x := range n {
			diagonal := k[(kernel.Tri(x)+x)*kernel.Lanes:][:kernel.Lanes]
			for lane := range diagonal {
				diagonal[lane] += 1 / w.gamma
			}
		}
		for n > w.Candidates {
			w.Now.Base += w.Eliminate(n)
			n--
		}
		w.Gains(w.Now.Gains, w.Candidates, w.Left)
	}
	return nil
}

// addWide is Add with 106 bits, row by row.
func (w *enumerator) addWide(c *pass.Chunk, rows []int32) {
	for _, i := range rows {
		columns, values := c.Row(int(i))
		feature := func(e, x int) float64 { return w.at(int(columns[e]), w.Order[x]) }
		w.Now.Base += w.wide.Row(values, len(w.Order), w.Candidates, w.Left, feature, w.gamma, w.Now.Gains)
	}
}

// kept is the products of a chunk's rows over all features, made now if they are to
// be kept; nil: they are not.
func (w *worker) kept(c *pass.Chunk, rows []int32) []float64 {
	g := w.grams
	if g == nil || !g.keep {
		return nil
	}
	if g.values[c.Number] == nil {
		every := make([]int, w.p)
		for j := range every {
			every[j] = j
		}
		values := make([]float64, 0, (len(rows)+kernel.Lanes-1)/kernel.Lanes*w.gramStride())
		for group := range slices.Chunk(rows, kernel.Lanes) {
			values = values[:len(values)+w.gramStride()]
			at := values[len(values)-w.gramStride():]
			w.products(c, at[:kernel.Tri(w.p)*kernel.Lanes], at[kernel.Tri(w.p)*kernel.Lanes:], group, every)
		}
		g.values[c.Number] = values
	}
	return g.values[c.Number]
}

// pickProducts takes the products of some features out of those of all.
func (w *worker) pickProducts(k, y, from []float64, features []int) {
	fromY := from[kernel.Tri(w.p)*kernel.Lanes:]
	for x, j := range features {
		copy(y[x*kernel.Lanes:(x+1)*kernel.Lanes], fromY[j*kernel.Lanes:])
		for z, l := range features[:x+1] {
			copy(k[(kernel.Tri(x)+z)*kernel.Lanes:][:kernel.Lanes], from[(kernel.Tri(max(j, l))+min(j, l))*kernel.Lanes:])
		}
	}
}

// products adds G_i and y_i over the given features, for each row of a group.
func (w *worker) products(c *pass.Chunk, k, y []float64, group []int32, features []int) {
	w.read(c, group)
	width := kernel.GramWidth(len(features))
	w.v = grow(w.v, w.longest*width)
	for lane := range group {
		columns, values := w.entries(lane)
		for e, c := range columns {
			b := w.values[int(c)*w.p:][:w.p]
			row := w.v[e*width:]
			for x, j := range features {
				row[x] = b[j]
			}
			if roots := w.lanes[lane].roots; roots != nil {
				for x := range features {
					row[x] *= roots[e]
				}
			}
			for x := range features {
				y[x*kernel.Lanes+lane] += values[e] * row[x]
			}
		}
		kernel.Gram(k, lane, w.v, len(columns), width, len(features))
	}
}

func init() {
	pass.Register("norms", &norming{}, new(rowNorms))
	pass.Register("enumeration", &enumeration{}, new(gainsPart))
}
