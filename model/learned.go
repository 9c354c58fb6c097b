package model

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"optcomplete/remainder"
	"optcomplete/result"
)

// learned is the certainty of a model with a learned prior. Intervals of values are those
// of an entry of weight 1, unless another is given.
type learned struct {
	m                    *Model
	of                   *remainder.Predictor
	at                   []float64
	rows, wider, freedom float64             // see Model.uncertain
	factors              map[float64]float64 // by probability: a quantile takes longer than all else
}

// uncertain is the number R of rows with entries, by how much variances are to be multiplied, and the degrees of
// freedom of Student's distribution that takes the place of the normal, because
// noise and prior are estimates too. N entries of R rows gave the noise, the d
// means and d(d+1)/2 covariances of the prior, and the column effects, each a
// fraction n/(n + shrinkage) of a number. With h of these in all, an estimate of
// maximum likelihood is too small by about (N − h)/N, and the covariances of R rows
// by (R − d)/R. (d is without what a remainder adds: its prior is shrunk.) With thousands of rows the difference cannot be seen.
func (m *Model) uncertain() (rows, wider, freedom float64) {
	d, entries := m.K(), 0.0
	if m.RowEffects != nil {
		d++
	}
	for _, n := range m.Entries {
		if n > 0 {
			entries, rows = entries+float64(n), rows+1
		}
	}
	h := float64(1 + d + d*(d+1)/2)
	if m.ColumnEffects != nil {
		for j := range m.ColumnEntries {
			n := m.columnCount(j)
			h += n / max(n+m.ColumnShrinkage, 1)
		}
	}
	byEntries, byRows := max(1, entries-h), max(1, rows-float64(d))
	return rows, max(1, entries/byEntries, rows/byRows), min(byEntries, byRows)
}

func (x *learned) factor(probability float64) float64 {
	by, ok := x.factors[probability]
	if !ok {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: x.freedom}
		by = math.Sqrt(x.wider) * t.Quantile((1+probability)/2)
		x.factors[probability] = by
	}
	return by
}

func (x *learned) take(row int, columns []int32, weights []float64) {
	if row < 0 {
		x.of.Row(nil, nil, nil)
		return
	}
	m := x.m
	x.at = x.at[:0]
	if m.RowEffects != nil {
		x.at = append(x.at, m.RowEffects[row])
	}
	f := m.Factors()
	x.at = append(append(x.at, m.Coefficients.Row(row)...), m.RowRemainder[row*f:][:f]...)
	x.of.KnownRow(columns, weights, x.at)
}

func (x *learned) sum(column int) float64 {
	_, variance := x.of.Column(column)
	return variance
}

func (x *learned) noise() float64 { return x.of.Noise }

func (x *learned) coefficient(f int) (own, average float64) {
	if x.m.RowEffects != nil {
		f++
	}
	return x.of.RowVariance(f), x.of.Spread[f*len(x.of.Prior)+f] / max(1, x.rows)
}

func (x *learned) interval(a *result.Answer, variance, weight, probability float64) {
	by := x.factor(probability) * math.Sqrt(variance+x.noise()/weight)
	a.Low, a.High = x.m.Clipped(a.Unclipped-by), x.m.Clipped(a.Unclipped+by)
}
