package remainder

import (
	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
)

// Predictor answers for one row after the other: mean and variance of a
// prediction, the noise of an entry not included. It serves one goroutine.
type Predictor struct {
	*Fit
	w       *solver
	spread  []float64 // S of the row, d×d
	known   []float64 // the design of the typical column
	company []float64 // mean squares of the company's traits, over columns that have them
	scratch []float64
	zeros   []float64
}

// NewPredictor prepares to answer.
func NewPredictor(f *Fit) *Predictor {
	m := 0
	if f.Known > 0 {
		m = len(f.Design) / f.Known
	}
	d := f.size()
	p := &Predictor{Fit: f, w: newSolver(prepare(f)), spread: make([]float64, d*d), known: make([]float64, f.Known), scratch: make([]float64, d)}
	p.company = make([]float64, f.Company)
	with := 0.0
	for j := range m {
		dense.Axpy(1/float64(m), f.Design[j*f.Known:][:f.Known], p.known)
		if !p.alone(f.Design[j*f.Known:][:f.Known]) {
			with++
			for x, v := range f.Design[(j+1)*f.Known-f.Company:][:f.Company] {
				p.company[x] += v * v
			}
		}
	}
	for x := range p.company {
		p.company[x] /= max(with, 1)
	}
	clear(p.known[f.Known-f.Company:])
	return p
}

// alone tells whether nothing is known about a column's company, which has 0 there.
func (p *Predictor) alone(design []float64) bool {
	for _, v := range design[p.Known-p.Company:] {
		if v != 0 {
			return false
		}
	}
	return true
}

// Row takes a row by its entries, in the order of the columns, and gives its θ̂, which is valid until the next.
// Without entries it is the prior's mean.
func (p *Predictor) Row(columns []int32, values []float64) []float64 {
	d := p.size()
	if len(columns) == 0 {
		copy(p.w.theta, p.Prior)
		copy(p.spread, p.Spread)
		return p.w.theta
	}
	p.w.fill(0, columns, values)
	p.w.solve(1)
	p.w.lane(0)
	for x := range d {
		for y := range x + 1 {
			v := p.w.k[(kernel.Tri(x)+y)*kernel.Lanes]
			p.spread[x*d+y], p.spread[y*d+x] = v, v
		}
	}
	return p.w.theta
}

// KnownRow takes a row by the columns of its entries and its θ̂, which is known
// already.
func (p *Predictor) KnownRow(columns []int32, theta []float64) {
	if cap(p.zeros) < len(columns) {
		p.zeros = make([]float64, len(columns))
	}
	p.Row(columns, p.zeros[:len(columns)])
	copy(p.w.theta, theta)
}

// RowVariance is the posterior variance of parameter x of the row.
func (p *Predictor) RowVariance(x int) float64 { return max(p.spread[x*p.size()+x], 0) }

// Column predicts for the row and column j; −1 is a typical column of which
// nothing is known.
func (p *Predictor) Column(j int) (mean, variance float64) {
	own, first := p.own(), p.levels()
	tri := kernel.Tri(own)
	if j < 0 {
		packed := make([]float64, tri)
		for x := range own {
			for y := range x + 1 {
				packed[kernel.Tri(x)+y] = p.ColumnPrior[x*own+y]
			}
		}
		return p.at(p.known, make([]float64, own), packed, first)
	}
	return p.at(p.Design[j*p.Known:][:p.Known], p.Columns[j*own:][:own], p.Error[j*tri:][:tri], first)
}

// at is mean and variance of hᵀθ + c, rows and columns being independent:
//
//	hᵀS h + w̃ᵀC w̃ + tr(S_ww C_vv)
//
// The company of a column without entries is unknown: as if it had that of any other.
func (p *Predictor) at(design, phi, cov []float64, first int) (mean, variance float64) {
	d, known := p.size(), p.Known
	theta := p.w.theta
	h := p.scratch
	copy(h, design)
	copy(h[known:], phi[first:])
	mean = p.Mean + dense.Dot(h, theta)
	if first == 1 {
		mean += phi[0]
		variance += cov[0]
	}
	for x, hx := range h {
		variance += hx * dense.Dot(p.spread[x*d:][:d], h)
	}
	if p.alone(design) {
		for x, v := range p.company {
			at := known - p.Company + x
			variance += v * (theta[at]*theta[at] + p.spread[at*d+at])
		}
	}
	for x := range p.Rank {
		row := cov[kernel.Tri(first+x):]
		if first == 1 {
			variance += 2 * row[0] * theta[known+x]
		}
		for y := range x + 1 {
			v := row[first+y] * (theta[known+x]*theta[known+y] + p.spread[(known+x)*d+known+y])
			if y < x {
				v *= 2
			}
			variance += v
		}
	}
	return mean, max(variance, 0)
}
