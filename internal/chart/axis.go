package chart

import (
	"math"
	"strconv"
	"strings"
)

// axis maps values to places.
type axis struct {
	low, high float64 // as drawn: logarithms on a logarithmic axis
	log       bool
	from, to  float64 // the places of low and high
}

func newAxis(log bool) *axis { return &axis{low: math.Inf(1), high: math.Inf(-1), log: log} }

// ok tells whether a value has a place.
func (a *axis) ok(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!a.log || v > 0)
}

func (a *axis) scale(v float64) float64 {
	if a.log {
		return math.Log10(v)
	}
	return v
}

func (a *axis) include(values ...float64) {
	for _, v := range values {
		if a.ok(v) {
			a.low, a.high = min(a.low, a.scale(v)), max(a.high, a.scale(v))
		}
	}
}

// settle leaves room at both ends and gives an empty axis a range.
func (a *axis) settle(room float64) {
	if a.low > a.high {
		a.low, a.high = 0, 1
	}
	pad := (a.high - a.low) * room
	a.low, a.high = a.low-pad, a.high+pad
	if a.high-a.low <= 1e-12*max(math.Abs(a.low), math.Abs(a.high), 1e-300) {
		by := math.Abs(a.low) * 0.05
		if a.low == 0 {
			by = 0.5
		}
		if a.log {
			by = 0.3
		}
		a.low, a.high = a.low-by, a.high+by
	}
}

func (a *axis) place(v float64) float64 { return a.spot(a.scale(v)) }

// spot is the place of a value as drawn.
func (a *axis) spot(scaled float64) float64 {
	return a.from + (scaled-a.low)/(a.high-a.low)*(a.to-a.from)
}

// ticks are round numbers inside the axis, about this many.
func (a *axis) ticks(about int) []float64 {
	if !a.log {
		return ticks(a.low, a.high, about)
	}
	var out []float64
	for _, within := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		out = out[:0]
		for decade := math.Floor(a.low); decade <= a.high; decade++ {
			for _, m := range within {
				if v := m * math.Pow(10, decade); math.Log10(v) >= a.low-1e-9 && math.Log10(v) <= a.high+1e-9 {
					out = append(out, v)
				}
			}
		}
		if len(out) <= about+1 {
			break
		}
	}
	if skip := (len(out) + about - 1) / about; skip > 1 { // more decades than there is room for
		kept := out[:0]
		for i := 0; i < len(out); i += skip {
			kept = append(kept, out[i])
		}
		out = kept
	}
	if len(out) < 2 {
		out = out[:0]
		for _, v := range ticks(math.Pow(10, a.low), math.Pow(10, a.high), about) {
			if v > 0 {
				out = append(out, v)
			}
		}
	}
	return out
}

// ticks are round numbers between low and high, about this many.
func ticks(low, high float64, about int) []float64 {
	rough := (high - low) / float64(about)
	unit := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, by := range []float64{1, 2, 5, 10} {
		if unit*by >= rough*(1-1e-9) {
			unit *= by
			break
		}
	}
	var out []float64
	for i := math.Ceil(low/unit - 1e-9); i*unit <= high+1e-9*unit && len(out) < 100; i++ {
		out = append(out, i*unit+0) // +0: no −0
	}
	return out
}

// Number prints a number of an axis.
func Number(v float64) string {
	size := math.Abs(v)
	if size != 0 && (size < 1e-4 || size >= 1e7) {
		return minus(strconv.FormatFloat(v, 'g', 4, 64))
	}
	text := strconv.FormatFloat(v, 'g', 6, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err == nil {
		text = strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	whole, part, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if part != "" {
		whole += "." + part
	}
	if v < 0 {
		whole = "−" + whole
	}
	return whole
}

func minus(text string) string { return strings.ReplaceAll(text, "-", "−") }

func percentage(v float64) string { return Number(100*v) + " %" }
