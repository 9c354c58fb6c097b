package dense

import (
	"math"
	"slices"
)

func NotFinite(x []float64) int {
	return slices.IndexFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// Cholesky factors the lower triangle of the n×n matrix a in place. It reports
// false, having ruined a, if a pivot is not above least.
func Cholesky(a []float64, n int, least float64) bool {
	for j := range n {
		rj := a[j*n : j*n+n]
		for i := range j {
			ri := a[i*n : i*n+n]
			rj[i] = (rj[i] - Dot(rj[:i], ri[:i])) / ri[i]
		}
		pivot := rj[j] - Dot(rj[:j], rj[:j])
		if !(pivot > least) {
			return false
		}
		rj[j] = math.Sqrt(pivot)
	}
	return true
}

// CholeskySolve replaces x by (LLᵀ)⁻¹x.
func CholeskySolve(l []float64, n int, x []float64) {
	for i := range n {
		x[i] = (x[i] - Dot(l[i*n:i*n+i], x[:i])) / l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		x[i] /= l[i*n+i]
		Axpy(-x[i], l[i*n:i*n+i], x[:i])
	}
}

// Dot returns xᵀy. Four partial sums, which the processor adds side by side.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a += x[i] * y[i]
		b += x[i+1] * y[i+1]
		c += x[i+2] * y[i+2]
		d += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		a += x[i] * y[i]
	}
	return (a + b) + (c + d)
}

// Axpy adds t·x to y.
func Axpy(t float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += t * v
	}
}

// Resize returns a slice of length n, of x's memory if it has enough. The
// content is arbitrary.
func Resize(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n, n+n/2)
	}
	return x[:n]
}
