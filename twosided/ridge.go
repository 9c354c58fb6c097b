package twosided

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"optcomplete/data"
	"optcomplete/internal/dense"
)

// ridge predicts effects from features: β ~ N(0, strength), effect = xᵀβ + error.
type ridge struct {
	Weights  []float64 // β, of the scaled features
	Strength float64
	Freedom  float64 // effective number of parameters
}

// mostFeatures is how many features a ridge takes, and mostLines how many rows or
// columns it is learned from: its time grows as the square of the smaller and more.
const (
	mostFeatures = 2000
	mostLines    = 20000
)

// learnRidge regresses effects on features by ridge regression whose strength has the
// largest evidence. mean is the plain mean of what the effect explains, weight the
// weight of its entries; an effect varies by variance around what the features say.
func learnRidge(f *data.Features, mean, weight []float64, noise, variance float64) ridge {
	p := len(f.Names)
	r := ridge{Weights: make([]float64, p)}
	var lines []int
	for i, w := range weight {
		if w > 0 {
			lines = append(lines, i)
		}
	}
	if by := (len(lines) + mostLines - 1) / mostLines; by > 1 {
		some := lines[:0]
		for x := 0; x < len(lines); x += by {
			some = append(some, lines[x])
		}
		lines = some
	}
	n := len(lines)
	if n < 2 || p == 0 {
		return r
	}
	// X and y in units of the deviation of each mean.
	x, y := mat.NewDense(n, p, nil), make([]float64, n)
	for at, i := range lines {
		by := 1 / math.Sqrt(variance+noise/weight[i])
		y[at] = by * mean[i]
		for j, v := range f.Row(i) {
			x.Set(at, j, by*v)
		}
	}
	small := min(n, p)
	if small > mostFeatures {
		return r // too many of both: new ones get the mean
	}
	// K = XXᵀ or XᵀX, with eigenvalues d; the evidence needs nothing else.
	var k mat.SymDense
	if n <= p {
		k.SymOuterK(1, x)
	} else {
		k.SymOuterK(1, x.T())
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(&k, true) {
		return r
	}
	d := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	right := mat.NewVecDense(n, y)
	if n > p {
		var xy mat.VecDense
		xy.MulVec(x.T(), right)
		right = &xy
	}
	var z mat.VecDense
	z.MulVec(vectors.T(), right)
	square := make([]float64, small)
	for e := range square {
		square[e] = z.AtVec(e) * z.AtVec(e)
		if d[e] = max(d[e], 0); n > p { // yᵀX(…)Xᵀy
			continue
		}
		square[e] *= d[e]
	}
	evidence := func(strength float64) float64 {
		sum := 0.0
		for e, v := range d {
			sum += strength*square[e]/(1+strength*v) - math.Log1p(strength*v)
		}
		return sum
	}
	scale := 0.0
	for _, v := range d {
		scale += v / float64(small)
	}
	if !(scale > 0) {
		return r
	}
	best := 0.0
	for exponent := -6.0; exponent <= 4; exponent += 0.125 {
		strength := math.Pow(10, exponent) / scale
		if e := evidence(strength); e > best {
			best, r.Strength = e, strength
		}
	}
	if r.Strength == 0 {
		return r // the features say nothing
	}
	var along mat.VecDense
	shrunk := mat.NewVecDense(small, nil)
	for e, v := range d {
		shrunk.SetVec(e, r.Strength*z.AtVec(e)/(1+r.Strength*v))
		r.Freedom += r.Strength * v / (1 + r.Strength*v)
	}
	along.MulVec(&vectors, shrunk)
	if n <= p {
		var back mat.VecDense
		back.MulVec(x.T(), &along)
		along = back
	}
	for j := range p {
		r.Weights[j] = along.AtVec(j)
	}
	return r
}

// of is what the features of a line say of its effect.
func (r *ridge) of(x []float64) float64 { return dense.Dot(r.Weights, x) }
