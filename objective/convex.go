package objective

import (
	"cmp"
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/loss"
	"optcomplete/pass"
	"optcomplete/search"
)

// Convex is the cost of a selection under any convex loss ℓ: each row i has the
// coefficients u that minimise
//
//	Σ_t ℓ(a_t, o_t + b_tᵀu) + (1/γ) Σ_j u_j²/s_j
//
// over its observed entries, with offsets o that are known before. Weights of the
// entries, of the source or of the columns (see Offsets), multiply ℓ. For any α in
// the domain of the conjugate ℓ*, such as the slopes of the losses at any
// prediction,
//
//	Σ_t (o_t α_t − ℓ*(a_t, α_t)) − (γ/4) Σ_j s_j (b_jᵀα)²
//
// is nowhere above the cost: the cut, however inexactly the row was solved. Of
// features whose coefficients must not be negative only b_jᵀα < 0 counts.
//
// It satisfies search.Curved. There is no enumeration: that needs squares.
type Convex struct {
	of          *Exact
	loss        loss.Scaled
	offsets     *pass.Shared[*Offsets] // nil: all zero
	nonnegative []bool                 // of each feature; nil: none
	cells       float64                // the cost is divided by it; 0: by rows × columns
}

// Per is the same cost, divided by so many cells.
func (o *Convex) Per(cells float64) *Convex {
	other := *o
	other.cells = cells
	return &other
}

// Offsets are what is known about the entries besides their values: what is predicted
// before any feature, as a level of all entries, of the row and of the column, and
// how much the loss of an entry weighs, which is positive. All slices may be nil.
type Offsets struct {
	Mean        float64
	Row, Column []float64
	Weight      []float64 // of the entries of each column; nil: 1
	Unit        float64   // the mean weight of all entries, for limits that go by it
}

// At is the offset of an entry.
func (o *Offsets) At(row int, column int32) float64 {
	x := o.Mean
	if o.Row != nil {
		x += o.Row[row]
	}
	if o.Column != nil {
		x += o.Column[column]
	}
	return x
}

// Of are the offsets of some of the columns, which are in order, by their ids.
func (o *Offsets) Of(all, some []string) *Offsets {
	if o == nil || o.Column == nil || len(all) == len(some) {
		return o
	}
	out := &Offsets{Mean: o.Mean, Row: o.Row, Unit: o.Unit}
	for c, id := range all {
		if at := len(out.Column); at < len(some) && some[at] == id {
			out.Column = append(out.Column, o.Column[c])
			if o.Weight != nil {
				out.Weight = append(out.Weight, o.Weight[c])
			}
		}
	}
	return out
}

// NewConvex prepares the cost; offsets may be nil, and nonnegative says of which
// features the coefficients must not be negative. Values must be such as the
// loss allows. See NewExact for the rest.
func NewConvex(matrix data.Source, features *data.Features, gamma float64, l loss.Scaled, offsets *Offsets, nonnegative []bool, threads int) *Convex {
	o := &Convex{of: NewExact(matrix, features, gamma, threads), loss: l, nonnegative: nonnegative}
	if offsets != nil {
		o.offsets = pass.Share(offsets)
	}
	return o
}

// Dim returns the number of features p.
func (o *Convex) Dim() int { return o.of.p }

// WithGamma is the same cost at another γ. The two share the data.
func (o *Convex) WithGamma(gamma float64) *Convex {
	other := *o
	other.of = o.of.WithGamma(gamma)
	return &other
}

// Eval returns the cost at the weights and a cut; see search.Oracle.
func (o *Convex) Eval(ctx context.Context, weights []float64) (search.Cut, error) {
	return cutOf(ctx, o, weights)
}

// EvalHessian is Eval, and also gives the second derivatives; see search.Curved.
func (o *Convex) EvalHessian(ctx context.Context, weights []float64) (search.Cut, []float64, error) {
	return curvedCutOf(ctx, o, weights)
}

func (o *Convex) eval(ctx context.Context, weights, gradient, hessian []float64) (cost, constant float64, err error) {
	e := o.of
	if len(weights) != e.p || len(gradient) != e.p {
		panic("objective: weights and gradient must have one number for each feature")
	}
	w := o.weighting(weights)
	if hessian != nil && len(hessian) != len(w.support)*len(w.support) {
		panic("objective: the Hessian must have a row for each feature of positive weight")
	}
	sum, err := pass.One[*sums](ctx, e.matrix, e.threads, &convexEvaluation{
		Of: e.described(), Loss: o.loss, Offsets: o.offsets, Nonnegative: o.nonnegative, Weights: weights, Curved: hessian != nil, at: &w,
	})
	if err != nil {
		return 0, 0, err
	}
	cost, constant = o.total(sum, gradient, hessian)
	return cost, constant, nil
}

// weighting is that of the squared loss, with the curvature of u²/(γs), which is
// 2/(γs), for its ridge.
func (o *Convex) weighting(weights []float64) weighting {
	return curvedRidge(o.of.weigh(weights, &o.of.tables), o.of.gamma, weights)
}

func curvedRidge(w weighting, gamma float64, weights []float64) weighting {
	for x, j := range w.support {
		w.ridge[x] = 2 / (gamma * weights[j])
		w.root[x] = math.Sqrt(gamma * weights[j] / 2)
	}
	return w
}

// total scales the sums, and lowers the cut by its rounding: see Exact.total, with
// size no less than Σ‖α‖² and than the terms of the constant.
func (o *Convex) total(sum *sums, gradient, hessian []float64) (cost, constant float64) {
	copy(gradient, sum.gradient)
	copy(hessian, sum.hessian)
	e := o.of
	delta := 4 * e.delta() // exponentials and logarithms are less exact than products
	scale := 1 / cmp.Or(o.cells, float64(e.n)*float64(e.m))
	gamma := e.gamma / 4
	for j, x := range gradient {
		g := gamma * x * scale
		gradient[j] = -g*(1+delta) - 2*delta*math.Sqrt(g*gamma*e.norm[j]*sum.squares*scale)
	}
	for j := range hessian {
		hessian[j] *= gamma * e.gamma * scale
	}
	return sum.cost * scale, (sum.constant - delta*sum.size) * scale
}

// convexEvaluation is the pass of Convex.Eval.
type convexEvaluation struct {
	Of          costOf
	Loss        loss.Scaled
	Offsets     *pass.Shared[*Offsets]
	Nonnegative []bool
	Weights     []float64
	Curved      bool
	at          *weighting // of the weights; nil where the pass was sent to
}

// Name tells whether there are second derivatives.
func (p *convexEvaluation) Name() string {
	if p.Curved {
		return "evaluation with second derivatives"
	}
	return "evaluation"
}

// Label is for progress.
func (p *convexEvaluation) Label() string { return "Pass" }

// Cost is two panels, as of Exact.
func (p *convexEvaluation) Cost(in *pass.Input) int {
	return panelCost(in, len(p.Of.Features.Get().Names))
}

// Start makes a worker.
func (p *convexEvaluation) Start(in *pass.Input) (pass.Worker, error) {
	at := p.at
	if at == nil {
		o, err := p.Of.exact(in)
		if err != nil {
			return nil, err
		}
		w := curvedRidge(o.weigh(p.Weights, nil), o.gamma, p.Weights)
		at = &w
	}
	k, err := p.Of.start(in, p.Weights, at, p.Curved || p.Nonnegative != nil)
	if err != nil {
		return nil, err
	}
	return newConvexWorker(k, p), nil
}

func init() {
	pass.Register("", &convexEvaluation{}, new(sums))
}
