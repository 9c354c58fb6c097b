package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/encode"
	"optcomplete/formulation"
	"optcomplete/internal/events"
	"optcomplete/model"
	"optcomplete/regress"
	"optcomplete/regress/saved"
	"optcomplete/service"
	"optcomplete/spec"
)

// evil are ids and names that would run, if they were taken for markup.
const evil = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`

// filmModel is a fit of the generated films, with an evil row and an evil name.
func filmModel(t *testing.T) (m *model.Model, settings service.Settings) {
	t.Helper()
	films, err := synth.Films(1, 150, 80)
	if err != nil {
		t.Fatal(err)
	}
	films.Ratings.RowIDs[7] = "row " + evil
	m, err = formulation.Fit(context.Background(), formulation.Problem{Ratings: films.Ratings, Features: films.Features},
		formulation.Settings{K: 4, Model: spec.Full, Statistics: spec.Statistics{Holdout: 0.2, Seed: 1}, Limits: spec.Limits{MaxNodes: 5}})
	if err != nil {
		t.Fatal(err)
	}
	settings.Names = map[string]string{m.ColumnIDs[3]: "Heat " + evil, m.ColumnIDs[4]: "Up"}
	settings.Ratings = service.NewKnown(data.NewRatings(films.Ratings.Matrix(), films.Ratings.RowIDs, films.Ratings.ColumnIDs))
	return m, settings
}

// visit is a page of the service, open in a browser.
type visit struct {
	*Page
	t      *testing.T
	origin string
	width  int
	name   string
}

func (v *visit) do(err error) {
	v.t.Helper()
	if err != nil {
		text := ""
		v.Eval(`document.body.innerText.slice(0, 1500)`, &text)
		v.t.Fatalf("%s at %d: %v\n%s\n%v", v.name, v.width, err, text, v.Problems())
	}
}

func (v *visit) text(script string) (out string) {
	v.t.Helper()
	v.do(v.Eval("String("+script+")", &out))
	return out
}

// look checks what holds for every view, and takes its picture.
func (v *visit) look(name string) {
	v.t.Helper()
	v.name = name
	var over int
	v.do(v.Eval(`document.documentElement.scrollWidth - document.documentElement.clientWidth`, &over))
	if over > 0 {
		v.t.Errorf("%s is %d pixels wider than its window of %d", name, over, v.width)
	}
	if got := v.text(`window.hacked`); got != "undefined" {
		v.t.Errorf("%s ran what is data", name)
	}
	if axe, err := os.ReadFile("../../.tools/axe-core/axe.min.js"); err == nil {
		v.do(v.Eval(string(axe)+"; 0", nil))
		v.do(v.Eval(`window.axeDone = null; axe.run(document, {resultTypes: ['violations']}).then(r => { window.axeDone = JSON.stringify(r.violations.map(x => [x.id, x.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + (n.any[0] || {}).message)])); }); 0`, nil))
		v.do(v.Wait(`window.axeDone !== null`))
		if got := v.text(`window.axeDone`); got != "[]" {
			v.t.Errorf("%s at %d: axe says %s", name, v.width, got)
		}
	}
	if folder := os.Getenv("OPTCOMPLETE_PICTURES"); folder != "" {
		png, err := v.Screenshot(0)
		v.do(err)
		v.do(os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%d.png", name, v.width)), png, 0o666))
	}
	for _, problem := range v.Problems() {
		v.t.Errorf("%s: %s", name, problem)
	}
	for _, url := range v.Requests() {
		if !strings.HasPrefix(url, v.origin) {
			v.t.Errorf("%s asks for %s", name, url)
		}
	}
}

// Every view is clicked through: at phone and desk widths, in the light and in the dark.
func TestServicePage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	b := open(t)
	m, settings := filmModel(t)
	s, err := service.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add("films", m); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	if _, err := os.Stat("../../.tools/axe-core/axe.min.js"); err != nil {
		t.Log("without axe: scripts/install-axe.sh installs it")
	}
	for _, view := range []View{{Width: 390}, {Width: 1000, Dark: true}, {Width: 1600}, {Width: 390, Dark: true}} {
		p, err := b.Open(h.URL+"/", view)
		if err != nil {
			t.Fatal(err)
		}
		v := &visit{Page: p, t: t, origin: h.URL, width: view.Width, name: "answer"}
		if view.Dark {
			v.width++ // of the picture's name
		}
		clickThrough(v, m)
		p.Close()
	}
}

func clickThrough(v *visit, m *model.Model) {
	t := v.t
	v.do(v.Wait(`document.querySelectorAll('#view tbody tr').length === 4`))
	if text := v.text(`document.querySelector('#view').innerText`); !strings.Contains(text, "these 4 explain") || !strings.Contains(text, m.Summary.Selected[0]) {
		t.Errorf("the answer is %s", text)
	}
	v.look("answer")

	// A row: found by typing, then its ratings are changed.
	v.do(v.Click(`nav a[href*="view=row"]`))
	v.do(v.Wait(`document.querySelector('#find-rows')`))
	v.do(v.Type(`#find-rows`, "row "))
	v.do(v.Wait(`document.querySelectorAll('.found button').length === 1`))
	v.do(v.Click(`.found button`))
	v.do(v.Wait(`document.querySelector('#coefficients') && document.querySelector('[data-rating]')`))
	if title := v.text(`document.querySelector('#coefficients h2').textContent`); title != "row "+evil {
		t.Errorf("the row is called %q", title)
	}
	before := v.text(`document.querySelector('#coefficients').textContent`)
	v.look("row")
	v.do(v.Eval(`(() => { const e = document.querySelector('[data-rating]'); e.value = -9; e.dispatchEvent(new Event('input', {bubbles: true})); })()`, nil))
	v.do(v.Wait(`document.querySelector('#coefficients').textContent !== ` + quoted(before)))

	// A new person.
	v.do(v.Click(`#new-row`))
	v.do(v.Wait(`document.querySelector('#coefficients h2').textContent.startsWith('The new')`))
	v.do(v.Type(`#find-columns`, "Heat"))
	v.do(v.Wait(`Array.from(document.querySelectorAll('section .found button')).some(b => b.textContent.startsWith('Heat'))`))
	v.do(v.Eval(`Array.from(document.querySelectorAll('section .found button')).find(b => b.textContent.startsWith('Heat')).click()`, nil))
	v.do(v.Wait(`document.querySelectorAll('[data-rating]').length === 1`))
	v.look("what-if")

	// A column, and a new one by its features.
	v.do(v.Click(`nav a[href*="view=column"]`))
	v.do(v.Wait(`document.querySelector('#find-columns') && document.querySelector('[data-field]')`))
	v.do(v.Type(`#find-columns`, "Heat"))
	v.do(v.Wait(`document.querySelectorAll('.found button').length === 1`))
	v.do(v.Click(`.found button`))
	v.do(v.Wait(`document.querySelector('#distribution rect')`))
	if title := v.text(`document.querySelector('#distribution h2').textContent`); title != "Heat "+evil {
		t.Errorf("the column is called %q", title)
	}
	v.look("column")
	v.do(v.Eval(`document.querySelectorAll('[data-field]').forEach(e => { e.value = 1; e.dispatchEvent(new Event(e.tagName === 'SELECT' ? 'change' : 'input', {bubbles: true})); })`, nil))
	v.do(v.Wait(`document.querySelector('#distribution h2').textContent.startsWith('new ')`))
	v.look("new-column")
	v.keyboard()
}

// keyboard goes from the top to the view by the skip link, and opens another view.
func (v *visit) keyboard() {
	v.do(v.Focus(`#skip`))
	v.do(v.Press("\r"))
	if id := v.text(`document.activeElement.id`); id != "main" {
		v.t.Errorf("the skip link leads to %q", id)
	}
	v.do(v.Focus(`nav a[href*="view=answer"]`))
	v.do(v.Press("\r"))
	v.do(v.Wait(`document.querySelector('nav a[aria-current]').textContent === 'The answer'`))
}

func quoted(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

// A live fit: its curves, its button, and then the page of its model.
func TestServiceLiveFit(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	b := open(t)
	m, settings := filmModel(t)
	stopped := make(chan struct{}, 9)
	fit := service.NewFit("fit", func() { stopped <- struct{}{} })
	settings.Fit = fit
	s, err := service.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	tell := func(cost, bound float64, names ...string) {
		gap := (cost - bound) / cost
		fit.Take(events.Event{Event: "search", Kind: "incumbent", K: len(names), Cost: &cost, Bound: &bound, Gap: &gap, Nodes: 3, Cuts: 5, Passes: 7, Selected: names})
	}
	tell(0.9, 0.1, "Drama", evil)
	tell(0.8, 0.3, "Drama", "Comedy")
	fit.Take(events.Event{Event: "task", Task: 1, Label: "Reading " + evil, Done: 30, Total: 100, Unit: "lines"})
	fit.Take(events.Event{Event: "gamma", Gamma: 0.5, RMSE: 1.25})
	fit.Take(events.Event{Event: "log", Text: "Task      select 2 " + evil})
	for _, view := range []View{{Width: 390}, {Width: 1600, Dark: true}} {
		p, err := b.Open(h.URL+"/", view)
		if err != nil {
			t.Fatal(err)
		}
		v := &visit{Page: p, t: t, origin: h.URL, width: view.Width, name: "fit"}
		v.do(v.Wait(`document.querySelectorAll('#view path.line').length === 2 && document.querySelector('#stop')`))
		v.look("fit")
		if view.Width == 390 {
			p.Close()
			continue
		}
		tell(0.7, 0.69, "Drama", "Horror")
		v.do(v.Wait(`document.querySelector('li.new') && document.querySelector('li.new').textContent === 'Horror'`))
		v.do(v.Click(`#stop`))
		<-stopped
		v.do(v.Wait(`document.querySelector('#stop').disabled`))
		if err := s.Add("films", m); err != nil {
			t.Fatal(err)
		}
		fit.Ended("films", nil)
		v.do(v.Wait(`document.querySelector('nav a[aria-current]').textContent === 'The answer' && document.querySelectorAll('#view tbody tr').length === 4`))
		p.Close()
	}
}

// A regression: its coefficients, and a prediction that moves with the features.
func TestServiceRegression(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	b := open(t)
	table := data.NewRawTable("t", make([]string, 6), []string{"size", "street " + evil}, []string{"1", "up", "2", "up", "3", "down", "4", "down", "5", "up", "6", "down"})
	encoding, features, _, err := encode.Learn(context.Background(), table, encode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := regress.Fit(context.Background(), regress.Problem{Names: features.Names, X: features.Values, Y: []float64{1, 2, 3.5, 4, 5.5, 6}}, regress.Settings{K: 1, Statistics: spec.Statistics{Gamma: 100}})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "line")
	if err := saved.New("price", result, encoding).Save(folder); err != nil {
		t.Fatal(err)
	}
	s, err := service.New(service.Settings{Folders: []string{folder}})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	for _, view := range []View{{Width: 390, Dark: true}, {Width: 1600}} {
		p, err := b.Open(h.URL+"/", view)
		if err != nil {
			t.Fatal(err)
		}
		v := &visit{Page: p, t: t, origin: h.URL, width: view.Width, name: "regression"}
		v.do(v.Wait(`document.querySelectorAll('#view tbody tr').length === 1`))
		v.look("regression")
		v.do(v.Click(`nav a[href*="view=table"]`))
		v.do(v.Wait(`document.querySelector('[data-field]') && Array.from(document.querySelectorAll('h2')).some(e => e.textContent.startsWith('Prediction'))`))
		before := v.text(`Array.from(document.querySelectorAll('h2')).at(-1).textContent`)
		v.do(v.Eval(`document.querySelectorAll('[data-field]').forEach(e => { e.value = e.tagName === 'SELECT' ? e.options[1].value : 60; e.dispatchEvent(new Event(e.tagName === 'SELECT' ? 'change' : 'input', {bubbles: true})); })`, nil))
		v.do(v.Wait(`Array.from(document.querySelectorAll('h2')).at(-1).textContent !== ` + quoted(before)))
		v.look("prediction")
		p.Close()
	}
}
