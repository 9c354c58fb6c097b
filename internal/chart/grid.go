package chart

import (
	"fmt"
	"io"
	"math"
)

// Cell is a mark of a Grid: as large as its value, in a shape and colour for its sign.
type Cell struct {
	Row, Column int
	Value       float64
	Tip         string
}

// Grid is marks where two lists of names cross.
type Grid struct {
	Title, Description string
	Rows, Columns      []string
	Cells              []Cell
	More, Less         string // what a positive and a negative value mean
}

// SVG writes the grid as a picture by itself.
func (g *Grid) SVG(w io.Writer) error { return g.write(w, page) }

// Inline writes the grid to stand in an HTML page.
func (g *Grid) Inline(w io.Writer) error { return g.write(w, inline) }

// Broad is Inline for a place that is twice as wide.
func (g *Grid) Broad(w io.Writer) error { return g.write(w, broad) }

func (g *Grid) write(w io.Writer, on canvas) error {
	p := &picture{canvas: on}
	const least, most, slope = 26.0, 44.0, 0.7 // of a cell, and of the names above
	widest := func(names []string, room float64) (width float64) {
		for i := range names {
			width = max(width, min(p.textWidth(names[i]), room))
		}
		return width
	}
	left := edge + widest(g.Rows, 0.4*on.width) + 8
	letters := func(width float64) int { return int(width / (0.6 * on.font)) }
	above := widest(g.Columns, 16*on.font)
	title := 8.0
	if on.alone {
		title = 36
	}
	top := title + slope*above + on.font
	room := on.width - left - edge - slope*above/2
	size := max(least, min(most, room/float64(max(len(g.Columns), 1))))
	if float64(len(g.Columns))*least > room {
		size = room / float64(len(g.Columns))
	}
	right, bottom := left+size*float64(len(g.Columns)), top+size*float64(len(g.Rows))
	p.height = bottom + 2.6*on.font
	p.open(g.Title, g.Description)
	if on.alone {
		p.text(edge, 24, "start", "", ` font-size="15" font-weight="600"`, g.Title)
	}
	for i, name := range g.Rows {
		y := top + size*(float64(i)+0.5)
		p.f(`<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, left, y, right, y)
		p.text(left-8, y+0.35*on.font, "end", "", "", shorten(name, letters(0.4*on.width)))
	}
	for j, name := range g.Columns {
		x := left + size*(float64(j)+0.5)
		p.f(`<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, x, top, x, bottom)
		p.text(x, top-4, "start", "", rotated(x, top-4), shorten(name, letters(16*on.font)))
	}
	largest := 0.0
	for _, c := range g.Cells {
		largest = max(largest, math.Abs(c.Value))
	}
	for _, c := range g.Cells {
		r := size / 2 * 0.9 * math.Sqrt(math.Abs(c.Value)/max(largest, 1e-300))
		p.sign(left+size*(float64(c.Column)+0.5), top+size*(float64(c.Row)+0.5), max(r, 2), c.Value, c.Tip)
	}
	y := bottom + 1.5*on.font
	p.sign(edge+6, y, 6, 1, "")
	p.text(edge+18, y+0.35*on.font, "start", "faint", "", g.More)
	next := edge + 34 + p.textWidth(g.More)
	p.sign(next, y, 6, -1, "")
	p.text(next+12, y+0.35*on.font, "start", "faint", "", g.Less)
	return p.close(w)
}

// sign is a circle for a positive value and a square for a negative one.
func (p *picture) sign(x, y, r, value float64, title string) {
	if value < 0 {
		r *= 0.886 // of the same area
		p.f(`<rect class="dot f2" x="%.1f" y="%.1f" width="%.1f" height="%.1f">%s</rect>`, x-r, y-r, 2*r, 2*r, tip(title))
		return
	}
	p.f(`<circle class="dot f1" cx="%.1f" cy="%.1f" r="%.1f">%s</circle>`, x, y, r, tip(title))
}

func rotated(x, y float64) string { return fmt.Sprintf(` transform="rotate(-35 %.1f %.1f)"`, x, y) }
