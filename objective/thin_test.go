package objective

import (
	"math"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/internal/must"
)

// TestSecondDerivativesOfManyRows: they come from some of the rows and are about
// those of all; cost, cut and gradient come from all rows.
func TestSecondDerivativesOfManyRows(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 5 * 4000, Columns: 40, Features: 6, K: 3, Missing: 0.8, Noise: 0.5, Seed: 7}))(t)
	all := in.Ratings.Matrix()
	weights := []float64{0.5, 1, 0, 0.3, 0.9, 0.3}
	cost, constant, gradient, hessian := eval(t, NewExact(all, in.Features, 0.1, 2), weights, true)
	plain, flat, slope, _ := eval(t, NewExact(all, in.Features, 0.1, 2), weights, false)
	if math.Abs(cost-plain) > 1e-12*cost || math.Abs(constant-flat) > 1e-10*cost {
		t.Errorf("cost %v and constant %v with second derivatives, %v and %v without", cost, constant, plain, flat)
	}
	for j := range gradient {
		if math.Abs(gradient[j]-slope[j]) > 1e-10*math.Abs(slope[j]) {
			t.Errorf("gradient %d is %v with second derivatives, %v without", j, gradient[j], slope[j])
		}
	}
	whole := make([]float64, len(hessian)) // from parts that are too small to be thinned
	for part := range 5 {
		var rows []int
		for i := part; i < 5*4000; i += 5 {
			rows = append(rows, i)
		}
		_, _, _, h := eval(t, NewExact(data.Rows(all, rows), in.Features, 0.1, 2), weights, true)
		for x := range h {
			whole[x] += h[x] / 5
		}
	}
	for x := range whole {
		if math.Abs(hessian[x]-whole[x]) > 0.05*math.Abs(whole[x]) {
			t.Errorf("second derivative %d is %v, of all rows %v", x, hessian[x], whole[x])
		}
	}
	if math.Abs(hessian[0]-whole[0]) < 1e-9*whole[0] {
		t.Error("second derivatives are computed from all rows")
	}
}
