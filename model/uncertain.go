package model

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"optcomplete/result"
)

// Uncertain is how sure a model is of the effects of rows that are known by their
// features, and of columns: variances. That of what features say besides effects is not
// part of it.
type Uncertain struct {
	Noise         float64
	Rows, Columns []float64
	Column        float64 // of a column that was added by its features
	AnyRow        float64 // of a row of which nothing is known
	AnyColumn     float64
}

// byFeatures is the certainty of such a model.
type byFeatures struct {
	m   *Model
	row int
}

func (x *byFeatures) take(row int, _ []int32, _ []float64) { x.row = row }

func (x *byFeatures) sum(column int) float64 {
	u := x.m.Uncertain
	out := u.AnyRow
	if x.row >= 0 {
		out = u.Rows[x.row]
	}
	switch {
	case column < 0:
		return out + u.AnyColumn
	case column >= len(u.Columns):
		return out + u.Column
	}
	return out + u.Columns[column]
}

func (x *byFeatures) noise() float64 { return x.m.Uncertain.Noise }

func (x *byFeatures) coefficient(int) (own, average float64) { return 0, 0 }

func (x *byFeatures) factor(probability float64) float64 {
	return distuv.UnitNormal.Quantile((1 + probability) / 2)
}

func (x *byFeatures) interval(a *result.Answer, variance, weight, probability float64) {
	by := x.factor(probability) * math.Sqrt(variance+x.noise()/weight)
	a.Low, a.High = x.m.Expected(a.Unclipped-by), x.m.Expected(a.Unclipped+by)
	x.m.addCounts(a, variance, probability)
}
