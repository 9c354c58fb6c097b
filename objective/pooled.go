package objective

import (
	"context"
	"math"
	"slices"

	"optcomplete/internal/kernel"
	"optcomplete/internal/wide"
	"optcomplete/pass"
	"optcomplete/search"
)

// Pooled is the cost of the pooled model (docs/method.md, "Three models") on all observed
// entries of a matrix: row i has the coefficients μ + u_i, its own deviations u_i
// from a population that all rows share,
//
//	n·m·c(s) = min over μ, u of Σ_i ‖a_i − V_i(μ+u_i)‖² + Σ_j (Σ_i u_ij²/γ + μ_j²/γ₀)/s_j
//	         = aᵀ(I + Σ_j s_j K_j)⁻¹a,   K_j = γ·blockdiag(b_j b_jᵀ) + γ₀·(stacked b_j)(stacked b_j)ᵀ.
//
// An evaluation takes two passes over the rows. The first factors each row's
// system and adds up the population's, (D⁻¹/γ₀ + H) μ = h; the second takes the
// rows' residuals at the μ that solves it. Between the two the factors are kept
// in memory, as far as keptNumbers goes, and made again beyond that.
//
// As with [Exact], a cut is true whatever the residuals r_i it is made of:
//
//	n·m·c(t) ≥ 2aᵀr − ‖r‖² − Σ_j t_j (γ Σ_i (b_jᵀr_i)² + γ₀ (Σ_i b_jᵀr_i)²)   for all t ≥ 0,
//
// and is lowered by an estimate of the rounding of these sums. The cost is the
// objective above at the computed μ and u, so it is a value from above.
type Pooled struct {
	rows    *Exact    // the data, their chunks, and γ
	gamma0  float64   // γ₀
	norm    []float64 // for each feature, no less than Σ b_j² over all observed entries
	workers workerPool[*pooledWorker]
	kept    []float64        // the rows' factors, from the first pass to the second
	entries *wide.Regression // all of them, once an evaluation needed more digits
}

// keptNumbers is how many numbers of the rows' factors are kept between the
// passes of an evaluation: 512 MB.
const keptNumbers = 1 << 26

// NewPooled prepares the cost whose rows, by themselves, have the cost given, with its γ for their
// deviations, and γ₀ = gamma0 > 0 for the population. With γ₀ → 0 it becomes the cost of the rows.
func NewPooled(rows *Exact, gamma0 float64) *Pooled {
	if !(gamma0 > 0) || math.IsInf(gamma0, 1) {
		panic("objective: gamma0 must be a positive number")
	}
	o := &Pooled{rows: rows, gamma0: gamma0, norm: make([]float64, rows.p)}
	for j, norm := range rows.norm {
		o.norm[j] = norm / max(1, float64(rows.longest)) * float64(rows.matrix.Observed())
	}
	return o
}

// Dim returns the number of features p.
func (o *Pooled) Dim() int { return o.rows.p }

// Eval returns the cost at the weights and a cut; see search.Oracle.
func (o *Pooled) Eval(ctx context.Context, weights []float64) (search.Cut, error) {
	return cutOf(ctx, o, weights)
}

// EvalHessian is Eval, and also gives the second derivatives, which are exact
// (see population.second); see search.Curved.
func (o *Pooled) EvalHessian(ctx context.Context, weights []float64) (search.Cut, []float64, error) {
	return curvedCutOf(ctx, o, weights)
}

func (o *Pooled) eval(ctx context.Context, weights, gradient, hessian []float64) (cost, constant float64, err error) {
	if len(weights) != o.rows.p || len(gradient) != o.rows.p {
		panic("objective: weights and gradient must have one number for each feature")
	}
	at := o.newPoint(weights, hessian != nil)
	if t := len(at.support); hessian != nil && len(hessian) != t*t {
		panic("objective: the Hessian must have a row for each feature of positive weight")
	}
	fit, err := o.fitRows(ctx, at, weights)
	if err != nil {
		return 0, 0, err
	}
	population := newPopulation(at, fit)
	var sum *pooledSums
	for try := 0; ; try++ {
		if sum, err = o.residuals(ctx, at, weights); err != nil {
			return 0, 0, err
		}
		rounding := func(j int) float64 { return o.totalRounding(sum, j) }
		if try == refinements || !population.refine(at, sum, rounding) {
			break
		}
	}
	cost, constant = o.cut(sum, gradient)
	if hessian != nil {
		population.second(at, sum, hessian)
		scale := 2 / (float64(o.rows.n) * float64(o.rows.m))
		for x := range hessian {
			hessian[x] *= scale
		}
	}
	if !o.tight(at, weights, cost, constant, gradient, &sum.sums) {
		return o.carefully(ctx, weights, cost, constant, gradient)
	}
	return cost, constant, nil
}

// fitRows is the first pass of an evaluation.
func (o *Pooled) fitRows(ctx context.Context, at *pooledPoint, weights []float64) (*pooledFit, error) {
	return pass.One[*pooledFit](ctx, o.rows.matrix, o.rows.threads, &pooledFitting{o.described(at, weights)})
}

// residuals is the second pass, at μ; the population's penalty is in the cost.
func (o *Pooled) residuals(ctx context.Context, at *pooledPoint, weights []float64) (*pooledSums, error) {
	p := &pooledEvaluation{Of: o.described(at, weights), Mu: slices.Clone(at.mu)}
	sum, err := pass.One[*pooledSums](ctx, o.rows.matrix, o.rows.threads, p)
	if err != nil {
		return nil, err
	}
	for x, mu := range at.mu {
		sum.cost += at.prior[x] * mu * mu
	}
	return sum, nil
}

// pooledPoint is one evaluation: the weights, what the rows need of them, and μ.
type pooledPoint struct {
	weighting
	weights []float64   // of the support
	prior   []float64   // 1/(γ₀ s_j) of the support
	mu      []float64   // of the support, after the first pass
	kept    [][]float64 // for each chunk, room for its factors; nil: they are made again
	curved  bool
}

// newPoint is an evaluation here, with room for the rows' factors.
func (o *Pooled) newPoint(weights []float64, curved bool) *pooledPoint {
	at := o.point(o.rows.newWeighting(weights), weights, curved)
	sizes, total := make([]int, len(o.rows.order)), 0
	for c, chunk := range o.rows.order {
		size := 0
		for group := range slices.Chunk(chunk, kernel.Lanes) {
			size += at.factorSize(o.rows.fullest(group))
		}
		if total+size > keptNumbers {
			break
		}
		sizes[c] = size
		total += size
	}
	o.kept = grow(o.kept, total)
	rest := o.kept
	for _, size := range sizes {
		at.kept = append(at.kept, rest[:size])
		rest = rest[size:]
	}
	return at
}

// point is an evaluation that keeps nothing.
func (o *Pooled) point(w weighting, weights []float64, curved bool) *pooledPoint {
	at := &pooledPoint{weighting: w, curved: curved}
	for _, j := range at.support {
		at.weights = append(at.weights, weights[j])
		at.prior = append(at.prior, 1/(o.gamma0*weights[j]))
	}
	at.mu = make([]float64, len(at.support))
	return at
}

// dual tells whether rows of up to the given number of entries are solved in
// systems of that size instead of the support's. To add V_iᵀM_iV_i to H then takes
// e²t + e³/6 + et²/2 multiplications for e entries, otherwise t³/2 + et²/2. The
// second derivatives come from the support's.
func (at *pooledPoint) dual(entries int) bool { return !at.curved && 3*entries < 2*len(at.support) }

// factorSize is how many numbers the factors of a group of rows take: of the
// dual systems L, of the others (D⁻¹/γ + G_i)⁻¹ and the solution without μ.
func (at *pooledPoint) factorSize(entries int) int {
	if at.dual(entries) {
		return kernel.Tri(entries) * kernel.Lanes
	}
	t := len(at.support)
	return (kernel.Tri(t) + t) * kernel.Lanes
}

// totalRounding is by how much Σ_i b_jᵀr_i may be off, however much of it cancels:
// Σ_i δ‖b_j‖‖r_i‖ ≤ δ·√(Σ_i‖b_j‖² Σ_i‖r_i‖²) (Cauchy-Schwarz); size bounds Σ‖r_i‖².
func (o *Pooled) totalRounding(sum *pooledSums, j int) float64 {
	return o.rows.delta() * math.Sqrt(o.norm[j]*sum.size)
}

// cut scales the cost and the cut, and lowers the cut by its rounding. As
// b_jᵀr_i is off by at most δ‖b_j‖‖r_i‖, √Σ_i(b_jᵀr_i)² is by at most
// δ·√(max_i‖b_j‖² Σ_i‖r_i‖²).
func (o *Pooled) cut(sum *pooledSums, gradient []float64) (cost, constant float64) {
	delta := o.rows.delta()
	scale := 1 / (float64(o.rows.n) * float64(o.rows.m))
	for j := range gradient {
		each := math.Sqrt(sum.gradient[j]) + delta*math.Sqrt(o.rows.norm[j]*sum.size)
		all := math.Abs(sum.total[j]) + o.totalRounding(sum, j)
		gradient[j] = -(1 + delta) * scale * (o.rows.gamma*each*each + o.gamma0*all*all)
	}
	return sum.cost * scale, (sum.constant - delta*sum.size) * scale
}
