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
		{[]GammaPoint{point(1, "a b"), point(1.001, "b a")}, "2 γ predict equally well (validation RMSE within 0.3 %) and select the same features"},
		{[]GammaPoint{point(1, "b c"), point(1.001, "c b")}, "2 γ predict equally well (validation RMSE within 0.3 %) but select different features: they share b"},
		{[]GammaPoint{point(1, "a b"), point(1.001, "b c"), point(2, "x y")}, "2 γ predict equally well (validation RMSE within 0.3 %) but select different features: they share b"},
		{[]GammaPoint{point(1, "a b"), point(1.001, "c d")}, "2 γ predict equally well (validation RMSE within 0.3 %) but select different features: they share none"},
	} {
		if got := AlikeOf(c.path, []string{"a", "b"}).Words(); got != c.want {
			t.Errorf("%v: %q, want %q", c.path, got, c.want)
		}
	}
}
