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

// Light and Dark give the variables of Style their values: s1 to s6 are the
// colours of series, the rest that of paper, text, lines and faint text. Series
// are the colours of Okabe and Ito (Color Universal Design, 2008), except that
// yellow is left out, and that blue is lighter on dark paper.
const (
	Light = "--paper:#ffffff;--ink:#1b2024;--faint:#5b646c;--grid:#e3e6e9;--axis:#9aa3ab;" +
		"--s1:#0072b2;--s2:#d55e00;--s3:#009e73;--s4:#a84c80;--s5:#b37700;--s6:#3d8ec4"
	Dark = "--paper:#15191d;--ink:#e8ebee;--faint:#a3adb6;--grid:#2b3137;--axis:#6b757e;" +
		"--s1:#56b4e9;--s2:#ff8a3d;--s3:#2fc79a;--s4:#dd94bd;--s5:#e69f00;--s6:#8cc7ee"
)

// Style is how the parts of a chart look.
const Style = `.chart text{fill:var(--ink);stroke:var(--paper);stroke-width:3px;paint-order:stroke;stroke-linejoin:round}
.chart .faint{fill:var(--faint)}
.chart .grid{stroke:var(--grid);stroke-width:1}
.chart .axis{stroke:var(--axis);stroke-width:1}
.chart .rule{stroke:var(--faint);stroke-width:1.3;stroke-dasharray:4 4}
.chart .line{fill:none;stroke-width:2.2;stroke-linejoin:round}
.chart .dash{stroke-dasharray:6 5}
.chart .error{stroke-width:1.4;opacity:.65}
.chart .thin{stroke-width:1.6}
.chart .wide{stroke-width:7;opacity:.45}
.chart .shape{opacity:.35}
.chart .hit{fill:transparent;stroke:none}
.chart .dot{stroke:var(--paper);stroke-width:1.2}
.chart .s1{stroke:var(--s1)}.chart .s2{stroke:var(--s2)}.chart .s3{stroke:var(--s3)}.chart .s4{stroke:var(--s4)}.chart .s5{stroke:var(--s5)}.chart .s6{stroke:var(--s6)}
.chart .f1{fill:var(--s1)}.chart .f2{fill:var(--s2)}.chart .f3{fill:var(--s3)}.chart .f4{fill:var(--s4)}.chart .f5{fill:var(--s5)}.chart .f6{fill:var(--s6)}
`

// tones is how many colours there are.
const tones = 6

// standalone is Style for a picture by itself, with colours in the place of
// variables, because not every viewer of SVG knows those.
func standalone() string {
	return with(Light) + "@media (prefers-color-scheme:dark){" + with(Dark) + "}\n"
}

func with(values string) string {
	var pairs []string
	paper := ""
	for _, v := range strings.Split(values, ";") {
		name, value, _ := strings.Cut(v, ":")
		pairs = append(pairs, "var("+name+")", value)
		if name == "--paper" {
			paper = value
		}
	}
	return ".paper{fill:" + paper + "}\n" + strings.NewReplacer(pairs...).Replace(Style)
}
