package loss

import (
	"math"
	"testing"
)

// TestConjugate: ℓ(x) + ℓ*(α) ≥ αx for all x and α, with equality at the slope.
func TestConjugate(t *testing.T) {
	values := map[Loss][]float64{Squared: {-3, 0, 2.5}, Huber: {-3, 0, 2.5}, Logistic: {0, 1, 0.3}, Poisson: {0, 1, 7}}
	for l, observed := range values {
		for _, a := range observed {
			for _, x := range []float64{-40, -3, -1, -0.2, 0, 1e-9, 0.5, 2, 5, 30} {
				value, slope, curvature := l.At(a, x)
				if value < -1e-12 || curvature < 0 {
					t.Errorf("%v at %g, %g: value %g, curvature %g", l, a, x, value, curvature)
				}
				conjugate, size := l.Conjugate(a, slope)
				if off := math.Abs(value + conjugate - slope*x); off > 1e-13*(size+math.Abs(value)+math.Abs(slope*x)) {
					t.Errorf("%v at %g, %g: %g apart", l, a, x, off)
				}
				for _, y := range []float64{-10, -1, 0, 0.7, 4} {
					other, _, _ := l.At(a, y)
					if other+conjugate < slope*y-1e-12*(1+math.Abs(slope*y)+other) {
						t.Errorf("%v at %g: the slope at %g is no bound at %g", l, a, x, y)
					}
				}
				const h = 1e-5
				above, up, _ := l.At(a, x+h)
				below, down, _ := l.At(a, x-h)
				if d := (above - below) / (2 * h); math.Abs(d-slope) > 1e-5*(1+math.Abs(slope)) && l != Huber {
					t.Errorf("%v at %g, %g: slope %g, differences say %g", l, a, x, slope, d)
				}
				if d := (up - down) / (2 * h); math.Abs(d-curvature) > 1e-5*(1+curvature) && l != Huber {
					t.Errorf("%v at %g, %g: curvature %g, differences say %g", l, a, x, curvature, d)
				}
			}
		}
	}
}

func TestNames(t *testing.T) {
	for l := range losses.Are {
		text, err := Loss(l).MarshalText()
		var back Loss
		if err == nil {
			err = back.UnmarshalText(text)
		}
		if err != nil || back != Loss(l) {
			t.Errorf("%v: %v, %v", Loss(l), back, err)
		}
	}
	if _, err := Parse("hinge"); err == nil {
		t.Error("hinge was accepted")
	}
}

// TestLargeCounts: the loss of a count that is nearly right has its digits.
func TestLargeCounts(t *testing.T) {
	const a, d = 1 << 20, 1.0 / (1 << 16)
	x := math.Log(a) + d
	got, want := Poisson.Value(a, x), a*(x-math.Log(a))*(x-math.Log(a))/2*(1+d/3)
	if math.Abs(got-want) > 1e-9*want {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestNoNumber: the loss of what is no number is none, and ends: a step of a row may
// overflow, and is then taken back.
func TestNoNumber(t *testing.T) {
	for l := range losses.Are {
		for _, a := range []float64{0, 1} {
			if x := Loss(l).Value(a, math.NaN()); !math.IsNaN(x) {
				t.Errorf("%v: %v", Loss(l), x)
			}
		}
	}
}
