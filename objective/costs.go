package objective

import (
	"context"
	"slices"

	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// Costs is the costs of a list of selections; see search.Modeler.
func (o *Exact) Costs(ctx context.Context, selections [][]int) (costs []float64, margin float64, err error) {
	gains, err := pass.One[*gainsPart](ctx, o.matrix, o.threads, newChosen(o, selections))
	if err != nil {
		return nil, 0, err
	}
	if err := o.measured(ctx); err != nil {
		return nil, 0, err
	}
	scale := 1 / (float64(o.n) * float64(o.m))
	costs = gains.Gains
	k := 0
	for i, gain := range costs {
		costs[i] = (o.grams.norms.Squares - gain) * scale
		k = max(k, len(selections[i]))
	}
	return costs, o.eliminationError(float64(k)) * scale, nil
}

// chosen is the pass of Exact.Costs.
type chosen struct {
	Of       costOf
	Features []int     // in any selection, the most frequent first
	Steps    [][]int32 // a selection each: its features from the first on that is not as in the one before, by their places
	From     []int32   // how many are as in the one before
	Place    []int32   // of its cost
}

// newChosen puts selections in an order in which they share much with the one before.
func newChosen(o *Exact, selections [][]int) *chosen {
	p := &chosen{Of: o.described()}
	frequency, place := make([]int, o.p), make([]int32, o.p)
	for _, s := range selections {
		for _, j := range s {
			frequency[j]++
		}
	}
	for j, n := range frequency {
		if n > 0 {
			p.Features = append(p.Features, j)
		}
	}
	slices.SortStableFunc(p.Features, func(a, b int) int { return frequency[b] - frequency[a] })
	for x, j := range p.Features {
		place[j] = int32(x)
	}
	inOrder := make([][]int32, len(selections))
	for i, s := range selections {
		for _, j := range s {
			inOrder[i] = append(inOrder[i], place[j])
		}
		slices.Sort(inOrder[i])
		p.Place = append(p.Place, int32(i))
	}
	slices.SortStableFunc(p.Place, func(a, b int32) int { return slices.Compare(inOrder[a], inOrder[b]) })
	var last []int32
	for _, i := range p.Place {
		same := 0
		for same < len(last) && same < len(inOrder[i]) && last[same] == inOrder[i][same] {
			same++
		}
		last = inOrder[i]
		p.From = append(p.From, int32(same))
		p.Steps = append(p.Steps, last)
	}
	return p
}

// Label is for progress.
func (p *chosen) Label() string { return "Enumerating" }

// Cost is some rows.
func (p *chosen) Cost(in *pass.Input) int { return enumerationCost(in) }

// Start makes a worker.
func (p *chosen) Start(in *pass.Input) (pass.Worker, error) {
	o, err := p.Of.exact(in)
	if err != nil {
		return nil, err
	}
	w := &chooser{worker: o.takeWorker(), pass: p, system: newSystem(len(p.Features))}
	longest := 0
	for _, s := range p.Steps {
		longest = max(longest, len(s))
	}
	w.factor, w.solution, w.before = make([]float64, kernel.Tri(longest)*kernel.Lanes), make([]float64, longest*kernel.Lanes), make([]float64, longest+1)
	w.Making = pass.Makes(func() *gainsPart { return &gainsPart{Gains: make([]float64, len(p.Steps))} })
	return w, nil
}

type chooser struct {
	*worker
	pass.Making[*gainsPart]
	pass             *chosen
	system           system
	factor, solution []float64
	before           []float64 // what the first features of a selection explain
}

// Add adds a chunk.
func (w *chooser) Add(c *pass.Chunk) error {
	rows := w.order[c.Number]
	kept := w.kept(c, rows)
	for at := 0; at < len(rows); at += kernel.Lanes {
		w.load(&w.system, c, kept, at, w.pass.Features)
		for i, selection := range w.pass.Steps {
			for x := int(w.pass.From[i]); x < len(selection); x++ {
				w.append(selection, x)
			}
			w.Now.Gains[w.pass.Place[i]] += w.before[len(selection)]
		}
	}
	return nil
}

// append takes feature x of a selection in, after those before.
func (w *chooser) append(selection []int32, x int) {
	a := int(selection[x])
	row, from := w.factor[kernel.Tri(x)*kernel.Lanes:], w.system.products[kernel.Tri(a)*kernel.Lanes:]
	for y, b := range selection[:x+1] {
		*lanesAt(row, y) = *lanesAt(from, int(b))
	}
	for lane, d := 0, lanesAt(row, x); lane < kernel.Lanes; lane++ {
		d[lane] += 1 / w.gamma
	}
	*lanesAt(w.solution, x) = *lanesAt(w.system.right, a)
	kernel.CholeskyRow(w.factor, x, 1/w.gamma)
	w.before[x+1] = w.before[x] + kernel.SolveRow(w.factor, w.solution, x)
}

// system is the products of some features with each other and with the values, of
// eight rows.
type system struct {
	products, right []float64
}

func newSystem(features int) system {
	return system{make([]float64, kernel.Tri(features)*kernel.Lanes), make([]float64, features*kernel.Lanes)}
}

// load reads a group of rows, from the products that are kept of its chunk if there
// are any.
func (w *worker) load(s *system, c *pass.Chunk, kept []float64, at int, features []int) {
	if kept != nil {
		w.pickProducts(s.products, s.right, kept[at/kernel.Lanes*w.gramStride():][:w.gramStride()], features)
		return
	}
	rows := w.order[c.Number]
	clear(s.products)
	clear(s.right)
	w.products(c, s.products, s.right, rows[at:min(at+kernel.Lanes, len(rows))], features)
}

// lanesAt is lane array i.
func lanesAt(x []float64, i int) *[kernel.Lanes]float64 {
	return (*[kernel.Lanes]float64)(x[i*kernel.Lanes:])
}

func init() { pass.Register("chosen selections", &chosen{}, new(gainsPart)) }
