package chart

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Row is a named thing on the x axis of Rows. Every part may be left out.
type Row struct {
	Name  string
	Note  string      // at the other end of the name's line
	Bar   *[2]float64 // from, to
	Thin  *[2]float64 // an interval
	Wide  *[2]float64 // a shorter one
	Dot   *float64
	Other *float64 // another mark: a diamond
	Shape []Bar    // a histogram, on the x axis
	Tone  int      // colour 1..6; 0 means 1
	Tip   string
}

// Rows is a list of named things on one x axis.
type Rows struct {
	Title, X, Description string
	Zero                  bool // 0 is shown and marked
	Percent               bool
	Rows                  []Row
	Legend                []Key
}

// Key says what a part of a row means.
type Key struct {
	Part string // dot, other, thin, wide, shape
	Name string
}

// SVG writes the rows as a picture by itself.
func (r *Rows) SVG(w io.Writer) error { return r.write(w, page) }

// Inline writes the rows to stand in an HTML page.
func (r *Rows) Inline(w io.Writer) error { return r.write(w, inline) }

// Broad is Inline for a place that is twice as wide.
func (r *Rows) Broad(w io.Writer) error { return r.write(w, broad) }

func (r *Rows) axis() *axis {
	x := newAxis(false)
	if r.Zero {
		x.include(0)
	}
	for _, row := range r.Rows {
		for _, pair := range []*[2]float64{row.Bar, row.Thin, row.Wide} {
			if pair != nil {
				x.include(pair[0], pair[1])
			}
		}
		for _, v := range []*float64{row.Dot, row.Other} {
			if v != nil {
				x.include(*v)
			}
		}
		for _, b := range row.Shape {
			x.include(b.Low, b.High)
		}
	}
	low, high := x.low, x.high
	x.settle(0.02)
	if r.Zero && low == 0 && high > 0 {
		x.low = 0
	}
	if r.Zero && high == 0 && low < 0 {
		x.high = 0
	}
	return x
}

// edge is the room at either side.
const edge = 16.0

// band is the height of a row under its name.
func (r *Rows) band() float64 {
	for _, row := range r.Rows {
		if len(row.Shape) > 0 {
			return 50
		}
	}
	return 20
}

func (r *Rows) write(w io.Writer, on canvas) error {
	p := &picture{canvas: on}
	p.x = r.axis()
	band, name := r.band(), 1.45*on.font
	top := 8.0
	if on.alone {
		top = 36
	}
	keys := r.keys(p, top)
	top += keys
	bottom := top + float64(len(r.Rows))*(band+name) + 4
	p.height = bottom + 3.3*on.font
	left, right := edge, on.width-edge-2
	p.x.from, p.x.to = left, right
	label := Number
	if r.Percent {
		label = percentage
	}
	p.open(r.Title, r.Description)
	if on.alone {
		p.text(left, 24, "start", "", ` font-size="15" font-weight="600"`, r.Title)
	}
	r.drawKeys(p, top-keys)
	for _, v := range p.x.ticks(5) {
		at, class := p.x.place(v), "grid"
		if v == 0 && r.Zero {
			class = "axis"
		}
		p.f(`<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, class, at, top, at, bottom)
		anchor := "middle"
		if half := p.textWidth(label(v)) / 2; at-half < 0 {
			anchor = "start"
		} else if at+half > on.width {
			anchor = "end"
		}
		p.text(at, bottom+1.3*on.font, anchor, "faint", "", label(v))
	}
	p.f(`<line class="axis" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, left, bottom, right, bottom)
	p.text((left+right)/2, bottom+2.8*on.font, "middle", "", "", r.X)
	for i := range r.Rows {
		r.draw(p, &r.Rows[i], top+float64(i)*(band+name), name, band)
	}
	return p.close(w)
}

// draw draws one row: its name, and under it its parts.
func (r *Rows) draw(p *picture, row *Row, top, name, band float64) {
	tone := max(row.Tone, 1)
	room := p.x.to - p.x.from - p.textWidth(row.Note) - 12
	p.text(p.x.from, top+p.font, "start", "", ` font-weight="600"`, shorten(row.Name, int(room/(0.6*p.font))))
	p.text(p.x.to, top+p.font, "end", "faint", "", row.Note)
	top += name
	middle := top + 8
	p.f("<g>")
	if len(row.Shape) > 0 {
		p.silhouette(row.Shape, tone, top-2, top+26)
		middle = top + 33
	}
	span := func(pair *[2]float64, class string) {
		if pair != nil && p.x.ok(pair[0]) && p.x.ok(pair[1]) {
			p.f(`<line class="%s s%d" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, class, tone, p.x.place(pair[0]), middle, p.x.place(pair[1]), middle)
		}
	}
	if b := row.Bar; b != nil && p.x.ok(b[0]) && p.x.ok(b[1]) {
		from, to := p.x.place(min(b[0], b[1])), p.x.place(max(b[0], b[1]))
		p.f(`<rect class="f%d" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, tone, from, middle-6, max(to-from, 1), 12.0)
	}
	span(row.Thin, "thin")
	span(row.Wide, "wide")
	if row.Dot != nil && p.x.ok(*row.Dot) {
		p.mark(p.x.place(*row.Dot), middle, 0, tone, "")
	}
	if row.Other != nil && p.x.ok(*row.Other) {
		p.mark(p.x.place(*row.Other), middle, 3, 2, "")
	}
	p.f(`<rect class="hit" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>%s</g>`, p.x.from, top-name, p.x.to-p.x.from, name+band, tip(row.Tip))
}

func (p *picture) silhouette(bars []Bar, tone int, top, foot float64) {
	bars = slices.DeleteFunc(slices.Clone(bars), func(b Bar) bool { return !p.x.ok(b.Low) || !p.x.ok(b.High) || !p.x.ok(b.Y) })
	most := 0.0
	for _, b := range bars {
		most = max(most, b.Y)
	}
	if most <= 0 {
		return
	}
	var path strings.Builder
	for i, b := range bars {
		if i == 0 {
			fmt.Fprintf(&path, "M%.1f %.1f", p.x.place(b.Low), foot)
		}
		fmt.Fprintf(&path, "V%.1fH%.1f", foot-(foot-top)*b.Y/most, p.x.place(b.High))
	}
	p.f(`<path class="shape f%d" d="%sV%.1fz"/>`, tone, path.String(), foot)
}

// keys is the room that the legend needs.
func (r *Rows) keys(p *picture, top float64) float64 {
	if len(r.Legend) == 0 {
		return 0
	}
	_, y := r.keyPlaces(p, top)
	return y - top + 1.5*p.font
}

func (r *Rows) keyPlaces(p *picture, top float64) (places [][2]float64, last float64) {
	x, y := edge, top+0.4*p.font
	for _, k := range r.Legend {
		wide := p.textWidth(k.Name) + 42
		if x+wide-14 > p.width && x > edge {
			x, y = edge, y+1.5*p.font
		}
		places = append(places, [2]float64{x, y})
		x += wide
	}
	return places, y
}

func (r *Rows) drawKeys(p *picture, top float64) {
	places, _ := r.keyPlaces(p, top)
	for i, k := range r.Legend {
		x, y := places[i][0], places[i][1]
		switch k.Part {
		case "dot":
			p.mark(x+10, y, 0, 1, "")
		case "other":
			p.mark(x+10, y, 3, 2, "")
		case "shape":
			p.f(`<path class="shape f1" d="M%.1f %.1fv-4h6v-5h8v5h6v4z"/>`, x, y+5)
		default:
			p.f(`<line class="%s s1" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, k.Part, x, y, x+20, y)
		}
		p.text(x+26, y+0.35*p.font, "start", "faint", "", k.Name)
	}
}

// shorten keeps the beginning of a text that is too long.
func shorten(text string, most int) string {
	r := []rune(text)
	if len(r) <= max(most, 4) {
		return text
	}
	return string(r[:max(most, 4)-1]) + "…"
}
