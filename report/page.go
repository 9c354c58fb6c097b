package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"optcomplete/internal/chart"
)

//go:embed assets
var assets embed.FS

// page is what the template shows.
type page struct {
	Title    string
	Heading  template.HTML
	Verdict  template.HTML
	Warnings []template.HTML
	Sections []section
	Footer   template.HTML
}

// section answers one question.
type section struct {
	ID, Title, Short string // Short is for the list of contents
	Lead             template.HTML
	Blocks           []block
}

// block is a part of a section; one of its fields is set.
type block struct {
	Text    template.HTML
	Heading string // of what follows
	Cards   []card
	Figures []figure // side by side where there is room
	Table   *table
	Code    string
	Deeds   []deed // what each feature does, in words
	List    []template.HTML
	Proof   bool // Text is what is proven
}

// card is a number that matters.
type card struct {
	Name  string
	Value template.HTML
	Note  template.HTML
}

// figure is a plot and the table that says the same.
type figure struct {
	Title   string
	SVG     template.HTML
	Caption template.HTML
	Table   *table
	Open    bool // the table is what matters
	Wide    bool // over the whole width
	Level   int  // of its heading; set when the page is written
}

// table is a table. The first cell of a row is its heading.
type table struct {
	Caption string
	Head    []string
	Text    []bool // which columns are text; nil: only the first
	Rows    [][]template.HTML
	Sort    bool // readers may sort it
}

// IsText tells whether column i is text, for its alignment.
func (t *table) IsText(i int) bool {
	if t.Text == nil {
		return i == 0
	}
	return i < len(t.Text) && t.Text[i]
}

func (s *section) add(b ...block)                 { s.Blocks = append(s.Blocks, b...) }
func (s *section) say(format string, args ...any) { s.add(block{Text: say(format, args...)}) }
func (s *section) figures(f ...figure)            { s.add(block{Figures: f}) }
func (s *section) table(t *table)                 { s.add(block{Table: t}) }
func (t *table) row(cells ...template.HTML)       { t.Rows = append(t.Rows, cells) }
func text(s string) template.HTML                 { return template.HTML(template.HTMLEscapeString(s)) }

// plot is a chart of any kind.
type plot interface {
	Inline(io.Writer) error
	Broad(io.Writer) error
}

func drawn(c plot) template.HTML { return draw(c.Inline) }

func draw(write func(io.Writer) error) template.HTML {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		panic(err) // a buffer does not fail
	}
	return template.HTML(b.String())
}

// wide is a figure over the whole width. It is drawn twice, because text in a
// picture shrinks with it: the page shows the one that suits the screen.
func wide(c plot) template.HTML {
	return say(`<div class="narrow">%s</div><div class="broad">%s</div>`, draw(c.Inline), draw(c.Broad))
}

// level gives figures headings one below what they stand under.
func (p *page) level() {
	for _, s := range p.Sections {
		level := 3
		for _, b := range s.Blocks {
			if b.Heading != "" {
				level = 4
			}
			for i := range b.Figures {
				b.Figures[i].Level = level
			}
		}
	}
}

// policyHash names an inline style or script in the page's policy
// (https://www.w3.org/TR/CSP3/#match-element-to-source-list).
func policyHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// write renders the page.
func (p *page) write(w io.Writer) error {
	p.level()
	style, err := assets.ReadFile("assets/report.css")
	if err != nil {
		return err
	}
	script, err := assets.ReadFile("assets/report.js")
	if err != nil {
		return err
	}
	css := strings.NewReplacer("/*light*/", chart.Light, "/*dark*/", chart.Dark).Replace(string(style)) + chart.Style
	t, err := template.New("page.tmpl").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(css) },
		"script": func() template.JS { return template.JS(script) },
		// Only these two run, whatever else might ever get into the page.
		"stylehash":  func() string { return policyHash(css) },
		"scripthash": func() string { return policyHash(string(script)) },
		"next":       func(i int) int { return i + 1 },
	}).ParseFS(assets, "assets/page.tmpl")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = b.WriteTo(w)
	return err
}
