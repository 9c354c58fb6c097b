package estimate

import (
	"context"
	"errors"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/pass"
)

// priorState is a prior with its inverse covariance, during learning.
type priorState struct {
	Prior
	inverse []float64 // d×d
	pull    []float64 // inverse · mean
}

// startPrior starts from a mean of 0 and, for each coefficient, the variance at
// which it would explain a part of the values' variance.
func startPrior(ctx context.Context, values data.Source, survey *data.Survey, design []float64, d, threads int) (*priorState, error) {
	part, err := pass.One[*pass.Sums](ctx, values, threads, squaring{})
	if err != nil {
		return nil, err
	}
	square, size := part.Values[0], make([]float64, d)
	for c := range survey.Columns {
		count := survey.Count(c)
		for f, b := range design[c*d:][:d] {
			size[f] += count * b * b
		}
	}
	entries := float64(max(values.Observed(), 1))
	variance := max(square/entries, tiny)
	p := &priorState{Prior: Prior{Mean: make([]float64, d), Covariance: make([]float64, d*d), Noise: 0.7 * variance}}
	for f := range d {
		scale := size[f] / entries
		if scale <= 0 {
			scale = 1
		}
		p.Covariance[f*d+f] = 0.3 * variance / float64(d) / scale
	}
	return p, nil
}

// nearPrior is where learning begins that knows the variances of rows on features of mean square 1
// already; nil: it does not. None is so small that it could not grow.
func nearPrior(v *Variances) *priorState {
	if v == nil || !(v.Noise > 0) {
		return nil
	}
	d := 1 + len(v.Features)
	p := &priorState{Prior: Prior{Mean: make([]float64, d), Covariance: make([]float64, d*d), Noise: v.Noise}}
	for f, gamma := range append([]float64{v.Level}, v.Features...) {
		p.Covariance[f*d+f] = max(gamma, startFeature) * v.Noise
	}
	return p
}

// squaring adds the squares of the values up, times their weights.
type squaring struct{}

// Start makes a worker.
func (squaring) Start(*pass.Input) (pass.Worker, error) {
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(1) }, func(part *pass.Sums, _ int, _ []int32, a, weights []float64) error {
		if weights == nil {
			part.Values[0] += dense.Dot(a, a)
			return nil
		}
		for e, w := range weights {
			part.Values[0] += w * a[e] * a[e]
		}
		return nil
	}), nil
}

func init() { pass.Register("squares", squaring{}, new(pass.Sums)) }

var errPrior = errors.New("model: the covariance of the coefficients is not positive definite")

// invert prepares the inverse of the covariance. Where rounding has made that
// singular, as for values that are all the same, its diagonal is raised by as
// little as helps.
func (p *priorState) invert() error {
	d := len(p.Mean)
	factor := make([]float64, d*d)
	for raise := 0.0; ; raise = max(100*raise, 1e-12) {
		copy(factor, p.Covariance)
		for x := range d {
			factor[x*d+x] *= 1 + raise
		}
		raised := slices.Clone(factor)
		if dense.Cholesky(factor, d, 0) {
			p.Covariance = raised // a slice of its own: others may be reading the old one
			break
		}
		if raise > 1e12 {
			return errPrior
		}
	}
	p.inverse = make([]float64, d*d)
	invertFrom(factor, p.inverse, d)
	p.pull = make([]float64, d)
	for x := range d {
		for y := range d {
			p.pull[x] += p.inverse[x*d+y] * p.Mean[y]
		}
	}
	return nil
}

// posterior solves one row after the other, reusing its memory.
type posterior struct {
	d        int
	factor   []float64 // d×d: Cholesky factor of the precision
	products *rowProducts
}

func newPosterior(d int) *posterior {
	return &posterior{d: d, factor: make([]float64, d*d), products: newRowProducts(d)}
}

// solve writes the posterior mean of a row's coefficients to u:
// (Σ⁻¹ + XᵀX/σ²)⁻¹ (Σ⁻¹μ + Xᵀa/σ²).
func (s *posterior) solve(p *priorState, design []float64, at []int32, a, u []float64) {
	d := s.d
	by := 1 / p.Noise
	s.products.load(design, at, a)
	for x := range d {
		u[x] = p.pull[x] + by*s.products.product(d, x)
		for y := range x + 1 {
			s.factor[x*d+y] = p.inverse[x*d+y] + by*s.products.product(x, y)
		}
	}
	if !dense.Cholesky(s.factor, d, 0) {
		copy(u, p.Mean) // only rounding can bring it here
		return
	}
	dense.CholeskySolve(s.factor, d, u)
}

// maximise sets the prior from the sums, and tells whether it still moved.
func (p *priorState) maximise(sums *priorSums) bool {
	if sums.Rows == 0 {
		return false
	}
	d := len(p.Mean)
	noise := sums.error(p) // under the prior as it was
	moved := 0.0
	for x := range d {
		mean := sums.Mean[x] / sums.Rows
		moved = max(moved, math.Abs(mean-p.Mean[x])/(math.Sqrt(p.Covariance[x*d+x])+tiny))
		p.Mean[x] = mean
	}
	for x := range d {
		for y := range d {
			v := sums.Second[x*d+y]/sums.Rows - p.Mean[x]*p.Mean[y]
			if x == y {
				v = max(v, 1e-12*p.Covariance[x*d+x]) // a spread never becomes 0 altogether
				moved = max(moved, math.Abs(v/p.Covariance[x*d+x]-1))
			}
			p.Covariance[x*d+y] = v
		}
	}
	noise = max(noise/sums.Entries, tiny)
	moved = max(moved, math.Abs(noise/p.Noise-1))
	p.Noise = noise
	return moved > priorMoved
}

// priorMoved is the relative change below which learning ends.
const priorMoved = 2e-3

// invertFrom writes (L Lᵀ)⁻¹, both triangles.
func invertFrom(l, out []float64, d int) {
	for c := range d {
		column := out[c*d : (c+1)*d]
		clear(column)
		column[c] = 1
		dense.CholeskySolve(l, d, column)
	}
}
