package objective

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"optcomplete/search"
)

// Products are what a sparse regression needs of its data: the inner products
// of p features x_1..x_p with each other and with the values a to be explained.
type Products interface {
	// Dim returns the number of features p.
	Dim() int

	// Target returns y_j = x_jᵀa and G_jj = ‖x_j‖² for every feature, and ‖a‖².
	// The slices must not be changed.
	Target() (y, diagonal []float64, squares float64)

	// Columns writes x_lᵀx_j for every feature l to dst[i][l], j = features[i].
	Columns(ctx context.Context, features []int, dst [][]float64) error

	// Rounding is the relative error δ of the products: those of x and x' are
	// off by at most δ·‖x‖·‖x'‖.
	Rounding() float64
}

// Quadratic is the cost of a sparse ridge regression that is given through
// products alone:
//
//	c(s) = (‖a‖² − y_Tᵀu)/N,  u = (D⁻¹/γ + G_TT)⁻¹y_T,  T = {j: s_j > 0}, D = diag(s_T).
//
// It is the cost of [Exact] for a single row, and satisfies search.Curved and
// search.Enumerator. An evaluation takes time for the support and for p, none
// for the data: columns of G are asked for when their feature first enters a
// support, and kept. Products whose columns come cheaper in batches may say so
// by a method Batch() int.
//
// For any u, with z = y − Gu, and for all t ≥ 0,
//
//	N·c(t) ≥ ‖a‖² − uᵀGu − γ Σ_j t_j z_j²,
//
// the dual of the regression at the residual r = a − Xu. So a cut is true
// however inexactly u was solved for, up to the rounding of the right-hand side.
// With h_j = ‖x_j‖, U = Σ_j h_j|u_j| and δ the relative rounding of products and
// of sums over the support, uᵀGu is off by at most δU², ‖a‖² by δ‖a‖², and z_j by
// δh_j(‖a‖ + U) (each product in z_j by δh_jh_l): the constant is lowered by the
// former and z_j² taken with |z_j| raised by the latter. Where U is of the order
// of ‖a‖ that is δ‖a‖² in all: digits cancel against the size of the values and
// not against the cost, which only shows where the features explain nearly
// everything (cost below 1e-8 of ‖a‖²/N, say).
type Quadratic struct {
	products Products
	p        int
	gamma    float64
	scale    float64 // 1/N
	y, norm  []float64
	squares  float64 // ‖a‖²
	columns  *columnCache
	work     quadraticWork
}

// quadraticWork is memory that evaluations reuse.
type quadraticWork struct {
	factor []float64 // t×t
	u      []float64
	gu     []float64 // Gu, padded
}

// NewQuadratic prepares the cost at γ = gamma > 0, divided by n > 0.
func NewQuadratic(products Products, gamma, n float64) *Quadratic {
	if !(gamma > 0) || math.IsInf(gamma, 1) || !(n > 0) {
		panic("objective: gamma and the divisor must be positive numbers")
	}
	y, diagonal, squares := products.Target()
	o := &Quadratic{products: products, p: products.Dim(), gamma: gamma, scale: 1 / n, y: y, squares: squares}
	o.norm = make([]float64, o.p)
	for j, d := range diagonal {
		o.norm[j] = math.Sqrt(max(d, 0))
	}
	o.columns = newColumnCache(products)
	return o
}

// WithGamma is the same cost at another γ. The two share the data, so they must
// not be evaluated at the same time.
func (o *Quadratic) WithGamma(gamma float64) *Quadratic {
	other := *o
	other.gamma = gamma
	other.work = quadraticWork{}
	return &other
}

// Dim returns the number of features p.
func (o *Quadratic) Dim() int { return o.p }

// Gamma returns γ.
func (o *Quadratic) Gamma() float64 { return o.gamma }

// delta is the relative rounding of the products and of sums over a support.
func (o *Quadratic) delta(support int) float64 {
	return o.products.Rounding() + 1.2e-16*float64(8+support)
}

// Eval returns the cost at the weights and a cut; see search.Oracle.
func (o *Quadratic) Eval(ctx context.Context, weights []float64) (search.Cut, error) {
	return cutOf(ctx, o, weights)
}

// EvalHessian is Eval, and also gives the second derivatives; see search.Curved.
func (o *Quadratic) EvalHessian(ctx context.Context, weights []float64) (search.Cut, []float64, error) {
	return curvedCutOf(ctx, o, weights)
}

func (o *Quadratic) eval(ctx context.Context, weights, gradient, hessian []float64) (cost, constant float64, err error) {
	fast, constant, err := o.fast(ctx, weights, gradient, hessian)
	if err != nil || fast.tight(weights, constant, gradient) {
		return fast.value, constant, err
	}
	found, ok, err := o.carefully(ctx, weights)
	if !ok {
		return fast.value, constant, err
	}
	for j, slope := range found.Slope {
		gradient[j] = max(-slope*o.scale, -steepest)
	}
	return found.Cost * o.scale, down(found.Constant * o.scale), nil
}

// rounded is a cost and how far it may be off.
type rounded struct{ value, off float64 }

func (c rounded) tight(weights []float64, constant float64, gradient []float64) bool {
	return met(weights, c.value, c.off, constant, gradient, loose(weights))
}

// fast evaluates by products, in double precision.
func (o *Quadratic) fast(ctx context.Context, weights, gradient, hessian []float64) (cost rounded, constant float64, err error) {
	if len(weights) != o.p || len(gradient) != o.p {
		panic("objective: weights and gradient must have one number for each feature")
	}
	if err := ctx.Err(); err != nil {
		return cost, 0, err
	}
	w := newWeighting(weights, o.gamma)
	t := len(w.support)
	if hessian != nil && len(hessian) != t*t {
		panic("objective: the Hessian must have a row for each feature of positive weight")
	}
	slots, err := o.columns.need(ctx, w.support, o.likely)
	if err != nil {
		return cost, 0, err
	}
	u := o.solve(w, slots)
	gu := o.multiply(slots, u)

	// The regression's own objective at u: ‖a‖² − 2yᵀu + uᵀGu + Σu²/(γs).
	var penalty, ugu, size float64
	value := func() float64 {
		yu := 0.0
		penalty, ugu, size = 0, 0, 0
		for x, j := range w.support {
			yu += o.y[j] * u[x]
			ugu += u[x] * gu[j]
			penalty += w.ridge[x] * u[x] * u[x]
			size += o.norm[j] * math.Abs(u[x])
		}
		return max(o.squares-2*yu+ugu+penalty, 0)
	}
	sum := value()
	solved := !math.IsNaN(sum) && !math.IsInf(sum+size*size, 1)
	if !solved { // digits do not suffice at all: no coefficients are as good
		clear(u)
		gu = o.multiply(slots, u)
		sum = value()
	}
	cost.value = sum * o.scale
	delta := o.delta(t)
	cost.off = delta * (o.squares + size*size + penalty) * o.scale
	constant = (o.squares - ugu - delta*(o.squares+size*size)) * o.scale
	by, off := -o.gamma*o.scale*(1+4*1.2e-16), delta*(math.Sqrt(o.squares)+size)
	for j, y := range o.y {
		z := math.Abs(y-gu[j]) + off*o.norm[j]
		gradient[j] = by * z * z
	}
	switch {
	case hessian != nil && solved:
		o.second(w, gu, hessian)
	case hessian != nil:
		clear(hessian)
	}
	return cost, constant, nil
}

// solve factors D⁻¹/γ + G_TT = LLᵀ, which it leaves in work.factor, and solves
// for u. A pivot that rounding takes below the smallest ridge is raised to it.
func (o *Quadratic) solve(w weighting, slots []int32) []float64 {
	t := len(w.support)
	o.work.factor, o.work.u = grow(o.work.factor, t*t), grow(o.work.u, t)
	l, u := o.work.factor[:t*t], o.work.u[:t]
	smallest := math.Inf(1)
	for x, slot := range slots {
		column := o.columns.at(slot)
		row := l[x*t:][:t]
		for y := range x + 1 {
			row[y] = column[w.support[y]]
		}
		row[x] += w.ridge[x]
		smallest = min(smallest, w.ridge[x])
		u[x] = o.y[w.support[x]]
	}
	for i := range t {
		row := l[i*t:][:i+1]
		for j := range i {
			above := l[j*t:][:j+1]
			row[j] = (row[j] - floats.Dot(row[:j], above[:j])) / above[j]
		}
		row[i] = math.Sqrt(max(row[i]-floats.Dot(row[:i], row[:i]), smallest))
		u[i] = (u[i] - floats.Dot(row[:i], u[:i])) / row[i]
	}
	for i := t - 1; i >= 0; i-- {
		row := l[i*t:][:i+1]
		u[i] /= row[i]
		floats.AddScaled(u[:i], -u[i], row[:i])
	}
	return u
}

// multiply is Gu, for u over the features in the given slots.
func (o *Quadratic) multiply(slots []int32, u []float64) []float64 {
	o.work.gu = grow(o.work.gu, o.columns.width)
	gu := o.work.gu[:o.columns.width]
	o.columns.correlate(gu, u, slots)
	return gu
}

// likely tells how likely a feature is to enter the support next: its gradient
// at the last evaluation.
func (o *Quadratic) likely(j int) float64 {
	z := o.y[j]
	if len(o.work.gu) > j {
		z -= o.work.gu[j]
	}
	return z * z
}

// second writes the second derivatives. With E = D⁻¹/γ and K = E + G_TT,
// x_jᵀMx_l = E_j δ_jl − E_j (K⁻¹)_jl E_l, as for a row of [Exact].
func (o *Quadratic) second(w weighting, gu, hessian []float64) {
	t := len(w.support)
	l := o.work.factor[:t*t]
	inverseLower(l, hessian, t)
	by := 2 * o.gamma * o.gamma * o.scale
	for x, j := range w.support {
		zx := o.y[j] - gu[j]
		for y, i := range w.support[:x+1] {
			zy := o.y[i] - gu[i]
			// (K⁻¹)_xy = Σ_{i ≥ x} W_ix W_iy with W = L⁻¹, kept by columns.
			inverse := floats.Dot(hessian[x*t+x:(x+1)*t], hessian[y*t+x:(y+1)*t])
			m := -w.ridge[x] * inverse * w.ridge[y]
			if x == y {
				m = w.ridge[x] * (1 - w.ridge[x]*inverse)
			}
			l[x*t+y] = by * zx * zy * m
		}
	}
	for x := range t {
		for y := range x + 1 {
			hessian[x*t+y] = l[x*t+y]
			hessian[y*t+x] = l[x*t+y]
		}
	}
}

// inverseLower writes W = L⁻¹ by columns: W_ij to w[j·t+i].
func inverseLower(l, w []float64, t int) {
	clear(w)
	for j := range t {
		column := w[j*t:][:t]
		column[j] = 1 / l[j*t+j]
		for i := j + 1; i < t; i++ {
			column[i] = -floats.Dot(l[i*t+j:i*t+i], column[j:i]) / l[i*t+i]
		}
	}
}

// Coefficients returns the u of a selection, in increasing order.
func (o *Quadratic) Coefficients(ctx context.Context, selection []int) ([]float64, error) {
	if found, ok, err := o.hard(ctx, selection); ok || err != nil {
		return found.U, err
	}
	slots, err := o.columns.need(ctx, selection, o.likely)
	if err != nil {
		return nil, err
	}
	w := weighting{support: selection}
	for range selection {
		w.ridge = append(w.ridge, 1/o.gamma)
	}
	return append([]float64{}, o.solve(w, slots)...), nil
}

// LeastSquares returns the coefficients of a selection without regularisation:
// those of the smallest norm, each feature measured by its own, where they are
// not unique. Products carry half of the digits of the data for this, so what
// differs by less than 1e-7 of a feature counts as the same.
func (o *Quadratic) LeastSquares(ctx context.Context, selection []int) ([]float64, error) {
	if len(selection) == 0 {
		return nil, nil
	}
	slots, err := o.columns.need(ctx, selection, o.likely)
	if err != nil {
		return nil, err
	}
	k := len(selection)
	unit := func(j int) float64 { // 1/‖x_j‖, 0 for a feature that is 0 everywhere
		if o.norm[j] == 0 {
			return 0
		}
		return 1 / o.norm[j]
	}
	correlation := mat.NewSymDense(k, nil)
	u := make([]float64, k)
	for x, slot := range slots {
		column := o.columns.at(slot)
		for y, j := range selection[:x+1] {
			correlation.SetSym(x, y, column[j]*unit(j)*unit(selection[x]))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(correlation, true) {
		return u, nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for e, value := range eigen.Values(nil) {
		if value < 1e-14*float64(k) {
			continue
		}
		along := 0.0
		for x, j := range selection {
			along += vectors.At(x, e) * o.y[j] * unit(j)
		}
		for x, j := range selection {
			u[x] += vectors.At(x, e) * along / value * unit(j)
		}
	}
	return u, nil
}
