package objective

import (
	"slices"

	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// pooledFit is what some rows add to the population's system.
type pooledFit struct {
	Gram []float64 // H = Σ N_i, N_i = V_iᵀM_iV_i, a packed triangle
	H    []float64 // Σ V_iᵀM_ia_i
}

// pooledSums is what some rows add to an evaluation at μ. The Hessian of
// sums is Σ_i u_ij u_il N_i[j,l] here.
type pooledSums struct {
	sums
	total []float64 // Σ b_jᵀr_i
	cross []float64 // Σ N_i[j,l] u_il
}

func newPooledSums(width, t int, curved bool) *pooledSums {
	s := &pooledSums{sums: sums{gradient: make([]float64, width)}, total: make([]float64, width)}
	if curved {
		s.hessian, s.cross = make([]float64, t*t), make([]float64, t*t)
	}
	return s
}

// pooledWorker does the chunks of one thread, reusing its memory.
type pooledWorker struct {
	*worker
	whitener
	of    *Pooled
	at    *pooledPoint
	wide  []float64 // V_i and a_i of the group's rows, whitened, one after the other
	gram  []float64 // their products
	shift []float64 // μ_j/(γ s_j)
	lanes []float64 // coefficients, lanes side by side
}

func (k *pooledWorker) prepare(at *pooledPoint) {
	k.at = at
	k.worker.prepare(at.weighting, true)
	t := len(at.support)
	k.lanes = grow(k.lanes, t*kernel.Lanes)
	k.shift = grow(k.shift, t)
	for x, mu := range at.mu {
		k.shift[x] = at.ridge[x] * mu
	}
}

// fullest is the number of entries of the fullest row of a group.
func (o *Exact) fullest(group []int32) int {
	return o.matrix.Entries(int(group[len(group)-1]))
}

// factor makes the group's factors, in k and x: L of the dual systems
// I + γV_iDV_iᵀ, or the inverses of K_i = D⁻¹/γ + G_i and the K_i⁻¹V_iᵀa_i.
func (k *pooledWorker) factor(group []int32) {
	if e := k.fullest(group); k.at.dual(e) {
		k.dualSystem(len(group), e)
		return
	}
	t := len(k.support)
	k.primalSystem(len(group))
	kernel.Solve(k.k, k.x, t)
	kernel.Inverse(k.k, k.work, t)
}

// fit factors the systems of a chunk's rows, keeps them where there is room, and
// adds up the population's system.
func (k *pooledWorker) fit(c *pass.Chunk, f *pooledFit) {
	t := len(k.support)
	keep := k.at.keptOf(c.Number)
	whitened := false
	for group := range slices.Chunk(k.Exact.order[c.Number], kernel.Lanes) {
		k.read(c, group)
		k.factor(group)
		if e := k.fullest(group); k.at.dual(e) {
			if len(keep) > 0 {
				keep = keep[copy(keep, k.k[:kernel.Tri(e)*kernel.Lanes]):]
			}
			if !whitened {
				whitened = true
				k.gram = grow(k.gram, kernel.Tri(t+1)*kernel.Lanes)
				clear(k.gram)
			}
			k.addWhitened(group)
			continue
		}
		if len(keep) > 0 {
			keep = keep[copy(keep, k.k[:kernel.Tri(t)*kernel.Lanes]):]
			keep = keep[copy(keep, k.x[:t*kernel.Lanes]):]
		}
		k.addInverse(f)
	}
	if whitened {
		for x := range f.Gram {
			f.Gram[x] += k.gram[x*kernel.Lanes]
		}
		for x := range f.H {
			f.H[x] += k.gram[(kernel.Tri(t)+x)*kernel.Lanes]
		}
	}
}

// keptOf is the room for a chunk's factors; empty: there is none.
func (at *pooledPoint) keptOf(chunk int) []float64 {
	if at.kept == nil {
		return nil
	}
	return at.kept[chunk]
}

// addInverse adds a group's part by N_i = E − E K_i⁻¹ E, E = D⁻¹/γ, and
// V_iᵀM_ia_i = E K_i⁻¹V_iᵀa_i.
func (k *pooledWorker) addInverse(f *pooledFit) {
	for x, ex := range k.ridge {
		row := k.k[kernel.Tri(x)*kernel.Lanes:]
		out := f.Gram[kernel.Tri(x):]
		for y, ey := range k.ridge[:x] {
			out[y] -= ex * ey * addLanes(row[y*kernel.Lanes:])
		}
		sum := 0.0
		for _, inverse := range (*[kernel.Lanes]float64)(row[x*kernel.Lanes:]) {
			sum += 1 - ex*inverse
		}
		out[x] += ex * sum
		f.H[x] += ex * addLanes(k.x[x*kernel.Lanes:])
	}
}

// addLanes is the sum of a lane array.
func addLanes(x []float64) float64 {
	a := (*[kernel.Lanes]float64)(x)
	return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]))
}

// addWhitened adds a group's part from its dual systems L Lᵀ: with W = L⁻¹V_i and
// g = L⁻¹a_i, N_i = WᵀW and V_iᵀM_ia_i = Wᵀg, the products of [W g] with itself.
func (k *pooledWorker) addWhitened(group []int32) {
	t := len(k.support)
	width := kernel.GramWidth(t + 1)
	k.wide = grow(k.wide, kernel.Lanes*k.fullest(group)*width)
	done := 0
	for lane := range group {
		columns, _ := k.entries(lane)
		v := k.wide[done*width:][:len(columns)*width]
		k.gather(k.v, lane)
		for e := range columns {
			row := v[e*width:][:width]
			clear(row[copy(row, k.v[e*k.table.width:][:t+1]):])
		}
		k.whiten(k.k, lane, v, len(columns), width)
		done += len(columns)
	}
	kernel.Gram(k.gram, 0, k.wide, done, width, t+1)
}

// residuals adds up a chunk's part of the cost and of the cut at μ, from the
// factors that fit kept, or from new ones.
func (k *pooledWorker) residuals(c *pass.Chunk, s *pooledSums) {
	t := len(k.support)
	kept := k.at.keptOf(c.Number)
	for group := range slices.Chunk(k.Exact.order[c.Number], kernel.Lanes) {
		k.read(c, group)
		e := k.fullest(group)
		factors, x := k.k, k.x
		if len(kept) > 0 {
			size := k.at.factorSize(e)
			factors, kept = kept[:size], kept[size:]
			if !k.at.dual(e) {
				x = factors[kernel.Tri(t)*kernel.Lanes:]
			}
		} else {
			k.factor(group)
		}
		if k.at.dual(e) {
			k.dualResiduals(group, e, factors, s)
		} else {
			k.primalResiduals(group, factors, x, s)
			if k.at.curved {
				k.second(factors, s)
			}
		}
		if k.panel.full() {
			k.take(s)
		}
	}
}

// primalResiduals takes the coefficients of the rows, which are
//
//	μ + u_i = μ + K_i⁻¹V_iᵀ(a_i − V_iμ) = K_i⁻¹V_iᵀa_i + K_i⁻¹Eμ,
//
// given the inverses and the first term, and the residuals from them. It leaves
// the u_i in lanes.
func (k *pooledWorker) primalResiduals(group []int32, inverse, first []float64, s *pooledSums) {
	t := len(k.support)
	copy(k.lanes[:t*kernel.Lanes], first)
	for x, ex := range k.shift[:t] {
		row := inverse[kernel.Tri(x)*kernel.Lanes:]
		sum := (*[kernel.Lanes]float64)(k.lanes[x*kernel.Lanes:])
		for y, ey := range k.shift[:x] {
			a := (*[kernel.Lanes]float64)(row[y*kernel.Lanes:])
			other := (*[kernel.Lanes]float64)(k.lanes[y*kernel.Lanes:])
			for lane, v := range a {
				sum[lane] += ey * v
				other[lane] += ex * v
			}
		}
		for lane, v := range (*[kernel.Lanes]float64)(row[x*kernel.Lanes:]) {
			sum[lane] += ex * v
		}
	}
	for lane := range group {
		columns, values := k.entries(lane)
		u := k.u[:t]
		penalty := 0.0
		for y := range u {
			u[y] = k.lanes[y*kernel.Lanes+lane]
			own := u[y] - k.at.mu[y]
			penalty += k.ridge[y] * own * own
		}
		ar, rr := k.subtract(k.panel.room(len(columns)), lane, u)
		k.correlate(lane)
		s.add(squares(values), ar, rr)
		s.cost += penalty + rr
		s.penalty += penalty
	}
	for x, mu := range k.at.mu {
		a := (*[kernel.Lanes]float64)(k.lanes[x*kernel.Lanes:])
		for lane := range a {
			a[lane] -= mu
		}
	}
}

// dualResiduals solves (I + γV_iDV_iᵀ) r_i = a_i − V_iμ, given the factors.
func (k *pooledWorker) dualResiduals(group []int32, size int, l []float64, s *pooledSums) {
	t := len(k.support)
	clear(k.x[:size*kernel.Lanes])
	for lane := range group {
		columns, _ := k.entries(lane)
		k.subtract(k.r, lane, k.at.mu)
		for e, x := range k.r[:len(columns)] {
			k.x[e*kernel.Lanes+lane] = x
		}
	}
	kernel.Solve(l, k.x, size)
	for lane := range group {
		columns, values := k.entries(lane)
		r := k.panel.room(len(columns))[:len(columns)]
		for e := range r {
			r[e] = k.x[e*kernel.Lanes+lane]
		}
		ar, rr := kernel.Products(values, r)
		s.add(squares(values), ar, rr)
		// The deviations u_j = γ s_j b_jᵀr give the cost from above.
		k.gather(k.v, lane)
		u := k.u[:t]
		clear(u)
		for e, x := range r {
			for y, b := range k.v[e*k.table.width:][:t] {
				u[y] += x * b
			}
		}
		penalty := 0.0
		for y := range u {
			own := k.root[y] * u[y] // u_j/√(γ s_j)
			penalty += own * own
			u[y] = k.at.mu[y] + k.root[y]*own
		}
		k.correlate(lane)
		_, rest := k.residual(k.r, k.v, values, u)
		s.cost += penalty + rest
		s.penalty += penalty
	}
}

// subtract sets r = a_i − V_i u; see residual.
func (k *pooledWorker) subtract(r []float64, lane int, u []float64) (ar, rr float64) {
	k.gather(k.v, lane)
	_, values := k.entries(lane)
	return k.residual(r, k.v, values, u)
}

// take adds (b_jᵀr)² and b_jᵀr of the rows in the panel.
func (k *pooledWorker) take(s *pooledSums) {
	k.panel.take(k.Exact, func(j int, z []float64) {
		kernel.AddSquares(s.gradient[j:][:len(z)], z, 0, 1)
		total := s.total[j:][:len(z)]
		for x := range total {
			total[x] += z[x]
		}
	})
}

// second adds the group's Σ u_ij u_il N_i[j,l] and Σ N_i[j,l] u_il, with
// N_i = E − E K_i⁻¹ E.
func (k *pooledWorker) second(inverse []float64, s *pooledSums) {
	t := len(k.support)
	for x, ex := range k.ridge {
		row := inverse[kernel.Tri(x)*kernel.Lanes:]
		ux := (*[kernel.Lanes]float64)(k.lanes[x*kernel.Lanes:])
		for y, ey := range k.ridge[:x] {
			uy := (*[kernel.Lanes]float64)(k.lanes[y*kernel.Lanes:])
			var both, one, other float64
			for lane, v := range (*[kernel.Lanes]float64)(row[y*kernel.Lanes:]) {
				w := v * uy[lane]
				both += w * ux[lane]
				one += w
				other += v * ux[lane]
			}
			s.hessian[x*t+y] -= ex * ey * both
			s.cross[x*t+y] -= ex * ey * one
			s.cross[y*t+x] -= ex * ey * other
		}
		var both, one float64
		for lane, v := range (*[kernel.Lanes]float64)(row[x*kernel.Lanes:]) {
			w := ux[lane] * (1 - ex*v)
			both += w * ux[lane]
			one += w
		}
		s.hessian[x*t+x] += ex * both
		s.cross[x*t+x] += ex * one
	}
}
