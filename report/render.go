package report

import "bytes"

// rendering writes a page. html/template would do it too, but it finds methods by
// name when it runs, so that the linker keeps every method of every type: the
// program was 30 MB with it, and is 23 without.
type rendering struct{ bytes.Buffer }

// say writes a format; arguments that are text are escaped.
func (r *rendering) say(format string, args ...any) { r.WriteString(string(say(format, args...))) }

// when writes a format with the markup or text that it is about, if there is any.
func when[T markup | string](r *rendering, format string, content T) {
	if content != "" {
		r.say(format, content)
	}
}

// marked is the markup if it is wanted.
func marked(wanted bool, m markup) markup {
	if wanted {
		return m
	}
	return ""
}

func (r *rendering) page(p *page, css, script string) {
	// Only this style and this script run, whatever else might ever get into the page.
	r.say(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="optcomplete">
<link rel="icon" href="data:,">
<title>%s</title>
<style>%s</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header class="top">
<div class="inner">
<p class="brand">OptComplete</p>
<div class="title"><h1>%s</h1>
<div class="tools" hidden>
<button type="button" id="theme">Colours: <span>as the system</span></button>
<button type="button" id="tables" aria-expanded="false">Open all tables</button>
<button type="button" id="print">Print</button>
</div></div>
`, policyHash(css), policyHash(script), p.Title, markup(css), p.Heading)
	when(r, "<p class=\"verdict\">%s</p>\n", p.Verdict)
	r.say(`</div>
</header>
<div class="body">
<nav class="contents" aria-label="Contents">
<ol>
`)
	for _, s := range p.Sections {
		r.say("<li><a href=\"#%s\">%s</a></li>\n", s.ID, s.Short)
	}
	r.say(`</ol>
</nav>
<main id="main" tabindex="-1">
`)
	if n := len(p.Warnings); n > 0 {
		word := "warnings"
		if n == 1 {
			word = "warning"
		}
		r.say("<aside class=\"warnings\" aria-label=\"Warnings\">\n<h2>%d %s</h2>\n", n, word)
		r.list(p.Warnings)
		r.say("</aside>\n")
	}
	for n, s := range p.Sections {
		r.say("<section aria-labelledby=\"%[1]s\">\n<h2 id=\"%[1]s\"><span class=\"count\">%[2]d</span> %[3]s</h2>\n", s.ID, n+1, s.Title)
		when(r, "<p class=\"lead\">%s</p>\n", s.Lead)
		for _, b := range s.Blocks {
			r.block(&b)
		}
		r.say("</section>\n")
	}
	r.say(`</main>
</div>
<footer><div class="inner">%s</div></footer>
<div id="tip" role="status" hidden></div>
<script>%s</script>
</body>
</html>
`, p.Footer, markup(script))
}

func (r *rendering) list(lines []markup) {
	r.say("<ul>")
	for _, line := range lines {
		r.say("<li>%s</li>", line)
	}
	r.say("</ul>\n")
}

func (r *rendering) block(b *block) {
	when(r, "<h3>%s</h3>\n", b.Heading)
	if b.Text != "" {
		r.say("<p%s>%s</p>\n", marked(b.Proof, ` class="proof"`), b.Text)
	}
	if len(b.List) > 0 {
		r.list(b.List)
	}
	if len(b.Deeds) > 0 {
		r.say("<ul class=\"deeds%s\">\n", marked(len(b.Deeds) > 6, " many"))
		for _, d := range b.Deeds {
			r.say("<li class=\"%s\"><span class=\"sign\" aria-hidden=\"true\">%s</span> <b class=\"name\">%s</b> – %s</li>\n", d.Way, d.Sign(), d.Name, d.Text)
		}
		r.say("</ul>\n")
	}
	if len(b.Cards) > 0 {
		r.say("<dl class=\"cards\">\n")
		for _, c := range b.Cards {
			r.say("<div><dt>%s</dt><dd><b>%s</b>", c.Name, c.Value)
			when(r, "<small>%s</small>", c.Note)
			r.say("</dd></div>\n")
		}
		r.say("</dl>\n")
	}
	if len(b.Figures) > 0 {
		r.say("<div class=\"figures\">\n")
		for _, f := range b.Figures {
			r.figure(&f)
		}
		r.say("</div>\n")
	}
	if b.Table != nil {
		r.table(b.Table)
	}
	when(r, "<pre tabindex=\"0\"><code>%s</code></pre>\n", b.Code)
}

func (r *rendering) figure(f *figure) {
	r.say("<figure%[1]s>\n<h%[2]d class=\"plot\">%[3]s</h%[2]d>\n%[4]s", marked(f.Wide, ` class="whole"`), f.Level, f.Title, f.SVG)
	when(r, "<figcaption>%s</figcaption>\n", f.Caption)
	switch {
	case f.Table == nil:
	case f.Open:
		r.table(f.Table)
	default:
		r.say("<details><summary>The numbers of this plot</summary>")
		r.table(f.Table)
		r.say("</details>\n")
	}
	r.say("</figure>\n")
}

func (r *rendering) table(t *table) {
	class := func(column int) markup { return marked(t.IsText(column), ` class="t"`) }
	r.say("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%[1]s\">\n<table%[2]s>\n<caption><span>%[1]s</span></caption>\n<thead><tr>", t.Caption, marked(t.Sort, ` class="sortable"`))
	for i, head := range t.Head {
		r.say(`<th scope="col"%s>%s</th>`, class(i), head)
	}
	r.say("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		r.say("<tr>")
		for i, cell := range row {
			if i == 0 {
				r.say(`<th scope="row"%s>%s</th>`, class(i), cell)
			} else {
				r.say("<td%s>%s</td>", class(i), cell)
			}
		}
		r.say("</tr>\n")
	}
	r.say("</tbody>\n</table>\n</div>\n")
}
