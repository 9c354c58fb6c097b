package report

import (
	"cmp"
	"fmt"
	"strings"

	"optcomplete/internal/chart"
	"optcomplete/result"
)

// traceRows is how many moments of the search its table has at most, beside the
// incumbents.
const traceRows = 40

// search answers: how did the search go?
func (m *Model) search() section {
	s := section{ID: "search", Short: "The search", Title: "How the search went"}
	cards, total := m.kind().times(m)
	s.Lead = say("Nodes of the search: %s; cuts: %s; passes over the data: %s; selections enumerated: %s. The whole fit took %s.",
		m.num("nodes", whole), m.num("cuts", whole), m.num("passes", whole), m.num("enumerated", whole), m.num(total, seconds))
	if cards != nil {
		s.add(block{Cards: cards})
	}
	if m.s.Solver != "" {
		s.say("The masters were solved by %s: %s nodes in %s.", text(m.s.Solver+" "+m.s.SolverVersion), m.optional("master_nodes", whole), m.optional("master_seconds", seconds))
	}
	if len(m.s.Trace) == 0 {
		s.say("The model was saved without the course of its search.")
		return s
	}
	s.figures(m.traceFigures()...)
	return s
}

// optional is num, or 0 where model.json leaves a zero out.
func (m *Model) optional(path string, style style) markup {
	if _, ok := m.doc.find(path); !ok {
		return text(style(0))
	}
	return m.num(path, style)
}

// traceFigures are cost and bound over time, and the gap between them.
func (m *Model) traceFigures() []figure {
	incumbent := chart.Series{Name: "cost of the incumbent", Step: true, Tone: 2}
	bound := chart.Series{Name: "bound", Step: true, Tone: 1}
	sampleCost := chart.Series{Name: "cost on samples", Step: true, Dash: true, Tone: 5}
	sampleBound := chart.Series{Name: "bound on samples", Step: true, Dash: true, Tone: 6}
	gap := chart.Series{Name: "gap", Step: true}
	t := &table{Caption: "The course of the search: every incumbent, and moments between", Text: []bool{false, false, false, false, false, false, true},
		Head: []string{"Time", "Cost", "Bound", "Nodes", "Cuts", "Passes", "Incumbent found by"}}
	every := max(1, len(m.s.Trace)/traceRows)
	for i, p := range m.s.Trace {
		cost, below := &incumbent, &bound
		if p.Sampled {
			cost, below = &sampleCost, &sampleBound
		}
		cost.Points = append(cost.Points, chart.Point{X: p.Seconds, Y: p.Cost})
		cell := markup("–")
		if p.Bound != nil {
			cell = m.num(at("trace", i, "bound"), exact)
			below.Points = append(below.Points, chart.Point{X: p.Seconds, Y: *p.Bound})
		}
		if g, ok := gapAt(p); ok && g > 1e-9 {
			gap.Points = append(gap.Points, chart.Point{X: p.Seconds, Y: g})
		}
		if p.Source == "" && i%every != 0 && i != len(m.s.Trace)-1 {
			continue
		}
		source := p.Source
		if p.Sampled {
			source = strings.TrimSpace(source + " (on a sample)")
		}
		t.row(m.num(at("trace", i, "seconds"), seconds), m.num(at("trace", i, "cost"), exact), cell,
			m.num(at("trace", i, "nodes"), whole), m.num(at("trace", i, "cuts"), whole), m.num(at("trace", i, "passes"), whole), text(source))
	}
	c := &chart.Chart{Title: "Cost and bound over time", X: "seconds of search", Y: "cost",
		Description: "Stepped lines over time: the cost of the best selection so far, which falls, and the bound, which rises. Where they meet, the selection is proven optimal."}
	for _, s := range []chart.Series{incumbent, bound, sampleCost, sampleBound} {
		if len(s.Points) == 1 { // a line needs two
			s.Marks = true
		}
		if len(s.Points) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	caption := markup("The cost of the best selection so far falls, the bound rises; where they meet, nothing better is left.")
	if len(bound.Points) == 0 {
		caption = "There was no bound on all entries: nothing is proven."
	}
	if len(sampleCost.Points) > 0 {
		caption = say("%s Dashed lines are costs and bounds of samples: they may move in either direction and prove nothing.", caption)
	}
	out := []figure{{Title: c.Title, SVG: drawn(c), Caption: caption, Table: t}}
	if len(gap.Points) > 1 {
		g := &chart.Chart{Title: "Gap over time", X: "seconds of search", Y: "gap", LogY: true, PercentY: true, Series: []chart.Series{gap},
			Description: "A stepped line over time, on a logarithmic axis: the gap between cost and bound."}
		caption := markup("On a logarithmic axis. The numbers are those of the plot of cost and bound: (cost − bound) ÷ cost, and 100 % before there is a bound.")
		if last := m.s.Trace[len(m.s.Trace)-1]; m.s.Status == "optimal" {
			g.Rules = []chart.Rule{{Upright: true, X: last.Seconds, Label: "proven"}}
			caption = say("%s At the dashed line it is closed, which a logarithmic axis cannot show.", caption)
		}
		out = append(out, figure{Title: g.Title, SVG: drawn(g), Caption: caption})
	}
	return out
}

// gapAt is the gap at a moment of the search, all of the cost before there is a
// bound; not ok on samples, and where the cost is 0.
func gapAt(p result.TracePoint) (gap float64, ok bool) {
	switch {
	case p.Sampled || p.Cost <= 0:
		return 0, false
	case p.Bound == nil:
		return 1, true
	}
	return min((p.Cost-*p.Bound)/p.Cost, 1), true
}

// choices answers: how does the error change with k and γ?
func (m *Model) choices(path *Path) section {
	s := section{ID: "choices", Short: "k and γ", Title: "How the error changes with k and γ"}
	s.Lead = say(m.w("This fit uses k = %s and γ = %s. More features or a larger γ always fit the training {entries} better; whether they predict better is another question."), m.num("k", whole), m.num("gamma", short))
	if u := m.s.Units; u != nil && u.Learned {
		s.Lead = say(m.w("This fit uses k = %s. More features always fit the training {entries} better; whether they predict better is another question."), m.num("k", whole))
	}
	m.gammaPath(&s)
	if path == nil {
		s.add(block{Heading: "The number of features, k"})
		s.say("This report was made without a path over k. To see how the error changes with the number of features, run")
		s.add(block{Code: m.kind().path(m) + " --json > path.json\noptcomplete report MODEL --path path.json -o report.html"})
		return s
	}
	m.kPath(&s, path)
	return s
}

func (m *Model) gammaPath(s *section) {
	if u := m.s.Units; u != nil && u.Learned {
		return // it is with the proof
	}
	s.add(block{Heading: "The weight of the fit, γ"})
	if len(m.s.GammaPath) == 0 {
		s.say("γ was given, or there was nothing to validate it on: no other was tried. ")
		return
	}
	_, measure := m.measure()
	line := chart.Series{Name: "validation", Marks: true}
	t := &table{Caption: "γ tried on validation entries", Head: []string{"γ", measure, "Selected"}, Text: []bool{false, false, true}, Sort: true}
	for i, g := range m.s.GammaPath {
		line.Points = append(line.Points, chart.Point{X: g.Gamma, Y: g.RMSE, Tip: fmt.Sprintf("γ = %s: %s %s", short(g.Gamma), measure, plain(g.RMSE))})
		t.row(m.num(at("gamma_path", i, "gamma"), short), m.num(at("gamma_path", i, "rmse"), exact), say("%s", g.Selected))
	}
	chosen := []chart.Rule{{Upright: true, X: m.s.Gamma, Label: "used"}}
	a := &chart.Chart{Title: "Validation error by γ", X: "γ (logarithmic)", Y: measure, LogX: true, Series: []chart.Series{line}, Rules: chosen,
		Description: "A line: the error on validation entries for each γ tried. A dashed upright line marks the γ of this fit."}
	s.figures(figure{Title: a.Title, SVG: drawn(a), Table: t, Caption: m.kind().validated(m)})
}

func (m *Model) kPath(s *section, path *Path) {
	s.add(block{Heading: "The number of features, k"})
	if path.Model != m.s.Model {
		s.say("The path is of the model %s, this fit of the model %s: compare with care.", name(path.Model), name(m.s.Model))
	}
	if path.Weighted != m.s.Weighted {
		with, without := "the path", "this fit"
		if m.s.Weighted {
			with, without = without, with
		}
		s.add(block{Text: m.h("In " + with + " {entries} count by their weights, in " + without + " they do not: errors do not compare.")})
	}
	measure := cmp.Or(path.Measure, "RMSE")
	training, validation := chart.Series{Name: "training", Marks: true, Tone: 5}, chart.Series{Name: "validation", Marks: true, Tone: 1}
	t := &table{Caption: "Every number of features", Head: []string{"k", "Training " + measure, "Validation " + measure, "Standard error", "Gap", "Entering", "Leaving"}, Text: []bool{false, false, false, false, false, true, true}, Sort: true}
	for i, p := range path.Points {
		here := func(key string) string { return at("path", i, key) }
		training.Points = append(training.Points, chart.Point{X: float64(p.K), Y: p.Train, Tip: fmt.Sprintf("k = %d: training %s %s", p.K, measure, plain(p.Train))})
		v, e := markup("–"), markup("–")
		if path.Folds > 0 {
			validation.Points = append(validation.Points, chart.Point{X: float64(p.K), Y: p.Validation, Error: p.Error, Tip: fmt.Sprintf("k = %d: validation %s %s ± %s", p.K, measure, plain(p.Validation), plain(p.Error))})
			v, e = path.doc.num(here("validation_rmse"), exact), path.doc.num(here("standard_error"), plain)
		}
		t.row(path.doc.num(here("k"), whole), path.doc.num(here("train_rmse"), exact), v, e, path.doc.num(here("gap"), percent), say("%s", p.Entering), say("%s", p.Leaving))
	}
	c := &chart.Chart{Title: "Error by number of features", X: "k, features selected", Y: measure, Series: []chart.Series{validation, training}, Rules: []chart.Rule{{Upright: true, X: float64(m.s.K), Label: "this fit"}},
		Description: "Two lines over the number of features: the error on validation entries, with one standard error, and that on the training entries."}
	caption := markup("The path was not validated.")
	if path.Chosen > 0 {
		caption = say("Bars: one standard error over %s folds. The least validation error is at k = %s; within one standard error of it, the fewest features are k = %s.",
			path.doc.num("folds", whole), path.doc.num("best", whole), path.doc.num("chosen", whole))
	}
	s.figures(figure{Title: c.Title, SVG: wide(c), Caption: caption, Table: t, Wide: true})
}
