package selection

import (
	"math"
	"testing"
)

func TestOneStandardErrorRule(t *testing.T) {
	r := &PathResult{Points: []PathPoint{
		{K: 1, Validated: Validated{Folds: []float64{2.0, 2.2, 2.4}}},
		{K: 2, Validated: Validated{Folds: []float64{1.0, 1.2, 1.3}}},   // mean 1.1667
		{K: 3, Validated: Validated{Folds: []float64{0.9, 1.1, 1.3}}},   // mean 1.1, standard error 0.1155: the least
		{K: 4, Validated: Validated{Folds: []float64{0.95, 1.1, 1.28}}}, // mean 1.11
	}}
	r.choose()
	if r.Best != 3 || r.Chosen != 2 {
		t.Errorf("best %d, chosen %d; want 3 and 2", r.Best, r.Chosen)
	}
	if got := r.Points[2].Error; math.Abs(got-0.2/math.Sqrt(3)) > 1e-12 {
		t.Errorf("standard error %v", got)
	}
	r.Points[1].Folds = []float64{1.2, 1.22, 1.24} // now more than one standard error away
	r.choose()
	if r.Best != 3 || r.Chosen != 3 {
		t.Errorf("best %d, chosen %d; want 3 and 3", r.Best, r.Chosen)
	}
}
