package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestPictureIsWellFormed whatever the points are.
func TestPictureIsWellFormed(t *testing.T) {
	for _, points := range [][]Point{
		nil, {{X: 1, Y: 2}}, {{X: 1, Y: 2}, {X: 1, Y: 2}}, {{X: 0, Y: 0}, {X: 2, Y: 1e-9, Error: 3}},
		{{X: math.NaN(), Y: 1}, {X: 1, Y: math.Inf(1)}, {X: 2, Y: -1}, {X: 3, Y: 5}},
	} {
		for _, logarithmic := range []bool{false, true} {
			c := Chart{Title: "a < b & c", LogY: logarithmic, Series: []Series{{Name: "one", Points: points, Marks: true}, {Name: "two", Points: points, Step: true}}}
			var out strings.Builder
			if err := c.SVG(&out); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
				t.Errorf("%v: %s", points, out.String())
			}
			for d := xml.NewDecoder(strings.NewReader(out.String())); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%v: %v", points, err)
				}
			}
		}
	}
}

func TestTicksAreRound(t *testing.T) {
	if got := ticks(0, 10, 5); !slices.Equal(got, []float64{0, 2, 4, 6, 8, 10}) {
		t.Errorf("%v", got)
	}
}
