package chart

import "strings"

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
