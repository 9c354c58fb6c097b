package model

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"optcomplete/model/estimate"
	"optcomplete/result"
)

// laplace is the certainty of a model with a link: see estimate.Laplace. Effects of
// columns are as sure as they would be if the rows were known. With a remainder all parts
// are as sure as its posterior at the working responses.
type laplace struct {
	joint *learned // nil: there is no remainder
	m     *Model
	fit   estimate.Fitted
	of    *estimate.Laplace
	rows  float64 // that had entries

	columnSquare float64 // mean square of the columns' effects
}

// laplace is nil if the model does not know the noise of its entries, and needs to.
func (m *Model) laplace() certainty {
	if m.Link.Noisy() && m.Link.Noise == nil {
		return nil
	}
	x := &laplace{m: m, fit: m.Fitted()}
	all := m.all()
	for _, n := range all.Entries {
		if n > 0 {
			x.rows++
		}
	}
	if of := m.known(); of != nil {
		x.joint = &learned{m: m, of: of, rows: x.rows}
		return x
	}
	x.of = estimate.NewLaplace(m.Link, m.K(), meanSquare(all.RowEffects, all.Entries))
	x.columnSquare = meanSquare(m.ColumnEffects, m.ColumnEntries)
	return x
}

// meanSquare is that of the effects that have entries.
func meanSquare(effects []float64, entries []int32) float64 {
	sum, count := 0.0, 0.0
	for x, effect := range effects {
		if entries[x] > 0 {
			sum, count = sum+effect*effect, count+1
		}
	}
	return sum / max(count, 1)
}

func (x *laplace) take(row int, columns []int32, weights []float64) {
	if x.joint != nil {
		x.joint.take(row, columns, weights)
		return
	}
	x.of.Begin()
	if row >= 0 {
		effect, u, _ := x.fit.RowParts(row)
		for e, c := range columns {
			columnEffect, b, _ := x.fit.ColumnParts(int(c))
			x.of.Entry(x.m.Sum(effect, columnEffect, u, b), b, weightOf(weights, e))
		}
	}
	if !x.of.End() { // numbers too far apart: what is known without entries
		x.of.Begin()
		x.of.End()
	}
}

func (x *laplace) sum(column int) float64 {
	if x.joint != nil {
		return x.joint.sum(column)
	}
	effect, b, isNew := x.fit.ColumnParts(column)
	count := 0.0
	if !isNew {
		count = x.m.columnCount(column)
	}
	return x.of.Sum(b) + x.m.Link.ColumnVariance(x.m.Mean, effect, count, x.m.Summary.ColumnShrinkage, x.columnSquare)
}

// noise is 0 of yes/no and counts, whose sums have none.
func (x *laplace) noise() float64 {
	if n := x.m.Link.Noise; n != nil {
		return n.Ratio / 2
	}
	return 0
}

func (x *laplace) coefficient(f int) (own, average float64) {
	if x.joint != nil {
		return x.joint.coefficient(f)
	}
	return x.of.Coefficient(f), x.m.Link.PriorVariance(f) / max(1, x.rows)
}

func (x *laplace) factor(probability float64) float64 {
	return distuv.UnitNormal.Quantile((1 + probability) / 2)
}

func (x *laplace) interval(a *result.Answer, variance, weight, probability float64) {
	m := x.m
	by := x.factor(probability) * math.Sqrt(variance)
	if n := m.Link.Noise; n != nil {
		by = math.Hypot(by, n.Beyond(probability)/math.Sqrt(weight))
	}
	a.Low, a.High = m.Expected(a.Unclipped-by), m.Expected(a.Unclipped+by)
	m.addCounts(a, variance, probability)
}

// addCounts says between what a count itself lies, if the values are counts.
func (m *Model) addCounts(a *result.Answer, variance, probability float64) {
	if m.LossOf().Loss.Counts() {
		low, high := counts(a.Unclipped, math.Sqrt(variance), probability)
		a.CountLow, a.CountHigh = m.Clipped(low), m.Clipped(high)
	}
}

// countNodes is how many rates, each as probable as the next, stand for all.
const countNodes = 24

// counts is between what two counts a count lies with this probability, if the
// logarithm of its rate is normal.
func counts(x, deviation, probability float64) (low, high float64) {
	var rates [countNodes]float64
	for i := range rates {
		z := distuv.UnitNormal.Quantile((float64(i) + 0.5) / countNodes)
		rates[i] = math.Exp(min(x+deviation*z, 700))
	}
	below := func(count float64) float64 { // how probable it is not to exceed the count
		sum := 0.0
		for _, rate := range rates {
			switch {
			case rate > 1e9: // known by its rate
				if count >= rate {
					sum++
				}
			case rate > 0:
				sum += mathext.GammaIncRegComp(count+1, rate)
			default:
				sum++
			}
		}
		return sum / countNodes
	}
	quantile := func(p float64) float64 {
		high := 1.0
		for below(high) < p && high < math.MaxFloat64/4 {
			high *= 4
		}
		low := -1.0
		for high-low > 1 && high-low > 1e-9*high {
			if middle := math.Floor((low + high) / 2); below(middle) < p {
				low = middle
			} else {
				high = middle
			}
		}
		return high
	}
	return quantile((1 - probability) / 2), quantile((1 + probability) / 2)
}
