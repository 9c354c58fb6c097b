package objective

import (
	"slices"

	"optcomplete/internal/kernel"
)

// population is the system (D⁻¹/γ₀ + H) μ = h of the coefficients that all rows
// share, factored.
type population struct {
	whitener
	l []float64 // lane 0 of packed triangles: the rows' kernels serve here too
	x []float64 // a right-hand side, in lane 0
}

const (
	refinements = 2     // most corrections of μ in an evaluation
	mismatched  = 1e-20 // relative difference of cost and cut that asks for one: the square of the gradient's
)

// newPopulation solves for μ.
func newPopulation(at *pooledPoint, f *pooledFit) *population {
	t := len(at.support)
	s := &population{l: make([]float64, kernel.Tri(t)*kernel.Lanes), x: make([]float64, t*kernel.Lanes)}
	for x, v := range f.Gram {
		s.l[x*kernel.Lanes] = v
	}
	for x, v := range f.H {
		s.x[x*kernel.Lanes] = v
	}
	for x, prior := range at.prior {
		s.l[(kernel.Tri(x)+x)*kernel.Lanes] += prior
	}
	if t > 0 {
		// In exact arithmetic no pivot is below the smallest prior.
		kernel.Cholesky(s.l, t, slices.Min(at.prior))
	}
	s.correct(at)
	return s
}

// correct adds to μ the solution for the right-hand side.
func (s *population) correct(at *pooledPoint) {
	kernel.Solve(s.l, s.x, len(at.mu))
	for x := range at.mu {
		at.mu[x] += s.x[x*kernel.Lanes]
	}
}

// refine looks at how well μ solves its system, which an evaluation at μ shows:
// μ_j/(γ₀s_j) must be Z_j = Σ_i b_jᵀr_i, and
//
//	cost − cut = Σ_j (Z_j − μ_j/(γ₀s_j))²·γ₀s_j
//
// at the weights, but for the scale and the rounding of the rows. If that is too
// much, μ is corrected by (D⁻¹/γ₀ + H)⁻¹ of the difference, and the residuals must
// be taken again. It happens where γ ≪ γ₀: N_i = E − E K_i⁻¹ E then cancels. The
// Z_j are known to the given rounding only.
func (s *population) refine(at *pooledPoint, sum *pooledSums, rounding func(j int) float64) bool {
	loss, noise := 0.0, 0.0
	for x, j := range at.support {
		miss := sum.total[j] - at.prior[x]*at.mu[x]
		loss += miss * miss / at.prior[x]
		noise += rounding(j) * rounding(j) / at.prior[x]
		s.x[x*kernel.Lanes] = miss
	}
	if loss <= max(mismatched*sum.cost, noise) {
		return false
	}
	s.correct(at)
	return true
}

// second gives the second derivatives, but for the factor 2/(nm). With
// A = I + Σ_j s_j K_j they are 2 rᵀK_j A⁻¹ K_l r/(nm), where at the optimum
//
//	(K_j r)_i = b_j (γ b_jᵀr_i + γ₀ Σ_i' b_jᵀr_i') = b_j (u_ij + μ_j)/s_j.
//
// A is blockdiag(M_i⁻¹) + γ₀VDVᵀ with the V_i stacked, so with Φ = (D⁻¹/γ₀ + H)⁻¹
// and N_i = V_iᵀM_iV_i,
//
//	rᵀK_j A⁻¹ K_l r·s_j s_l = Σ_i (u_ij+μ_j) N_i[j,l] (u_il+μ_l) − q_jᵀΦq_l,
//	q_l = Σ_i N_i[:,l] (u_il+μ_l) = P[:,l] + H[:,l] μ_l,   P[f,l] = Σ_i N_i[f,l] u_il.
//
// H and Φ are known to each other: H − HΦH = F − FΦF with F = D⁻¹/γ₀. Hence it is
//
//	Σ_i u_ij u_il N_i[j,l] + F_j μ_j² δ_jl − y_jᵀΦy_l,   y_l = P[:,l] − F[:,l] μ_l,
//
// where nothing as large as H cancels.
func (s *population) second(at *pooledPoint, sum *pooledSums, hessian []float64) {
	t := len(at.support)
	width := kernel.GramWidth(t)
	y := make([]float64, t*width)
	for x := range t {
		copy(y[x*width:], sum.cross[x*t:][:t])
		y[x*width+x] -= at.prior[x] * at.mu[x]
	}
	s.whiten(s.l, 0, y, t, width)
	products := make([]float64, kernel.Tri(t)*kernel.Lanes)
	kernel.Gram(products, 0, y, t, width, t)
	for x := range t {
		for z := range x + 1 {
			v := sum.hessian[x*t+z] - products[(kernel.Tri(x)+z)*kernel.Lanes]
			if x == z {
				v += at.prior[x] * at.mu[x] * at.mu[x]
			}
			v /= at.weights[x] * at.weights[z]
			hessian[x*t+z], hessian[z*t+x] = v, v
		}
	}
}

// whitener applies L⁻¹ to the columns of a matrix.
type whitener struct {
	order    []int32 // 0, 1, 2, ...
	row, sum []float64
}

// whiten replaces V, of rows that lie width apart, by L⁻¹V, for one lane of the
// packed triangles L from kernel.Cholesky. All of the width is used, which must
// be a multiple of four.
func (w *whitener) whiten(l []float64, lane int, v []float64, rows, width int) {
	for len(w.order) < rows {
		w.order = append(w.order, int32(len(w.order)))
	}
	w.row, w.sum = grow(w.row, rows), grow(w.sum, width)
	sum := w.sum[:width]
	for e := range rows {
		row := l[kernel.Tri(e)*kernel.Lanes+lane:]
		for x := range e {
			w.row[x] = row[x*kernel.Lanes]
		}
		kernel.Correlate(sum, w.row[:e], w.order[:e], v, width)
		pivot := row[e*kernel.Lanes] // its reciprocal
		for y, x := range v[e*width:][:width] {
			v[e*width+y] = pivot * (x - sum[y])
		}
	}
}
