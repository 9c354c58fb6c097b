package lowrank

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// negligible is the part of the largest eigenvalue below which one counts as
// zero: rounding makes such ones.
const negligible = 1e-14

// Eigen is the eigenvalues of a symmetric r×r matrix, stored with rows of width w,
// decreasing, and its eigenvectors, one a column of an r×r matrix. Negative and
// negligible values are 0.
func Eigen(g []float64, r, w int) (values []float64, vectors *mat.Dense) {
	sym := mat.NewSymDense(r, nil)
	for x := range r {
		for y := x; y < r; y++ {
			sym.SetSym(x, y, (g[x*w+y]+g[y*w+x])/2)
		}
	}
	var e mat.EigenSym
	vectors = mat.NewDense(r, r, nil)
	values = make([]float64, r)
	if !e.Factorize(sym, true) {
		return values, vectors // cannot happen for finite numbers; nothing is then kept
	}
	up := e.Values(nil)
	var v mat.Dense
	e.VectorsTo(&v)
	for x := range r {
		values[x] = up[r-1-x]
		if !(values[x] > negligible*up[r-1]) {
			values[x] = 0
		}
		for y := range r {
			vectors.Set(y, x, v.At(y, r-1-x))
		}
	}
	return values, vectors
}

// Balance finds, from S = AᵀA and T = BᵀB, the matrices by which A and B are to
// be multiplied so that A Bᵀ stays as it is and AᵀA = BᵀB = diag(d), d decreasing:
// A = U√d and B = V√d of its singular value decomposition. Of all factors of a
// product these have the smallest squares, Σd each. The matrices have width w.
//
// With S = E Λ Eᵀ and √S T √S = W d² Wᵀ they are S^(−½) W √d and S^(½) W / √d.
func Balance(s, t []float64, r, w int) (byA, byB, d []float64) {
	lambda, e := Eigen(s, r, w)
	root := func(power float64) *mat.Dense {
		out := mat.NewDense(r, r, nil)
		for x := range r {
			if lambda[x] == 0 {
				continue
			}
			by := math.Pow(lambda[x], power)
			for y := range r {
				for z := range r {
					out.Set(y, z, out.At(y, z)+by*e.At(y, x)*e.At(z, x))
				}
			}
		}
		return out
	}
	half, inverse := root(0.5), root(-0.5)
	var k, tmp, a, b mat.Dense
	tmp.Mul(half, square(t, r, w))
	k.Mul(&tmp, half)
	d2, v := Eigen(k.RawMatrix().Data, r, r)
	d = make([]float64, w)
	byA, byB = make([]float64, w*w), make([]float64, w*w)
	a.Mul(inverse, v)
	b.Mul(half, v)
	for x := range r {
		if d2[x] == 0 {
			continue
		}
		d[x] = math.Sqrt(d2[x])
		by := math.Sqrt(d[x])
		for y := range r {
			byA[y*w+x] = a.At(y, x) * by
			byB[y*w+x] = b.At(y, x) / by
		}
	}
	return byA, byB, d
}

// square is the r×r corner of a matrix with rows of width w.
func square(g []float64, r, w int) *mat.Dense {
	out := mat.NewDense(r, r, nil)
	for x := range r {
		for y := range r {
			out.Set(x, y, g[x*w+y])
		}
	}
	return out
}

// InverseRidge is (G + (λ+ε)I)⁻¹ for a positive semidefinite G, with an ε that
// only rounding can tell from nothing; zero outside the r×r corner.
func InverseRidge(g []float64, r, w int, lambda float64) []float64 {
	return InverseRidges(g, r, w, lambda, []float64{1})[0]
}

// InverseRidges is InverseRidge of c·G, for every c.
func InverseRidges(g []float64, r, w int, lambda float64, factors []float64) [][]float64 {
	values, vectors := Eigen(g, r, w)
	least := 1e-12 * values[0]
	all := make([][]float64, len(factors))
	for at, c := range factors {
		out := make([]float64, w*w)
		all[at] = out
		for x := range r {
			by := c*values[x] + lambda + c*least
			if !(by > 0) {
				continue
			}
			for y := range r {
				for z := range r {
					out[y*w+z] += vectors.At(y, x) * vectors.At(z, x) / by
				}
			}
		}
	}
	return all
}

// TraceProduct is tr(G H) of two w×w matrices.
func TraceProduct(g, h []float64, w int) float64 {
	sum := 0.0
	for x := range w {
		for y := range w {
			sum += g[x*w+y] * h[y*w+x]
		}
	}
	return sum
}

// SolvePacked solves (K + (λ+ε)I) u = u in place for a packed lower triangle K,
// positive semidefinite, which it destroys. The ε is what rounding may need.
func SolvePacked(k, u []float64, r int, lambda float64) {
	trace := 0.0
	for x := range r {
		trace += k[x*(x+1)/2+x]
	}
	ridge := lambda + 1e-12*trace
	if !(ridge > 0) {
		clear(u) // K is zero, and so is the right-hand side
		return
	}
	for x := range r {
		row := k[x*(x+1)/2:][:x+1]
		for y := range x {
			above := k[y*(y+1)/2:][:y+1]
			sum := row[y]
			for z, v := range above[:y] {
				sum -= v * row[z]
			}
			row[y] = sum * above[y]
		}
		pivot := row[x] + ridge
		for _, v := range row[:x] {
			pivot -= v * v
		}
		// The diagonal keeps the reciprocals.
		row[x] = 1 / math.Sqrt(max(pivot, ridge/2))
		sum := u[x]
		for z, v := range row[:x] {
			sum -= v * u[z]
		}
		u[x] = sum * row[x]
	}
	for x := r - 1; x >= 0; x-- {
		row := k[x*(x+1)/2:][:x+1]
		u[x] *= row[x]
		for z, v := range row[:x] {
			u[z] -= v * u[x]
		}
	}
}
