package objective

import "optcomplete/internal/kernel"

// dualSystem factors I + γ V_i D V_iᵀ for each row of the group, in systems of
// the given size, with a_i as the right-hand side. Shorter rows are filled up
// with the identity.
func (k *worker) dualSystem(lanes, size int) {
	t := len(k.support)
	width := kernel.GramWidth(size)
	stride := t * width
	clear(k.k[:kernel.Tri(size)*kernel.Lanes])
	clear(k.x[:size*kernel.Lanes])
	for lane := range lanes {
		columns, values := k.entries(lane)
		v := k.v[lane*stride:][:stride]
		clear(v)
		for e, c := range columns {
			if k.table.rows != nil {
				for y, b := range k.table.rows[int(c)*k.table.width:][:t] {
					v[y*width+e] = k.root[y] * b
				}
			} else {
				b := k.values[int(c)*k.p:][:k.p]
				for y, j := range k.support {
					v[y*width+e] = k.root[y] * b[j]
				}
			}
			if roots := k.lanes[lane].roots; roots != nil {
				for y := range k.support {
					v[y*width+e] *= roots[e]
				}
			}
			k.x[e*kernel.Lanes+lane] = values[e]
		}
		kernel.Gram(k.k, lane, v, t, width, size)
	}
	for e := range size {
		diagonal := k.k[(kernel.Tri(e)+e)*kernel.Lanes:][:kernel.Lanes]
		for lane := range diagonal {
			diagonal[lane]++
		}
	}
	kernel.Cholesky(k.k, size, 1)
}

// dual solves (I + γ V_i D V_iᵀ) r_i = a_i for each row of the group.
func (k *worker) dual(lanes, size int, s *sums) {
	k.dualSystem(lanes, size)
	t := len(k.support)
	width := kernel.GramWidth(size)
	stride := t * width
	kernel.Solve(k.k, k.x, size)
	for lane := range lanes {
		columns, values := k.entries(lane)
		r := k.panel.room(len(columns))[:len(columns)]
		for e := range r {
			r[e] = k.x[e*kernel.Lanes+lane]
		}
		ar, rr := kernel.Products(values, r)
		s.add(squares(values), ar, rr)
		// The coefficients u_j = γ s_j b_jᵀr give the cost from above.
		v := k.v[lane*stride:][:stride]
		rest := k.r[:copy(k.r, values)]
		penalty := 0.0
		for y := range t {
			by := v[y*width:][:len(r)]
			u := 0.0 // u_j/√(γ s_j)
			for e, x := range by {
				u += x * r[e]
			}
			penalty += u * u
			for e, x := range by {
				rest[e] -= x * u
			}
		}
		k.costs[lane] = penalty + squares(rest)
		k.correlate(lane)
		s.penalty += penalty
		s.cost += k.costs[lane]
	}
}
