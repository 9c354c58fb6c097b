// Package rounding prints numbers so that what is printed is still true: a
// bound is never printed larger than it is, a gap never smaller. That holds for
// 0 and for magnitudes from 1e-300.
package rounding

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Down prints x with this many significant digits, at most x.
func Down(x float64, digits int) string { return toward(x, 0, digits, math.Signbit(x)) }

// Up prints x with this many significant digits, at least x.
func Up(x float64, digits int) string { return toward(x, 0, digits, !math.Signbit(x)) }

// PercentUp prints a fraction that is not negative as a percentage with three
// significant digits, at least what it is. Zero is 0 %, and nothing else is;
// what is next to nothing is <1e-6 %.
func PercentUp(x float64) string {
	switch {
	case x == 0:
		return "0 %"
	case x < 1e-8:
		return "<1e-6 %"
	}
	text := toward(x, 2, 3, !math.Signbit(x))
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil: // infinite
	case math.Abs(f) < 1e-3:
		text = strings.Replace(toward(x, 2, 1, !math.Signbit(x)), ".e", "e", 1)
	default:
		text = strconv.FormatFloat(f, 'g', 3, 64)
	}
	return text + " %"
}

// toward prints x·10^shift with this many significant digits, at most 15, its
// magnitude rounded away from zero or towards it. The decimals are computed
// exactly.
func toward(x float64, shift, digits int, away bool) string {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return fmt.Sprintf("%.*g", digits, x)
	}
	r := new(big.Rat).SetFloat64(math.Abs(x))
	r.Mul(r, power(shift))
	// The leading digit's exponent; the logarithm may be off by one.
	e := int(math.Floor(math.Log10(math.Abs(x)))) + shift
	for r.Cmp(power(e)) < 0 {
		e--
	}
	for r.Cmp(power(e+1)) >= 0 {
		e++
	}
	last := e - digits + 1 // the last digit's exponent
	r.Mul(r, power(-last))
	quotient, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if away && rest.Sign() > 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	// No more than 15 digits survive the way through a float64 unchanged.
	f, err := strconv.ParseFloat(fmt.Sprintf("%de%d", quotient, last), 64)
	if err != nil {
		return fmt.Sprintf("%v", x)
	}
	return strings.TrimSuffix(fmt.Sprintf("%#.*g", digits, math.Copysign(f, x)), ".")
}

// power is 10^n.
func power(n int) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil)
	r := new(big.Rat).SetInt(p)
	if n < 0 {
		r.Inv(r)
	}
	return r
}
