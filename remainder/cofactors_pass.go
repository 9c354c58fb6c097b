package remainder

import (
	"math"
	"slices"

	"optcomplete/internal/dense"
	"optcomplete/pass"
)

// multiplying multiplies a basis, of this width for each column, by the pattern of the
// entries, or their values, and back, rows and columns with many entries held back.
type multiplying struct {
	Width          int
	Weights, Basis *pass.Shared[[]float64]
	Values         bool // the values of the entries, by their weights
}

// Cost is the numbers of the basis, which are added many at a time.
func (p multiplying) Cost(*pass.Input) int { return len(p.Basis.Get()) / 16 }

// Start makes a worker.
func (p multiplying) Start(*pass.Input) (pass.Worker, error) {
	weights, basis, width := p.Weights.Get(), p.Basis.Get(), p.Width
	row := make([]float64, width)
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(len(basis)) }, func(part *pass.Sums, _ int, columns []int32, values, entries []float64) error {
		by := 1 / (float64(len(columns)) + coPrior)
		of := func(e int) float64 {
			v := weights[columns[e]]
			if p.Values {
				if v *= values[e]; entries != nil {
					v *= entries[e]
				}
			}
			return v
		}
		clear(row)
		for e, c := range columns {
			dense.Axpy(of(e), basis[int(c)*width:][:width], row)
		}
		for e, c := range columns {
			dense.Axpy(by*of(e), row, part.Values[int(c)*width:][:width])
		}
		return nil
	}), nil
}

// judging adds up the evidence for traits: of each rank and variance, and how much
// better it is than with the traits of others.
type judging struct {
	Design, Traits, Others *pass.Shared[[]float64]

	Most  int // traits of a column
	Ranks []int
	Known int
	Mean  float64
	Begun Start
	Unit  float64 // the mean weight of an entry
	Every int     // rows for each that is looked at

	Levels bool
}

// Cost is that of a few rows.
func (*judging) Cost(*pass.Input) int { return 1 << 12 }

// Start makes a worker.
func (p *judging) Start(*pass.Input) (pass.Worker, error) {
	own, others := &evidence{judging: p, design: p.Design.Get(), traits: p.Traits.Get()}, &evidence{judging: p, design: p.Design.Get(), traits: p.Others.Get()}
	fresh := func() *pass.Sums { return pass.NewSums(1 + 3*len(p.Ranks)*len(coShares)) }
	return pass.EachWeighed(fresh, func(part *pass.Sums, i int, columns []int32, values, weights []float64) error {
		if i%p.Every != 0 || len(columns) == 0 {
			return nil
		}
		part.Values[0] += own.take(columns, values, weights)
		others.take(columns, values, weights)
		slot := 1
		for _, r := range p.Ranks {
			own.extend(r)
			others.extend(r)
			for _, share := range coShares {
				v := own.with(share)
				better := v - others.with(share)
				part.Values[slot] += v
				part.Values[slot+1] += better
				part.Values[slot+2] += better * better
				slot += 3
			}
		}
		return nil
	}), nil
}

// evidence is the likelihood of one row after the other.
type evidence struct {
	*judging
	design, traits []float64

	at               []int32
	y, line          []float64
	base, cov, extra []float64 // without traits, with them, EEᵀ
	ranks            int       // in extra
}

// take takes a row, or some of its entries, and gives its likelihood without traits.
func (v *evidence) take(columns []int32, values, weights []float64) float64 {
	known, e := v.Known, min(len(columns), coEntries)
	v.at, v.y, v.line = v.at[:0], v.y[:0], dense.Resize(v.line, known)
	for x := range e {
		from := x * len(columns) / e
		j := int(columns[from])
		v.at = append(v.at, columns[from])
		y := values[from] - v.Mean - dense.Dot(v.Begun.Mean, v.design[j*known:][:known])
		if v.Levels && v.Begun.Levels != nil {
			y -= v.Begun.Levels[j]
		}
		v.y = append(v.y, y)
	}
	v.base, v.cov, v.extra = dense.Resize(v.base, e*e), dense.Resize(v.cov, e*e), dense.Resize(v.extra, e*e)
	clear(v.extra)
	v.ranks = 0
	for x, c := range v.at {
		clear(v.line)
		for f, b := range v.design[int(c)*known:][:known] {
			if b != 0 {
				dense.Axpy(b, v.Begun.Spread[f*known:][:known], v.line)
			}
		}
		for z, d := range v.at[:x+1] {
			v.base[x*e+z] = dense.Dot(v.line, v.design[int(d)*known:][:known])
		}
		noise := v.Begun.Noise
		if weights != nil {
			noise /= weights[x*len(columns)/e]
		}
		v.base[x*e+x] += noise
	}
	copy(v.cov, v.base)
	return likelihood(v.cov, v.y, e)
}

// extend continues to the given number of traits.
func (v *evidence) extend(rank int) {
	e, more := len(v.at), rank-v.ranks
	for x, c := range v.at {
		for z, d := range v.at[:x+1] {
			v.extra[x*e+z] += dense.Dot(v.traits[int(c)*v.Most+v.ranks:][:more], v.traits[int(d)*v.Most+v.ranks:][:more])
		}
	}
	v.ranks = rank
}

// with is the likelihood with traits whose coefficients have this variance, in units
// of the noise.
func (v *evidence) with(share float64) float64 {
	for x := range v.cov {
		v.cov[x] = v.base[x] + share*v.Begun.Noise/v.Unit*v.extra[x]
	}
	return likelihood(v.cov, v.y, len(v.at))
}

// likelihood is the logarithm of that of y, but for a constant, under a normal law
// with this covariance, of which the lower triangle is used and overwritten.
func likelihood(cov, y []float64, e int) float64 {
	if !dense.Cholesky(cov, e, tiny) {
		return math.Inf(-1)
	}
	x := slices.Clone(y)
	dense.CholeskySolve(cov, e, x)
	logs := 0.0
	for at := range e {
		logs += log(cov[at*e+at])
	}
	return -logs - 0.5*dense.Dot(x, y)
}

func init() {
	pass.Register("co-occurrence factors", multiplying{}, new(pass.Sums))
	pass.Register("co-occurrence factors", &judging{}, new(pass.Sums))
}
