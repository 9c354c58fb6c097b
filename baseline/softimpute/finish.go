package softimpute

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"optcomplete/baseline/internal/lowrank"
	"optcomplete/internal/kernel"
)

// finish ends as the paper's algorithm does: with M = X*V = U D Rᵀ the result is
// U (D − λ)₊ (VR)ᵀ. (With weights, of which the heaviest is h, residuals count by w/h in X*,
// and λ by 1/h.) The small values that steps only bring down slowly are then
// zero, and the rank is what it is.
func (s *solver) finish(ctx context.Context, lambda float64) (*Factors, error) {
	w, heaviest := s.w, s.rows.Heaviest
	lambda /= heaviest
	root, inverse := make([]float64, w), make([]float64, w) // √d and 1/√d
	for x := range s.r {
		// A direction that is next to nothing is nothing.
		if s.d[x] > 1e-12*s.d[0] {
			root[x] = math.Sqrt(s.d[x])
			inverse[x] = 1 / root[x]
		}
	}
	// In the balanced coordinates V = B/√d, and a row of M is e V + a√d.
	err := s.rows.Each(ctx, s.threads, func(number int) lowrank.Row {
		c := &s.chunks[number]
		clear(c.gram)
		return func(i int, columns []int32, values, weights []float64) {
			a := s.a[i*w:][:w]
			if s.turn != nil {
				lowrank.Apply(c.line, a, s.turn)
			} else {
				copy(c.line, a)
			}
			e := c.e[:len(columns)]
			residuals(e, c.line, s.b, columns, values, weights)
			kernel.Correlate(c.z, e, columns, s.b, w)
			for x := range a {
				a[x] = c.z[x]*inverse[x]/heaviest + c.line[x]*root[x]
			}
			lowrank.Outer(c.gram, a, a)
		}
	})
	if err != nil {
		return nil, err
	}
	gram := make([]float64, w*w)
	for c := range s.chunks {
		lowrank.Add(gram, s.chunks[c].gram)
	}
	squares, turn := lowrank.Eigen(gram, s.r, w)
	f := &Factors{}
	var scale []float64
	for _, d2 := range squares {
		if d := math.Sqrt(d2); d > lambda && d > 0 {
			f.D = append(f.D, d-lambda)
			scale = append(scale, 1/d)
		}
	}
	f.Rank = len(f.D)
	f.U = turned(s.a, turn, s.n, s.r, w, s.threads, scale, nil)
	f.V = turned(s.b, turn, s.m, s.r, w, s.threads, ones(f.Rank), inverse)
	return f, nil
}

func ones(n int) []float64 {
	out := make([]float64, n)
	for x := range out {
		out[x] = 1
	}
	return out
}

// turned multiplies the lines of a table by a matrix from the right and its
// columns by scale, as many as there are; before may scale the table's columns
// first.
func turned(table []float64, turn *mat.Dense, lines, r, w, threads int, scale, before []float64) []float64 {
	k := len(scale)
	by := make([]float64, r*k)
	for y := range r {
		for x := range k {
			by[y*k+x] = turn.At(y, x) * scale[x]
			if before != nil {
				by[y*k+x] *= before[y]
			}
		}
	}
	out := make([]float64, lines*k)
	lowrank.Blocks(lines, columnBlock, threads, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to := out[i*k:][:k]
			for y, v := range table[i*w:][:r] {
				for x, t := range by[y*k:][:k] {
					to[x] += v * t
				}
			}
		}
	})
	return out
}

// debias keeps U and V and fits d to the observed entries by (weighted) least squares:
// shrinkage has made it too small. (deBias of the R package.) The order of the
// columns stays; a direction whose d would be negative keeps it, as U's sign is
// free: its U is turned round.
func debias(ctx context.Context, rows *lowrank.Rows, f *Factors, threads int) (*Factors, error) {
	r := f.Rank
	if r == 0 {
		return f, nil
	}
	grams, rights := make([][]float64, rows.Chunks()), make([][]float64, rows.Chunks())
	err := rows.Each(ctx, threads, func(c int) lowrank.Row {
		gram, right, z := make([]float64, r*r), make([]float64, r), make([]float64, r)
		grams[c], rights[c] = gram, right
		return func(i int, columns []int32, values, weights []float64) {
			u := f.U[i*r:][:r]
			for e, j := range columns {
				for x, v := range f.V[int(j)*r:][:r] {
					z[x] = u[x] * v
				}
				for x, zx := range z {
					if weights != nil {
						zx *= weights[e]
					}
					right[x] += zx * values[e]
					for y, zy := range z[:x+1] {
						gram[x*r+y] += zx * zy
					}
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	gram, right := make([]float64, r*r), make([]float64, r)
	for c := range grams {
		lowrank.Add(gram, grams[c])
		lowrank.Add(right, rights[c])
	}
	for x := range r {
		for y := range x {
			gram[y*r+x] = gram[x*r+y]
		}
	}
	inverse := lowrank.InverseRidge(gram, r, r, 0)
	out := &Factors{Rank: r, D: make([]float64, r), V: f.V, U: f.U}
	turnRound := false
	for x := range r {
		for y := range r {
			out.D[x] += inverse[x*r+y] * right[y]
		}
		out.D[x] *= rows.Unit
		turnRound = turnRound || out.D[x] < 0
	}
	if turnRound {
		out.U = append([]float64(nil), f.U...)
		for x, d := range out.D {
			if d >= 0 {
				continue
			}
			out.D[x] = -d
			for i := x; i < len(out.U); i += r {
				out.U[i] = -out.U[i]
			}
		}
	}
	return out, nil
}

// Balanced gives the matrix as a product of row and column factors, U√d and V√d.
func (f *Factors) Balanced() (rows, columns []float64) {
	r := f.Rank
	rows, columns = make([]float64, len(f.U)), make([]float64, len(f.V))
	for x, d := range f.D {
		root := math.Sqrt(d)
		for i := x; i < len(rows); i += r {
			rows[i] = f.U[i] * root
		}
		for j := x; j < len(columns); j += r {
			columns[j] = f.V[j] * root
		}
	}
	return rows, columns
}

// Predict adds the low-rank matrix's values of a row to out.
func (f *Factors) Predict(row int, columns []int32, out []float64) {
	r := f.Rank
	if r == 0 {
		return
	}
	u := make([]float64, 0, 64)
	for x, v := range f.U[row*r:][:r] {
		u = append(u, v*f.D[x])
	}
	for e, j := range columns {
		sum := 0.0
		for x, v := range f.V[int(j)*r:][:r] {
			sum += u[x] * v
		}
		out[e] += sum
	}
}
