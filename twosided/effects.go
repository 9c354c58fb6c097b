package twosided

import (
	"fmt"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/loss"
)

// Effects says what a model has besides its products.
type Effects int

// Effects of rows and columns, shrunk by variances that are learned, or the paper's
// form, which has products alone.
const (
	ShrunkEffects Effects = iota
	NoEffects
)

var effectsNames = [...]string{"shrunk", "none"}

func (e Effects) String() string { return effectsNames[e] }

// ParseEffects is the inverse of String.
func ParseEffects(name string) (Effects, error) {
	if e := slices.Index(effectsNames[:], name); e >= 0 {
		return Effects(e), nil
	}
	return 0, fmt.Errorf("twosided: no effects are called %q (use shrunk or none)", name)
}

// levels are the effects of rows and columns:
//
//	a_ij = mean + row_i + column_j + noise/√w_ij,
//	row_i ~ N(rowPrior_i, Row),  column_j ~ N(columnPrior_j, Column),  noise ~ N(0, Noise).
//
// With a link that is of the working responses of the entries, whose noise has variance 1.
//
// The variances are learned by expectation and maximisation with the posterior of
// every effect taken as independent of the others, which is nearly so where rows and
// columns have more than a few entries.
type levels struct {
	Mean                      float64
	Rows, Columns             []float64
	RowWeight, ColumnWeight   []float64 // the weight of the entries of each
	rowPrior, columnPrior     []float64 // nil: 0
	Noise, Row, Column        float64   // variances
	rowFreedom, columnFreedom float64   // of what the priors were fitted with
	smallest                  float64   // a variance that counts as none
	columnWeighed             []float64
	by                        loss.Scaled // what is minimised
}

// learnLevels learns them from scratch.
func learnLevels(entries *data.Matrix, by loss.Scaled) *levels {
	n, m := entries.Dims()
	l := &levels{
		by:   by,
		Rows: make([]float64, n), Columns: make([]float64, m), RowWeight: make([]float64, n), ColumnWeight: make([]float64, m),
		columnWeighed: make([]float64, m),
	}
	total, sum := 0.0, 0.0
	eachEntry(entries, func(i int, j int32, a, w float64) {
		l.RowWeight[i] += w
		l.ColumnWeight[j] += w
		total += w
		sum += w * a
	})
	if total == 0 {
		return l
	}
	l.Mean = sum / total
	variance := 0.0
	eachEntry(entries, func(_ int, _ int32, a, w float64) { variance += w * (a - l.Mean) * (a - l.Mean) / total })
	unit := total / float64(entries.Observed()) // the weight of an entry
	l.smallest = max(1e-9*variance, 1e-200)
	l.Noise, l.Row, l.Column = max(variance*unit, l.smallest)/2, max(variance, l.smallest)/4, max(variance, l.smallest)/4
	if by.Loss.Linked() {
		l.Mean = by.Link(by.Loss.Inside(l.Mean, 0.5/total))
		l.Noise, l.Row, l.Column, l.smallest = 1, 0.5, 0.5, 1e-9
	}
	l.fitTo(entries, nil, func(working *data.Matrix) { l.settle(working, nil) })
	return l
}

// workings is how often working responses are made at most.
const workings = 25

// fitTo lets fit do its work on the entries, or, where no squares are minimised, on their
// working responses in turn, until nothing changes. explained, if there is any, is what
// products say of each entry, and fit may change it.
func (l *levels) fitTo(entries *data.Matrix, explained []float64, fit func(*data.Matrix)) {
	if l.by.Loss == loss.Squared {
		fit(entries)
		return
	}
	var last []float64
	for range workings {
		sums := l.sums(entries, explained)
		change := math.Inf(1)
		if last != nil {
			change = 0
		}
		for e, x := range last {
			change = max(change, math.Abs(x-sums[e])/(1+math.Abs(x)))
		}
		if last = sums; change < 1e-7 {
			return
		}
		fit(l.working(entries, sums))
	}
}

// sums are what effects and products say of each entry.
func (l *levels) sums(entries *data.Matrix, explained []float64) []float64 {
	out := make([]float64, 0, entries.Observed())
	eachEntry(entries, func(i int, j int32, _, _ float64) {
		x := l.Mean + l.Rows[i] + l.Columns[j]
		if explained != nil {
			x += explained[len(out)]
		}
		out = append(out, x)
	})
	return out
}

// working is the entries as squares see them near their sums, and weighs rows and columns
// by them.
func (l *levels) working(entries *data.Matrix, sums []float64) *data.Matrix {
	values, weights := make([]float64, 0, len(sums)), make([]float64, 0, len(sums))
	clear(l.RowWeight)
	clear(l.ColumnWeight)
	eachEntry(entries, func(i int, j int32, a, w float64) {
		response, weight := l.by.Working(a, sums[len(values)])
		weight = min(max(weight*w, data.LeastWeight), data.MostWeight)
		l.RowWeight[i] += weight
		l.ColumnWeight[j] += weight
		values, weights = append(values, response), append(weights, weight)
	})
	out, err := entries.WithValues(values).WithWeights(weights)
	if err != nil {
		panic(err) // they are within the range
	}
	return out
}

// sweeps is how often effects and variances are updated at most, and settled the
// relative change of a variance that ends it before.
const (
	sweeps  = 300
	settled = 1e-5
)

// settle updates until nothing changes. explained, if there is one, is what products
// say of each entry, in the order of the entries.
func (l *levels) settle(entries *data.Matrix, explained []float64) {
	for range sweeps {
		before := [3]float64{l.Noise, l.Row, l.Column}
		l.sweep(entries, explained)
		change := 0.0
		for x, v := range [3]float64{l.Noise, l.Row, l.Column} {
			change = max(change, math.Abs(v-before[x])/max(v, before[x]))
		}
		if change < settled {
			return
		}
	}
}

// sweep updates the rows, the columns, the mean and the variances once.
func (l *levels) sweep(entries *data.Matrix, explained []float64) {
	if entries.Observed() == 0 {
		return
	}
	n, m := entries.Dims()
	entry := 0
	clear(l.columnWeighed)
	var rows, columns posteriors
	for i := range n {
		at, values := entries.Row(i)
		if len(at) == 0 {
			continue
		}
		weights := entries.RowWeights(i)
		sum := 0.0
		for e, j := range at {
			r := values[e] - l.Mean - l.Columns[j]
			if explained != nil {
				r -= explained[entry+e]
			}
			sum += weightOf(weights, e) * r
		}
		l.Rows[i] = rows.take(sum, l.RowWeight[i], prior(l.rowPrior, i), l.Noise, l.Row)
		for e, j := range at {
			r := values[e] - l.Mean - l.Rows[i]
			if explained != nil {
				r -= explained[entry+e]
			}
			l.columnWeighed[j] += weightOf(weights, e) * r
		}
		entry += len(at)
	}
	for j := range m {
		if l.ColumnWeight[j] > 0 {
			l.Columns[j] = columns.take(l.columnWeighed[j], l.ColumnWeight[j], prior(l.columnPrior, j), l.Noise, l.Column)
		}
	}
	entry = 0
	total, sum, square := 0.0, 0.0, 0.0
	eachEntry(entries, func(i int, j int32, a, w float64) {
		r := a - l.Mean - l.Rows[i] - l.Columns[j]
		if explained != nil {
			r -= explained[entry]
		}
		entry++
		total, sum, square = total+w, sum+w*r, square+w*r*r
	})
	shift := sum / total
	l.Mean += shift
	square = max(square-total*shift*shift, 0) + rows.uncertain + columns.uncertain
	if !l.by.Loss.Linked() {
		l.Noise = max(square/float64(entry), l.smallest)
	}
	l.Row = max(rows.square/max(rows.count-l.rowFreedom, 1), l.smallest)
	l.Column = max(columns.square/max(columns.count-l.columnFreedom, 1), l.smallest)
}

// posteriors adds up what the variances are learned from.
type posteriors struct {
	count     float64
	square    float64 // of the effects around their priors, with their variances
	uncertain float64 // what uncertain effects add to the squares of residuals
}

// take is the posterior mean of an effect with the sum of its weighed residuals.
func (p *posteriors) take(sum, weight, prior, noise, variance float64) float64 {
	precision := weight/noise + 1/variance
	effect := (sum/noise + prior/variance) / precision
	p.count++
	p.square += (effect-prior)*(effect-prior) + 1/precision
	p.uncertain += weight / precision
	return effect
}

func prior(of []float64, i int) float64 {
	if of == nil {
		return 0
	}
	return of[i]
}

func weightOf(weights []float64, e int) float64 {
	if weights == nil {
		return 1
	}
	return weights[e]
}

// eachEntry goes through a copy of the entries that a pass collected.
func eachEntry(entries *data.Matrix, do func(i int, j int32, value, weight float64)) {
	n, _ := entries.Dims()
	for i := range n {
		at, values := entries.Row(i)
		weights := entries.RowWeights(i)
		for e, j := range at {
			do(i, j, values[e], weightOf(weights, e))
		}
	}
}

// residuals are the entries without the effects.
func (l *levels) residuals(entries *data.Matrix) *data.Matrix {
	return entries.Map(func(i int, j int32, value float64) float64 { return value - l.Mean - l.Rows[i] - l.Columns[j] })
}
