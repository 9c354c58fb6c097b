package remainder

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"optcomplete/internal/kernel"
	"optcomplete/internal/must"
)

// TestPosteriorIsThatOfTheModel compares rows, known and new ones, and predictions for
// known and new columns with the formulas of the model, by plain linear algebra:
// precision Σ⁻¹ + σ⁻² Σ_j w_j E hhᵀ, right-hand side Σ⁻¹(m + Bz) + σ⁻² Σ_j w_j (h(x − μ −
// c) − Cov(v, c)), whatever the number of entries, with weights w and without.
func TestPosteriorIsThatOfTheModel(t *testing.T) {
	for _, levels := range []bool{false, true} {
		for _, implicit := range []bool{false, true} {
			w := made(t, 7, 300, 60, 12, 2, 0.25)
			problem := w.problem()
			problem.Levels, problem.Implicit = levels, implicit
			f := must.Get(Learn(t.Context(), problem, Settings{Rank: 2, Steps: 8, Start: w.start()}))(t)
			if f.Rank == 0 {
				t.Fatal("no traits")
			}
			p := NewPredictor(f)
			for _, entries := range []int{0, 1, 4, 9, 30, 60} {
				var columns []int32
				var values []float64
				for e := range entries {
					j := e * 60 / entries
					columns, values = append(columns, int32(j)), append(values, truthMean+math.Sin(float64(3*j)))
				}
				var weights []float64
				if implicit != levels {
					for e := range entries {
						weights = append(weights, math.Exp(2*math.Sin(float64(e))))
					}
				}
				theta, spread := byFormula(f, columns, values, weights)
				got := p.Row(columns, values, weights)
				for x, v := range theta {
					if math.Abs(got[x]-v) > 1e-9*(1+math.Abs(v)) {
						t.Fatalf("%d entries: parameter %d is %v, want %v", entries, x, got[x], v)
					}
					if v := spread.At(x, x); math.Abs(p.RowVariance(x)-v) > 1e-9*(1+v) {
						t.Fatalf("%d entries: the variance of parameter %d is %v, want %v", entries, x, p.RowVariance(x), v)
					}
				}
				for _, j := range []int{-1, 0, 17, 59} {
					mean, variance := predictedByFormula(f, j, theta, spread)
					if a, b := p.Column(j); math.Abs(a-mean) > 1e-9*(1+math.Abs(mean)) || math.Abs(b-variance) > 1e-9*(1+variance) {
						t.Fatalf("%d entries, column %d: %v ± %v, want %v ± %v", entries, j, a, b, mean, variance)
					}
				}
			}
		}
	}
}

// parts are h, c and the covariance of (c, v) of a column; −1 is a new one, with the
// mean features.
func (f *Fit) parts(j int) (h []float64, level float64, cov func(x, y int) float64) {
	own, first := f.own(), f.levels()
	if j < 0 {
		h = make([]float64, f.size())
		m := len(f.Design) / f.Known
		for x := range m * f.Known {
			h[x%f.Known] += f.Design[x] / float64(m)
		}
		return h, 0, func(x, y int) float64 { return f.ColumnPrior[x*own+y] }
	}
	h = append(append(h, f.Design[j*f.Known:][:f.Known]...), f.Columns[j*own+first:][:f.Rank]...)
	if f.Levels {
		level = f.Columns[j*own]
	}
	return h, level, func(x, y int) float64 { return f.Error[j*kernel.Tri(own)+kernel.Tri(max(x, y))+min(x, y)] }
}

// byFormula is a row's posterior.
func byFormula(f *Fit, columns []int32, values, weights []float64) (theta []float64, spread *mat.SymDense) {
	d, first := f.size(), f.levels()
	var prior mat.Dense
	if err := prior.Inverse(mat.NewDense(d, d, f.Spread)); err != nil {
		panic(err)
	}
	mean := mat.NewVecDense(d, append([]float64(nil), f.Prior...))
	if h := f.Implicit; h != nil && len(columns) > 0 {
		designs, z := make([]float64, f.Known), make([]float64, f.Known+1)
		for _, c := range columns {
			for x := range designs {
				designs[x] += f.Design[int(c)*f.Known+x]
			}
		}
		h.of(z, designs, len(columns))
		for x := range d {
			for y, v := range z {
				mean.SetVec(x, mean.AtVec(x)+h.Coefficients[x*len(z)+y]*v)
			}
		}
	}
	var right mat.VecDense
	right.MulVec(&prior, mean)
	precision := mat.NewDense(d, d, nil)
	precision.Copy(&prior)
	for e, c := range columns {
		h, level, cov := f.parts(int(c))
		noise := f.Noise
		if weights != nil {
			noise /= weights[e]
		}
		for x := range d {
			v := h[x] * (values[e] - f.Mean - level)
			if x >= f.Known && f.Levels {
				v -= cov(0, first+x-f.Known)
			}
			right.SetVec(x, right.AtVec(x)+v/noise)
			for y := range d {
				square := h[x] * h[y]
				if x >= f.Known && y >= f.Known {
					square += cov(first+x-f.Known, first+y-f.Known)
				}
				precision.Set(x, y, precision.At(x, y)+square/noise)
			}
		}
	}
	var inverted mat.Dense
	if err := inverted.Inverse(precision); err != nil {
		panic(err)
	}
	var solved mat.VecDense
	solved.MulVec(&inverted, &right)
	spread = mat.NewSymDense(d, nil)
	for x := range d {
		for y := range x + 1 {
			spread.SetSym(x, y, inverted.At(x, y))
		}
	}
	return solved.RawVector().Data, spread
}

// predictedByFormula is the mean and variance of μ + c + hᵀθ.
func predictedByFormula(f *Fit, j int, theta []float64, spread *mat.SymDense) (mean, variance float64) {
	first := f.levels()
	h, level, cov := f.parts(j)
	mean = f.Mean + level
	for x := range h {
		mean += h[x] * theta[x]
		for y := range h {
			variance += h[x] * h[y] * spread.At(x, y)
		}
	}
	if f.Levels {
		variance += cov(0, 0)
	}
	for x := range f.Rank {
		if f.Levels {
			variance += 2 * cov(0, first+x) * theta[f.Known+x]
		}
		for y := range f.Rank {
			variance += cov(first+x, first+y) * (theta[f.Known+x]*theta[f.Known+y] + spread.At(f.Known+x, f.Known+y))
		}
	}
	return mean, variance
}
