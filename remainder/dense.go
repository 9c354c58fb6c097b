package remainder

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"optcomplete/internal/dense"
)

// tiny is the least variance and the least pivot.
const tiny = 1e-200

// inverse of a covariance, d×d, and the logarithm of its determinant; as root, it raises the diagonal
// where rounding has made it singular, and is NaN where nothing helps.
func inverse(spread []float64, d int) ([]float64, float64) {
	r, logs := root(spread, d)
	back, out := undone(r, d), make([]float64, d*d)
	for _, line := range back {
		for x, v := range line {
			if v != 0 {
				dense.Axpy(v, line, out[x*d:][:d])
			}
		}
	}
	return out, logs
}

// undone is the inverse of an upper triangular matrix, in lines.
func undone(r []float64, d int) [][]float64 {
	out := make([][]float64, d)
	for i := d - 1; i >= 0; i-- {
		out[i] = make([]float64, d)
		out[i][i] = 1
		for j := i + 1; j < d; j++ {
			dense.Axpy(-r[i*d+j], out[j], out[i])
		}
		for j := range out[i] {
			out[i][j] /= r[i*d+i]
		}
	}
	return out
}

// lines are those of a square matrix.
func lines(a []float64, d int) [][]float64 {
	out := make([][]float64, d)
	for x := range d {
		out[x] = a[x*d:][:d]
	}
	return out
}

// root is an upper triangular R with RRᵀ = the covariance, d×d, and the logarithm of
// its determinant. Where rounding has made it singular its diagonal is raised by as little as
// helps; where nothing does, as for numbers out of range, all is NaN.
func root(spread []float64, d int) ([]float64, float64) {
	out, turned := make([]float64, d*d), make([]float64, d*d)
	for raise := 0.0; raise <= 1e12; raise = max(100*raise, 1e-13) {
		for x := range d { // the last first
			for y := range x {
				turned[x*d+y] = spread[(d-1-x)*d+d-1-y]
			}
			turned[x*d+x] = spread[(d-1-x)*d+d-1-x]*(1+raise) + tiny
		}
		if !dense.Cholesky(turned, d, 0) {
			continue
		}
		logs := 0.0
		for x := range d {
			for y := range x + 1 {
				out[(d-1-x)*d+d-1-y] = turned[x*d+y]
			}
			logs += 2 * math.Log(turned[x*d+x])
		}
		return out, logs
	}
	for x := range out {
		out[x] = math.NaN()
	}
	return out, math.NaN()
}

// floor is the least that a pivot of a precision can be without rounding, which is
// at least the inverse of a covariance: its largest variance, inverted.
func floor(spread []float64, d int) float64 {
	least := math.Inf(1)
	for x := range d {
		least = min(least, 1/spread[x*d+x])
	}
	return max(least, tiny)
}

// product is A·x for a square matrix.
func product(a, x []float64, d int) []float64 {
	out := make([]float64, d)
	for i := range d {
		out[i] = dense.Dot(a[i*d:][:d], x)
	}
	return out
}

// eigen gives the eigenvalues of a symmetric matrix, largest first, and its
// eigenvectors as columns, each with its largest component positive.
func eigen(a []float64, d int) (values []float64, vectors *mat.Dense) {
	s := mat.NewSymDense(d, nil)
	for x := range d {
		for y := range x + 1 {
			s.SetSym(x, y, a[x*d+y])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		return nil, nil
	}
	var v mat.Dense
	e.VectorsTo(&v)
	values, vectors = make([]float64, d), mat.NewDense(d, d, nil)
	for x := range d {
		from := d - 1 - x
		values[x] = e.Values(nil)[from]
		top := 0.0
		for y := range d {
			if math.Abs(v.At(y, from)) > math.Abs(top) {
				top = v.At(y, from)
			}
		}
		sign := 1.0
		if top < 0 {
			sign = -1
		}
		for y := range d {
			vectors.Set(y, x, sign*v.At(y, from))
		}
	}
	return values, vectors
}
