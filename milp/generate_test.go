package milp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"optcomplete/internal/must"
)

// instance is a small synthetic matrix with item features, made as the paper
// makes its own: A = U·Bᵀ + noise with k true features, half of it missing.
type instance struct {
	p, k  int
	gamma float64
	b     [][]float64 // columns × features
	seen  [][]int     // per row, the observed columns
	a     [][]float64 // their values
}

func newInstance(r *rand.Rand, p, k, rows, columns int, gamma, noise float64) *instance {
	in := &instance{p: p, k: k, gamma: gamma, b: make([][]float64, columns)}
	for c := range in.b {
		in.b[c] = make([]float64, p)
		for j := range in.b[c] {
			in.b[c][j] = r.NormFloat64()
		}
	}
	truth := r.Perm(p)[:k]
	for range rows {
		u := make([]float64, k)
		for i := range u {
			u[i] = r.Float64()
		}
		var seen []int
		var a []float64
		for c := range columns {
			if r.Float64() < 0.5 {
				continue
			}
			v := noise * r.NormFloat64()
			for i, j := range truth {
				v += u[i] * in.b[c][j]
			}
			seen, a = append(seen, c), append(a, v)
		}
		in.seen, in.a = append(in.seen, seen), append(in.a, a)
	}
	return in
}

// cut evaluates c(s) = 1/(nm)·Σ_i a_iᵀ(I + γ B_i diag(s) B_iᵀ)⁻¹a_i and its
// gradient densely at a selection (docs/method.md, "The cost").
func (in *instance) cut(selection []int) (cost float64, cut Cut) {
	norm := 1 / float64(len(in.a)*len(in.b))
	cut.Gradient = make([]float64, in.p)
	for i, a := range in.a {
		n := len(a)
		if n == 0 {
			continue
		}
		m := mat.NewSymDense(n, nil)
		for x, cx := range in.seen[i] {
			for y := x; y < n; y++ {
				v := 0.0
				for _, j := range selection {
					v += in.b[cx][j] * in.b[in.seen[i][y]][j]
				}
				v *= in.gamma
				if x == y {
					v++
				}
				m.SetSym(x, y, v)
			}
		}
		var chol mat.Cholesky
		chol.Factorize(m)
		residual := mat.NewVecDense(n, nil)
		if err := chol.SolveVecTo(residual, mat.NewVecDense(n, a)); err != nil {
			panic(err)
		}
		r := residual.RawVector().Data
		cost += norm * dot(a, r)
		projected := make([]float64, in.p)
		for x, c := range in.seen[i] {
			subtract(projected, -r[x], in.b[c])
		}
		for j, v := range projected {
			cut.Gradient[j] -= norm * in.gamma * v * v
		}
	}
	cut.Constant = cost
	for _, j := range selection {
		cut.Constant -= cut.Gradient[j]
	}
	return cost, cut
}

// randomCuts is a master of cuts at random selections.
func (in *instance) randomCuts(r *rand.Rand, cuts int) *Master {
	m := &Master{P: in.p, K: in.k}
	for range cuts {
		_, c := in.cut(r.Perm(in.p)[:in.k])
		m.Cuts = append(m.Cuts, c)
	}
	return m
}

// trajectory is a master as outer approximation meets it: each cut taken at the
// optimum of the master before, or near it once the two agree.
func (in *instance) trajectory(tb testing.TB, r *rand.Rand, cuts int) *Master {
	tb.Helper()
	m := &Master{P: in.p, K: in.k}
	var solver Embedded
	at := r.Perm(in.p)[:in.k]
	seen := map[string]bool{}
	for len(m.Cuts) < cuts {
		_, c := in.cut(at)
		m.Cuts = append(m.Cuts, c)
		solution := must.Get(solver.Solve(context.Background(), m, Options{Gap: 0.01}))(tb)
		at = solution.Selection
		for seen[key(at)] {
			at = neighbour(r, at, in.p)
		}
		seen[key(at)] = true
	}
	return m
}

func neighbour(r *rand.Rand, selection []int, p int) []int {
	next := slices.Clone(selection)
	for {
		j := r.IntN(p)
		if !slices.Contains(next, j) {
			next[r.IntN(len(next))] = j
			return next
		}
	}
}

func key(selection []int) string {
	s := slices.Clone(selection)
	slices.Sort(s)
	b := make([]byte, 0, 2*len(s))
	for _, j := range s {
		b = append(b, byte(j), byte(j>>8))
	}
	return string(b)
}

// bruteForce enumerates the selections. It is the specification.
func bruteForce(m *Master) float64 {
	best := math.Inf(1)
	root := m.root()
	in, free := root.Inside(), root.Open()
	var walk func(selection, rest []int)
	walk = func(selection, rest []int) {
		if len(selection) == m.K {
			best = min(best, m.Value(selection))
			return
		}
		for i := range rest {
			if len(rest)-i+len(selection) < m.K {
				return
			}
			walk(append(slices.Clip(selection), rest[i]), rest[i+1:])
		}
	}
	walk(in, free)
	return best
}
