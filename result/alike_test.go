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
		{[]GammaPoint{point(1, "a b"), point(1.001, "b a")}, "2 γ predict as well (validation RMSE within 0.3 %) and select the same features"},
		{[]GammaPoint{point(1, "a b"), point(1.001, "b c"), point(2, "x y")}, "2 γ predict as well (validation RMSE within 0.3 %) and select different features: in all of their selections are b"},
		{[]GammaPoint{point(1, "a b"), point(1.001, "c d")}, "2 γ predict as well (validation RMSE within 0.3 %) and select different features: none is in all of their selections"},
	} {
		if got := AlikeOf(c.path).Words(); got != c.want {
			t.Errorf("%v: %q, want %q", c.path, got, c.want)
		}
	}
}
