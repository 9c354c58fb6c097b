package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"optcomplete/internal/chart"
	"optcomplete/internal/lists"
	"optcomplete/result"
)

// alike says how much the choice of γ decides.
func (m *Model) alike(s *section) {
	a := m.s.Alike
	if a.AtEdge(m.s.Gamma) != "" {
		s.say("γ = %s is the %s that was tried, and it predicts best: there may be better ones beyond it.", m.num("gamma", short), a.Edge)
	}
	if a == nil || len(a.Gammas) < 2 {
		return
	}
	gamma, within := m.num("gamma", short), m.num("gamma_alike.tolerance", shortPercent)
	_, measure := m.measure()
	switch {
	case a.Agree:
		s.say("The proof is for γ = %s. Other γ that were tried predict nearly as well (validation %s within %s) and select the same features.", gamma, measure, within)
	case len(a.Shared) == 0:
		s.say("The proof is for γ = %s. Other γ that were tried predict nearly as well (validation %s within %s) and select different features: none is in all of their selections.", gamma, measure, within)
	default:
		s.say("The proof is for γ = %s. Other γ that were tried predict nearly as well (validation %s within %s) and select different features; in all of their selections are %s.", gamma, measure, within, a.Shared)
	}
}

// selected answers: what was selected, and how sure is that?
func (m *Model) selected(path *Path) section {
	s := section{ID: "selected", Short: "The proof", Title: "What is proven, and how much each feature is needed"}
	s.Lead = say("Selected: %s.", m.s.Selected)
	cards := []card{{Name: "Cost of the selection", Value: m.num("cost", exact), Note: m.kind().cost(m)}}
	if m.s.Certified && m.s.Gap < 1 {
		cards = append(cards,
			card{Name: "Bound", Value: m.num("bound", exact), Note: "no selection costs less"},
			card{Name: "Gap", Value: m.num("gap", percent), Note: "(cost − bound) ÷ cost"})
	} else if m.s.Certified {
		cards = append(cards, card{Name: "Bound", Value: "none", Note: "stopped before there was one"})
	} else {
		cards = append(cards, card{Name: "Bound", Value: "none", Note: "samples prove nothing"})
	}
	if m.s.SampledGap != nil {
		cards = append(cards, card{Name: "Gap on samples", Value: m.num("sampled_gap", percent), Note: say(m.w("on %s {rows} each; no proof"), m.optional("sample_rows", whole))})
	}
	cards = append(cards, card{Name: "Status", Value: text(statusText(m.s.Status)), Note: say("method %s", name(m.s.Method))})
	s.add(block{Cards: cards})
	if m.s.Certified && m.s.Gap < 1 {
		s.say("The bound comes from all %s and holds whatever the search did or did not look at. It speaks of the cost on these data; for data to come, see the errors in the next section.", m.kind().fittedOn(m))
	} else {
		s.say("%s", m.certificate())
	}
	m.alike(&s)
	m.spread(&s)
	m.needed(&s)
	m.stability(&s, path)
	return s
}

// needed shows what the selection would cost without each feature.
// mostSpread is how many features the picture of how much rows differ has.
const mostSpread = 20

// spread shows by how much rows differ on each feature, selected or not.
func (m *Model) spread(s *section) {
	u := m.s.Units
	features := u.BySpread()
	if len(features) == 0 {
		return
	}
	if words := u.Words(); words != "" {
		s.say("%s.", strings.ToUpper(words[:1])+words[1:])
	}
	plot := &chart.Rows{Title: "How much " + m.s.Nouns.Rows() + " differ on each feature", X: "standard deviation of the effect", Zero: true,
		Description: "One bar for each feature: the standard deviation, over " + m.s.Nouns.Rows() + ", of what one standard deviation of the feature does to a value. Selected features are marked."}
	t := &table{Caption: plot.Title, Head: []string{"Feature", "Spread", "γ", "Measurable", "Selected"}, Text: []bool{true, false, false, true, true}}
	yes := map[bool]string{true: "yes", false: "no"}
	for x, f := range features {
		if x == mostSpread {
			break
		}
		label := f.Name
		if f.Selected {
			label += " ✓"
		}
		plot.Rows = append(plot.Rows, chart.Row{Name: label, Note: short(f.Spread), Bar: &[2]float64{0, f.Spread}, Tip: fmt.Sprintf("%s: %s", f.Name, short(f.Spread))})
		at := at("units.features", slices.IndexFunc(u.Features, func(g result.FeatureUnit) bool { return g.Name == f.Name }))
		t.row(name(f.Name), m.num(at+".spread", short), m.num(at+".gamma", short), text(yes[f.Measurable]), text(yes[f.Selected]))
	}
	caption := m.h("Learned from all {rows} before anything was selected: the standard deviation, over {rows}, of what one standard deviation of a feature does to a value. ✓ marks the selected ones.")
	if m.s.Loss.Probabilities() {
		caption += " For values of yes and no these are lower estimates."
	}
	if rest := u.Unmeasured(); len(rest) > 0 {
		caption += say(m.w(" {Rows} do not measurably differ on %s."), rest)
	}
	s.figures(figure{Title: plot.Title, SVG: wide(plot), Table: t, Caption: caption, Wide: true})
}

func (m *Model) needed(s *section) {
	if len(m.s.Removal) == 0 {
		s.say("The model was saved without the costs of leaving out each feature.")
		return
	}
	t := &table{Caption: "How much each selected feature is needed", Head: []string{"Feature", "Cost without it", "Increase", "Best selection seen without it", "Its increase"}, Text: []bool{true, false, false, true, false}, Sort: true}
	plot := &chart.Rows{Title: "Increase of the cost without each feature", X: "increase of the cost", Zero: true, Percent: true,
		Description: "One bar for each selected feature: by how much the cost rises if it is left out and nothing takes its place."}
	for i, r := range m.s.Removal {
		cost := at("removal", i, "cost")
		increase := m.doc.derive("increase", cost, "cost")
		instead, more := markup("none seen"), markup("–")
		for x, tie := range m.s.NearTies { // best first
			if out := lists.Without(m.s.Selected, tie.Selected); len(lists.Without([]string{r.Name}, out)) == 0 {
				instead = say("%s instead", lists.Without(tie.Selected, m.s.Selected))
				more = m.derived("increase", at("near_ties", x, "cost"), "cost", morePercent)
				break
			}
		}
		t.row(name(r.Name), m.num(cost, exact), m.derived("increase", cost, "cost", morePercent), instead, more)
		if math.IsInf(increase, 0) || math.IsNaN(increase) {
			continue // the cost is 0
		}
		plot.Rows = append(plot.Rows, chart.Row{Name: r.Name, Note: morePercent(increase), Bar: &[2]float64{0, increase}, Tip: fmt.Sprintf("%s: cost %s without it", r.Name, morePercent(increase))})
	}
	s.add(block{Heading: "How much each feature is needed"})
	if len(plot.Rows) > 0 {
		caption := markup("The more the cost rises, the more the selection depends on the feature. No other feature takes its place here; the table also names the best replacement seen.")
		s.figures(figure{Title: plot.Title, SVG: wide(plot), Caption: caption, Wide: true})
	}
	s.table(t)
}

// stability shows how often resampled rows select the same.
func (m *Model) stability(s *section, path *Path) {
	if path == nil || path.Stability == nil || path.Stability.Resamples == 0 {
		return
	}
	b := path.Stability
	s.add(block{Heading: "How stable the selection is"})
	s.say(m.w("The {rows} were drawn anew %s times (bootstrap). Asked for %s features, %s of these resamples select exactly %s."),
		path.doc.num("stability.resamples", whole), path.doc.num("stability.k", whole), path.doc.num("stability.same", whole), b.Selected)
	t := &table{Caption: "How many resamples select each feature", Head: []string{"Feature", "Resamples"}, Sort: true}
	plot := &chart.Rows{Title: "Resamples that select each feature", X: "part of the resamples", Zero: true, Percent: true, Description: "One bar for each feature that at least one resample selects."}
	for i, f := range b.Features {
		t.row(name(f.Feature), path.doc.num(at("stability.features", i, "times"), whole))
		if i < 20 {
			part := float64(f.Times) / float64(b.Resamples)
			tone := 1
			if len(lists.Without([]string{f.Feature}, b.Selected)) > 0 {
				tone = 5
			}
			plot.Rows = append(plot.Rows, chart.Row{Name: f.Feature, Note: percent(part), Bar: &[2]float64{0, part}, Tone: tone})
		}
	}
	s.figures(figure{Title: plot.Title, SVG: wide(plot), Table: t, Wide: true, Caption: m.h("Blue: selected on all {rows}. Amber: only on some resamples.")})
}

// nearTies answers: which selections are nearly as good?
func (m *Model) nearTies() section {
	s := section{ID: "ties", Short: "Near ties", Title: "Which selections are nearly as good"}
	if len(m.s.NearTies) == 0 {
		s.Lead = "No other selection was kept: the search saw none that is close, or was asked to report none (--near-ties)."
		return s
	}
	best := at("near_ties", 0, "cost")
	s.Lead = say("The next best selection seen costs %s more: %s.", m.derived("increase", best, "cost", percent), m.exchange(m.s.NearTies[0]))
	if m.s.Cost == 0 {
		s.Lead = say("The selection leaves nothing unexplained; the next best one seen costs %s: %s.", m.num(best, exact), m.exchange(m.s.NearTies[0]))
	}
	plot := &chart.Rows{Title: "Other selections seen, by what they cost more", X: "increase of the cost", Zero: true, Percent: true,
		Description: "One bar for each of the best other selections that the search saw: by how much its cost is above that of the selection."}
	t := &table{Caption: "The best other selections seen", Head: []string{"Exchange", "Cost", "Increase"}, Sort: true}
	for i, tie := range m.s.NearTies {
		cost := at("near_ties", i, "cost")
		increase := m.doc.derive("increase", cost, "cost")
		out, in := lists.Without(m.s.Selected, tie.Selected), lists.Without(tie.Selected, m.s.Selected)
		label := join(in) + " instead of " + join(out)
		t.row(m.exchange(tie), m.num(cost, exact), m.derived("increase", cost, "cost", morePercent))
		if math.IsInf(increase, 0) || math.IsNaN(increase) {
			continue // the cost is 0
		}
		plot.Rows = append(plot.Rows, chart.Row{Name: label, Note: morePercent(increase), Bar: &[2]float64{0, increase}, Tip: label + ": cost " + morePercent(increase)})
	}
	if len(plot.Rows) > 0 {
		s.figures(figure{Title: plot.Title, SVG: wide(plot), Table: t, Wide: true})
	} else {
		s.table(t)
	}
	s.table(m.membership())
	s.say("These are the best that the search met on its way to the proof; there may be others between them. Features that replace each other at a small price carry the same information: say so when you tell the story of one of them.")
	return s
}

func join(list []string) string {
	out := ""
	for i, x := range list {
		if i > 0 {
			out += ", "
		}
		out += x
	}
	return out
}

func (m *Model) exchange(tie result.NearTie) markup {
	return say("%s instead of %s", lists.Without(tie.Selected, m.s.Selected), lists.Without(m.s.Selected, tie.Selected))
}

// membership is which selection has which feature.
func (m *Model) membership() *table {
	t := &table{Caption: "Which selection has which feature", Head: []string{"Feature", "Selected"}}
	features := append([]string{}, m.s.Selected...)
	for i, tie := range m.s.NearTies {
		t.Head = append(t.Head, fmt.Sprintf("Next %d", i+1))
		features = append(features, lists.Without(tie.Selected, features)...)
	}
	for _, f := range features {
		cells := []markup{name(f), has(m.s.Selected, f)}
		for _, tie := range m.s.NearTies {
			cells = append(cells, has(tie.Selected, f))
		}
		t.row(cells...)
	}
	return t
}

// has marks whether a list has a name, for eyes and for ears.
func has(list []string, name string) markup {
	if len(lists.Without([]string{name}, list)) == 0 {
		return `<span class="yes" role="img" aria-label="yes">●</span>`
	}
	return `<span class="no" role="img" aria-label="no">·</span>`
}
