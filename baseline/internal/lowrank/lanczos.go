package lowrank

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"optcomplete/internal/random"
)

// lanczosSteps is enough for eight digits of the largest singular value of any
// matrix met so far; more would only be needed were many values nearly as large.
const lanczosSteps = 60

const lanczosStream = 0x6c616e63 // "lanc"

// LargestSingular is the largest singular value of a matrix X with that many
// columns, given v ↦ XᵀX v, which returns a slice of its own. (Lanczos' process
// on XᵀX with full reorthogonalisation.)
func LargestSingular(columns int, normal func(v []float64) ([]float64, error)) (float64, error) {
	if columns == 0 {
		return 0, nil
	}
	rng := random.New(1, lanczosStream)
	v := make([]float64, columns)
	for j := range v {
		v[j] = rng.Normal()
	}
	scale(v, 1/norm(v))
	var q [][]float64
	var diagonal, beside []float64
	last := 0.0
	for step := range min(lanczosSteps, columns) {
		q = append(q, v)
		next, err := normal(v)
		if err != nil {
			return 0, err
		}
		diagonal = append(diagonal, Inner(next, v))
		for range 2 {
			for _, old := range q {
				by := Inner(next, old)
				for x, o := range old {
					next[x] -= by * o
				}
			}
		}
		top := largest(diagonal, beside)
		beta := norm(next)
		if !(beta > 1e-12*top) || step > 0 && math.Abs(top-last) <= 1e-13*top {
			return math.Sqrt(top), nil
		}
		last = top
		beside = append(beside, beta)
		scale(next, 1/beta)
		v = next
	}
	return math.Sqrt(last), nil
}

// largest is the largest eigenvalue of a tridiagonal matrix.
func largest(diagonal, beside []float64) float64 {
	n := len(diagonal)
	t := mat.NewSymDense(n, nil)
	for x, d := range diagonal {
		t.SetSym(x, x, d)
		if x > 0 {
			t.SetSym(x, x-1, beside[x-1])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(t, false) {
		return 0 // cannot happen for finite numbers
	}
	return max(e.Values(nil)[n-1], 0)
}

// Inner is Σ a b, added up from the first on.
func Inner(a, b []float64) float64 {
	sum := 0.0
	for x, v := range a {
		sum += v * b[x]
	}
	return sum
}

func norm(v []float64) float64 { return math.Sqrt(Inner(v, v)) }

func scale(v []float64, by float64) {
	for x := range v {
		v[x] *= by
	}
}
