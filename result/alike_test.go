package result

import (
	"strings"
	"testing"
)

func TestAlikeTellsHowMuchGammaDecides(t *testing.T) {
	point := func(rmse float64, selected string) GammaPoint {
		return GammaPoint{RMSE: rmse, Selected: strings.Fields(selected)}
	}
	for _, c := range []struct {
		path []GammaPoint
		want string
	}{
		{nil, ""},
		{[]GammaPoint{point(1, "a b")}, ""},
		{[]GammaPoint{point(1, "a b"), point(1.1, "c d")}, ""},
		{[]GammaPoint{point(1, "a b"), point(1.001, "b a")}, "2 γ predict nearly as well (validation RMSE within 0.3 %) and select the same features"},
		{[]GammaPoint{point(1, "b c"), point(1.001, "c b")}, "2 γ predict nearly as well (validation RMSE within 0.3 %) but select different features: they share b"},
		{[]GammaPoint{point(1, "a b"), point(1.001, "b c"), point(2, "x y")}, "2 γ predict nearly as well (validation RMSE within 0.3 %) but select different features: they share b"},
		{[]GammaPoint{point(1, "a b"), point(1.001, "c d")}, "2 γ predict nearly as well (validation RMSE within 0.3 %) but select different features: they share none"},
	} {
		if got := AlikeOf(c.path, []string{"a", "b"}).Words(); got != c.want {
			t.Errorf("%v: %q, want %q", c.path, got, c.want)
		}
	}
}

// TestEdge: a γ that is better than all others, with none beyond it, is told.
func TestEdge(t *testing.T) {
	path := func(errors ...float64) (path []GammaPoint) {
		for x, e := range errors {
			path = append(path, GammaPoint{Gamma: float64(1 + x), RMSE: e})
		}
		return path
	}
	for _, c := range []struct {
		path  []GammaPoint
		gamma float64
		want  string
	}{
		{path(1, 2, 3), 1, "γ = 1 is the smallest that was tried and predicts best: a smaller one may predict better"},
		{path(3, 2, 1), 3, "γ = 3 is the largest that was tried and predicts best: a larger one may predict better"},
		{path(3, 2, 1), 2, ""}, // another was taken
		{path(2, 1, 2), 2, ""},
		{path(1, 1, 2), 1, ""}, // the next is as good
		{path(1, 2, 1), 1, ""},
		{path(1), 1, ""},
	} {
		if got := AlikeOf(c.path, nil).AtEdge(c.gamma); got != c.want {
			t.Errorf("%v, γ = %v: %q, want %q", c.path, c.gamma, got, c.want)
		}
	}
}
