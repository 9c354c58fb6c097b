// Package testkit makes small instances and evaluates them by the book: dense
// matrices, every selection tried. The tests hold the fast code to it.
package testkit

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

// Instance is a small problem.
type Instance struct {
	Matrix   *data.Matrix
	Features *data.Features
	Gamma    float64
	K        int
}

// Draw makes an instance of up to maxP features, with all that can go wrong:
// dense and sparse rows, rows without entries or with fewer than k, correlated,
// duplicate, constant and zero features, values of either sign, noise-free or
// pure noise, γ from 1e-3 to 1e6, any k.
func Draw(t *rapid.T, maxP int) Instance {
	p := rapid.IntRange(1, maxP).Draw(t, "p")
	k := rapid.IntRange(1, p).Draw(t, "k")
	n := rapid.IntRange(1, 12).Draw(t, "n")
	m := rapid.IntRange(1, 14).Draw(t, "m")
	seed := rapid.Uint64().Draw(t, "seed")
	density := rapid.SampledFrom([]float64{0.1, 0.3, 0.6, 1}).Draw(t, "density")
	noise := rapid.SampledFrom([]float64{0, 0.01, 1}).Draw(t, "noise")
	shape := rapid.SampledFrom([]string{"uniform", "normal", "correlated", "indicator"}).Draw(t, "shape")
	spoil := rapid.SampledFrom([]string{"none", "duplicate", "constant", "zero"}).Draw(t, "spoil")
	gamma := math.Pow(10, rapid.Float64Range(-3, 6).Draw(t, "log10 gamma"))

	rng := random.New(seed)
	b := make([]float64, m*p)
	for j := range m {
		common := rng.Normal()
		for f := range p {
			x := rng.Float64()
			switch shape {
			case "normal":
				x = rng.Normal()
			case "correlated":
				x = common + 0.05*rng.Normal()
			case "indicator":
				x = math.Round(x)
			}
			switch {
			case spoil == "duplicate" && f > 0 && f%2 == 1:
				x = b[j*p+f-1]
			case spoil == "constant" && f == 0:
				x = 1
			case spoil == "zero" && f == p-1:
				x = 0
			}
			b[j*p+f] = x
		}
	}
	var entries []data.Entry
	for i := range n {
		u := make([]float64, p)
		for f := range k {
			u[f] = rng.Normal()
		}
		for j := range m {
			if rng.Float64() >= density {
				continue
			}
			x := noise * rng.Normal()
			for f := range p {
				x += u[f] * b[j*p+f]
			}
			entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: x})
		}
	}
	matrix, err := data.NewMatrix(n, m, entries)
	if err != nil {
		panic(err)
	}
	return Instance{Matrix: matrix, Features: Features(m, p, b), Gamma: gamma, K: k}
}

// Features makes a feature table with plain ids and names.
func Features(m, p int, values []float64) *data.Features {
	ids, names := make([]string, m), make([]string, p)
	for j := range ids {
		ids[j] = fmt.Sprintf("c%d", j)
	}
	for f := range names {
		names[f] = fmt.Sprintf("f%d", f)
	}
	return data.NewFeatures(ids, names, values)
}

// Weights draws weights: a selection, or anything in [0,1]^p.
func Weights(t *rapid.T, p int, label string) []float64 {
	kind := rapid.SampledFrom([]string{"selection", "fractional", "sparse"}).Draw(t, label+" kind")
	rng := random.New(rapid.Uint64().Draw(t, label))
	s := make([]float64, p)
	for j := range s {
		switch kind {
		case "selection":
			s[j] = math.Round(rng.Float64())
		case "fractional":
			s[j] = rng.Float64()
		default:
			if rng.Float64() < 0.5 {
				s[j] = math.Pow(10, -6*rng.Float64())
			}
		}
	}
	return s
}

// Dense evaluates the paper's Theorem 1 as it stands: for each row the full
// m×m matrix I + γ W_i (Σ_j s_j b_j b_jᵀ) W_i is formed and solved. The gradient
// is −γ/(nm) Σ_i (b_jᵀ W_i γ_i)² with γ_i the solution.
func (in Instance) Dense(s []float64) (cost float64, gradient []float64) {
	n, m := in.Matrix.Dims()
	_, p := in.Features.Dims()
	gradient = make([]float64, p)
	for i := range n {
		columns, values := in.Matrix.Row(i)
		a := mat.NewVecDense(m, nil)
		w := make([]float64, m)
		for e, c := range columns {
			a.SetVec(int(c), values[e])
			w[c] = 1
		}
		k := mat.NewSymDense(m, nil)
		for x := range m {
			for y := range x + 1 {
				sum := 0.0
				for f := range p {
					sum += s[f] * in.Features.Row(x)[f] * in.Features.Row(y)[f]
				}
				sum *= in.Gamma * w[x] * w[y]
				if x == y {
					sum++
				}
				k.SetSym(x, y, sum)
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(k) {
			panic("testkit: not positive definite")
		}
		var r mat.VecDense
		if err := chol.SolveVecTo(&r, a); err != nil {
			// Ill-conditioned for large γ: the solution is still there.
			if _, ok := err.(mat.Condition); !ok {
				panic(err)
			}
		}
		cost += mat.Dot(a, &r)
		for f := range p {
			z := 0.0
			for c := range m {
				z += in.Features.Row(c)[f] * w[c] * r.AtVec(c)
			}
			gradient[f] -= in.Gamma * z * z
		}
	}
	scale := float64(n) * float64(m)
	for f := range gradient {
		gradient[f] /= scale
	}
	return cost / scale, gradient
}

// Scale is the cost of selecting nothing.
func (in Instance) Scale() float64 {
	_, p := in.Features.Dims()
	cost, _ := in.Dense(make([]float64, p))
	return cost
}

// Selections calls visit with every selection of k features that contains all
// of always and none of never.
func Selections(p, k int, always, never []int, visit func(selection []int)) {
	state := make([]int, p)
	for _, j := range always {
		state[j] = 1
	}
	for _, j := range never {
		state[j] = -1
	}
	var walk func(j int, chosen []int)
	walk = func(j int, chosen []int) {
		if len(chosen) > k || k-len(chosen) > p-j {
			return
		}
		if j == p {
			visit(chosen)
			return
		}
		if state[j] >= 0 {
			walk(j+1, append(chosen, j))
		}
		if state[j] <= 0 {
			walk(j+1, chosen)
		}
	}
	walk(0, nil)
}

// Predict is a function as an evaluate.Predictor.
type Predict func(row int, columns []int32, out []float64)

// PredictRow calls it.
func (f Predict) PredictRow(row int, columns []int32, out []float64) { f(row, columns, out) }

// Weigh gives a matrix weights from a tenth of this to ten times this.
func Weigh(t testing.TB, m *data.Matrix, unit float64) *data.Matrix {
	t.Helper()
	rng, weights := random.New(7, 0x77), make([]float64, m.Observed())
	for x := range weights {
		weights[x] = unit * math.Pow(10, 2*rng.Float64()-1)
	}
	return must.Get(m.WithWeights(weights))(t)
}

// Precise is the cost of Theorem 1 in arithmetic of 200 bits: what the others
// are measured against where γ is large and the dense formula loses digits.
func (in Instance) Precise(s []float64) float64 {
	n, m := in.Matrix.Dims()
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	total := number(0)
	for i := range n {
		columns, values := in.Matrix.Row(i)
		size := len(columns)
		// The rows and columns of I + γ W B S Bᵀ W that are not observed are
		// those of the identity and do not matter.
		k := make([][]*big.Float, size)
		for x, c := range columns {
			k[x] = make([]*big.Float, size+1)
			for y, d := range columns {
				sum := number(0)
				for f, w := range s {
					if w == 0 {
						continue
					}
					term := number(in.Features.Row(int(c))[f])
					term.Mul(term, number(in.Features.Row(int(d))[f]))
					sum.Add(sum, term.Mul(term, number(w)))
				}
				sum.Mul(sum, number(in.Gamma))
				if x == y {
					sum.Add(sum, number(1))
				}
				k[x][y] = sum
			}
			k[x][size] = number(values[x])
		}
		// Gaussian elimination; aᵀK⁻¹a is the sum of the squares of the
		// eliminated right-hand sides over the pivots, K being symmetric.
		for x := range size {
			square := number(0).Mul(k[x][size], k[x][size])
			total.Add(total, square.Quo(square, k[x][x]))
			for y := x + 1; y < size; y++ {
				factor := number(0).Quo(k[y][x], k[x][x])
				for z := x + 1; z <= size; z++ {
					k[y][z].Sub(k[y][z], number(0).Mul(factor, k[x][z]))
				}
			}
		}
	}
	total.Quo(total, number(float64(n)*float64(m)))
	cost, _ := total.Float64()
	return cost
}

// UseSolvers lets a test find the programs that scripts/install-solvers.sh put
// into the checkout. The program itself never looks there: whoever makes a
// folder could make it run what is in it.
func UseSolvers(t testing.TB) {
	const variable = "OPTCOMPLETE_SOLVERS" // milp.SolversVariable, which the tests of milp may not import by way of here
	if os.Getenv(variable) != "" {
		return
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		module, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(module), "module optcomplete\n") {
			t.Setenv(variable, filepath.Join(dir, ".tools"))
			return
		}
		dir = filepath.Dir(dir)
	}
}

// MatrixOf makes a matrix of the given rows; NaN means not observed.
func MatrixOf(t testing.TB, columns int, rows ...[]float64) *data.Matrix {
	t.Helper()
	var entries []data.Entry
	for i, row := range rows {
		for j, v := range row {
			if !math.IsNaN(v) {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: v})
			}
		}
	}
	m, err := data.NewMatrix(len(rows), columns, entries)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func FeaturesOf(m, p int, values []float64) *data.Features {
	ids, names := make([]string, m), make([]string, p)
	for j := range ids {
		ids[j] = "c" + strconv.Itoa(j)
	}
	for f := range names {
		names[f] = "f" + strconv.Itoa(f)
	}
	return data.NewFeatures(ids, names, values)
}

func All(k int) []int {
	out := make([]int, k)
	for f := range out {
		out[f] = f
	}
	return out
}

// Drawn draws a matrix with share observed, some rows empty, and features of
// which one in three is 0/1.
func Drawn(t testing.TB, rows, columns, p int, share float64, seed uint64) (*data.Matrix, *data.Features) {
	t.Helper()
	s := random.New(seed)
	values := make([]float64, columns*p)
	for i := range values {
		if values[i] = s.Normal(); i%p%3 == 0 {
			values[i] = float64(s.Intn(2))
		}
	}
	var entries []data.Entry
	for i := range rows {
		if i%10 == 3 {
			continue
		}
		for j := range columns {
			if s.Float64() < share {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: 3 + s.Normal()})
			}
		}
	}
	m, err := data.NewMatrix(rows, columns, entries)
	if err != nil {
		t.Fatal(err)
	}
	return m, FeaturesOf(columns, p, values)
}
