package remainder

import (
	"math"
	"slices"

	"optcomplete/internal/dense"
)

// relaxed takes what a step learns of the rows' prior further than the moments
// say, as their steps are short where rows have few entries each (adaptive
// overrelaxed bound optimization, Salakhutdinov and Roweis, ICML 2003). The bound
// is checked by the next pass, and what the moments say is taken if it has fallen.
type relaxed struct {
	by, most float64  // how far, in units of the step of the moments; and at most
	from, to rowPrior // before the step, and as the moments say
	taken    bool     // the fit has neither, but what lies beyond
}

// rowPrior is m, Σ, σ² and B.
type rowPrior struct {
	mean, spread []float64
	noise        float64
	implicit     *Implicit
}

// relaxMore is the factor of by after a step that raised the bound, relaxMost how
// large it may become, and relaxLess by what it must stay below one that was too
// large.
const (
	relaxMore = 2
	relaxMost = 16
	relaxLess = 0.7
)

func (f *Fit) rowPrior() rowPrior {
	return rowPrior{slices.Clone(f.Prior), slices.Clone(f.Spread), f.Noise, f.Implicit}
}

func (f *Fit) setRowPrior(p rowPrior) {
	f.Prior, f.Spread, f.Noise, f.Implicit = p.mean, p.spread, p.noise, p.implicit
}

// relax moves on from a step that began at l.relax.from. On the way from Σ to Σ'
// it follows R (R⁻¹ Σ' R⁻ᵀ)^t Rᵀ with Σ = RRᵀ, which stays positive definite.
func (l *learner) relax() {
	f, r := l.fit, &l.relaxed
	if r.most == 0 {
		r.most = relaxMost
	}
	r.by, r.taken = min(max(1, r.by*relaxMore), r.most), false
	d := f.size()
	if len(r.from.mean) != d || d == 0 {
		return
	}
	r.to = f.rowPrior() // the noise follows in one step
	root, logs := root(r.from.spread, d)
	if !finite(logs) {
		return
	}
	values, vectors := eigen(congruent(undone(root, d), r.to.spread, d), d)
	if values == nil || !(values[d-1] > 0) {
		return
	}
	lines := make([][]float64, d) // root · vectors · values^(t/2)
	for x := range d {
		lines[x] = make([]float64, d)
		for y := range d {
			sum := 0.0
			for z := x; z < d; z++ {
				sum += root[x*d+z] * vectors.At(z, y)
			}
			lines[x][y] = sum * math.Pow(values[y], r.by/2)
		}
	}
	spread := make([]float64, d*d)
	for x := range d {
		for y := range x + 1 {
			v := dense.Dot(lines[x], lines[y])
			spread[x*d+y], spread[y*d+x] = v, v
		}
		if !(spread[x*d+x] > 0) || math.IsInf(spread[x*d+x], 1) {
			return
		}
	}
	f.Spread, f.Prior = spread, slices.Clone(f.Prior)
	for x := range f.Known {
		f.Prior[x] = r.from.mean[x] + r.by*(r.to.mean[x]-r.from.mean[x])
	}
	f.Implicit = f.Implicit.beyond(r.from.implicit, r.by)
	r.taken = true
}
