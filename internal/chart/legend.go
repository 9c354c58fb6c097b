package chart

import (
	"slices"
)

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
