package objective

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"optcomplete/internal/kernel"
	"optcomplete/pass"
	"optcomplete/search"
)

// Model gives a quadratic function below the cost of selections; see search.Modeler.
//
// With residuals r_i = M_i⁻¹a_i at the weights w, M_i = I + γ Σ_j w_j b_j b_jᵀ, and
// v_i = γ Σ_j δ_j (b_jᵀr_i) b_j for δ = s − w, the cost at s is the cut there and
// v_iᵀM_i(s)⁻¹v_i more of every row. A selection has no more than all the given
// features, so M_i(s) ⪯ U_i = I + γ Σ_j b_j b_jᵀ over these, and v_iᵀU_i⁻¹v_i is no
// more. That is δᵀQδ, with K_i = I/γ + G_i and z_i = B_iᵀr_i
//
//	Q = γ·diag(Σ_i z_i²) − Σ_i (z_i z_iᵀ) ∘ K_i⁻¹.
func (o *Exact) Model(ctx context.Context, weights []float64, at search.Cut, features []int) (m search.Model, ok bool, err error) {
	g := o.keeping()
	if g.keep = g.keep || g.fit; !g.keep || o.reach() > modelReach {
		return m, false, nil
	}
	q, err := pass.One[*modelPart](ctx, o.matrix, o.threads, &modelling{Of: o.described(), Weights: weights, Features: features})
	if err != nil {
		return m, false, err
	}
	if err := o.measured(ctx); err != nil {
		return m, false, err
	}
	f := len(features)
	scale := 1 / (float64(o.n) * float64(o.m))
	m = search.Model{Constant: at.Constant, Linear: make([]float64, f), Matrix: q.Q}
	mirror(m.Matrix, f)
	floats.Scale(scale, m.Matrix)
	size := math.Abs(at.Constant) // of what is added up
	reach, steep, far := 1.0, 0.0, 1.0
	for x, j := range features {
		sum := 0.0
		for y, l := range features {
			sum += m.Matrix[x*f+y] * weights[l]
			size += 3 * math.Abs(m.Matrix[x*f+y]) * weights[l]
		}
		m.Constant += weights[j] * sum
		m.Linear[x] = at.Gradient[j] - 2*sum
		size += math.Abs(at.Gradient[j])
		reach += o.gamma * o.norm[j]
		steep = max(steep, math.Sqrt(math.Abs(at.Gradient[j])))
		far += 2 * weights[j]
	}
	// Systems lose up to 1 + γ‖B_i‖² of the precision ε: K_i⁻¹ is off by no more than
	// c·γ, and z_i by c·‖b_j‖‖a_i‖, in Σ_i z_i² by Cauchy and Schwarz. far is no less
	// than Σ|δ_j|, since weights and selections have the same sum.
	c := (1.2e-16*float64(8*f+o.weighing()) + o.delta()) * reach
	root := math.Sqrt(o.reach() * o.grams.norms.Squares * scale)
	m.Constant -= c*far*far*(steep*(steep+2*root)+c*root*root) + 1.2e-16*float64(2*f+8)*size
	return m, true, nil
}

// modelReach is the largest γ‖b_j‖² for which models are made.
const modelReach = 1e6

// measured sees to it that the norms of the rows are known.
func (o *Exact) measured(ctx context.Context) (err error) {
	if o.grams.norms == nil {
		o.grams.norms, err = pass.One[*rowNorms](ctx, o.matrix, o.threads, &norming{Of: o.described()})
	}
	return err
}

// modelling is the pass of Exact.Model.
type modelling struct {
	Of       costOf
	Weights  []float64
	Features []int
}

// Label is for progress.
func (p *modelling) Label() string { return "Pass" }

// Cost is some rows.
func (p *modelling) Cost(in *pass.Input) int { return enumerationCost(in) }

// modelPart is the matrix of some rows; of its upper triangle nothing.
type modelPart struct{ Q []float64 }

// Merge adds the rows that follow.
func (p *modelPart) Merge(o pass.Part) { floats.Add(p.Q, o.(*modelPart).Q) }

// Start makes a worker.
func (p *modelling) Start(in *pass.Input) (pass.Worker, error) {
	o, err := p.Of.exact(in)
	if err != nil {
		return nil, err
	}
	f := len(p.Features)
	w := &modeller{worker: o.takeWorker(), pass: p, all: newSystem(f)}
	for x, j := range p.Features {
		if s := p.Weights[j]; s > 0 {
			w.at = append(w.at, x)
			w.ridges = append(w.ridges, 1/(o.gamma*s))
		}
	}
	t := len(w.at)
	w.system, w.solution = make([]float64, kernel.Tri(t)*kernel.Lanes), make([]float64, t*kernel.Lanes)
	w.scratch = make([]float64, f*kernel.Lanes)
	w.Making = pass.Makes(func() *modelPart { return &modelPart{Q: make([]float64, f*f)} })
	return w, nil
}

type modeller struct {
	*worker
	pass.Making[*modelPart]
	pass             *modelling
	at               []int // places of the features of positive weight
	ridges           []float64
	all              system
	system, solution []float64
	scratch          []float64
}

// Add adds a chunk.
func (w *modeller) Add(c *pass.Chunk) error {
	rows := w.order[c.Number]
	kept := w.kept(c, rows)
	f := len(w.pass.Features)
	for at := 0; at < len(rows); at += kernel.Lanes {
		w.load(&w.all, c, kept, at, w.pass.Features)
		w.solveWeights()
		for x := range f {
			for lane, d := 0, lanesAt(w.all.products, kernel.Tri(x)+x); lane < kernel.Lanes; lane++ {
				d[lane] += 1 / w.gamma
			}
		}
		kernel.Cholesky(w.all.products, f, 1/w.gamma)
		kernel.Inverse(w.all.products, w.scratch, f)
		q := w.Now.Q
		for x := range f {
			zx := lanesAt(w.all.right, x)
			for y := range x {
				zy, k := lanesAt(w.all.right, y), lanesAt(w.all.products, kernel.Tri(x)+y)
				sum := 0.0
				for lane, z := range zx {
					sum += z * zy[lane] * k[lane]
				}
				q[x*f+y] -= sum
			}
			k := lanesAt(w.all.products, kernel.Tri(x)+x)
			sum := 0.0
			for lane, z := range zx {
				sum += z * z * (w.gamma - k[lane])
			}
			q[x*f+x] += sum
		}
	}
	return nil
}

// solveWeights replaces the products with the values by those with the residuals at
// the weights.
func (w *modeller) solveWeights() {
	t := len(w.at)
	least := math.Inf(1)
	for x, a := range w.at {
		copy(w.solution[x*kernel.Lanes:][:kernel.Lanes], w.all.right[a*kernel.Lanes:])
		for y, b := range w.at[:x+1] {
			copy(w.system[(kernel.Tri(x)+y)*kernel.Lanes:][:kernel.Lanes], w.all.products[(kernel.Tri(a)+b)*kernel.Lanes:])
		}
		d := lanesAt(w.system, kernel.Tri(x)+x)
		for lane := range d {
			d[lane] += w.ridges[x]
		}
		least = min(least, w.ridges[x])
	}
	kernel.Cholesky(w.system, t, least)
	kernel.Solve(w.system, w.solution, t)
	next := 0
	for x := range w.pass.Features {
		z := lanesAt(w.all.right, x)
		if next < t && w.at[next] == x {
			u := lanesAt(w.solution, next)
			for lane := range z {
				z[lane] = w.ridges[next] * u[lane]
			}
			next++
			continue
		}
		for y, b := range w.at {
			u, g := lanesAt(w.solution, y), lanesAt(w.all.products, kernel.Tri(max(x, b))+min(x, b))
			for lane := range z {
				z[lane] -= g[lane] * u[lane]
			}
		}
	}
}

func init() { pass.Register("model", &modelling{}, new(modelPart)) }
