package sampling

import (
	"slices"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/objective"
)

// TestErrorFallsAsRootOfRows: the slope of log error over log g is −1/2 for the
// cost and the gradient, at the true selection and at a wrong one, and a sample
// of all rows has no error.
func TestErrorFallsAsRootOfRows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: left out by -short")
	}
	in, gamma, err := Hard()
	if err != nil {
		t.Fatal(err)
	}
	var sizes []objective.SampleSize
	for _, g := range []int{10, 20, 50, 100, 200, 500, 900, in.Rows} {
		sizes = append(sizes, objective.SampleSize{Rows: g, Columns: in.Columns})
	}
	for name, selection := range map[string][]int{"true": in.Selected, "wrong": {0, 1, 2, 3, 4}} {
		points := must.Get(Errors(in, gamma, selection, sizes, 60, 1))(t)
		if last := points[len(points)-1]; last.Cost != 0 || last.Gradient != 0 {
			t.Errorf("%s selection: all rows, but error %v", name, last)
		}
		var g, cost, gradient []float64
		for _, p := range points[:len(points)-1] {
			finite := FiniteRows(p.Rows, in.Rows)
			g = append(g, float64(p.Rows))
			cost = append(cost, p.Cost/finite)
			gradient = append(gradient, p.Gradient/finite)
		}
		for what, slope := range map[string]float64{"cost": Slope(g, cost), "gradient": Slope(g, gradient)} {
			t.Logf("%s selection, %s: slope %.3f", name, what, slope)
			if slope < -0.6 || slope > -0.4 {
				t.Errorf("%s selection: the error of the %s falls with slope %.3f, want −0.5 ± 0.1", name, what, slope)
			}
		}
	}
}

// TestFailuresFallWithRows: from most runs at ten rows to none at a few hundred,
// and never up by more than chance.
func TestFailuresFallWithRows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: left out by -short")
	}
	in, gamma, err := Hard()
	if err != nil {
		t.Fatal(err)
	}
	points := must.Get(Failures(in, gamma, []int{10, 40, 160}, 20))(t)
	for _, p := range points {
		t.Logf("g = %d: %d of %d failed, excess %.4f, %.1f cuts", p.Rows, p.Failed, p.Runs, p.Excess, p.Cuts)
	}
	falls := func(a, b FailurePoint) int { return b.Failed - a.Failed }
	if !slices.IsSortedFunc(points, falls) || points[0].Rate() < 0.5 || points[2].Failed > 0 {
		t.Errorf("the failures do not fall: %+v", points)
	}
}
