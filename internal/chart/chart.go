// Package chart draws line charts as SVG, for reports and documents that are
// read in a browser.
//
// It takes series of points and labels and writes one self-contained picture.
// Points that are not finite are left out, and on a logarithmic axis those that
// are not positive; it must never write a number that a viewer cannot read.
package chart

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// Point is a place of a line, with the half length of its error bar.
type Point struct{ X, Y, Error float64 }

// Series is one line.
type Series struct {
	Name   string
	Points []Point
	Step   bool // y holds until the next x
	Marks  bool // a dot at every point
}

// Chart is a picture of some lines.
type Chart struct {
	Title, X, Y string
	LogY        bool
	Series      []Series
	Note        string // under the picture; may be empty
}

const (
	width, height = 760, 420
	left, right   = 78, 24
	top, bottom   = 48, 78
)

var colours = []string{"#1f5fa8", "#c2571a", "#3b8541", "#7a4fa3", "#666666"}

// frame maps values to places.
type frame struct {
	x0, x1, y0, y1 float64 // y as drawn: its logarithm on a logarithmic axis
	log            bool
}

func (f *frame) x(v float64) float64 { return left + (v-f.x0)/(f.x1-f.x0)*(width-left-right) }

func (f *frame) y(v float64) float64 {
	return height - bottom - (f.scale(v)-f.y0)/(f.y1-f.y0)*(height-top-bottom)
}

func (f *frame) scale(v float64) float64 {
	if f.log {
		return math.Log10(v)
	}
	return v
}

func (c *Chart) usable(p Point) bool {
	finite := !math.IsNaN(p.X+p.Y) && !math.IsInf(p.X, 0) && !math.IsInf(p.Y, 0)
	return finite && (!c.LogY || p.Y > 0)
}

func (c *Chart) frame() frame {
	f := frame{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1), c.LogY}
	for _, s := range c.Series {
		for _, p := range s.Points {
			if !c.usable(p) {
				continue
			}
			f.x0, f.x1 = min(f.x0, p.X), max(f.x1, p.X)
			low, high := p.Y-p.Error, p.Y+p.Error
			if c.LogY {
				low, high = p.Y, p.Y
			}
			f.y0, f.y1 = min(f.y0, f.scale(low)), max(f.y1, f.scale(high))
		}
	}
	if f.x0 > f.x1 {
		f.x0, f.x1, f.y0, f.y1 = 0, 1, 0, 1
	}
	if f.x1-f.x0 <= 0 {
		f.x0, f.x1 = f.x0-0.5, f.x1+0.5
	}
	if c.LogY {
		f.y0, f.y1 = math.Floor(f.y0), math.Ceil(f.y1)
	}
	if pad := (f.y1 - f.y0) * 0.06; !c.LogY {
		f.y0, f.y1 = f.y0-pad, f.y1+pad
	}
	if f.y1-f.y0 <= 0 {
		f.y0, f.y1 = f.y0-0.5, f.y1+0.5
	}
	return f
}

// SVG writes the picture.
func (c *Chart) SVG(w io.Writer) error {
	f := c.frame()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="13">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	text(&b, left, 24, "start", "#111111", `font-size="15" font-weight="600"`, c.Title)
	c.axes(&b, f)
	for i, s := range c.Series {
		c.line(&b, f, s, colours[i%len(colours)])
		x := float64(left + 160*i)
		fmt.Fprintf(&b, `<line x1="%.0f" y1="37" x2="%.0f" y2="37" stroke="%s" stroke-width="2.5"/>`+"\n", x, x+22, colours[i%len(colours)])
		text(&b, x+28, 41, "start", "#333333", "", s.Name)
	}
	text(&b, left, height-12, "start", "#555555", `font-size="12"`, c.Note)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func text(b *strings.Builder, x, y float64, anchor, colour, more, what string) {
	if what != "" {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s" %s>%s</text>`+"\n", x, y, anchor, colour, more, html.EscapeString(what))
	}
}

func (c *Chart) axes(b *strings.Builder, f frame) {
	for _, v := range ticks(f.x0, f.x1, 8) {
		x := f.x(v)
		fmt.Fprintf(b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#eeeeee"/>`+"\n", x, top, x, height-bottom)
		text(b, x, height-bottom+18, "middle", "#333333", "", number(v))
	}
	marks := ticks(f.y0, f.y1, 6)
	if c.LogY {
		marks = nil
		for e := f.y0; e <= f.y1; e += max(1, math.Ceil((f.y1-f.y0)/8)) {
			marks = append(marks, math.Pow(10, e))
		}
	}
	for _, v := range marks {
		y := f.y(v)
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#dddddd"/>`+"\n", left, y, width-right, y)
		text(b, left-8, y+4, "end", "#333333", "", number(v))
	}
	text(b, (left+width-right)/2, height-bottom+40, "middle", "#333333", "", c.X)
	middle := float64(top+height-bottom) / 2
	text(b, 18, middle, "middle", "#333333", fmt.Sprintf(`transform="rotate(-90 18 %.1f)"`, middle), c.Y)
}

func (c *Chart) line(b *strings.Builder, f frame, s Series, colour string) {
	var path strings.Builder
	before := math.NaN()
	for _, p := range s.Points {
		if !c.usable(p) {
			continue
		}
		x, y := f.x(p.X), f.y(p.Y)
		switch {
		case math.IsNaN(before):
			fmt.Fprintf(&path, "M%.1f %.1f", x, y)
		case s.Step:
			fmt.Fprintf(&path, "H%.1fV%.1f", x, y)
		default:
			fmt.Fprintf(&path, "L%.1f %.1f", x, y)
		}
		before = y
		if p.Error > 0 && !c.LogY {
			fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" opacity="0.5"/>`+"\n", x, f.y(p.Y-p.Error), x, f.y(p.Y+p.Error), colour)
		}
		if s.Marks {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, y, colour)
		}
	}
	if path.Len() > 0 {
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", path.String(), colour)
	}
}

// ticks are round numbers between low and high, about so many.
func ticks(low, high float64, about int) []float64 {
	rough := (high - low) / float64(about)
	unit := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, by := range []float64{1, 2, 5, 10} {
		if unit*by >= rough {
			unit *= by
			break
		}
	}
	var out []float64
	for i := math.Ceil(low/unit - 1e-9); i*unit <= high+1e-9*unit; i++ {
		out = append(out, i*unit)
	}
	return out
}

func number(v float64) string { return fmt.Sprintf("%.4g", v) }
