package objective

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"optcomplete/internal/kernel"
	"optcomplete/pass"
	"optcomplete/search"
)

// RowCosts is the part of the cost that each row of the matrix has at the
// weights, not divided by n·m: their sum is n·m times the cost.
func (o *Exact) RowCosts(ctx context.Context, weights []float64) ([]float64, error) {
	costs := make([]float64, 0, o.n)
	w := o.newWeighting(weights)
	err := pass.Stream(ctx, o.matrix, o.threads, &rowCosts{Of: o.described(), Weights: weights, at: &w}, func(part *pass.List) error {
		costs = append(costs, part.Values...)
		return nil
	})
	return costs, err
}

// rowCosts is the pass of Exact.RowCosts.
type rowCosts struct {
	Of      costOf
	Weights []float64
	at      *weighting
}

// Start makes a worker.
func (p *rowCosts) Start(in *pass.Input) (pass.Worker, error) {
	k, err := p.Of.start(in, p.Weights, p.at, false)
	return &costing{k, pass.Makes(func() *pass.List { return new(pass.List) })}, err
}

type costing struct {
	*worker
	pass.Making[*pass.List] // the costs of consecutive rows
}

// Add costs the rows of a chunk.
func (w *costing) Add(c *pass.Chunk) error {
	at := len(w.Now.Values)
	w.Now.Values = append(w.Now.Values, make([]float64, c.End-c.First)...)
	costs := w.Now.Values[at:]
	var s sums
	for group := range slices.Chunk(w.order[c.Number], kernel.Lanes) {
		w.panel.empty() // correlations are not needed
		w.solve(c, group, false, &s)
		for lane, i := range group {
			costs[int(i)-c.First] = w.costs[lane]
		}
	}
	return nil
}

// Removals is the cost of a selection without each of its features in turn, no
// other taking its place, in one pass. With K = I/γ + G_i[S,S] and u = K⁻¹y_i[S],
// row i explains u_j²/(K⁻¹)_jj less without feature j. Where inverses may have lost
// their digits, each is evaluated by itself.
func (o *Exact) Removals(ctx context.Context, selection []int) ([]float64, error) {
	reach := 0.0
	for _, j := range selection {
		reach = max(reach, o.gamma*o.norm[j])
	}
	if k := float64(len(selection)); !(1.2e-16*k*k*reach < removalError) {
		return o.removeEach(ctx, selection)
	}
	p := o.Removing(selection)
	part, err := pass.One[*RemovalsPart](ctx, o.matrix, o.threads, p)
	if err != nil {
		return nil, err
	}
	return o.RemovalCosts(part), nil
}

// removalError is the relative error of an inverse that is still good enough.
const removalError = 1e-6

// removeEach is Removals by an evaluation for each feature.
func (o *Exact) removeEach(ctx context.Context, selection []int) ([]float64, error) {
	weights := search.Indicator(o.p, selection)
	var costs []float64
	for _, j := range selection {
		weights[j] = 0
		at, err := o.Eval(ctx, weights)
		if err != nil {
			return nil, err
		}
		weights[j] = 1
		costs = append(costs, at.Cost)
	}
	return costs, nil
}

// Removing is the pass of Removals, to be read together with others.
func (o *Exact) Removing(selection []int) pass.Pass {
	weights := search.Indicator(o.p, selection)
	w := o.newWeighting(weights)
	return &removing{Of: o.described(), Weights: weights, at: &w}
}

// RemovalCosts is what Removals returns.
func (o *Exact) RemovalCosts(part *RemovalsPart) []float64 {
	costs := make([]float64, len(part.Lost))
	for x, lost := range part.Lost {
		costs[x] = (part.Cost + lost) / (float64(o.n) * float64(o.m))
	}
	return costs
}

type removing struct {
	Of      costOf
	Weights []float64
	at      *weighting
}

// Start makes a worker.
func (p *removing) Start(in *pass.Input) (pass.Worker, error) {
	k, err := p.Of.start(in, p.Weights, p.at, true)
	if err != nil {
		return nil, err
	}
	return &removals{k, pass.Makes(func() *RemovalsPart { return &RemovalsPart{Lost: make([]float64, len(k.support))} })}, nil
}

// RemovalsPart is the cost of some rows at a selection, and for each of its features
// what they lose without it.
type RemovalsPart struct {
	Cost float64
	Lost []float64
}

// Merge adds the rows that follow.
func (p *RemovalsPart) Merge(o pass.Part) {
	after := o.(*RemovalsPart)
	p.Cost += after.Cost
	floats.Add(p.Lost, after.Lost)
}

type removals struct {
	*worker
	pass.Making[*RemovalsPart]
}

// Add adds what the rows of a chunk lose.
func (w *removals) Add(c *pass.Chunk) error {
	var s sums
	t := len(w.support)
	for group := range slices.Chunk(w.order[c.Number], kernel.Lanes) {
		w.read(c, group)
		w.panel.empty() // correlations are not needed
		w.primal(len(group), &s)
		kernel.Inverse(w.k, w.work, t)
		for y := range t {
			for lane := range group {
				u := w.x[y*kernel.Lanes+lane]
				w.Now.Lost[y] += u * u / w.k[(kernel.Tri(y)+y)*kernel.Lanes+lane]
			}
		}
	}
	w.Now.Cost += s.cost
	return nil
}

func init() {
	pass.Register("row costs", &rowCosts{}, new(pass.List))
	pass.Register("removal", &removing{}, new(RemovalsPart))
}
