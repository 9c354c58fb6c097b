package proof

import (
	"context"
	"math"
	"math/big"

	"optcomplete/internal/parallel"
)

// Where weights differ by many magnitudes, twice the precision is too little as well: a
// residual is then what is left of a value times a weight. What is small enough is computed
// with as many bits as it takes.

// mostLong is the most multiplications at one place, of some tenths of a microsecond each,
// and mostLongPlaces how many places of a proof there may be.
const (
	mostLong       = 300_000
	mostLongPlaces = 200
)

// long computes with so many bits.
type long struct {
	*cost
	bits uint
}

// long is for the data, or not ok: they are too many.
func (c *cost) long(support int) (l long, ok bool) {
	if c.matrix.Observed()*(c.p+support*support) > mostLong {
		return l, false
	}
	heaviest, lightest := 1.0, 1.0
	for i := range c.n {
		for _, w := range c.matrix.RowWeights(i) {
			heaviest, lightest = max(heaviest, w), min(lightest, w)
		}
	}
	bits := 512 + 4*uint(math.Log2(heaviest)-math.Log2(lightest))
	return long{c, bits}, true
}

func (l long) new() *big.Float                   { return new(big.Float).SetPrec(l.bits) }
func (l long) of(x float64) *big.Float           { return l.new().SetFloat64(x) }
func (l long) add(a, b *big.Float) *big.Float    { return l.new().Add(a, b) }
func (l long) sub(a, b *big.Float) *big.Float    { return l.new().Sub(a, b) }
func (l long) times(a, b *big.Float) *big.Float  { return l.new().Mul(a, b) }
func (l long) over(a, b *big.Float) *big.Float   { return l.new().Quo(a, b) }
func (l long) size(a *big.Float) *big.Float      { return l.new().Abs(a) }
func (l long) square(a *big.Float) *big.Float    { return l.times(a, a) }
func (l long) zeros(n int) []*big.Float          { return l.each(n, func(int) *big.Float { return l.new() }) }
func (l long) ridge(at *place, x int) *big.Float { return l.over(l.of(1), l.prior(l.gamma, at, x)) }

func (l long) prior(gamma float64, at *place, x int) *big.Float {
	return l.times(l.of(gamma), l.of(at.weight[x]))
}

func (long) each(n int, of func(x int) *big.Float) []*big.Float {
	out := make([]*big.Float, n)
	for x := range out {
		out[x] = of(x)
	}
	return out
}

// off is what rounding may have done to a sum of so large terms: far more than it can.
func (l long) off(size *big.Float) *big.Float {
	return l.new().SetMantExp(size, 128-int(l.bits))
}

func weightOf(weights []float64, e int) float64 {
	if weights == nil {
		return 1
	}
	return weights[e]
}

// factor is factor, of whole rows of the lower triangle; not ok: the bits do not suffice.
func (l long) factor(k [][]*big.Float) (ok bool) {
	for i, row := range k {
		for j, other := range k[:i+1] {
			sum := row[j]
			for x := range j {
				sum = l.sub(sum, l.times(row[x], other[x]))
			}
			switch {
			case j < i:
				row[j] = l.over(sum, other[j])
			case sum.Sign() <= 0:
				return false
			default:
				row[i] = l.new().Sqrt(sum)
			}
		}
	}
	return true
}

// solve is solve.
func (l long) solve(k [][]*big.Float, x []*big.Float) {
	for i, row := range k {
		for j := range i {
			x[i] = l.sub(x[i], l.times(row[j], x[j]))
		}
		x[i] = l.over(x[i], row[i])
	}
	for i := len(k) - 1; i >= 0; i-- {
		x[i] = l.over(x[i], k[i][i])
		for j := range i {
			x[j] = l.sub(x[j], l.times(k[i][j], x[i]))
		}
	}
}

// system is the factor of D⁻¹/γ + V_iᵀWV_i and V_iᵀWa of a row.
func (l long) system(at *place, columns []int32, a []*big.Float, weights []float64) (k [][]*big.Float, x []*big.Float, ok bool) {
	t := len(at.support)
	x = l.zeros(t)
	for i := range t {
		k = append(k, l.zeros(i+1))
		k[i][i] = l.ridge(at, i)
	}
	for e, c := range columns {
		b := l.b[int(c)*l.p:][:l.p]
		w := l.of(weightOf(weights, e))
		for i, j := range at.support {
			by := l.times(w, l.of(b[j]))
			x[i] = l.add(x[i], l.times(by, a[e]))
			for y, o := range at.support[:i+1] {
				k[i][y] = l.add(k[i][y], l.times(by, l.of(b[o])))
			}
		}
	}
	return k, x, l.factor(k)
}

// rows calls f for every row with entries, until it is false.
func (l long) rows(f func(columns []int32, a []*big.Float, weights []float64) bool) bool {
	for i := range l.n {
		columns, values := l.matrix.Row(i)
		if len(columns) > 0 && !f(columns, l.each(len(values), func(e int) *big.Float { return l.of(values[e]) }), l.matrix.RowWeights(i)) {
			return false
		}
	}
	return true
}

// population is μ, as in populations: with E = D⁻¹/γ, E K⁻¹G is E − E K⁻¹E.
func (l long) population(at *place) (mu []*big.Float, ok bool) {
	t := len(at.support)
	mu = l.zeros(t)
	var h [][]*big.Float
	for i := range t {
		h = append(h, l.zeros(i+1))
		h[i][i] = l.over(l.of(1), l.prior(l.gamma0, at, i))
	}
	ok = l.rows(func(columns []int32, a []*big.Float, weights []float64) bool {
		k, left, ok := l.system(at, columns, a, weights)
		if !ok {
			return false
		}
		l.solve(k, left)
		for x := range t {
			e := l.ridge(at, x)
			mu[x] = l.add(mu[x], l.times(e, left[x]))
			unit := l.zeros(t)
			unit[x] = e
			l.solve(k, unit)
			for y := range x + 1 {
				h[x][y] = l.sub(h[x][y], l.times(l.ridge(at, y), unit[y]))
			}
			h[x][x] = l.add(h[x][x], e)
		}
		return true
	})
	if !ok || !l.factor(h) {
		return nil, false
	}
	l.solve(h, mu)
	return mu, true
}

// found is a cut, and what the selection of the place costs at most.
type found struct {
	cut  *cut
	most float64
}

// at evaluates a place; nil: the bits do not suffice.
func (l long) at(at *place) *found {
	mu, ok := l.zeros(len(at.support)), true
	if l.gamma0 > 0 {
		mu, ok = l.population(at)
	}
	constant, size, upper := l.new(), l.new(), l.new()
	squares, totals, rough := l.zeros(l.p), l.zeros(l.p), l.zeros(l.p)
	ok = ok && l.rows(func(columns []int32, a []*big.Float, weights []float64) bool {
		entry := func(e, j int) *big.Float { return l.of(l.b[int(columns[e])*l.p+j]) }
		// less is numbers less V u, and the sizes that its rounding goes by.
		less := func(of, u []*big.Float) (rest, sizes []*big.Float) {
			rest = l.each(len(of), func(e int) *big.Float { return of[e] })
			sizes = l.each(len(of), func(e int) *big.Float { return l.size(of[e]) })
			for e := range of {
				for x, j := range at.support {
					by := l.times(entry(e, j), u[x])
					rest[e], sizes[e] = l.sub(rest[e], by), l.add(sizes[e], l.size(by))
				}
			}
			return rest, sizes
		}
		own, before := less(a, mu)
		k, u, ok := l.system(at, columns, own, weights)
		if !ok {
			return false
		}
		l.solve(k, u)
		rest, sizes := less(own, u)
		z, zSize := l.zeros(l.p), l.zeros(l.p)
		for e := range rest {
			w := l.of(weightOf(weights, e))
			r := l.times(w, rest[e]) // whatever it is, it is what the cut is of
			square, linear := l.over(l.square(r), w), l.times(l.of(2), l.times(a[e], r))
			constant = l.add(constant, l.sub(linear, square))
			size = l.add(size, l.add(l.size(linear), square))
			most := l.add(l.size(rest[e]), l.off(l.add(before[e], sizes[e])))
			upper = l.add(upper, l.times(w, l.square(most)))
			for j := range z {
				by := l.times(entry(e, j), r)
				z[j], zSize[j] = l.add(z[j], by), l.add(zSize[j], l.size(by))
			}
		}
		for x := range u {
			upper = l.add(upper, l.times(l.square(u[x]), l.ridge(at, x)))
		}
		for j := range z {
			most := l.add(l.size(z[j]), l.off(zSize[j]))
			squares[j] = l.add(squares[j], l.square(most))
			totals[j], rough[j] = l.add(totals[j], z[j]), l.add(rough[j], zSize[j])
		}
		return true
	})
	if !ok {
		return nil
	}
	feature := make([]float64, l.p)
	for j := range feature {
		slope := l.times(l.of(l.gamma), squares[j])
		if l.gamma0 > 0 {
			most := l.add(l.size(totals[j]), l.off(rough[j]))
			slope = l.add(slope, l.times(l.of(l.gamma0), l.square(most)))
		}
		feature[j] = above(slope)
	}
	for x := range mu {
		if l.gamma0 > 0 {
			upper = l.add(upper, l.over(l.square(mu[x]), l.prior(l.gamma0, at, x)))
		}
	}
	out := &cut{level: withLong, constant: -above(l.sub(l.off(size), constant))}
	out.slopes(l.units, feature)
	return &found{out, above(upper)}
}

// above is no less than what was rounded to x, a sum of non-negative terms or one whose
// rounding is in it.
func above(x *big.Float) float64 {
	y, _ := x.Float64()
	return up(up(y)) + tiny
}

// evaluateLong fills in what is found at the places, as far as they are small enough.
func (c *cost) evaluateLong(ctx context.Context, places []*place) error {
	return parallel.Do(ctx, len(places), c.threads, func(int) func(int) error {
		return func(x int) error {
			if l, ok := c.long(len(places[x].support)); ok {
				places[x].found = l.at(places[x])
			}
			return ctx.Err()
		}
	})
}
