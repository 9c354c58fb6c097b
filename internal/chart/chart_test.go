package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// wellFormed wants XML that a viewer can read, without numbers that it cannot.
func wellFormed(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var out strings.Builder
	must.Do(t, write(&out))
	if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
		t.Errorf("%s", out.String())
	}
	for d := xml.NewDecoder(strings.NewReader(out.String())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return out.String()
		} else if err != nil {
			t.Fatalf("%v in %s", err, out.String())
		}
	}
}

// TestChartIsWellFormed whatever the points are.
func TestChartIsWellFormed(t *testing.T) {
	for _, points := range [][]Point{
		nil, {{X: 1, Y: 2}}, {{X: 1, Y: 2}, {X: 1, Y: 2}}, {{X: 0, Y: 0}, {X: 2, Y: 1e-9, Error: 3}}, {{X: 1e-300, Y: 1e300}, {X: 1e300, Y: 2}},
		{{X: math.NaN(), Y: 1}, {X: 1, Y: math.Inf(1)}, {X: 2, Y: -1}, {X: 3, Y: 5}},
	} {
		for mask := range 8 {
			c := Chart{Title: "a < b & c", LogX: mask&1 > 0, LogY: mask&2 > 0, Same: mask&4 > 0, Rules: []Rule{{X: 1, Upright: true, Label: "<"}, {Y: math.NaN()}},
				Series: []Series{{Name: "one", Points: points, Marks: true}, {Name: "two", Points: points, Step: true}}}
			for _, p := range points {
				c.Bars = append(c.Bars, Bar{Low: p.X, High: p.X + 1, Y: p.Y})
				c.Labels = append(c.Labels, "\"label\"")
			}
			for _, write := range []func(io.Writer) error{c.SVG, c.Inline, c.Broad} {
				wellFormed(t, write)
			}
		}
	}
}

// TestRowsAreWellFormed whatever they hold.
func TestRowsAreWellFormed(t *testing.T) {
	for _, x := range []float64{0, -3, 1e-300, 1e300, math.NaN(), math.Inf(1)} {
		r := Rows{Title: "a < b & c", Zero: x == -3, Legend: []Key{{"dot", "&"}, {"shape", "s"}, {"thin", "t"}}, Rows: []Row{
			{}, {Name: strings.Repeat("<long> ", 40), Note: "n", Bar: &[2]float64{0, x}, Dot: &x, Other: &x, Tip: "<"},
			{Thin: &[2]float64{x, 1}, Wide: &[2]float64{x, x}, Shape: []Bar{{Low: 0, High: 1, Y: 2}, {Low: 1, High: x, Y: x}}},
		}}
		for _, write := range []func(io.Writer) error{r.SVG, r.Inline, r.Broad} {
			wellFormed(t, write)
		}
	}
}

// TestPictureByItselfHasItsColours: not every viewer of SVG knows variables.
func TestPictureByItselfHasItsColours(t *testing.T) {
	c := Chart{Series: []Series{{Points: []Point{{X: 1, Y: 2}, {X: 2, Y: 3}}}}}
	if text := wellFormed(t, c.SVG); strings.Contains(text, "var(") || !strings.Contains(text, "#0072b2") || !strings.Contains(text, "prefers-color-scheme:dark") {
		t.Error(text)
	}
	if text := wellFormed(t, c.Inline); strings.Contains(text, "#") || strings.Contains(text, "<style") {
		t.Error("a chart in a page has colours of its own")
	}
}

// TestAxisOfOneValue: its range is of the value's own size.
func TestAxisOfOneValue(t *testing.T) {
	for _, v := range []float64{0.0485, -0.0485, 1e-9, 4.2, 3e6, 0} {
		a := newAxis(false)
		a.include(v)
		a.settle(0.05)
		if a.low >= v || a.high <= v || v != 0 && (a.low*v < 0 || a.high*v < 0) {
			t.Errorf("%v: from %v to %v", v, a.low, a.high)
		}
		if len(a.ticks(5)) < 2 {
			t.Errorf("%v: ticks %v", v, a.ticks(5))
		}
	}
}

func TestTicksAreRound(t *testing.T) {
	if got := ticks(0, 10, 5); !slices.Equal(got, []float64{0, 2, 4, 6, 8, 10}) {
		t.Errorf("%v", got)
	}
}

func TestNumbersAreReadable(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.1 + 0.2: "0.3", -1500: "−1,500", 1e6: "1,000,000", 2e7: "2e+07", 0.00002: "2e−05", 12345.5: "12,345.5"} {
		if got := Number(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}
