package chart

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Point is a place of a line, with the half length of its error bar.
type Point struct {
	X, Y, Error float64
	Span        *[2]float64 // ends of the error bar, where they are not as far away as each other
	Tip         string      // shown on hovering; empty: the coordinates
}

// span is from where to where the error bar goes.
func (p *Point) span() (low, high float64) {
	if p.Span != nil {
		return p.Span[0], p.Span[1]
	}
	return p.Y - p.Error, p.Y + p.Error
}

// Series is one line.
type Series struct {
	Name   string
	Points []Point
	Step   bool // y holds until the next x
	Marks  bool // a mark at every point
	NoLine bool // marks only
	Dash   bool // a reference
	Tone   int  // colour 1..6; 0: by position
}

// Bar is a bar from Low to High on the x axis.
type Bar struct {
	Low, High, Y float64
	Tip          string
}

// Rule is a reference line: across at Y, or if Upright upright at X.
type Rule struct {
	X, Y    float64
	Upright bool
	Label   string
}

// Chart is a picture with two axes.
type Chart struct {
	Title, X, Y        string
	Description        string // for people who do not see it
	LogX, LogY         bool
	PercentX, PercentY bool
	ZeroY              bool      // y begins at 0
	ShowY              []float64 // y has room for these: charts to compare get one range
	Series             []Series
	Bars               []Bar
	// Labels, if any, stand under the bars in the place of numbers.
	Labels []string
	Rules  []Rule
	Same   bool   // x and y are the same quantity: one range for both, and their diagonal
	Note   string // under the picture; may be empty
}

// canvas is the size of a picture and of its text.
type canvas struct {
	width, height float64
	font          float64
	alone         bool
}

var (
	page   = canvas{width: 760, height: 420, font: 13, alone: true}
	inline = canvas{width: 430, height: 290, font: 14}
	broad  = canvas{width: 900, height: 340, font: 14}
)

// SVG writes the chart as a picture by itself.
func (c *Chart) SVG(w io.Writer) error { return c.write(w, page) }

// Inline writes the chart to stand in an HTML page; the page has its title and
// note.
func (c *Chart) Inline(w io.Writer) error { return c.write(w, inline) }

// Broad is Inline for a place that is twice as wide.
func (c *Chart) Broad(w io.Writer) error { return c.write(w, broad) }

func (c *Chart) axes() (x, y *axis) {
	x, y = newAxis(c.LogX), newAxis(c.LogY)
	for _, s := range c.Series {
		for _, p := range s.Points {
			if !x.ok(p.X) || !y.ok(p.Y) {
				continue
			}
			x.include(p.X)
			low, high := p.span()
			y.include(p.Y, low, high)
		}
	}
	for _, b := range c.Bars {
		x.include(b.Low, b.High)
		if !math.IsNaN(b.Y) { // not only for its label
			y.include(0, b.Y)
		}
	}
	for _, r := range c.Rules {
		if r.Upright {
			x.include(r.X)
		} else {
			y.include(r.Y)
		}
	}
	y.include(c.ShowY...)
	if c.ZeroY {
		y.include(0)
	}
	zero := y.low == 0
	if c.same() {
		low, high := min(x.low, y.low), max(x.high, y.high)
		x.low, y.low, x.high, y.high = low, low, high, high
	}
	room := 0.03
	if len(c.Bars) > 0 {
		room = 0.01
	}
	x.settle(room)
	y.settle(0.06)
	if zero && !c.LogY {
		y.low = 0
	}
	return x, y
}

// same tells whether both axes are one: drawn differently they cannot be.
func (c *Chart) same() bool { return c.Same && c.LogX == c.LogY }

func (c *Chart) write(w io.Writer, on canvas) error {
	p := &picture{canvas: on}
	p.x, p.y = c.axes()
	yText, xText := Number, Number
	if c.PercentY {
		yText = percentage
	}
	if c.PercentX {
		xText = percentage
	}
	yTicks := p.y.ticks(6)
	widest := 0.0
	for _, v := range yTicks {
		widest = max(widest, p.textWidth(yText(v)))
	}
	top := 12.0
	if on.alone {
		top = 34
	}
	legend := c.legend(p, top)
	top += legend.height
	left, right, bottom := widest+16+1.6*on.font, 16.0, on.height-3.4*on.font
	if on.alone {
		right, bottom = 24, bottom-16
	}
	p.x.from, p.x.to, p.y.from, p.y.to = left, on.width-right, bottom, top
	p.open(c.Title, c.Description)
	if on.alone {
		p.text(left, 24, "start", "", ` font-size="15" font-weight="600"`, c.Title)
		p.text(left, on.height-10, "start", "faint", ` font-size="12"`, c.Note)
	}
	for _, v := range yTicks {
		at := p.y.place(v)
		p.f(`<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, left, at, on.width-right, at)
		p.text(left-7, at+0.35*on.font, "end", "faint", "", yText(v))
	}
	c.below(p, xText, bottom)
	p.f(`<line class="axis" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, left, bottom, on.width-right, bottom)
	p.text((left+on.width-right)/2, bottom+2.9*on.font, "middle", "", "", c.X)
	middle := (top + bottom) / 2
	p.text(on.font, middle, "middle", "", fmt.Sprintf(` transform="rotate(-90 %.1f %.1f)"`, on.font, middle), c.Y)
	if c.same() {
		low, high := max(p.x.low, p.y.low), min(p.x.high, p.y.high)
		p.f(`<line class="rule" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, p.x.spot(low), p.y.spot(low), p.x.spot(high), p.y.spot(high))
	}
	for _, b := range c.Bars {
		c.bar(p, b, bottom)
	}
	for _, r := range c.Rules {
		c.rule(p, r, top, bottom, left, on.width-right)
	}
	for i, s := range c.Series {
		c.line(p, s, s.tone(i), i)
	}
	legend.draw(p, c)
	return p.close(w)
}

func (s *Series) tone(at int) int {
	if s.Tone > 0 {
		return s.Tone
	}
	return at%tones + 1
}

// below draws what stands under the x axis.
func (c *Chart) below(p *picture, label func(float64) string, bottom float64) {
	if len(c.Labels) > 0 {
		room, widest := (p.x.to-p.x.from)/float64(len(c.Labels)), 0.0
		for _, l := range c.Labels {
			widest = max(widest, p.textWidth(l)+6)
		}
		every := int(math.Ceil(widest / room))
		for i, l := range c.Labels {
			if i >= len(c.Bars) || i%max(every, 1) != 0 {
				continue
			}
			if middle := c.Bars[i].Low/2 + c.Bars[i].High/2; p.x.ok(middle) {
				p.text(p.x.place(middle), bottom+1.35*p.font, "middle", "faint", "", l)
			}
		}
		return
	}
	about := 7
	if p.width < 600 {
		about = 5
	}
	for _, v := range p.x.ticks(about) {
		at := p.x.place(v)
		p.f(`<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, at, p.y.to, at, bottom)
		p.text(at, bottom+1.35*p.font, "middle", "faint", "", label(v))
	}
}

func (c *Chart) bar(p *picture, b Bar, bottom float64) {
	if !p.x.ok(b.Low) || !p.x.ok(b.High) || !p.y.ok(b.Y) {
		return
	}
	low, high, top := p.x.place(b.Low), p.x.place(b.High), p.y.place(b.Y)
	gap := min(1, (high-low)/8)
	title := b.Tip
	if title == "" {
		title = fmt.Sprintf("%s to %s: %s", Number(b.Low), Number(b.High), Number(b.Y))
	}
	foot := p.y.from // where a logarithmic axis begins
	if !p.y.log {
		foot = p.y.place(max(min(0, p.y.high), p.y.low))
	}
	p.f(`<g><rect class="f1" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/><rect class="hit" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>%s</g>`,
		low+gap, min(top, foot), max(high-low-2*gap, 0.5), math.Abs(foot-top), low, p.y.to, high-low, bottom-p.y.to, tip(title))
}

func (c *Chart) rule(p *picture, r Rule, top, bottom, left, right float64) {
	if r.Upright {
		if p.x.ok(r.X) {
			at := p.x.place(r.X)
			p.f(`<line class="rule" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, at, top, at, bottom)
			anchor, by := "start", 5.0
			if at+p.textWidth(r.Label)+5 > right {
				anchor, by = "end", -5
			}
			p.text(at+by, top+p.font, anchor, "faint", "", r.Label)
		}
		return
	}
	if p.y.ok(r.Y) {
		at := p.y.place(r.Y)
		p.f(`<line class="rule" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, left, at, right, at)
		p.text(right-2, at-5, "end", "faint", "", r.Label)
	}
}

func (c *Chart) line(p *picture, s Series, tone, shape int) {
	var path strings.Builder
	for i, q := range s.Points {
		if !p.x.ok(q.X) || !p.y.ok(q.Y) {
			continue
		}
		x, y := p.x.place(q.X), p.y.place(q.Y)
		switch {
		case path.Len() == 0:
			fmt.Fprintf(&path, "M%.1f %.1f", x, y)
		case s.Step:
			fmt.Fprintf(&path, "H%.1fV%.1f", x, y)
		default:
			fmt.Fprintf(&path, "L%.1f %.1f", x, y)
		}
		if low, high := q.span(); low < high && p.y.ok(low) && p.y.ok(high) {
			p.f(`<line class="error s%d" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, tone, x, p.y.place(low), x, p.y.place(high))
		}
		if s.Points[i].Tip == "" {
			s.Points[i].Tip = fmt.Sprintf("%s, %s: %s", s.Name, Number(q.X), Number(q.Y))
		}
	}
	if path.Len() > 0 && !s.NoLine {
		dash := ""
		if s.Dash {
			dash = " dash"
		}
		p.f(`<path class="line s%d%s" d="%s"/>`, tone, dash, path.String())
	}
	for _, q := range s.Points {
		if s.Marks && p.x.ok(q.X) && p.y.ok(q.Y) {
			p.mark(p.x.place(q.X), p.y.place(q.Y), shape, tone, q.Tip)
		}
	}
}

// legend says which line is which, over the plot.
type legend struct {
	height float64
	places []struct{ x, y float64 }
}

func (c *Chart) legend(p *picture, top float64) *legend {
	l := new(legend)
	named := slices.ContainsFunc(c.Series, func(s Series) bool { return s.Name != "" })
	if len(c.Series) < 2 || !named {
		return l
	}
	left := 3.4 * p.font
	x, y := left, top+0.4*p.font
	for _, s := range c.Series {
		wide := p.textWidth(s.Name) + 46
		if x+wide-14 > p.width && x > left {
			x, y = left, y+1.5*p.font
		}
		l.places = append(l.places, struct{ x, y float64 }{x, y})
		x += wide
	}
	l.height = y - top + 1.4*p.font
	return l
}

func (l *legend) draw(p *picture, c *Chart) {
	for i, at := range l.places {
		s := &c.Series[i]
		dash := ""
		if s.Dash {
			dash = " dash"
		}
		if !s.NoLine {
			p.f(`<line class="line s%d%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, s.tone(i), dash, at.x, at.y, at.x+24, at.y)
		}
		if s.Marks {
			p.mark(at.x+12, at.y, i, s.tone(i), "")
		}
		p.text(at.x+30, at.y+0.35*p.font, "start", "", "", s.Name)
	}
}
