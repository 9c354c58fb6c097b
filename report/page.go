package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html"
	"io"
	"strings"

	"optcomplete/internal/chart"
)

//go:embed assets
var assets embed.FS

// markup is HTML. Text becomes markup only by text and say, which escape it.
type markup string

// page is what is shown.
type page struct {
	Title    string
	Heading  markup
	Verdict  markup
	Warnings []markup
	Sections []section
	Footer   markup
}

// section answers one question.
type section struct {
	ID, Title, Short string // Short is for the list of contents
	Lead             markup
	Blocks           []block
}

// block is a part of a section; one of its fields is set.
type block struct {
	Text    markup
	Heading string // of what follows
	Cards   []card
	Figures []figure // side by side where there is room
	Table   *table
	Code    string
	Deeds   []deed // what each feature does, in words
	List    []markup
	Proof   bool // Text is what is proven
}

// card is a number that matters.
type card struct {
	Name  string
	Value markup
	Note  markup
}

// figure is a plot and the table that says the same.
type figure struct {
	Title   string
	SVG     markup
	Caption markup
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
	Rows    [][]markup
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
func (t *table) row(cells ...markup)              { t.Rows = append(t.Rows, cells) }
func text(s string) markup                        { return markup(html.EscapeString(s)) }

// plot is a chart of any kind.
type plot interface {
	Inline(io.Writer) error
	Broad(io.Writer) error
}

func drawn(c plot) markup { return draw(c.Inline) }

func draw(write func(io.Writer) error) markup {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		panic(err) // a buffer does not fail
	}
	return markup(b.String())
}

// wide is a figure over the whole width. It is drawn twice, because text in a
// picture shrinks with it: the page shows the one that suits the screen.
func wide(c plot) markup {
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
	var b rendering
	b.page(p, css, string(script))
	_, err = b.WriteTo(w)
	return err
}
