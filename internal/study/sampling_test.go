package main

import (
	"slices"
	"testing"

	"optcomplete/objective"
)

// TestErrorFallsAsRootOfRows: the slope of log error over log g is −1/2 for the
// cost and the gradient, at the true selection and at a wrong one, and a sample
// of all rows has no error.
func TestErrorFallsAsRootOfRows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: left out by -short")
	}
	in, gamma, err := hard()
	if err != nil {
		t.Fatal(err)
	}
	for name, selection := range map[string][]int{"true": in.Selected, "wrong": {0, 1, 2, 3, 4}} {
		var costs, gradients []place
		for _, g := range []int{10, 20, 50, 100, 200, 500, 900, in.Rows} {
			cost, gradient, err := sampleError(t.Context(), in, gamma, selection, objective.SampleSize{Rows: g, Columns: in.Columns}, 60)
			switch finite := finiteRows(g, in.Rows); {
			case err != nil:
				t.Fatal(err)
			case g < in.Rows:
				costs, gradients = append(costs, place{float64(g), cost / finite}), append(gradients, place{float64(g), gradient / finite})
			case cost != 0 || gradient != 0:
				t.Errorf("%s selection: all rows, but errors %v and %v", name, cost, gradient)
			}
		}
		for what, points := range map[string][]place{"cost": costs, "gradient": gradients} {
			if power, _ := slope(points); power < -0.6 || power > -0.4 {
				t.Errorf("%s selection: the error of the %s falls with slope %.3f, want −0.5 ± 0.1", name, what, power)
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
	in, gamma, err := hard()
	if err != nil {
		t.Fatal(err)
	}
	var counts []int
	for _, g := range []int{160, 40, 10} {
		count, _, _, err := failed(t.Context(), in, gamma, g, 20)
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, count)
	}
	if !slices.IsSorted(counts) || counts[0] > 0 || counts[2] < 10 {
		t.Errorf("the failures do not fall: %v of 20 at 160, 40 and 10 rows", counts)
	}
}
