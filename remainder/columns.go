package remainder

import (
	"context"
	"errors"
	"math"

	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
	"optcomplete/internal/parallel"
)

// step makes one step.
func (l *learner) step(ctx context.Context) (Step, error) {
	f := l.fit
	s, err := l.pass(ctx)
	if err != nil {
		return Step{}, err
	}
	columns := l.columnsDistance()
	first := func() float64 { return l.likelihood(l.error(s)) - l.rowsDistance(s) - columns }
	if l.relaxed.taken && !(first() >= f.Bound) { // too far
		f.setRowPrior(l.relaxed.to)
		l.relaxed.most = max(1, relaxLess*l.relaxed.by)
		l.relaxed.by = l.relaxed.most / 2
		if s, err = l.pass(ctx); err != nil {
			return Step{}, err
		}
	}
	l.relaxed.from, l.relaxed.taken = f.rowPrior(), false
	out := Step{Rank: f.Rank, Bounds: []float64{first()}}
	if !finite(out.Bounds[0]) {
		return out, ErrPrecision
	}
	wrong := l.error(s)
	rows := func() float64 { return l.rowsDistance(s) }
	bound := func(far float64) {
		out.Bounds = append(out.Bounds, l.likelihood(wrong)-far-columns)
	}
	l.setPrior(s)
	l.setNoise(wrong)
	far := rows()
	bound(far)
	if !finite(far) {
		return out, ErrPrecision
	}

	before := l.columnsError(s)
	if err := l.setColumns(ctx, s); err != nil {
		return Step{}, err
	}
	wrong = max(wrong-before+l.columnsError(s), tiny)
	columns = l.columnsDistance()
	bound(far)
	if !finite(columns) {
		return out, ErrPrecision
	}
	l.setColumnPrior()
	l.setNoise(wrong)
	columns = l.columnsDistance()
	bound(far)
	if l.absorb() {
		l.setColumnPrior()
		columns = l.columnsDistance()
	}
	bound(far)
	out.Noise = f.Noise
	return out, nil
}

// setNoise sets σ², which is 1 where the working responses are those of a likelihood.
func (l *learner) setNoise(wrong float64) {
	if !l.by.Loss.Linked() {
		l.fit.Noise = max(wrong/max(l.entries, 1), tiny)
	}
}

// ErrPrecision says that a step has numbers out of range: values or features of
// extreme sizes, or nothing left to explain.
var ErrPrecision = errors.New("remainder: double precision does not suffice for these values and features")

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// likelihood is E log p(x | θ, φ) for the expected squared error, but for half the sum of
// the logarithms of the weights, which nothing changes.
func (l *learner) likelihood(wrong float64) float64 {
	return -0.5 * (l.entries*math.Log(2*math.Pi*l.fit.Noise) + wrong/l.fit.Noise)
}

// rowsDistance is the divergence of the rows' posteriors from their prior,
// Σ_i KL(N(θ̂,S) ‖ N(m,Σ)).
func (l *learner) rowsDistance(s *Sums) float64 {
	f := l.fit
	d := f.size()
	inverse, logs := inverse(f.Spread, d)
	pull := product(inverse, f.Prior, d)
	inside := dense.Dot(inverse, l.second(s)) - 2*dense.Dot(pull, s.Mean) + l.rows*dense.Dot(pull, f.Prior)
	return 0.5*(inside-l.rows*float64(d)+l.rows*logs-s.Logs) + l.implicitDistance()
}

// setPrior sets m and Σ from the moments. The unnamed part of m is 0, and what
// goes with the mean of the unnamed part, as it is, is not counted in the rest of
// m: that is the intercept of a regression on the traits.
func (l *learner) setPrior(s *Sums) {
	f := l.fit
	d := f.size()
	if l.rows == 0 {
		return
	}
	l.setImplicit(s)
	second, mean := l.second(s), make([]float64, d)
	for x := range f.Known {
		mean[x] = s.Mean[x] / l.rows
	}
	if r := f.Rank; r > 0 {
		central := func(x, y int) float64 { return (second[x*d+y] - s.Mean[x]*s.Mean[y]/l.rows) / l.rows }
		traits := make([]float64, r*r)
		for x := range r {
			for y := range r {
				traits[x*r+y] = central(f.Known+x, f.Known+y)
			}
		}
		precision, _ := inverse(traits, r)
		by := product(precision, s.Mean[f.Known:], r)
		for x := range f.Known {
			for y := range r {
				mean[x] -= central(x, f.Known+y) * by[y] / l.rows
			}
		}
	}
	spread := make([]float64, d*d)
	for x := range d {
		for y := range d {
			spread[x*d+y] = (second[x*d+y]-s.Mean[x]*mean[y]-mean[x]*s.Mean[y])/l.rows + mean[x]*mean[y]
		}
		spread[x*d+x] = max(spread[x*d+x], 1e-12*f.Spread[x*d+x]) // a spread never becomes 0 altogether
	}
	f.Prior, f.Spread = mean, spread
	l.setPrecision()
}

// columnsDistance is Σ_j KL(N(φ̂,C) ‖ N(0,T)) over columns with entries. The others
// have their prior.
func (l *learner) columnsDistance() float64 {
	f := l.fit
	own := f.own()
	if own == 0 {
		return 0
	}
	second, seen := l.columnMoments()
	inverse, logs := inverse(f.ColumnPrior, own)
	return 0.5 * (dense.Dot(inverse, second) + seen*(logs-float64(own)) - l.logColumns)
}

// columnMoments is Σ_j C + φ̂φ̂ᵀ over the columns with entries, and their number.
func (l *learner) columnMoments() (second []float64, seen float64) {
	f := l.fit
	own := f.own()
	tri := kernel.Tri(own)
	second = make([]float64, own*own)
	for j, count := range l.count {
		if count == 0 {
			continue
		}
		seen++
		phi, c := f.Columns[j*own:][:own], f.Error[j*tri:]
		for x := range own {
			for y := range x + 1 {
				second[x*own+y] += c[kernel.Tri(x)+y] + phi[x]*phi[y]
			}
		}
	}
	for x := range own {
		for y := range x {
			second[y*own+x] = second[x*own+y]
		}
	}
	return second, seen
}

// setColumnPrior sets T from the moments.
func (l *learner) setColumnPrior() {
	f := l.fit
	if f.own() == 0 {
		return
	}
	second, seen := l.columnMoments()
	if seen == 0 {
		return
	}
	prior := make([]float64, len(second))
	for x, v := range second {
		prior[x] = v / seen
	}
	own := f.own()
	for x := range own {
		prior[x*own+x] = max(prior[x*own+x], 1e-12*f.ColumnPrior[x*own+x])
	}
	f.ColumnPrior = prior
	l.spreadUnseen()
}

// spreadUnseen gives the columns without entries their prior.
func (l *learner) spreadUnseen() {
	f := l.fit
	own := f.own()
	tri := kernel.Tri(own)
	for j, count := range l.count {
		if count > 0 {
			continue
		}
		clear(f.Columns[j*own:][:own])
		for x := range own {
			for y := range x + 1 {
				f.Error[j*tri+kernel.Tri(x)+y] = f.ColumnPrior[x*own+y]
			}
		}
	}
}

// columnsError is what the columns have to do with the expected squared error:
// Σ_j tr(K(C + φ̂φ̂ᵀ)) − 2Rᵀφ̂.
func (l *learner) columnsError(s *Sums) float64 {
	f := l.fit
	own, stride := f.own(), f.stride()
	tri := kernel.Tri(own)
	sum := 0.0
	for j, count := range l.count {
		if count == 0 {
			continue
		}
		k, r := s.Columns[j*stride:][:tri], s.Columns[j*stride+tri:][:own]
		phi, c := f.Columns[j*own:][:own], f.Error[j*tri:][:tri]
		at, here := 0, 0.0
		for x := range own {
			for y := range x + 1 {
				v := k[at] * (c[at] + phi[x]*phi[y])
				if y < x {
					v *= 2
				}
				here += v
				at++
			}
			here -= 2 * r[x] * phi[x]
		}
		sum += here
	}
	return sum
}

// columnBlock is how many columns are solved at a time.
const columnBlock = 256

// setColumns solves every column given the rows: precision T⁻¹ + K/σ², right-hand
// side R/σ².
func (l *learner) setColumns(ctx context.Context, s *Sums) error {
	f := l.fit
	own, stride := f.own(), f.stride()
	if own == 0 {
		return nil
	}
	tri := kernel.Tri(own)
	prior, _ := inverse(f.ColumnPrior, own)
	by := 1 / f.Noise
	blocks := (l.m + columnBlock - 1) / columnBlock
	logs := make([]float64, blocks)
	err := parallel.Do(ctx, blocks, l.threads, func(int) func(int) error {
		k, u, scratch := make([]float64, tri*kernel.Lanes), make([]float64, own*kernel.Lanes), make([]float64, own*kernel.Lanes)
		return func(block int) error {
			var seen []int
			for j := block * columnBlock; j < min(l.m, (block+1)*columnBlock); j++ {
				if l.count[j] > 0 {
					seen = append(seen, j)
				}
			}
			for len(seen) > 0 {
				take := min(kernel.Lanes, len(seen))
				l.solveColumns(seen[:take], s.Columns, stride, prior, by, k, u, scratch, &logs[block])
				seen = seen[take:]
			}
			return nil
		}
	})
	l.logColumns = 0
	for _, v := range logs {
		l.logColumns += v
	}
	return err
}

// solveColumns solves up to eight columns side by side.
func (l *learner) solveColumns(columns []int, sums []float64, stride int, prior []float64, by float64, k, u, scratch []float64, logs *float64) {
	const lanes = kernel.Lanes
	f := l.fit
	own := f.own()
	tri := kernel.Tri(own)
	for x := range own {
		for y, v := range prior[x*own:][:x+1] {
			at := kernel.Tri(x) + y
			for lane := range lanes {
				k[at*lanes+lane] = v
			}
			for lane, j := range columns {
				k[at*lanes+lane] += by * sums[j*stride+at]
			}
		}
		for lane, j := range columns {
			u[x*lanes+lane] = by * sums[j*stride+tri+x]
		}
	}
	kernel.Cholesky(k, own, floor(f.ColumnPrior, own))
	for lane := range columns {
		for x := range own {
			*logs += 2 * math.Log(k[(kernel.Tri(x)+x)*lanes+lane])
		}
	}
	kernel.Solve(k, u, own)
	kernel.Inverse(k, scratch, own)
	for lane, j := range columns {
		for x := range own {
			f.Columns[j*own+x] = u[x*lanes+lane]
		}
		for at := range tri {
			f.Error[j*tri+at] = k[at*lanes+lane]
		}
	}
}
