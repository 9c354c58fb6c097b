package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"optcomplete/data"
	"optcomplete/internal/textfile"
	"optcomplete/model/store"
	"optcomplete/regress/saved"
	"optcomplete/result"
	"optcomplete/selection"
	"optcomplete/twosided"
)

// Mark is in every page that this package writes, and tells that it did.
const Mark = `<meta name="generator" content="optcomplete">`

// Model is what model.json says about a fit.
type Model struct {
	Name  string            // for the heading: NameOf the folder, or the file it was fitted on
	Names map[string]string // of columns, by their ids; nil: ids are names
	Test  *Test             // for Compare: errors on entries that all models are scored on; nil: there are none
	s     twosided.Summary
	r     *saved.Model // a regression, which fills what it shares with the others into s; nil: none
	doc   *document

	words *strings.Replacer // "{rows}" and so on, by the nouns of the data
}

// w is a text in the words of the data; h the same as HTML.
func (m *Model) w(text string) string { return m.words.Replace(text) }
func (m *Model) h(text string) markup { return markup(m.w(text)) }

// Parse reads the text of a model.json.
func Parse(name string, text []byte) (*Model, error) {
	m := &Model{Name: name}
	if err := m.read(text); err != nil {
		return nil, fmt.Errorf("%s: not a readable model: %s", name, data.DescribeJSON(err))
	}
	if err := store.CheckFormat(name, m.s.Format); err != nil {
		return nil, err
	}
	if n := m.s.Nouns; n != nil { // only letters: they go into the page as they are
		m.s.Nouns = result.NounsOf(n.Row, n.Column, n.Entry)
	}
	m.words = m.s.Nouns.Replacer()
	var err error
	if m.doc, err = newDocument("model", text); err == nil {
		key, _ := m.measure()
		if m.doc.complete(key, "mape"); m.s.Loss.Linked() {
			m.doc.complete("deviance_explained", "brier")
		}
	}
	return m, err
}

// read fills the model in.
func (m *Model) read(text []byte) error {
	var is struct {
		Model string `json:"model"`
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return err
	}
	m.s.Model = is.Model
	return m.kind().read(m, text)
}

// Read reads the model.json of a saved model. The rest of the model, which may be
// large, is not needed.
func Read(dir string) (*Model, error) {
	text, _, err := store.ReadSealed(filepath.Join(dir, "model.json"))
	if err != nil {
		return nil, err
	}
	return Parse(NameOf(dir), text)
}

// NameOf is what a model in the folder is called: what the user calls it, and its last
// part where that begins at a root or says only where one is.
func NameOf(dir string) string {
	if filepath.IsLocal(dir) && filepath.Clean(dir) != "." {
		return filepath.ToSlash(filepath.Clean(dir))
	}
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	return filepath.Base(dir)
}

// Path is what `optcomplete path --json` printed.
type Path struct {
	selection.PathResult
	doc *document
}

// ReadPath reads the result of a path.
func ReadPath(file string) (*Path, error) {
	text, err := textfile.Whole(file, 256<<20)
	if err != nil {
		return nil, err
	}
	p := &Path{}
	if err := json.Unmarshal(text, &p.PathResult); err != nil || len(p.Points) == 0 {
		if err == nil {
			err = errors.New("it has no points")
		}
		return nil, fmt.Errorf("%s is not the result of a path (optcomplete path … --json writes one): %s", file, data.DescribeJSON(err))
	}
	p.doc, err = newDocument("path", text)
	return p, err
}

// Write writes the report on a model. path may be nil.
func Write(w io.Writer, m *Model, path *Path) (err error) {
	defer recovered(&err)
	p := &page{
		Title:   m.Name + " – OptComplete report",
		Heading: m.heading(),
		Footer:  say("Made by optcomplete %s. Every number is the one in model.json; it is in the page with all its digits.", name(m.s.Version)),
	}
	p.Warnings, _ = m.warnings()
	p.Sections = m.kind().sections(m, path)
	return p.write(w)
}

// Shown are the ids of the columns in its examples, which may have names.
func (m *Model) Shown() (ids []string) {
	if m.s.Diagnostics != nil {
		for _, e := range m.s.Diagnostics.Examples {
			for _, c := range e.Cases {
				ids = append(ids, c.Sum.Column)
			}
		}
	}
	return ids
}

// item is what people call a column: its name, if there is one, or its id.
func (m *Model) item(id string) string {
	if name := m.Names[id]; name != "" {
		return name
	}
	return id
}

// ModelError is returned for a model.json that does not fit together.
type ModelError struct{ Problem string }

func (e *ModelError) Error() string {
	return "model.json does not fit together: " + strings.TrimPrefix(e.Problem, "report: ") + " (fit the model again)"
}

// recovered turns what is missing from a damaged model.json into an error.
func recovered(err *error) {
	switch r := recover().(type) {
	case nil:
	case string:
		*err = &ModelError{r}
	default:
		*err = &ModelError{"a part of it is missing or has another length"}
	}
}

// num shows a number of model.json.
func (m *Model) num(path string, s style) markup { return m.doc.num(path, s) }

func (m *Model) derived(how, a, b string, s style) markup { return m.doc.derived(how, a, b, s) }

func (m *Model) heading() markup {
	if !m.selects() {
		return say("%s: predictions by %s, without a selection", name(m.Name), name(m.s.Method))
	}
	return say("%s: %s of %s %s", name(m.Name), m.num("k", whole), m.num("features", whole), m.kind().things())
}

// verdict says in a sentence what is proven.
func (m *Model) verdict() markup {
	return say("%s %s", m.badge(), m.certificate())
}

func (m *Model) badge() markup {
	switch {
	case !m.s.Certified:
		return `<span class="badge poor">not proven</span>`
	case m.s.Status == result.Optimal:
		return `<span class="badge good">proven optimal</span>`
	case m.s.Gap >= 1:
		return `<span class="badge poor">nothing proven</span>`
	}
	return say(`<span class="badge fair">within %s</span>`, m.num("gap", percent))
}

// certificate is the sentence after the badge.
func (m *Model) certificate() markup {
	switch {
	case !m.s.Certified && m.s.Settings["certify"] == "true":
		return say("The search was stopped (%s) while it was on samples of the data, and samples prove nothing: a better selection may exist. More time reaches the proof.", text(statusText(m.s.Status)))
	case !m.s.Certified:
		return say("The selection was found on samples of the data, and samples prove nothing: a better one may exist. <code>fit --certify</code> goes on to a proof.")
	case m.s.Status == result.Optimal:
		return say("No other selection of %s %s has a lower cost on these data", m.num("k", whole), m.kind().things()) + m.atGamma() + "."
	case m.s.Status == result.NumericalLimit && m.s.Gap >= 1:
		return say("The search looked everywhere, but rounding errors are so large that nothing is proven: a better selection may exist. %s", markup(numericalRemedy))
	case m.s.Status == result.NumericalLimit:
		return say("The search looked everywhere, and rounding errors hide the rest: a better selection may exist, but none whose cost is lower by more than %s. %s", m.num("gap", percent), markup(numericalRemedy))
	case m.s.Gap >= 1:
		return say("The search %s (%s) before anything was proven: a better selection may exist. More time gives a bound.", m.ended(), text(statusText(m.s.Status)))
	case m.s.Status == result.GapReached:
		return say("No selection of %s %s has a cost that is lower by more than %s, the gap that was asked for.", m.num("k", whole), m.kind().things(), m.num("gap", percent))
	}
	return say("The search %s (%s) before its proof was complete: a better selection may exist, but none whose cost is lower by more than %s.",
		m.ended(), text(statusText(m.s.Status)), m.num("gap", percent))
}

// ended says who ended a search that had more to do.
func (m *Model) ended() markup {
	if m.s.Status.ByItself() {
		return "ended by itself"
	}
	return "was stopped"
}

// numericalRemedy is what to do about a numerical limit.
const numericalRemedy = "Features of similar sizes, without near duplicates, or a smaller γ sharpen it."

func statusText(status result.Status) string {
	switch status {
	case result.Optimal:
		return "proven optimal"
	case result.GapReached:
		return "gap reached"
	case result.Sampled:
		return "on samples only"
	case result.Fitted:
		return "selects nothing"
	}
	return status.Words()
}

// ParseSummary is Parse for a summary in memory, as a fit returns it.
func ParseSummary(name string, summary interface{ WriteJSON(io.Writer) error }) (*Model, error) {
	var b bytes.Buffer
	if err := summary.WriteJSON(&b); err != nil {
		return nil, err
	}
	return Parse(name, b.Bytes())
}

// atGamma says what weighs the coefficients in the cost.
func (m *Model) atGamma() markup {
	switch u := m.s.Units; {
	case u == nil || !u.Learned:
		return say(" at γ = %s", m.num("gamma", short))
	case u.Factor == 1:
		return ", with γ learned for each feature"
	}
	return say(", with γ learned for each feature, times %s", m.num("gamma", short))
}
