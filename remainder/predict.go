package remainder

import (
	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
)

// Predictor answers for one row after the other: mean and variance of a
// prediction, the noise of an entry not included. It serves one goroutine.
type Predictor struct {
	*Fit
	w         *solver
	theta     []float64 // θ̂ of the row
	within    []float64 // S of its traits; nil: not known yet
	lone      float64   // what unknown co-occurrence factors add to a variance; negative: not known yet
	known     []float64 // the design of the typical column
	coSquares []float64 // mean squares of the co-occurrence factors, over columns that have them
	h, line   []float64
	zeros     []float64
}

// NewPredictor prepares to answer.
func NewPredictor(f *Fit) *Predictor {
	m := 0
	if f.Known > 0 {
		m = len(f.Design) / f.Known
	}
	d := f.size()
	p := &Predictor{Fit: f, w: newSolver(prepare(f)), theta: make([]float64, d), known: make([]float64, f.Known), h: make([]float64, d), line: make([]float64, kernel.Pad(d))}
	p.coSquares = make([]float64, f.CoFactors)
	with := 0.0
	for j := range m {
		dense.Axpy(1/float64(m), f.Design[j*f.Known:][:f.Known], p.known)
		if !p.alone(f.Design[j*f.Known:][:f.Known]) {
			with++
			for x, v := range f.Design[(j+1)*f.Known-f.CoFactors:][:f.CoFactors] {
				p.coSquares[x] += v * v
			}
		}
	}
	for x := range p.coSquares {
		p.coSquares[x] /= max(with, 1)
	}
	clear(p.known[f.Known-f.CoFactors:])
	return p
}

// Another answers as p does, for another goroutine; they share what is prepared.
func (p *Predictor) Another() *Predictor {
	return &Predictor{
		Fit: p.Fit, w: newSolver(p.w.prepared), known: p.known, coSquares: p.coSquares,
		theta: make([]float64, len(p.theta)), h: make([]float64, len(p.h)), line: make([]float64, len(p.line)),
	}
}

// alone tells whether nothing is known about a column's co-occurrence factors, which are 0 there.
func (p *Predictor) alone(design []float64) bool {
	for _, v := range design[p.Known-p.CoFactors:] {
		if v != 0 {
			return false
		}
	}
	return true
}

// Row takes a row by its entries, in the order of the columns, and their weights, nil if
// they have none. It gives its θ̂, which is valid until the next. Without entries it is
// the prior's mean.
func (p *Predictor) Row(columns []int32, values, weights []float64) []float64 {
	p.within, p.lone = nil, -1
	if len(columns) == 0 || p.size() == 0 {
		copy(p.theta, p.Prior)
		p.w.lines, p.w.few = 0, true
		return p.theta
	}
	p.w.fitRow(columns, values, weights)
	p.w.parameters(p.theta)
	return p.theta
}

// KnownRow takes a row by the columns of its entries, their weights, and its θ̂, which is
// known already.
func (p *Predictor) KnownRow(columns []int32, weights, theta []float64) {
	if cap(p.zeros) < len(columns) {
		p.zeros = make([]float64, len(columns))
	}
	zeros := p.zeros[:len(columns)]
	if p.Loss.Loss.Linked() {
		copy(p.theta, theta)
		p.w.respondAt(columns, zeros, weights, func(j int) float64 { return p.mean(p.Design[j*p.Known:][:p.Known], p.Columns[j*p.own():][:p.own()]) })
		weights = p.w.working
	}
	p.within, p.lone = nil, -1
	if len(columns) > 0 && p.size() > 0 {
		p.w.solve(columns, zeros, weights)
	} else {
		p.w.lines, p.w.few = 0, true
	}
	copy(p.theta, theta)
}

// mean is hᵀθ + c.
func (p *Predictor) mean(design, phi []float64) float64 {
	first := p.levels()
	mean := p.Mean + dense.Dot(design, p.theta[:p.Known]) + dense.Dot(phi[first:], p.theta[p.Known:])
	if first == 1 {
		mean += phi[0]
	}
	return mean
}

// RowVariance is the posterior variance of parameter x of the row.
func (p *Predictor) RowVariance(x int) float64 {
	d := p.size()
	clear(p.line)
	copy(p.line[x:], p.w.root[x*d+x:][:d-x])
	return p.w.spread(p.line)
}

// covariance is that of two traits of the row.
func (p *Predictor) covariance(x, y int) float64 {
	r := p.Rank
	if p.within == nil { // from the variances of their sums
		p.within = make([]float64, r*r)
		d, known := p.size(), p.Known
		for x := range r {
			p.within[x*r+x] = p.RowVariance(known + x)
			for y := range x {
				clear(p.line)
				for _, at := range []int{known + x, known + y} {
					dense.Axpy(1, p.w.root[at*d+at:][:d-at], p.line[at:])
				}
				v := (p.w.spread(p.line) - p.within[x*r+x] - p.within[y*r+y]) / 2
				p.within[x*r+y], p.within[y*r+x] = v, v
			}
		}
	}
	return p.within[x*r+y]
}

// unknownCoFactors is what the co-occurrence factors of a column without entries add to a variance:
// as if it had those of any other.
func (p *Predictor) unknownCoFactors() float64 {
	if p.lone < 0 {
		p.lone = 0
		for x, v := range p.coSquares {
			at := p.Known - p.CoFactors + x
			p.lone += v * (p.theta[at]*p.theta[at] + p.RowVariance(at))
		}
	}
	return p.lone
}

// Column predicts for the row and column j; −1 is a typical column of which
// nothing is known.
func (p *Predictor) Column(j int) (mean, variance float64) {
	own := p.own()
	tri := kernel.Tri(own)
	if j < 0 {
		packed := make([]float64, tri)
		for x := range own {
			for y := range x + 1 {
				packed[kernel.Tri(x)+y] = p.ColumnPrior[x*own+y]
			}
		}
		h := p.h
		clear(h)
		copy(h, p.known)
		turned := make([]float64, kernel.Pad(len(h)))
		p.w.image(turned, h)
		return p.at(p.known, make([]float64, own), packed, turned)
	}
	return p.at(p.Design[j*p.Known:][:p.Known], p.Columns[j*own:][:own], p.Error[j*tri:][:tri], p.w.table[j*p.w.width:][:p.w.width])
}

// at is mean and variance of hᵀθ + c, rows and columns being independent:
//
//	hᵀS h + w̃ᵀC w̃ + tr(S_ww C_vv)
func (p *Predictor) at(design, phi, cov, turned []float64) (mean, variance float64) {
	known, first, theta := p.Known, p.levels(), p.theta
	mean = p.mean(design, phi)
	variance = p.w.spread(turned)
	if first == 1 {
		variance += cov[0]
	}
	if p.alone(design) {
		variance += p.unknownCoFactors()
	}
	for x := range p.Rank {
		row := cov[kernel.Tri(first+x):]
		if first == 1 {
			variance += 2 * row[0] * theta[known+x]
		}
		for y := range x + 1 {
			v := row[first+y] * (theta[known+x]*theta[known+y] + p.covariance(x, y))
			if y < x {
				v *= 2
			}
			variance += v
		}
	}
	return mean, max(variance, 0)
}
