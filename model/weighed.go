package model

import (
	"math"

	"optcomplete/model/estimate"
	"optcomplete/result"
)

// weighed is the certainty of a model with a learned prior whose entries have weights.
// Intervals of values are those of an entry of weight 1, unless another is given.
type weighed struct {
	*learned
	fit    estimate.Fitted
	spread *estimate.Spread
}

// weighed is nil if the prior is no distribution.
func (m *Model) weighed() certainty {
	spread, err := estimate.NewSpread(m.Prior, m.RowEffects != nil)
	if err != nil {
		return nil
	}
	x := &weighed{learned: &learned{m: m, factors: map[float64]float64{}}, fit: m.Fitted(), spread: spread}
	x.rows, x.wider, x.freedom = m.uncertain()
	return x
}

func (x *weighed) take(row int, columns []int32, weights []float64) {
	x.spread.Begin()
	if row >= 0 {
		for e, c := range columns {
			x.spread.Entry(x.m.ColumnFeatures(int(c)), weightOf(weights, e))
		}
	}
	if !x.spread.End() { // numbers too far apart: what is known without entries
		x.spread.Begin()
		x.spread.End()
	}
}

func (x *weighed) sum(column int) float64 {
	_, b, isNew := x.fit.ColumnParts(column)
	variance := x.spread.Sum(b)
	if x.m.ColumnEffects == nil {
		return variance
	}
	count := 0.0
	if !isNew {
		count = x.m.columnCount(column)
	}
	return variance + x.m.columnVariance(x.m.Prior.Noise, count)
}

func (x *weighed) noise() float64 { return x.m.Prior.Noise }

func (x *weighed) coefficient(f int) (own, average float64) {
	return x.spread.Coefficient(f), x.spread.Prior(f) / max(1, x.rows)
}

func (x *weighed) interval(a *result.Answer, variance, weight, probability float64) {
	by := x.factor(probability) * math.Sqrt(variance+x.noise()/weight)
	a.Low, a.High = x.m.Clipped(a.Unclipped-by), x.m.Clipped(a.Unclipped+by)
}

// weightOf is the weight of an entry: 1 where there are none.
func weightOf(weights []float64, e int) float64 {
	if weights == nil {
		return 1
	}
	return weights[e]
}

// columnCount is how much the entries of a column count: their number, or their weight.
func (m *Model) columnCount(j int) float64 {
	if m.ColumnWeights != nil {
		return m.ColumnWeights[j]
	}
	return float64(m.ColumnEntries[j])
}

// columnVariance is that of a column's effect by itself: the noise over what the
// entries count, and the shrinkage.
func (m *Model) columnVariance(noise, count float64) float64 {
	return noise / max(count+m.ColumnShrinkage, 1e-3)
}

// weighColumns finds how much the columns' entries count from the weights that a
// saved model has of its entries: as many as it was fitted on, of their mean weight.
func (m *Model) weighColumns() {
	sums, count := make([]float64, len(m.ColumnIDs)), make([]float64, len(m.ColumnIDs))
	for i, columns := range m.entries.fitted.columns {
		for e, c := range columns {
			sums[c] += m.entries.fitted.weights[i][e]
			count[c]++
		}
	}
	for j := range sums {
		sums[j] *= float64(m.ColumnEntries[j]) / max(count[j], 1)
	}
	m.ColumnWeights = sums
}
