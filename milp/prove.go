package milp

import "math"

// unit bounds the relative error of one rounded operation.
const unit = 0x1p-53

// proof is a lower bound of a node that holds whatever the simplex got wrong.
type proof struct {
	key        []float64 // per feature, a lower estimate of (λᵀG)_j
	order      []int     // the free features, the ones of least key first
	take       int       // how many of them a selection holds
	bound      float64   // Σ λ_c·b_c + Σ_{fixed in} key + Σ_{take least} key, lowered by its rounding
	last, next float64   // the largest key taken and the smallest left
}

// prove evaluates the Lagrangian bound at the simplex's λ. Any λ ≥ 0 gives a
// bound, since max_c (b_c + g_c·s) ≥ Σ λ_c (b_c + g_c·s) / Σ λ_c, and over the
// selections of a node the right-hand side is least where the keys are.
//
// Rounding: (λᵀG)_j is a sum of t products, off by at most (t+2)·unit·Σλ·peak_j,
// which the key is lowered by; every later sum is carried in twice the
// precision; the final division and rounding cost a few units of the result.
func (l *relaxation) prove(p *proof) {
	n := len(l.tight)
	l.scratch = resize(l.scratch, n)
	lambda := l.scratch
	var total, sum wide
	lambda[0] = 0
	for r := 1; r < n; r++ {
		lambda[r] = max(l.inv.row(0)[r], 0)
		if !(lambda[r] <= 2) { // NaN or nonsense: leave the cut out
			lambda[r] = 0
		}
		total.add(lambda[r])
		product := lambda[r] * l.b[l.tight[r]]
		sum.add(product)
		sum.add(math.FMA(lambda[r], l.b[l.tight[r]], -product))
	}
	if !(total.hi > 0.5) {
		lambda[1] = 1
		for r := 2; r < n; r++ {
			lambda[r] = 0
		}
		total, sum = wide{}, wide{}
		total.add(1)
		sum.add(l.b[l.tight[1]])
	}
	p.key = resize(p.key, l.q)
	clear(p.key)
	l.combine(p.key, lambda, -1, 1)
	slip := float64(n+4) * unit * 1.01 * total.hi
	p.order = p.order[:0]
	p.take = l.k
	for j := range p.key {
		p.key[j] -= slip * l.peak[j]
		switch {
		case l.lower[j] == 1:
			sum.add(p.key[j])
			p.take--
		case l.upper[j] == 1:
			p.order = append(p.order, j)
		}
	}
	p.last, p.next = math.Inf(-1), math.Inf(1)
	if p.take > 0 && p.take < len(p.order) {
		p.split()
	}
	for i, j := range p.order {
		if i < p.take {
			sum.add(p.key[j])
			p.last = max(p.last, p.key[j])
		} else {
			p.next = min(p.next, p.key[j])
		}
	}
	p.bound = sum.floor() / total.value()
	p.bound -= 8 * unit * math.Abs(p.bound)
	if !(p.bound > math.Inf(-1)) {
		p.bound = math.Inf(-1)
	}
}

// without bounds the selections of the node that leave out feature order[i], if
// it is among the least ones, or hold it, if it is not.
func (p *proof) without(i int) float64 {
	key := p.key[p.order[i]]
	if i < p.take {
		return p.bound + (p.next - key) - 8*unit*(math.Abs(p.next)+math.Abs(key))
	}
	return p.bound + (key - p.last) - 8*unit*(math.Abs(p.last)+math.Abs(key))
}

// split moves the take features of least key to the front of order (Hoare's
// selection, with the median of three as pivot).
func (p *proof) split() {
	lo, hi := 0, len(p.order)-1
	o, key := p.order, p.key
	for lo < hi {
		a, b, c := key[o[lo]], key[o[(lo+hi)/2]], key[o[hi]]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for key[o[i]] < pivot {
				i++
			}
			for key[o[j]] > pivot {
				j--
			}
			if i <= j {
				o[i], o[j] = o[j], o[i]
				i++
				j--
			}
		}
		switch {
		case p.take-1 <= j:
			hi = j
		case p.take-1 >= i:
			lo = i
		default:
			return
		}
	}
}
