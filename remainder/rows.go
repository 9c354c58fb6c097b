package remainder

import (
	"bytes"
	"context"
	"encoding/gob"

	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// error is Σ E (x − μ − c − hᵀθ)² given the columns that the sums were made with.
// As θ̂ solves (Σ⁻¹ + G/σ²)θ̂ = Σ⁻¹(m + Bz) + y/σ² with G = Σ_j E hhᵀ, and S is the
// inverse of that matrix, tr(G(S + θ̂θ̂ᵀ)) needs no second look at the entries.
func (l *learner) error(s *Sums) float64 {
	inside := s.inside + l.rows*float64(l.fit.size())
	return max(s.Square-s.Explained+l.fit.Noise*inside, 1e-13*s.Square)
}

// pass solves all rows given the columns and adds up what a step needs.
func (l *learner) pass(ctx context.Context) (*Sums, error) {
	with := of(l.fit, l.design)
	if l.ask == nil {
		sums, err := pass.One[*Sums](ctx, l.Values, l.threads, stepping{with})
		if err == nil {
			with.ready.turnBack(sums)
		}
		return sums, err
	}
	answer, err := l.ask("remainder "+with.Fit.Name()+" "+with.Design.Name(), func() ([]byte, error) {
		sums, err := pass.One[*Sums](ctx, l.Values, l.threads, stepping{with})
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		err = gob.NewEncoder(&out).Encode(sums)
		return out.Bytes(), err
	})
	if err != nil {
		return nil, err
	}
	sums := new(Sums)
	if err := gob.NewDecoder(bytes.NewReader(answer)).Decode(sums); err != nil {
		return nil, err
	}
	with.ready.turnBack(sums)
	return sums, nil
}

// prepared is what solving rows needs, for a fit that no longer changes. Rows are
// solved in coordinates in which their prior has the covariance 1: θ = Rθ' with Σ =
// RRᵀ, so that hᵀθ is h'ᵀθ' with h' = Rᵀh. R is upper triangular: the traits, which
// come last, depend on the last coordinates alone.
type prepared struct {
	fit          *Fit
	width        int       // of lines: the size, and room
	root         []float64 // R, d×d
	back         []float64 // Rᵀ, in lines
	table        []float64 // h'_j of every column, in lines
	pull         []float64 // R⁻¹m
	coefficients []float64 // (R⁻¹B)ᵀ, in lines
	logSpread    float64   // log|Σ|
	all          []int32   // 0, 1, ...
	manyOnly     bool      // for tests: no row is solved in the space of its entries
}

// prepare sets R and the table.
func prepare(f *Fit) *prepared {
	d, own, first, q := f.size(), f.own(), f.levels(), f.implicit()
	p := &prepared{fit: f, width: kernel.Pad(d), all: make([]int32, max(d, q))}
	for x := range p.all {
		p.all[x] = int32(x)
	}
	p.root, p.logSpread = root(f.Spread, d)
	p.back = make([]float64, d*p.width)
	for x := range d {
		for y := x; y < d; y++ {
			p.back[y*p.width+x] = p.root[x*d+y]
		}
	}
	p.pull = make([]float64, p.width)
	copy(p.pull, f.Prior)
	p.undo(p.pull)
	p.coefficients = make([]float64, q*p.width)
	for y := range q {
		line := p.coefficients[y*p.width:][:p.width]
		for x := range d {
			line[x] = f.Implicit.Coefficients[x*q+y]
		}
		p.undo(line)
	}
	m := 0
	if f.Known > 0 {
		m = len(f.Design) / f.Known
	} else if own > 0 {
		m = len(f.Columns) / own
	}
	lines := make([]float64, d*p.width) // R, in lines
	for x := range d {
		copy(lines[x*p.width:], p.root[x*d:][:d])
	}
	p.table = make([]float64, m*p.width)
	h := make([]float64, d)
	for j := range m {
		copy(h, f.Design[j*f.Known:][:f.Known])
		copy(h[f.Known:], f.Columns[j*own+first:][:f.Rank])
		kernel.Correlate(p.table[j*p.width:][:p.width], h, p.all[:d], lines, p.width)
	}
	return p
}

// undo replaces x by R⁻¹x.
func (p *prepared) undo(x []float64) {
	d := p.fit.size()
	for i := d - 1; i >= 0; i-- {
		row := p.root[i*d:][:d]
		x[i] = (x[i] - dense.Dot(row[i+1:], x[i+1:d])) / row[i]
	}
}

// image is h' of h.
func (p *prepared) image(to, h []float64) {
	d := p.fit.size()
	clear(to)
	for x, v := range h {
		dense.Axpy(v, p.root[x*d+x:][:d-x], to[x:])
	}
}

// turnBack brings what a pass has added up into the coordinates of θ.
func (p *prepared) turnBack(s *Sums) {
	d, q := p.fit.size(), p.fit.implicit()
	s.inside = dense.Dot(p.pull[:d], s.Mean)
	for x := range d {
		s.inside -= s.Second[x*d+x]
		for y := range q {
			s.inside += p.coefficients[y*p.width+x] * s.Cross[x*q+y]
		}
	}
	mean, cross := product(p.root, s.Mean, d), make([]float64, len(s.Cross))
	for x := range d {
		for y := x; y < d; y++ {
			dense.Axpy(p.root[x*d+y], s.Cross[y*q:][:q], cross[x*q:])
		}
	}
	s.Mean, s.Cross, s.Second = mean, cross, congruent(lines(p.root, d), s.Second, d)
}
