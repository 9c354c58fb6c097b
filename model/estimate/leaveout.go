package estimate

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/internal/dense"
)

// LeaveOut predicts every entry of a row from the row's others: what a fit without
// that entry would predict, for all entries from one factorisation. With the prior
// N(μ, LLᵀ) of the coefficients, noise σ², Z = XL and the residuals
// r = a − Xμ − Z(σ²I + ZᵀZ)⁻¹Zᵀ(a − Xμ), an entry that is left out is missed by
// r_e/(1 − z_eᵀ(σ²I + ZᵀZ)⁻¹z_e).
type LeaveOut struct {
	Design []float64 // m×d, multiplied by L
	Shifts []float64 // m: Xμ
	D      int
	Noise  float64

	z, factor, inverse, column, u, a []float64
}

// NewLeaveOut prepares a design of d numbers for each column. It serves one
// goroutine; see Clone.
func (p *Prior) NewLeaveOut(design []float64, d int) (*LeaveOut, error) {
	factor := append([]float64(nil), p.Covariance...)
	for raise := 1e-12; !dense.Cholesky(factor, d, 0); raise *= 100 {
		if raise > 1e12 {
			return nil, errPrior
		}
		copy(factor, p.Covariance)
		for x := range d {
			factor[x*d+x] *= 1 + raise
		}
	}
	l := &LeaveOut{D: d, Noise: p.Noise, Design: make([]float64, len(design)), Shifts: make([]float64, len(design)/max(d, 1))}
	for c := range l.Shifts {
		x := design[c*d:][:d]
		l.Shifts[c] = dense.Dot(x, p.Mean)
		for f := range d {
			for g := f; g < d; g++ {
				l.Design[c*d+f] += x[g] * factor[g*d+f]
			}
		}
	}
	return l, nil
}

// Clone is the same for another goroutine.
func (l *LeaveOut) Clone() *LeaveOut {
	return &LeaveOut{Design: l.Design, Shifts: l.Shifts, D: l.D, Noise: l.Noise}
}

// Errors writes to out by how much each entry of a row is missed. Weights may be nil:
// an entry of weight w has a w-th of the noise, so that it is one of weight 1 with
// value and design times √w.
func (l *LeaveOut) Errors(at []int32, values, weights, out []float64) {
	d, n := l.D, len(at)
	l.z, l.a = dense.Resize(l.z, n*d), dense.Resize(l.a, n)
	for e, c := range at {
		copy(l.z[e*d:][:d], l.Design[int(c)*d:])
		l.a[e] = values[e] - l.Shifts[c]
		if weights != nil {
			root := math.Sqrt(weights[e])
			l.a[e] *= root
			floats.Scale(root, l.z[e*d:][:d])
		}
	}
	l.errors(n, out)
	for e, w := range weights {
		out[e] /= math.Sqrt(w)
	}
}

// errors is Errors of the n entries in z and a.
func (l *LeaveOut) errors(n int, out []float64) {
	d := l.D
	if n <= d {
		l.dual(n, out)
		return
	}
	l.factor, l.inverse, l.u, l.column = dense.Resize(l.factor, d*d), dense.Resize(l.inverse, d*d), dense.Resize(l.u, d), dense.Resize(l.column, d)
	clear(l.factor)
	clear(l.u)
	for e := range n {
		z := l.z[e*d:][:d]
		for x, v := range z {
			l.u[x] += v * l.a[e]
			row := l.factor[x*d:][:x+1]
			for y := range row {
				row[y] += v * z[y]
			}
		}
	}
	for x := range d {
		l.factor[x*d+x] += l.Noise
	}
	dense.Cholesky(l.factor, d, 0)
	invertLower(l.factor, l.inverse, d)
	for x := range d { // with the factor F, F⁻¹Zᵀa
		l.column[x] = dense.Dot(l.inverse[x*d:][:x+1], l.u[:x+1])
	}
	for e := range n {
		z := l.z[e*d:][:d]
		own, fitted := 0.0, 0.0
		for x := range z {
			v := dense.Dot(l.inverse[x*d:][:x+1], z[:x+1])
			own += v * v
			fitted += v * l.column[x]
		}
		out[e] = (l.a[e] - fitted) / max(1-own, 1e-9)
	}
}

// invertLower inverts a lower triangle.
func invertLower(l, out []float64, d int) {
	for x := range d {
		row := out[x*d:][:x+1]
		clear(row)
		for y, v := range l[x*d:][:x] {
			for z, w := range out[y*d:][:y+1] {
				row[z] -= v * w
			}
		}
		by := 1 / l[x*d+x]
		for z := range row[:x] {
			row[z] *= by
		}
		row[x] = by
	}
}

// dual is Errors of a row with few entries: with K = σ²I + ZZᵀ they are
// (K⁻¹a)_e/(K⁻¹)_ee.
func (l *LeaveOut) dual(n int, out []float64) {
	d := l.D
	l.factor, l.inverse = dense.Resize(l.factor, n*n), dense.Resize(l.inverse, n*n)
	for x := range n {
		for y := range x + 1 {
			l.factor[x*n+y] = dense.Dot(l.z[x*d:][:d], l.z[y*d:][:d])
		}
		l.factor[x*n+x] += l.Noise
	}
	dense.Cholesky(l.factor, n, 0)
	invertFrom(l.factor, l.inverse, n)
	for e := range n {
		out[e] = dense.Dot(l.inverse[e*n:][:n], l.a[:n]) / math.Max(l.inverse[e*n+e], tiny)
	}
}

// RidgeLeaveOut is LeaveOut for rows that are fitted by themselves with a ridge,
// 1/γ; zero: by least squares.
func RidgeLeaveOut(design []float64, d int, ridge float64) *LeaveOut {
	size := 0.0
	for _, x := range design {
		size = max(size, x*x)
	}
	// Least squares is the limit of ever smaller ridges; this one is far below what
	// a fit could tell.
	return &LeaveOut{D: d, Noise: max(ridge, leastRidge*size, tiny), Design: design, Shifts: make([]float64, len(design)/max(d, 1))}
}

const leastRidge = 1e-9 // of the largest feature's square

// Shift adds a number to the prediction of each column.
func (l *LeaveOut) Shift(mean float64, columns []float64) {
	for c := range l.Shifts {
		l.Shifts[c] += mean
		if columns != nil {
			l.Shifts[c] += columns[c]
		}
	}
}

// LearnPrior learns what all rows have in common; see learnPrior.
func LearnPrior(ctx context.Context, values data.Source, design []float64, d, steps, threads int) (*Prior, error) {
	p, err := learnPrior(ctx, values, design, d, steps, threads, 0)
	if err != nil {
		return nil, err
	}
	return &p.Prior, nil
}
