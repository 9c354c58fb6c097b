package sampling

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
)

// Chart is a line chart with a logarithmic x axis, written as SVG.
type Chart struct {
	Title, X, Y string
	LogY        bool
	Percent     bool // label y in percent
	Series      []Series
}

// Series is one line of a chart.
type Series struct {
	Name  string
	Color string
	Dash  bool // a reference, drawn without marks
	X, Y  []float64
}

// The drawing, in pixels.
const (
	plotWidth, plotHeight      = 560, 320
	left, top, right, bottom   = 70, 44, 20, 54
	legendWidth, lineHeight    = 200, 20
	chartHeight                = top + plotHeight + bottom
	axisColor, gridColor, text = "#444", "#e3e3e3", "#222"
)

// WriteSVG writes the chart.
func (c *Chart) WriteSVG(w io.Writer) error {
	x := axis{log: true}
	y := axis{log: c.LogY}
	if !c.LogY {
		y.include(0)
	}
	for _, s := range c.Series {
		for i := range s.X {
			x.include(s.X[i])
			y.include(s.Y[i])
		}
	}
	y.pad()
	chartWidth := left + plotWidth + right
	if len(c.Series) > 1 {
		chartWidth += legendWidth
	}
	px := func(v float64) float64 { return left + plotWidth*x.place(v) }
	py := func(v float64) float64 { return top + plotHeight*(1-y.place(v)) }
	p := &printer{w: w}
	p.f(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="13" fill="%s">`,
		chartWidth, chartHeight, chartWidth, chartHeight, text)
	p.f(`<rect width="100%%" height="100%%" fill="white"/>`)
	p.f(`<text x="%d" y="24" font-size="15" font-weight="bold">%s</text>`, left, html.EscapeString(c.Title))
	for _, v := range x.ticks() {
		p.f(`<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="%s"/>`, px(v), px(v), top, top+plotHeight, gridColor)
		p.f(`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, px(v), top+plotHeight+18, strconv.FormatFloat(v, 'g', 4, 64))
	}
	for _, v := range y.ticks() {
		label := strconv.FormatFloat(v, 'g', 3, 64)
		if c.Percent {
			label = strconv.FormatFloat(100*v, 'g', 3, 64) + " %"
		}
		p.f(`<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="%s"/>`, left, left+plotWidth, py(v), py(v), gridColor)
		p.f(`<text x="%d" y="%.1f" text-anchor="end">%s</text>`, left-8, py(v)+4, label)
	}
	p.f(`<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="%s"/>`, left, top, plotWidth, plotHeight, axisColor)
	p.f(`<text x="%d" y="%d" text-anchor="middle">%s</text>`, left+plotWidth/2, chartHeight-14, html.EscapeString(c.X))
	p.f(`<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>`, top+plotHeight/2, html.EscapeString(c.Y))
	for i, s := range c.Series {
		dash := ""
		if s.Dash {
			dash = ` stroke-dasharray="6 5"`
		}
		points := ""
		for at := range s.X {
			points += fmt.Sprintf("%.1f,%.1f ", px(s.X[at]), py(s.Y[at]))
		}
		p.f(`<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>`, points, s.Color, dash)
		for at := range s.X {
			if !s.Dash {
				p.f(`<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>`, px(s.X[at]), py(s.Y[at]), s.Color)
			}
		}
		if len(c.Series) == 1 {
			break // the title says it
		}
		lx, ly := left+plotWidth+right, top+lineHeight*(i+1)
		p.f(`<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="%s" stroke-width="2"%s/>`, lx, lx+26, ly-4, ly-4, s.Color, dash)
		p.f(`<text x="%d" y="%d">%s</text>`, lx+34, ly, html.EscapeString(s.Name))
	}
	p.f(`</svg>`)
	return p.err
}

// axis maps numbers to 0..1.
type axis struct {
	log      bool
	any      bool
	low, top float64
}

func (a *axis) include(v float64) {
	if !a.any {
		a.low, a.top, a.any = v, v, true
	}
	a.low, a.top = min(a.low, v), max(a.top, v)
}

// pad leaves a little room above, and on a logarithmic axis below.
func (a *axis) pad() {
	if a.log {
		room := math.Pow(a.top/a.low, 0.04)
		a.low, a.top = a.low/room, a.top*room
		return
	}
	a.top += 0.04 * (a.top - a.low)
}

func (a *axis) place(v float64) float64 {
	if a.log {
		return math.Log(v/a.low) / math.Log(a.top/a.low)
	}
	return (v - a.low) / (a.top - a.low)
}

// ticks are round numbers inside the axis.
func (a *axis) ticks() []float64 {
	var out []float64
	if !a.log {
		step := math.Pow(10, math.Floor(math.Log10(a.top-a.low)))
		if (a.top-a.low)/step < 4 {
			step /= 5
		}
		for i := math.Ceil(a.low / step); i*step <= a.top*(1+1e-9); i++ {
			out = append(out, i*step)
		}
		return out
	}
	for decade := math.Floor(math.Log10(a.low)); decade <= math.Log10(a.top); decade++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow(10, decade); v >= a.low*(1-1e-9) && v <= a.top*(1+1e-9) {
				out = append(out, v)
			}
		}
	}
	return out
}

// printer writes lines until one fails.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}
