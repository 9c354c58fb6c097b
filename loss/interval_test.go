package loss

import (
	"math"
	"testing"
)

// TestMeanIntervals: those of equal values have a width, they hold the mean, and Wilson's
// is the one of textbooks.
func TestMeanIntervals(t *testing.T) {
	if low, high := Logistic.MeanInterval(1, 0, 20); math.Abs(low-0.8389) > 1e-4 || high != 1 {
		t.Errorf("20 of 20: %v to %v", low, high)
	}
	if low, high := Logistic.MeanInterval(0.1, 0.09, 50); math.Abs(low-0.0435) > 1e-4 || math.Abs(high-0.2136) > 1e-4 {
		t.Errorf("5 of 50: %v to %v", low, high)
	}
	if low, high := Poisson.MeanInterval(0, 0, 20); low != 0 || math.Abs(high-1.96*1.96/20) > 1e-12 {
		t.Errorf("no counts: %v to %v", low, high)
	}
	if low, high := Squared.MeanInterval(3, 4, 100); math.Abs(low-2.608) > 1e-12 || math.Abs(high-3.392) > 1e-12 {
		t.Errorf("numbers: %v to %v", low, high)
	}
	for _, l := range []Loss{Logistic, Poisson} {
		for mean := 0.0; mean <= 1; mean += 0.125 {
			for n := 0.5; n < 1e6; n *= 7 {
				if low, high := l.MeanInterval(mean, mean*(1-mean), n); !(low <= mean && mean <= high && low < high) {
					t.Errorf("%v, mean %v of %v: %v to %v", l, mean, n, low, high)
				}
			}
		}
	}
}
