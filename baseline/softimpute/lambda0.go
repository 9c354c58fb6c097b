package softimpute

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"optcomplete/baseline/internal/lowrank"
	"optcomplete/data"
	"optcomplete/internal/random"
)

// lanczosSteps is enough for eight digits of the largest singular value of any
// matrix met so far; more would only be needed were many values nearly as large.
const lanczosSteps = 60

// Lambda0 is the smallest λ at which the solution is zero: the largest singular
// value of the matrix with zeros in place of what is missing. (Golub and Kahan's
// bidiagonalisation with full reorthogonalisation; each step is a pass.)
func Lambda0(ctx context.Context, source data.Source, threads int) (float64, error) {
	rows, err := lowrank.NewRows(source, lowrank.ChunksFor(source, 1), 0)
	if err != nil {
		return 0, err
	}
	return lambda0(ctx, rows, threads)
}

func lambda0(ctx context.Context, rows *lowrank.Rows, threads int) (float64, error) {
	_, m := rows.Dims()
	if m == 0 {
		return 0, nil
	}
	rng := random.New(1, startStream, 1)
	v := make([]float64, m)
	for j := range v {
		v[j] = rng.Normal()
	}
	normalise(v)
	// The symmetric Lanczos process on XᵀX: T = QᵀXᵀX Q is tridiagonal.
	var q [][]float64
	var diagonal, beside []float64
	last := 0.0
	for step := 0; step < min(lanczosSteps, m); step++ {
		q = append(q, v)
		next, err := normal(ctx, rows, v, threads)
		if err != nil {
			return 0, err
		}
		diagonal = append(diagonal, dot(next, v))
		for range 2 {
			for _, old := range q {
				axpy(-dot(next, old), old, next)
			}
		}
		top := largest(diagonal, beside)
		beta := math.Sqrt(dot(next, next))
		if !(beta > 1e-12*top) || step > 0 && math.Abs(top-last) <= 1e-13*top {
			return math.Sqrt(top), nil
		}
		last = top
		beside = append(beside, beta)
		normalise(next)
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
		return 0
	}
	return max(e.Values(nil)[n-1], 0)
}

// normal is XᵀX v.
func normal(ctx context.Context, rows *lowrank.Rows, v []float64, threads int) ([]float64, error) {
	parts := make([][]float64, rows.Chunks())
	err := rows.Each(ctx, threads, func(c int) func(int, []int32, []float64) {
		sum := make([]float64, len(v))
		parts[c] = sum
		return func(_ int, columns []int32, values []float64) {
			y := 0.0
			for e, j := range columns {
				y += values[e] * v[j]
			}
			for e, j := range columns {
				sum[j] += values[e] * y
			}
		}
	})
	out := make([]float64, len(v))
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		lowrank.Add(out, part)
	}
	return out, nil
}

func normalise(v []float64) {
	if norm := math.Sqrt(dot(v, v)); norm > 0 {
		for x := range v {
			v[x] /= norm
		}
	}
}

func axpy(c float64, a, dst []float64) {
	for x, v := range a {
		dst[x] += c * v
	}
}
