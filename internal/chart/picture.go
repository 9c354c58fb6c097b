package chart

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// picture is a drawing under way.
type picture struct {
	strings.Builder
	canvas
	x, y *axis
}

func (p *picture) f(format string, args ...any) { fmt.Fprintf(&p.Builder, format+"\n", args...) }

func (p *picture) text(x, y float64, anchor, class, more, what string) {
	if what == "" {
		return
	}
	if class != "" {
		class = ` class="` + class + `"`
	}
	p.f(`<text x="%.1f" y="%.1f" text-anchor="%s"%s%s>%s</text>`, x, y, anchor, class, more, html.EscapeString(what))
}

// open begins the picture.
func (p *picture) open(title, description string) {
	label := fmt.Sprintf(`role="img" aria-label="%s"`, html.EscapeString(title))
	if p.alone {
		p.f(`<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 %g %g" %s font-family="system-ui, sans-serif" font-size="%g">`, p.width, p.height, label, p.font)
		p.f("<style>%s</style>", standalone())
		p.f(`<rect class="paper" width="%g" height="%g"/>`, p.width, p.height)
	} else {
		p.f(`<svg class="chart" viewBox="0 0 %g %g" %s font-size="%g">`, p.width, p.height, label, p.font)
	}
	if description != "" {
		p.f("<desc>%s</desc>", html.EscapeString(description))
	}
}

func (p *picture) close(w io.Writer) error {
	p.WriteString("</svg>\n")
	_, err := io.WriteString(w, p.String())
	return err
}

// textWidth is about how wide a text is.
func (p *picture) textWidth(text string) float64 {
	return 0.6 * p.font * float64(len([]rune(text)))
}

func tip(text string) string {
	if text == "" {
		return ""
	}
	return "<title>" + html.EscapeString(text) + "</title>"
}

// mark draws the mark of a series, which differs in shape from the others'.
func (p *picture) mark(x, y float64, shape, tone int, title string) {
	switch shape % 4 {
	case 0:
		p.f(`<circle class="dot f%d" cx="%.1f" cy="%.1f" r="4">%s</circle>`, tone, x, y, tip(title))
	case 1:
		p.f(`<rect class="dot f%d" x="%.1f" y="%.1f" width="7.4" height="7.4">%s</rect>`, tone, x-3.7, y-3.7, tip(title))
	case 2:
		p.f(`<path class="dot f%d" d="M%.1f %.1fl4.8 8.4h-9.6z">%s</path>`, tone, x, y-5, tip(title))
	default:
		p.f(`<path class="dot f%d" d="M%.1f %.1fl5 5l-5 5l-5 -5z">%s</path>`, tone, x, y-5, tip(title))
	}
}
