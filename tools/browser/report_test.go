package browser

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"optcomplete/data/synth"
	"optcomplete/formulation"
	"optcomplete/report"
	"optcomplete/spec"
)

// open starts a browser, or skips the test where there is none.
func open(t *testing.T) *Browser {
	t.Helper()
	if _, err := Find(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	b, err := Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// pages are a report and a comparison of the generated films.
func pages(t *testing.T) (single, compare string) {
	t.Helper()
	films, err := synth.Films(1, 150, 80)
	if err != nil {
		t.Fatal(err)
	}
	var models []*report.Model
	for _, k := range []int{4, 5} {
		m, err := formulation.Fit(context.Background(), formulation.Problem{Ratings: films.Ratings, Features: films.Features},
			formulation.Settings{K: k, Model: spec.Full, Statistics: spec.Statistics{Holdout: 0.2, Seed: 1}, Limits: spec.Limits{MaxNodes: 5}})
		if err != nil {
			t.Fatal(err)
		}
		one, err := report.ParseSummary("films with a rather long name of their own", m.Summary)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, one)
	}
	var a, b bytes.Buffer
	if err := report.Write(&a, models[1], nil); err != nil {
		t.Fatal(err)
	}
	if err := report.Compare(&b, models); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	single, compare = filepath.Join(dir, "report.html"), filepath.Join(dir, "compare.html")
	for file, text := range map[string][]byte{single: a.Bytes(), compare: b.Bytes()} {
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return single, compare
}

func TestInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	b := open(t)
	single, compare := pages(t)
	for _, file := range []string{single, compare} {
		for _, view := range []View{{Width: 375}, {Width: 1100}, {Width: 1400}, {Width: 375, Dark: true}, {Width: 1400, Dark: true}} {
			p, err := b.Open(file, view)
			if err != nil {
				t.Fatal(err)
			}
			look(t, p, filepath.Base(file), view)
			p.Close()
		}
	}
	t.Run("sorts", func(t *testing.T) { sorts(t, b, single) })
	t.Run("prints", func(t *testing.T) { prints(t, b, single) })
	t.Run("keyboard", func(t *testing.T) { keyboard(t, b, single) })
	t.Run("tools", func(t *testing.T) { tools(t, b, single) })
}

// look checks what holds for every page at every width and in every theme.
func look(t *testing.T, p *Page, file string, view View) {
	t.Helper()
	var got struct {
		Overflow int      // by how many pixels the page is wider than the window
		Plots    int      // that are shown
		Hidden   []string // plots that are shown nowhere
		Light    bool     // the page's paper
		Texts    float64  // the smallest text of a plot, in pixels
		Overlaps []string // texts of plots that lie on each other, cards that are too narrow, and tables that are cut
		Faint    []string // texts with too little contrast to what is behind them
	}
	err := p.Eval(`(() => {
		const seen = [], hidden = [];
		let smallest = 1e9;
		document.querySelectorAll('figure').forEach(f => {
			const plots = Array.from(f.querySelectorAll('svg.chart'));
			if (!plots.length) return;
			const shown = plots.filter(s => { const r = s.getBoundingClientRect(); return r.width > 100 && r.height > 40; });
			if (shown.length !== 1) hidden.push(f.querySelector('.plot').textContent);
			shown.forEach(s => {
				seen.push(s);
				const scale = s.getBoundingClientRect().width / s.viewBox.baseVal.width;
				smallest = Math.min(smallest, scale * parseFloat(getComputedStyle(s.querySelector('text')).fontSize));
				const marks = s.querySelectorAll('path, rect, circle');
				if (!Array.from(marks).some(m => { const r = m.getBoundingClientRect(); return r.width + r.height > 0; })) hidden.push(f.querySelector('.plot').textContent + ': no marks');
			});
		});
		const overlaps = [];
		seen.forEach(s => {
			const boxes = Array.from(s.querySelectorAll('text')).map(t => ({text: t.textContent, r: t.getBoundingClientRect()}));
			boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
				const w = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left), h = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
				if (w > 1 && h > 3) overlaps.push(a.text + ' / ' + b.text);
			}));
		});
		document.querySelectorAll('.cards dd, .cards dt, .deeds li').forEach(e => { if (e.scrollWidth > e.clientWidth + 1) overlaps.push(e.textContent); });
		if (innerWidth >= 1100) document.querySelectorAll('.scroll').forEach(e => {
			if (!e.closest('details') && e.querySelector('tr').cells.length < 10 && e.scrollWidth > e.clientWidth + 1) overlaps.push('cut: ' + e.querySelector('tr').textContent);
		});
		// Contrast as WCAG 2 defines it.
		const parts = c => c.match(/[\d.]+/g).map(Number);
		const light = c => { const [r, g, b] = parts(c).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
		const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor, p = parts(c); if (p.length < 4 || p[3] > 0) return c; } return 'rgb(255,255,255)'; };
		const faint = [];
		document.querySelectorAll('.badge, .brand, .count, figcaption, caption, summary, .contents a, thead th, .cards dt, .cards small, p, button, .warnings li, .yes').forEach(e => {
			const a = light(getComputedStyle(e).color), b = light(behind(e));
			if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) faint.push(e.className + ': ' + e.textContent.slice(0, 20));
		});
		const rgb = getComputedStyle(document.querySelector('section')).backgroundColor.match(/\d+/g).map(Number);
		return {Overflow: document.documentElement.scrollWidth - innerWidth, Plots: seen.length, Hidden: hidden, Light: rgb[0] > 127, Texts: smallest, Overlaps: overlaps.slice(0, 5), Faint: faint.slice(0, 5)};
	})()`, &got)
	if err != nil {
		t.Fatal(err)
	}
	if got.Overflow > 0 || len(got.Hidden) > 0 || got.Plots < 3 || got.Light == view.Dark || got.Texts < 10 || len(got.Faint) > 0 || len(got.Overlaps) > 0 {
		t.Errorf("%s, %+v: %+v", file, view, got)
	}
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("%s: %q", file, problems)
	}
	if requests := p.Requests(); len(requests) > 0 {
		t.Errorf("%s asks the network for %q", file, requests)
	}
}

const increases = `Array.from(document.querySelectorAll('table.sortable')[0].tBodies[0].rows).map(r => parseFloat(r.cells[2].querySelector('data').value))`

// sorts clicks and presses on the heading of a column.
func sorts(t *testing.T, b *Browser, file string) {
	p, err := b.Open(file, View{Width: 1400})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	const button = "table.sortable th:nth-child(3) button"
	values := func() (x []float64, state string) {
		if err := p.Eval(increases, &x); err != nil {
			t.Fatal(err)
		}
		if err := p.Eval(`document.querySelector('table.sortable th:nth-child(3)').getAttribute('aria-sort')`, &state); err != nil {
			t.Fatal(err)
		}
		return x, state
	}
	if x, state := values(); slices.IsSorted(x) || state != "none" || len(x) != 5 {
		t.Fatalf("%v, %s: sorted before anyone asked, so this test would see nothing", x, state)
	}
	if err := p.Click(button); err != nil {
		t.Fatal(err)
	}
	if x, state := values(); !slices.IsSorted(x) || state != "ascending" {
		t.Errorf("after a click: %v, %s", x, state)
	}
	for _, key := range []string{"\r", " "} {
		if err := errors.Join(p.Focus(button), p.Press(key)); err != nil {
			t.Fatal(err)
		}
		x, state := values()
		if key == "\r" {
			slices.Reverse(x)
		}
		if !slices.IsSorted(x) || state != map[string]string{"\r": "descending", " ": "ascending"}[key] {
			t.Errorf("after %q: %v, %s", key, x, state)
		}
	}
}

func prints(t *testing.T, b *Browser, file string) {
	p, err := b.Open(file, View{Width: 1400, Dark: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	pdf, err := p.PDF()
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(pdf, []byte("/Type /Page\n")) + bytes.Count(pdf, []byte("/Type /Page ")) + bytes.Count(pdf, []byte("/Type /Page/")); !bytes.HasPrefix(pdf, []byte("%PDF")) || n < 3 || n > 30 {
		t.Errorf("%d bytes, %d pages", len(pdf), n)
	}
}

// tools tries the buttons, the links and the tips.
func tools(t *testing.T, b *Browser, file string) {
	p, err := b.Open(file, View{Width: 1400})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var open, all int
	var theme, tip string
	for _, step := range []error{
		p.Click("#tables"),
		p.Eval(`document.querySelectorAll('details[open]').length`, &open),
		p.Eval(`document.querySelectorAll('details').length`, &all),
		p.Click("#theme"), p.Click("#theme"),
		p.Eval(`document.documentElement.dataset.theme`, &theme),
		p.Eval(`(() => { const r = document.querySelector('.broad svg.chart .hit'); const b = r.getBoundingClientRect();
			r.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: b.x + 5, clientY: b.y + 5}));
			return document.getElementById('tip').textContent; })()`, &tip),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	if open != all || all < 10 || theme != "dark" || tip == "" {
		t.Errorf("%d of %d tables open, theme %q, tip %q", open, all, theme, tip)
	}
	if len(p.Problems()) > 0 {
		t.Errorf("%q", p.Problems())
	}
}

// keyboard walks the page with the tab key: the first stop skips the contents, and
// every stop can be seen.
func keyboard(t *testing.T, b *Browser, file string) {
	p, err := b.Open(file, View{Width: 1400})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var stops []string
	for range 8 {
		var stop struct{ Name, Outline string }
		if err := errors.Join(p.Press("\t"), p.Eval(`({Name: document.activeElement.textContent.trim().slice(0, 30), Outline: getComputedStyle(document.activeElement).outlineStyle})`, &stop)); err != nil {
			t.Fatal(err)
		}
		if stop.Outline == "none" {
			t.Errorf("the focus on %q is not seen", stop.Name)
		}
		stops = append(stops, stop.Name)
	}
	if stops[0] != "Skip to the report" || !slices.Contains(stops, "The answer") {
		t.Errorf("%q", stops)
	}
}
