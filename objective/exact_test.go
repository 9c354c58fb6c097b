package objective

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/internal/testkit"
	"optcomplete/search"
)

var _ search.Curved = (*Exact)(nil)

// eval is one evaluation with everything.
func eval(t interface{ Fatal(...any) }, o *Exact, s []float64, curved bool) (cost, constant float64, gradient, hessian []float64) {
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

// TestCostAgreesWithTheorem1 compares cost and gradient with the dense formula
// of the paper, at selections and between them, by both ways of solving a row.
func TestCostAgreesWithTheorem1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 12)
		o := NewExact(in.Matrix, in.Features, in.Gamma, 1)
		s := testkit.Weights(t, o.Dim(), "weights")
		want, slope := in.Dense(s)
		scale := in.Scale()
		// The dense formula itself loses digits as γ grows: its matrix has
		// condition 1 + γ‖B_i‖².
		loss := 1e-16 * (1 + in.Gamma) * 1e3
		for _, curved := range []bool{false, true} {
			cost, constant, gradient, _ := eval(t, o, s, curved)
			if math.Abs(cost-want) > 1e-12*scale+loss*want {
				t.Fatalf("cost %v, want %v (scale %v)", cost, want, scale)
			}
			tangent := constant
			for j, g := range gradient {
				if math.Abs(g-slope[j]) > 1e-11*(math.Abs(slope[j])+scale)+loss*(math.Abs(slope[j])+in.Gamma*scale*1e-3) {
					t.Fatalf("gradient %d: %v, want %v", j, g, slope[j])
				}
				tangent += g * s[j]
			}
			if tangent > cost || tangent < cost-1e-9*cost-1e-13*scale {
				t.Fatalf("the cut at its own point is %v, the cost %v", tangent, cost)
			}
		}
	})
}

// TestDerivativesAgreeWithDifferences checks the gradient and the second
// derivatives by central differences of the dense cost and the own gradient.
func TestDerivativesAgreeWithDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 8)
		in.Gamma = math.Pow(10, rapid.Float64Range(-3, 2).Draw(t, "smaller gamma"))
		o := NewExact(in.Matrix, in.Features, in.Gamma, 1)
		s := testkit.Weights(t, o.Dim(), "weights")
		var support []int
		for j := range s {
			s[j] = 0.1 + 0.8*s[j] // room on both sides
			support = append(support, j)
		}
		_, _, gradient, hessian := eval(t, o, s, true)
		scale := in.Scale()
		const h = 1e-5
		for x, j := range support {
			up, down := append([]float64{}, s...), append([]float64{}, s...)
			up[j] += h
			down[j] -= h
			cu, _ := in.Dense(up)
			cd, _ := in.Dense(down)
			if d := (cu - cd) / (2 * h); math.Abs(d-gradient[j]) > 1e-5*(math.Abs(d)+scale) {
				t.Fatalf("gradient %d is %v, difference quotient %v", j, gradient[j], d)
			}
			_, _, gu, _ := eval(t, o, up, false)
			_, _, gd, _ := eval(t, o, down, false)
			for y, l := range support {
				d := (gu[l] - gd[l]) / (2 * h)
				if got := hessian[x*len(support)+y]; math.Abs(d-got) > 1e-4*(math.Abs(d)+scale) {
					t.Fatalf("second derivative %d,%d is %v, difference quotient %v", j, l, got, d)
				}
			}
		}
	})
}

// TestCutIsNeverAboveCost evaluates at one point and compares the cut with the
// dense cost at another, any other.
func TestCutIsNeverAboveCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 12)
		o := NewExact(in.Matrix, in.Features, in.Gamma, 1)
		s := testkit.Weights(t, o.Dim(), "here")
		_, constant, gradient, _ := eval(t, o, s, rapid.Bool().Draw(t, "curved"))
		for range 4 {
			there := testkit.Weights(t, o.Dim(), "there")
			value := constant
			for j, g := range gradient {
				value += g * there[j]
			}
			want, _ := in.Dense(there)
			if loss := 1e-16 * (1 + in.Gamma) * 1e2; value > want*(1+1e-12+loss) {
				t.Fatalf("cut %v is above the cost %v", value, want)
			}
		}
	})
}

// TestThreadsGiveSameBits compares every number for 1, 2 and 8 threads.
func TestThreadsGiveSameBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 12)
		s := testkit.Weights(t, len(in.Features.Names), "weights")
		cost, constant, gradient, hessian := eval(t, NewExact(in.Matrix, in.Features, in.Gamma, 1), s, true)
		for _, threads := range []int{2, 8} {
			c, k, g, h := eval(t, NewExact(in.Matrix, in.Features, in.Gamma, threads), s, true)
			if c != cost || k != constant {
				t.Fatalf("%d threads: cost %v constant %v, one thread: %v %v", threads, c, k, cost, constant)
			}
			for j := range g {
				if g[j] != gradient[j] {
					t.Fatalf("%d threads: gradient %d differs", threads, j)
				}
			}
			for j := range h {
				if h[j] != hessian[j] {
					t.Fatalf("%d threads: second derivative %d differs", threads, j)
				}
			}
		}
	})
}

// TestCancelledEvaluationReturnsTheError also checks that nothing is computed.
func TestCancelledEvaluationReturnsTheError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 4)
		o := NewExact(in.Matrix, in.Features, in.Gamma, 2)
		if _, _, err := evalInto(ctx, o, make([]float64, o.Dim()), make([]float64, o.Dim()), nil); err != context.Canceled {
			t.Fatalf("got %v", err)
		}
	})
}
