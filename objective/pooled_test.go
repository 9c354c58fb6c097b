package objective

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/search"
)

// pooledInstance is a small problem for the pooled model.
type pooledInstance struct {
	testkit.Instance
	gamma0 float64
}

func drawPooled(t *rapid.T, maxP int) pooledInstance {
	in := testkit.Draw(t, maxP)
	return pooledInstance{in, math.Pow(10, rapid.Float64Range(-3, 6).Draw(t, "log10 gamma0"))}
}

func (in pooledInstance) oracle(threads int) *Pooled {
	return NewPooled(NewExact(in.Matrix, in.Features, in.Gamma, threads), in.gamma0)
}

// loss is the relative error of the dense formula: its matrix has a condition
// of up to 1 + γ‖B_i‖² + γ₀‖B‖².
func (in pooledInstance) loss() float64 {
	return 1e-16 * (1 + in.Gamma + 10*in.gamma0) * 1e2
}

// dense forms I + Σ_j s_j K_j over all observed entries and solves it. The
// gradient is −rᵀK_j r/(nm).
func (in pooledInstance) dense(s []float64) (cost float64, gradient []float64) {
	n, m := in.Matrix.Dims()
	_, p := in.Features.Dims()
	gradient = make([]float64, p)
	size := in.Matrix.Observed()
	if size == 0 {
		return 0, gradient
	}
	var b [][]float64
	var row []int
	a := mat.NewVecDense(size, nil)
	for i := range n {
		columns, values := in.Matrix.Row(i)
		for e, c := range columns {
			a.SetVec(len(b), values[e])
			b = append(b, in.Features.Row(int(c)))
			row = append(row, i)
		}
	}
	k := mat.NewSymDense(size, nil)
	for x := range size {
		for y := range x + 1 {
			sum := 0.0
			for f := range p {
				sum += s[f] * b[x][f] * b[y][f]
			}
			by := in.gamma0
			if row[x] == row[y] {
				by += in.Gamma
			}
			sum *= by
			if x == y {
				sum++
			}
			k.SetSym(x, y, sum)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(k) {
		panic("not positive definite")
	}
	var r mat.VecDense
	if err := chol.SolveVecTo(&r, a); err != nil {
		if _, ok := err.(mat.Condition); !ok {
			panic(err)
		}
	}
	scale := float64(n) * float64(m)
	for f := range p {
		each, all := make([]float64, n), 0.0
		for x := range size {
			each[row[x]] += b[x][f] * r.AtVec(x)
			all += b[x][f] * r.AtVec(x)
		}
		gradient[f] = -(in.Gamma*squares(each) + in.gamma0*all*all) / scale
	}
	return mat.Dot(a, &r) / scale, gradient
}

// evalCost is one evaluation with everything.
func evalCost(t interface{ Fatal(...any) }, o search.Curved, s []float64, curved bool) (cost, constant float64, gradient, hessian []float64) {
	gradient = make([]float64, o.Dim())
	if curved {
		support := 0
		for _, x := range s {
			if x > 0 {
				support++
			}
		}
		hessian = make([]float64, support*support)
	}
	cost, constant, err := evalInto(context.Background(), o, s, gradient, hessian)
	if err != nil {
		t.Fatal(err)
	}
	return cost, constant, gradient, hessian
}

// value is the cut's at some weights.
func value(constant float64, gradient, weights []float64) float64 {
	for j, g := range gradient {
		constant += g * weights[j]
	}
	return constant
}

// TestPooledAgreesWithStackedFormula compares cost and gradient with the dense
// formula, at selections and between them, by both ways of solving a row. A cost
// at its minimum is right to 1e-16 with residuals that are right to 1e-8, and the
// gradient is made of those.
func TestPooledAgreesWithStackedFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawPooled(t, 12)
		o := in.oracle(1)
		s := testkit.Weights(t, o.Dim(), "weights")
		want, slope := in.dense(s)
		scale := in.Scale()
		for _, curved := range []bool{false, true} {
			cost, constant, gradient, _ := evalCost(t, o, s, curved)
			if math.Abs(cost-want) > 1e-12*scale+in.loss()*want {
				t.Fatalf("cost %v, want %v (scale %v)", cost, want, scale)
			}
			for j, g := range gradient {
				largest := math.Abs(slope[j]) + scale*(1+in.Gamma+in.gamma0)*1e-3
				if math.Abs(g-slope[j]) > (1e-7+10*in.loss())*largest {
					t.Fatalf("gradient %d: %v, want %v", j, g, slope[j])
				}
			}
			if own := value(constant, gradient, s); own > cost || own < cost-1e-9*cost-1e-12*scale {
				t.Fatalf("the cut at its own point is %v, the cost %v (curved %v, scale %v)", own, cost, curved, scale)
			}
		}
	})
}

// TestPooledDerivativesAgreeWithDifferences checks the gradient and the second
// derivatives by central differences of the dense cost and the own gradient.
func TestPooledDerivativesAgreeWithDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawPooled(t, 7)
		in.Gamma = math.Pow(10, rapid.Float64Range(-3, 2).Draw(t, "smaller gamma"))
		in.gamma0 = math.Pow(10, rapid.Float64Range(-3, 2).Draw(t, "smaller gamma0"))
		o := in.oracle(1)
		s := testkit.Weights(t, o.Dim(), "weights")
		for j := range s {
			s[j] = 0.1 + 0.8*s[j] // room on both sides
		}
		_, _, gradient, hessian := evalCost(t, o, s, true)
		scale := in.Scale()
		const h = 1e-5
		for j := range s {
			up, down := slices.Clone(s), slices.Clone(s)
			up[j] += h
			down[j] -= h
			cu, _ := in.dense(up)
			cd, _ := in.dense(down)
			if d := (cu - cd) / (2 * h); math.Abs(d-gradient[j]) > 1e-5*(math.Abs(d)+scale) {
				t.Fatalf("gradient %d is %v, difference quotient %v", j, gradient[j], d)
			}
			_, _, gu, _ := evalCost(t, o, up, false)
			_, _, gd, _ := evalCost(t, o, down, false)
			for l := range s {
				d := (gu[l] - gd[l]) / (2 * h)
				if got := hessian[j*len(s)+l]; math.Abs(d-got) > 1e-4*(math.Abs(d)+scale) {
					t.Fatalf("second derivative %d,%d is %v, difference quotient %v", j, l, got, d)
				}
			}
		}
	})
}

// TestPooledCutIsNeverAboveCost evaluates at one point and compares the cut with
// the dense cost at another, any other.
func TestPooledCutIsNeverAboveCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawPooled(t, 12)
		o := in.oracle(1)
		s := testkit.Weights(t, o.Dim(), "here")
		_, constant, gradient, _ := evalCost(t, o, s, rapid.Bool().Draw(t, "curved"))
		for range 4 {
			there := testkit.Weights(t, o.Dim(), "there")
			want, _ := in.dense(there)
			if cut := value(constant, gradient, there); cut > want*(1+1e-12+in.loss()) {
				t.Fatalf("cut %v is above the cost %v", cut, want)
			}
		}
	})
}

// TestPooledCutHoldsForAnyPopulation spoils μ before the residuals are taken:
// the cut must stay below the cost, and the cost above the true one.
func TestPooledCutHoldsForAnyPopulation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawPooled(t, 8)
		o := in.oracle(1)
		s := testkit.Weights(t, o.Dim(), "here")
		at := o.newPoint(s, false)
		ctx := context.Background()
		if _, err := o.fitRows(ctx, at, s); err != nil {
			t.Fatal(err)
		}
		for x := range at.mu {
			at.mu[x] = rapid.Float64Range(-2, 2).Draw(t, "mu")
		}
		sum := must.Get(o.residuals(ctx, at, s))(t)
		gradient := make([]float64, o.Dim())
		cost, constant := o.cut(sum, gradient)
		slack := 1 + 1e-12 + in.loss()
		if want, _ := in.dense(s); cost*slack < want {
			t.Fatalf("cost %v is below the true one, %v", cost, want)
		}
		for range 3 {
			there := testkit.Weights(t, o.Dim(), "there")
			if want, _ := in.dense(there); value(constant, gradient, there) > want*slack {
				t.Fatalf("cut %v is above the cost %v", value(constant, gradient, there), want)
			}
		}
	})
}

// TestPooledWithoutPopulationIsExact takes γ₀ → 0.
func TestPooledWithoutPopulationIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawPooled(t, 12)
		in.gamma0 = 1e-12
		s := testkit.Weights(t, len(in.Features.Names), "weights")
		for _, curved := range []bool{false, true} {
			cost, _, gradient, hessian := evalCost(t, in.oracle(1), s, curved)
			want, _, slope, second := evalCost(t, NewExact(in.Matrix, in.Features, in.Gamma, 1), s, curved)
			close := func(what string, got, want, size float64) {
				if math.Abs(got-want) > 1e-7*(math.Abs(want)+size) {
					t.Fatalf("%s: pooled %v, exact %v", what, got, want)
				}
			}
			close("cost", cost, want, 0)
			for j := range gradient {
				close("gradient", gradient[j], slope[j], in.Scale()*1e-3)
			}
			largest := in.Scale() * 1e-6
			for x := range second {
				largest = max(largest, math.Abs(second[x]))
			}
			for x := range hessian {
				close("second derivative", hessian[x], second[x], largest)
			}
		}
	})
}

// TestPooledThreadsGiveSameBits compares every number for 1, 2 and 8 threads,
// on oracles that were used before; on small instances and on one of many chunks.
func TestPooledThreadsGiveSameBits(t *testing.T) {
	in := manyRows(t)
	large := pooledInstance{testkit.Instance{Matrix: in.Ratings.Matrix(), Features: in.Features, Gamma: 2}, 50}
	rapid.Check(t, func(t *rapid.T) {
		in := large
		if rapid.IntRange(0, 4).Draw(t, "small") > 0 {
			in = drawPooled(t, 12)
		}
		s := testkit.Weights(t, len(in.Features.Names), "weights")
		curved := rapid.Bool().Draw(t, "curved")
		cost, constant, gradient, hessian := evalCost(t, in.oracle(1), s, curved)
		for _, threads := range []int{2, 8} {
			o := in.oracle(threads)
			evalCost(t, o, testkit.Weights(t, o.Dim(), "before"), !curved)
			c, k, g, h := evalCost(t, o, s, curved)
			if c != cost || k != constant || !slices.Equal(g, gradient) || !slices.Equal(h, hessian) {
				t.Fatalf("%d threads: cost %v constant %v gradient %v, one thread: %v %v %v", threads, c, k, g, cost, constant, gradient)
			}
		}
	})
}

// manyRows makes an instance of many chunks, with rows that are solved in either
// way.
func manyRows(t *testing.T) *synth.Instance {
	in := must.Get(synth.Generate(synth.Config{Rows: 300, Columns: 60, Features: 20, K: 5, Missing: 0.8, Noise: 0.1, Seed: 3}))(t)
	return in
}

// TestPooledStaysSharpWhereRowsHardlyDiffer takes γ ≪ γ₀, where H cancels and μ
// must be corrected: the cut at its own point must be the cost all the same.
func TestPooledStaysSharpWhereRowsHardlyDiffer(t *testing.T) {
	in := manyRows(t)
	s := make([]float64, 20)
	for j := range 10 { // few: solved in systems of the support
		s[j] = 1 / float64(j+1)
	}
	for _, gamma := range []float64{1e-12, 1e-10, 1e-8, 1e-4} {
		o := NewPooled(NewExact(in.Ratings.Matrix(), in.Features, gamma, 1), 1e4)
		cost, constant, gradient, _ := evalCost(t, o, s, false)
		if own := value(constant, gradient, s); own > cost || own < cost*(1-1e-11) {
			t.Fatalf("γ = %v: the cut at its own point is %v, the cost %v", gamma, own, cost)
		}
	}
}

// TestPooledFactorsMadeAgainAreTheSame takes the room for the factors away, on
// an instance with rows of both kinds.
func TestPooledFactorsMadeAgainAreTheSame(t *testing.T) {
	in := manyRows(t)
	o := NewPooled(NewExact(in.Ratings.Matrix(), in.Features, 2, 2), 50)
	s := make([]float64, o.Dim())
	for j := range s {
		s[j] = 1 / float64(j+1)
	}
	for _, curved := range []bool{false, true} {
		var sums [2]*pooledSums
		ctx, at := context.Background(), o.newPoint(s, curved)
		if _, err := o.fitRows(ctx, at, s); err != nil {
			t.Fatal(err)
		}
		for x := range at.mu {
			at.mu[x] = float64(x) / 10
		}
		for try := range sums {
			var err error
			if sums[try], err = o.residuals(ctx, at, s); err != nil {
				t.Fatal(err)
			}
			at.kept = nil
		}
		if sums[0].cost != sums[1].cost || !slices.Equal(sums[0].gradient, sums[1].gradient) || !slices.Equal(sums[0].cross, sums[1].cross) {
			t.Fatalf("kept factors give the cost %v, new ones %v", sums[0].cost, sums[1].cost)
		}
	}
}

// TestPooledCancelledEvaluationReturnsTheError also checks that nothing is
// computed.
func TestPooledCancelledEvaluationReturnsTheError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawPooled(t, 4).oracle(2)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, _, err := evalInto(ctx, o, make([]float64, o.Dim()), make([]float64, o.Dim()), nil); err != context.Canceled {
			t.Fatalf("got %v", err)
		}
	})
}
