package objective

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// Neighbours computes the costs of selections that differ from a given one in one
// feature, at several γ in one reading. It is for finding good selections where
// nothing is to be proven: costs are as exact as the arithmetic, and no bound comes
// with them.
type Neighbours struct {
	values   data.Source
	features *pass.Shared[*data.Features]
	tables   *neighbourTables
	threads  int
}

// neighbourTables is the features as they are read.
type neighbourTables struct {
	table    []float64 // m × width
	squares  []float64 // of the same
	p, width int
}

// NewNeighbours prepares the features.
func NewNeighbours(values data.Source, features *data.Features, threads int) *Neighbours {
	return &Neighbours{values, pass.Share(features), newNeighbourTables(features), threads}
}

// On is the same of other values.
func (n *Neighbours) On(values data.Source) *Neighbours {
	return &Neighbours{values, n.features, n.tables, n.threads}
}

func newNeighbourTables(features *data.Features) *neighbourTables {
	m, p := features.Dims()
	n := &neighbourTables{p: p, width: kernel.Pad(p)}
	n.table, n.squares = make([]float64, m*n.width), make([]float64, m*n.width)
	for c := range m {
		for j, b := range features.Row(c) {
			n.table[c*n.width+j], n.squares[c*n.width+j] = b, b*b
		}
	}
	return n
}

// Around is what the rows explain with a selection and with its neighbours, summed
// over the rows and not divided.
type Around struct {
	Gamma     float64
	Explained float64   // Σ aᵀa less the cost, of the selection
	Add       []float64 // p: what each feature explains besides the selection
	Swap      []float64 // |S|×p: the same without one of its features; nil: not asked for
}

// Merge adds the rows that follow.
func (a *Around) merge(o *Around) {
	a.Explained += o.Explained
	floats.Add(a.Add, o.Add)
	if a.Swap != nil {
		floats.Add(a.Swap, o.Swap)
	}
}

type aroundPart struct{ At []Around }

// Merge adds the rows that follow.
func (a *aroundPart) Merge(o pass.Part) {
	for x := range a.At {
		a.At[x].merge(&o.(*aroundPart).At[x])
	}
}

// Of looks around a selection, at its swaps too if asked for. With K = I/γ + G[S,S] of a row, C = G[S,:], W = K⁻¹C,
// u = K⁻¹y[S], d_j = 1/γ + G_jj − C_jᵀW_j and z_j = y_j − C_jᵀu, feature j explains
// z_j²/d_j more beside S. Without l of S as well that is less by
//
//	(u_l − z_j W_lj/d_j)² / ((K⁻¹)_ll + W_lj²/d_j).
func (n *Neighbours) Of(ctx context.Context, selection []int, gammas []float64, swaps bool) ([]Around, error) {
	part, err := pass.One[*aroundPart](ctx, n.values, n.threads, &neighbouring{n.features, selection, gammas, swaps, n.tables})
	if err != nil {
		return nil, err
	}
	return part.At, nil
}

// neighbouring is the pass of Neighbours.Of.
type neighbouring struct {
	Features  *pass.Shared[*data.Features]
	Selection []int
	Gammas    []float64
	Swaps     bool
	here      *neighbourTables // nil where the pass was sent to
}

// Cost is that of the sums.
func (p *neighbouring) Cost(*pass.Input) int {
	return len(p.Gammas) * (len(p.Selection) + 1) * len(p.Features.Get().Names)
}

// Start makes a worker.
func (p *neighbouring) Start(in *pass.Input) (pass.Worker, error) {
	tables := p.here
	if tables == nil {
		made, err := in.Memory.Get("neighbours of "+p.Features.Name(), func() (any, error) { return newNeighbourTables(p.Features.Get()), nil })
		if err != nil {
			return nil, err
		}
		tables = made.(*neighbourTables)
	}
	fresh := func() *aroundPart {
		part := &aroundPart{At: make([]Around, len(p.Gammas))}
		for x, gamma := range p.Gammas {
			part.At[x] = Around{Gamma: gamma, Add: make([]float64, tables.p)}
			if p.Swaps {
				part.At[x].Swap = make([]float64, len(p.Selection)*tables.p)
			}
		}
		return part
	}
	w := tables.worker(p.Selection)
	return pass.EachWeighed(fresh, func(part *aroundPart, _ int, columns []int32, values, weights []float64) error {
		if len(columns) == 0 {
			return nil
		}
		w.read(columns, values, weights)
		for x := range part.At {
			w.add(&part.At[x])
		}
		return nil
	}), nil
}

func init() { pass.Register("neighbours", &neighbouring{}, new(aroundPart)) }

// neighbourhood works on one row at a time.
type neighbourhood struct {
	*neighbourTables
	selection       []int
	c               []float64 // k × width: G[S,:]
	w               []float64 // k × width: K⁻¹C
	y, diagonal     []float64 // width
	z               []float64 // width
	d, gain         []float64 // p
	factor, inverse []float64 // k×k
	u, column       []float64
	ones, at        []float64
	upTo            []int32 // 0 … k−1
}

func (n *neighbourTables) worker(selection []int) *neighbourhood {
	k := len(selection)
	vector := func(size int) []float64 { return make([]float64, size) }
	upTo := make([]int32, k)
	for x := range upTo {
		upTo[x] = int32(x)
	}
	return &neighbourhood{
		neighbourTables: n, upTo: upTo, selection: selection, c: vector(k * n.width), w: vector(k * n.width), y: vector(n.width), diagonal: vector(n.width),
		d: vector(n.p), z: vector(n.width), gain: vector(n.p), factor: vector(k * k), inverse: vector(k * k), u: vector(k), column: vector(k),
	}
}

// read makes the products of a row, which no γ changes.
func (w *neighbourhood) read(columns []int32, values, weights []float64) {
	for len(w.ones) < len(columns) {
		w.ones = append(w.ones, 1)
	}
	w.at = slices.Grow(w.at[:0], len(columns))[:len(columns)]
	if weights != nil {
		for e, v := range values {
			w.at[e] = weights[e] * v
		}
		values = w.at
	}
	kernel.Correlate(w.y, values, columns, w.table, w.width)
	counts := weights
	if counts == nil {
		counts = w.ones[:len(columns)]
	}
	kernel.Correlate(w.diagonal, counts, columns, w.squares, w.width)
	for x, j := range w.selection {
		for e, c := range columns {
			w.at[e] = w.table[int(c)*w.width+j]
			if weights != nil {
				w.at[e] *= weights[e]
			}
		}
		kernel.Correlate(w.c[x*w.width:][:w.width], w.at, columns, w.table, w.width)
	}
}

// add adds what the row explains at the γ of a.
func (w *neighbourhood) add(a *Around) {
	k, ridge := len(w.selection), 1/a.Gamma
	for x, j := range w.selection {
		w.u[x] = w.y[j]
		for y, l := range w.selection[:x+1] {
			w.factor[x*k+y] = w.c[x*w.width+l]
		}
		w.factor[x*k+x] += ridge
	}
	invertSmall(w.factor, w.inverse, w.column, k, ridge)
	for x := range k {
		u := 0.0
		for y, v := range w.inverse[x*k:][:k] {
			u += v * w.y[w.selection[y]]
		}
		w.u[x] = u
		a.Explained += u * w.y[w.selection[x]]
	}
	// The same sums as a correlation: the "columns" are the selected features.
	kernel.Correlate(w.z, w.u, w.upTo, w.c, w.width)
	d, z := w.d, w.z[:w.p]
	for j := range d {
		d[j], z[j] = ridge+w.diagonal[j], w.y[j]-z[j]
	}
	for x := range k {
		row := w.w[x*w.width:][:w.width]
		kernel.Correlate(row, w.inverse[x*k:][:k], w.upTo, w.c, w.width)
		c := w.c[x*w.width:][:w.width]
		for j := range d {
			d[j] -= c[j] * row[j]
		}
	}
	gain := w.gain
	for j := range d {
		d[j] = 1 / max(d[j], ridge) // in exact arithmetic it is no less
		gain[j] = z[j] * z[j] * d[j]
		z[j] *= d[j]
		a.Add[j] += gain[j]
	}
	if a.Swap == nil {
		return
	}
	for x := range k {
		swap, row := a.Swap[x*w.p:][:w.p], w.w[x*w.width:][:w.p]
		u, own := w.u[x], w.inverse[x*k+x]
		for j, v := range row {
			left := u - z[j]*v
			swap[j] += gain[j] - left*left/(own+v*v*d[j])
		}
	}
}

// invertSmall inverts a symmetric positive definite k×k matrix, given by its lower
// triangle; no pivot is below the least one.
func invertSmall(a, inverse, column []float64, k int, least float64) {
	for x := range k {
		for y := range x + 1 {
			sum := a[x*k+y]
			for z := range y {
				sum -= a[x*k+z] * a[y*k+z]
			}
			if x == y {
				a[x*k+x] = 1 / math.Sqrt(max(sum, least))
			} else {
				a[x*k+y] = sum * a[y*k+y]
			}
		}
	}
	for at := range k {
		for x := at; x < k; x++ {
			sum := 0.0
			if x == at {
				sum = 1
			}
			for z := at; z < x; z++ {
				sum -= a[x*k+z] * column[z]
			}
			column[x] = sum * a[x*k+x]
		}
		for x := k - 1; x >= at; x-- {
			sum := column[x]
			for z := x + 1; z < k; z++ {
				sum -= a[z*k+x] * column[z]
			}
			column[x] = sum * a[x*k+x]
			inverse[x*k+at], inverse[at*k+x] = column[x], column[x]
		}
	}
}
