package report

import (
	"fmt"
	"math"
	"strings"

	"optcomplete/data"
	"optcomplete/model"
	"optcomplete/result"
	"optcomplete/spec"
)

// mostDeeds is how many features the first screen describes.
const mostDeeds = 12

// fewDeeds is how many features have a line to themselves; more stand in two columns.
const fewDeeds = 6

// deed is what one feature does, in words.
type deed struct {
	Way  string // up, down or both
	Name string
	Text markup
}

// Sign is the mark of a way, for eyes.
func (d deed) Sign() string {
	return map[string]string{"up": "▲", "down": "▼", "both": "◆"}[d.Way]
}

// answer is the first screen: which features, what they do, how much better the
// predictions are than averages, how sure the choice is, and what is proven.
func (m *Model) answer(path *Path) section {
	s := section{ID: "answer", Short: "The answer", Title: "The answer"}
	if !m.selects() {
		s.Lead = say("The method %s selects no features: it only predicts, and there is nothing to prove.", name(m.s.Method))
	} else {
		s.Lead = say("Of %s %s, these %s explain %s best%s.", m.num("features", whole), m.kind().things(), m.num("k", whole), m.kind().values(m), m.asFound())
	}
	if deeds := m.kind().deeds(m); len(deeds) > 0 {
		s.add(block{Deeds: deeds[:min(mostDeeds, len(deeds))]})
		if more := len(deeds) - mostDeeds; more > 0 {
			s.say("… and %d more; <a href=\"#effects\">What each feature does</a> has all of them.", more)
		}
	} else if len(m.s.Selected) > 0 {
		s.say("%s.", m.s.Selected)
	}
	if scale := m.s.Loss.Scale(); scale != "" {
		s.say("These numbers are on the scale of the %s: e to a number is the factor by which a feature multiplies the %s.", scale, strings.TrimPrefix(scale, "log-"))
	}
	s.add(block{Cards: append(m.kind().confidence(m), m.sure(path)...)})
	if m.selects() {
		s.add(block{Text: m.verdict(), Proof: true})
	}
	return s
}

// asFound says that a better selection may exist, where that is not ruled out.
func (m *Model) asFound() string {
	if m.s.Certified && m.s.Status == result.Optimal {
		return ""
	}
	return " of all selections that the search has seen"
}

// sign is the part of the rows that an effect must have one sign for, so that the
// feature can be said to raise or to lower.
const sign = 0.75

// deeds describes the selected features, the most needed ones first as they stand
// in the file.
func (m *Model) deeds() []deed {
	var out []deed
	d := m.s.Diagnostics
	if d == nil || m.mixed() {
		return nil
	}
	n := m.s.Nouns
	for f, term := range d.Terms {
		path := func(key string) string { return at("diagnostics.terms", f, key) }
		// A yes/no feature is described by what a yes does, a number by one standard deviation.
		spread, of, new := term.StepSpread, "step_spread.", "new_per_step"
		which, per := markup(""), say(" for every %s more", m.num(path("step"), brief))
		switch m.kindOf(f) {
		case yesOrNo:
			spread, of, new = term.Spread, "spread.", "new_column"
			per = ""
		case oneValue:
			which, per = m.h("the same for all {columns}, so a level for each {row}; "), ""
		}
		positive, typically := m.num(path(of+"positive"), percent), say("typically %s%s", m.num(path(of+"median"), signed), per)
		others := "and lowers them for others"
		if spread.Q05 >= 0 { // coefficients may have been kept from being negative
			others = "and changes nothing for the others"
		}
		one := deed{Name: term.Name}
		switch {
		case spread.Q05 == 0 && spread.Q95 == 0:
			one.Way, one.Text = "both", which+m.h("changes nothing for {a column} with {entries}.")
		case spread.Positive >= sign:
			one.Way, one.Text = "up", say("%sraises predictions for %s of %s, %s.", which, positive, n.Rows(), typically)
		case spread.Positive <= 1-sign:
			one.Way, one.Text = "down", say("%slowers predictions, %s; raises them for only %s of %s.", which, typically, positive, n.Rows())
		default:
			one.Way, one.Text = "both", say("%s%s differ: it raises predictions for %s of them %s. Nine in ten %s: %s to %s%s.", which, n.Rows(), positive, others, n.Rows(), m.num(path(of+"q05"), signed), m.num(path(of+"q95"), signed), per)
		}
		if spec.EffectsOf(m.s.Model).Columns && len(d.Terms) <= fewDeeds && math.Abs(term.NewPerStep) > 1e-9 {
			one.Text = say("%s For a new %s: %s%s.", one.Text, n.Item(), m.num(path(new), signed), per)
		}
		one.Text += m.need(term.Name)
		out = append(out, one)
	}
	return out
}

// What values a feature has.
const (
	numbers = iota
	yesOrNo // 0 and 1
	oneValue
)

func (m *Model) kindOf(term int) int {
	d := m.s.Diagnostics
	if d.Terms[term].Unit == model.YesOrNo {
		return yesOrNo
	}
	if term < len(d.ByTerm) {
		switch bins := d.ByTerm[term].Bins; {
		case len(bins) == 1 && bins[0].Low == bins[0].High:
			return oneValue
		case len(bins) == 2 && bins[0].Low == 0 && bins[0].High == 0 && bins[1].Low == 1 && bins[1].High == 1:
			return yesOrNo
		}
	}
	return numbers
}

// need says what the selection would cost without a feature.
func (m *Model) need(feature string) markup {
	for i, r := range m.s.Removal {
		if increase := m.doc.derive("increase", at("removal", i, "cost"), "cost"); r.Name == feature && !math.IsInf(increase, 0) && !math.IsNaN(increase) {
			return say(" <span class=\"need\">Cost without it: %s.</span>", m.derived("increase", at("removal", i, "cost"), "cost", morePercent))
		}
	}
	return ""
}

// confidence is how much better than averages.
func (m *Model) confidence() []card {
	var cards []card
	if i, ok := m.bestBaseline(); ok && m.s.Holdout != nil {
		key, measure := m.measure()
		own, other := "holdout."+key, at("baselines", i, key)
		c := card{Name: "Better than averages", Value: m.derived("decrease", own, other, percent)}
		if m.doc.derive("decrease", own, other) < 0 {
			c.Name, c.Value = "Worse than averages", m.derived("increase", own, other, percent)
		}
		c.Note = say("lower %s than with %s", measure, m.baselineName(i))
		if c.Name != "Better than averages" {
			c.Note = say("higher %s than with %s", measure, m.baselineName(i))
		}
		if g := m.s.Baselines[i].Gain; g != nil {
			c.Note = say("%s (95 %% interval %s to %s)", c.Note, m.num(at("baselines", i, "gain.low"), percent), m.num(at("baselines", i, "gain.high"), percent))
			if g.Low <= 0 && g.High >= 0 {
				c.Note += ", so it may be chance"
			}
		}
		cards = append(cards, c)
	}
	if key, measure := m.measure(); m.s.Holdout != nil && key != "rmse" {
		cards = append(cards, card{Name: "Error", Value: m.num("holdout."+key, plain), Note: say("%s on %s held-out %s", measure, m.num("holdout.entries", whole), m.s.Nouns.Entries())})
	} else if m.s.Holdout != nil {
		cards = append(cards, card{Name: "Typical error", Value: m.num("holdout.rmse", plain), Note: say("RMSE on %s held-out %s", m.num("holdout.entries", whole), m.s.Nouns.Entries())})
	} else {
		cards = append(cards, card{Name: "Typical error", Value: "not known", Note: "nothing was held out: <code>fit</code> with <code>--holdout&nbsp;0.2</code>"})
	}
	return cards
}

// sure is how sure the choice is.
func (m *Model) sure(path *Path) []card {
	if !m.selects() {
		return nil
	}
	return []card{m.sureAcrossGamma(), m.sureAcrossResamples(path)}
}

func (m *Model) sureAcrossGamma() card {
	c := card{Name: "Same choice at other γ"}
	if u := m.s.Units; u != nil {
		switch {
		case len(u.Others) < 2 && !u.Learned:
			c.Value, c.Note = "not tried", "γ was given"
		case len(u.Others) < 2:
			c.Value, c.Note = "not tried", "there was no time to"
		case u.Same():
			c.Value, c.Note = "yes", "with all γ × 1/3, and with all γ × 3"
		default:
			c.Value, c.Note = "not quite", say("%s", u.Words())
		}
		return c
	}
	switch a := m.s.Alike; {
	case len(m.s.GammaPath) < 2:
		c.Value, c.Note = "not tried", "γ was given, or only one was tried"
	case a == nil:
		c.Value, c.Note = "not known", "the model was saved by an earlier program"
	case len(a.Gammas) < 2:
		c.Value, c.Note = "–", say("no other γ tried predicts nearly as well (within %s)", m.num("gamma_alike.tolerance", shortPercent))
	case a.Agree:
		c.Value, c.Note = "yes", say("%s γ that predict nearly as well (within %s) choose these", allOf(len(a.Gammas)), m.num("gamma_alike.tolerance", shortPercent))
	default:
		c.Value, c.Note = say("%d of %s", len(a.Shared), m.num("k", whole)), say("features are chosen at %s γ that predict nearly as well (within %s)", allOf(len(a.Gammas)), m.num("gamma_alike.tolerance", shortPercent))
	}
	return c
}

func (m *Model) sureAcrossResamples(path *Path) card {
	if path == nil || path.Stability == nil || path.Stability.Resamples == 0 {
		return card{Name: "Same choice on resamples", Value: "not tried", Note: say("<code>%s</code> with <code>--bootstrap&nbsp;20</code> tries it", m.kind().walk())}
	}
	if path.Stability.K != m.s.K { // which says nothing of this choice
		c := card{Name: "Same choice on resamples", Value: say("not tried at k = %s", m.num("k", whole)), Note: say("the path resampled k = %s", path.doc.num("stability.k", whole))}
		if m.kind().walk() == "path" {
			c.Note = say("%s: <code>path</code> with <code>--bootstrap-k&nbsp;%s</code> tries this one", c.Note, m.num("k", whole))
		}
		return c
	}
	return card{Name: "Same choice on resamples", Value: say("%s of %s", path.doc.num("stability.same", whole), path.doc.num("stability.resamples", whole)),
		Note: say("draws of the %s choose the same %s features", m.s.Nouns.Rows(), path.doc.num("stability.k", whole))}
}

// bestBaseline is the simpler prediction with the least error.
func (m *Model) bestBaseline() (best int, ok bool) {
	for i, b := range m.s.Baselines {
		if b.Score() < m.s.Baselines[best].Score() {
			best = i
		}
	}
	return best, len(m.s.Baselines) > 0
}

// baselineName names a simpler prediction in the words of the data.
func (m *Model) baselineName(i int) string {
	return m.s.Baselines[i].Words(m.s.Nouns)
}

// warnings are those that somebody should look at; leftOut only says what was left
// out of the data.
func (m *Model) warnings() (warnings, leftOut []markup) {
	for _, w := range m.s.Warnings {
		if data.LeavesOut(w) {
			leftOut = append(leftOut, name(w))
		} else {
			warnings = append(warnings, name(w))
		}
	}
	return warnings, leftOut
}

// allOf is "both", or "all 3".
func allOf(n int) string {
	if n == 2 {
		return "both"
	}
	return fmt.Sprintf("all %d", n)
}
