package rounding

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "optcomplete/internal/steadyseed"
)

// TestPrintedIsTrue: what is printed, read exactly, is on the right side of the
// number, and as near as its digits allow.
func TestPrintedIsTrue(t *testing.T) {
	exact := func(t *rapid.T, text string) *big.Rat {
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is not a number", text)
		}
		return r
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-1e6, 1e6).Draw(t, "x")
		x *= math.Pow(10, float64(rapid.IntRange(-40, 40).Draw(t, "magnitude")))
		if math.Abs(x) < 1e-300 {
			x = 0 // below, a float64 has too few digits left
		}
		digits := rapid.IntRange(1, 15).Draw(t, "digits")
		r := new(big.Rat).SetFloat64(x)
		down, up := exact(t, Down(x, digits)), exact(t, Up(x, digits))
		if down.Cmp(r) > 0 || up.Cmp(r) < 0 {
			t.Fatalf("%v is between %s and %s?", x, Down(x, digits), Up(x, digits))
		}
		width, _ := new(big.Rat).Sub(up, down).Float64()
		if width > 1.0001*math.Abs(x)*math.Pow(10, float64(1-digits)) {
			t.Fatalf("%v is between %s and %s: too wide for %d digits", x, Down(x, digits), Up(x, digits), digits)
		}
		gap := rapid.Float64Range(0, 1).Draw(t, "gap")
		text := strings.TrimPrefix(strings.TrimSuffix(PercentUp(gap), " %"), "<")
		if exact(t, text).Cmp(new(big.Rat).Mul(new(big.Rat).SetFloat64(gap), big.NewRat(100, 1))) < 0 {
			t.Fatalf("a gap of %v is printed as %s %%", gap, text)
		}
	})
}

func TestLooks(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Down(0.0171826073999, 9), "0.0171826073"}, {Up(0.0171826073999, 9), "0.0171826074"},
		{Down(0.5, 7), "0.5000000"}, {Down(1, 3), "1.00"}, {Down(-0.12349, 3), "-0.124"}, {Up(-0.12349, 3), "-0.123"},
		{Down(0, 7), "0"}, {Up(9.9999, 3), "10.0"}, {Down(1e-3, 3), "0.00100"}, {Down(math.Inf(-1), 7), "-Inf"},
		{PercentUp(0), "0 %"}, {PercentUp(1), "100 %"}, {PercentUp(0.09711), "9.72 %"}, {PercentUp(0.5), "50 %"},
		{PercentUp(1e-11), "<1e-6 %"}, {PercentUp(3.1e-7), "4e-05 %"}, {PercentUp(math.Inf(1)), "+Inf %"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}
