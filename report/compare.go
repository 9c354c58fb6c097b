package report

import (
	"fmt"
	"io"
	"slices"

	"optcomplete/evaluate"
	"optcomplete/internal/chart"
	"optcomplete/internal/lists"
)

// Compare writes a page with several models side by side: all of them regressions, or
// none.
func Compare(w io.Writer, models []*Model) (err error) {
	defer recovered(&err)
	c := &comparison{models: models, labels: labels(models)}
	for i, m := range models {
		one := *m // a document of its own name, for data-doc
		doc := *m.doc
		doc.name = fmt.Sprint(i)
		one.doc = &doc
		c.models[i] = &one
	}
	p := &page{
		Title:    fmt.Sprintf("%d models – OptComplete", len(models)),
		Heading:  say("%s models side by side", text(fmt.Sprint(len(models)))),
		Verdict:  c.verdict(),
		Warnings: c.warnings(),
		Sections: slices.Concat([]section{c.selections()}, c.tested(), models[0].kind().compared(c), []section{c.searches(), c.settings()}),
		Footer:   "Every number of a model is the one in its model.json; it is in the page with all its digits.",
	}
	return p.write(w)
}

type comparison struct {
	models []*Model
	labels []string // short and different
}

// labels names the models by their folders; those that share one by what differs.
func labels(models []*Model) []string {
	times := map[string]int{}
	for _, m := range models {
		times[m.Name]++
	}
	out := make([]string, len(models))
	for i, m := range models {
		if out[i] = m.Name; times[m.Name] > 1 {
			out[i] = fmt.Sprintf("%s %d", m.Name, i+1)
		}
	}
	return out
}

// verdict says what all have in common.
func (c *comparison) verdict() markup {
	var selecting []*Model
	var others []string
	for i, m := range c.models {
		if m.selects() {
			selecting = append(selecting, m)
		} else {
			others = append(others, c.labels[i])
		}
	}
	if len(selecting) < 2 { // one has nobody to agree with
		return say("No features are selected by %s.", others)
	}
	who, tail := "All of them", markup("")
	if len(others) > 0 {
		who, tail = "All that select features", say(" None are selected by %s.", others)
	}
	first := selecting[0].s.Selected
	all := first
	same := true
	for _, m := range selecting[1:] {
		same = same && len(m.s.Selected) == len(first) && len(lists.Without(first, m.s.Selected)) == 0
		all = lists.Without(all, lists.Without(all, m.s.Selected))
	}
	switch {
	case same:
		return say("%s select the same features: %s.%s", who, first, tail)
	case len(all) == 0:
		return say("No feature is in all selections.%s", tail)
	}
	return say("%s select %s.%s", who, all, tail)
}

// warnings tells what makes the models hard to compare.
func (c *comparison) warnings() []markup {
	var out []markup
	first := c.models[0]
	for i, m := range c.models[1:] {
		label := name(c.labels[i+1])
		if why := first.kind().apart(first, m, name(c.labels[0]), label); why != "" {
			out = append(out, why)
		}
		if first.s.Features != m.s.Features && first.selects() && m.selects() {
			out = append(out, say("%s selects from %s features, %s from %s.", label, m.num("features", whole), name(c.labels[0]), first.num("features", whole)))
		}
	}
	return out
}

func entries(m *Model) int {
	if m.s.Holdout != nil {
		return m.s.Observed + m.s.Holdout.Entries
	}
	return m.s.Observed
}

// selections is a matrix of features and models.
func (c *comparison) selections() section {
	s := section{ID: "selections", Short: "Selections", Title: "Which model selects which feature"}
	t := &table{Caption: "Features that at least one model selects", Head: append([]string{"Feature"}, c.labels...)}
	t.Head = append(t.Head, "Models")
	var features []string
	for _, m := range c.models {
		features = append(features, lists.Without(m.s.Selected, features)...)
	}
	for _, f := range features {
		cells := []markup{name(f)}
		times := 0
		for _, m := range c.models {
			if len(lists.Without([]string{f}, m.s.Selected)) == 0 {
				times++
			}
			cells = append(cells, has(m.s.Selected, f))
		}
		t.row(append(cells, computed(float64(times), whole))...)
	}
	t.Sort = true
	s.table(t)
	return s
}

// Test is how well a model predicts entries that all models compared are scored on.
type Test struct {
	Entries   int
	RMSE, MAE evaluate.Interval
	Fitted    int // of the entries, how many the model was fitted on
}

// tested compares the errors on the same entries.
func (c *comparison) tested() []section {
	s := section{ID: "test", Short: "Test", Title: "How well they predict the same test entries"}
	t := &table{Caption: "Errors on the test entries, with 95 % intervals", Sort: true, Head: []string{"Model", "RMSE", "95 % from", "to", "MAE", "95 % from", "to", "Entries"}}
	plot := &chart.Rows{Title: "Error on the test entries", X: "RMSE, in the unit of the values",
		Description: "For each model a dot for the root mean squared error on the test entries, and its 95 % interval.",
		Legend:      []chart.Key{{Part: "dot", Name: "RMSE"}, {Part: "thin", Name: "95 % interval"}}}
	best := -1
	for i, m := range c.models {
		of := m.Test
		if of == nil {
			continue
		}
		if best < 0 || of.RMSE.Value < c.models[best].Test.RMSE.Value {
			best = i
		}
		cells := []markup{name(c.labels[i])}
		for _, x := range []evaluate.Interval{of.RMSE, of.MAE} {
			cells = append(cells, computed(x.Value, plain))
			for _, end := range []float64{x.Low, x.High} {
				if x.Low < x.High {
					cells = append(cells, computed(end, plain))
				} else {
					cells = append(cells, "–")
				}
			}
		}
		t.row(append(cells, computed(float64(of.Entries), whole))...)
		plot.Rows = append(plot.Rows, chart.Row{Name: c.labels[i], Note: plain(of.RMSE.Value), Dot: &of.RMSE.Value, Thin: &[2]float64{of.RMSE.Low, of.RMSE.High},
			Tip: fmt.Sprintf("%s: RMSE %s, 95 %% interval %s to %s", c.labels[i], plain(of.RMSE.Value), plain(of.RMSE.Low), plain(of.RMSE.High))})
	}
	if best < 0 {
		return nil
	}
	lead := say("%s has the least error.", name(c.labels[best]))
	for i, m := range c.models {
		if m.Test != nil && m.Test.Fitted > 0 {
			lead = say("%s was fitted on %s of these entries and knows their values, so the errors do not tell which model predicts better: score all on entries that none has seen.",
				name(c.labels[i]), computed(float64(m.Test.Fitted), whole))
			break
		}
	}
	s.Lead = lead + say(" An interval is that of one model alone: all miss the same entries, so models may differ beyond chance whose intervals overlap.")
	s.figures(figure{Title: plot.Title, SVG: wide(plot), Wide: true, Caption: "The axis does not begin at 0."})
	s.table(t)
	return []section{s}
}

// quality compares costs, certificates and errors.
func (c *comparison) quality() section {
	s := section{ID: "quality", Short: "Cost and error", Title: "What they cost, what is proven, and how well they predict"}
	t := &table{Caption: "Cost and certificate. Costs compare only for the same model, loss and γ on the same data", Sort: true, Text: []bool{true, true, true, true},
		Head: []string{"Model", "Method", "Kind", "Loss", "k", "γ", "Cost", "Bound", "Gap", "Status"}}
	e := &table{Caption: "Errors; the entries are those held out", Sort: true, Head: []string{"Model", "Training RMSE", "Hold-out RMSE", "Hold-out MAE", "Hold-out MAPE", "Entries", "A remainder would gain"}}
	plot := &chart.Rows{Title: "Error of the predictions", X: "RMSE, in the unit of the values",
		Description: "For each model a dot for the root mean squared error on held-out entries and a diamond for that on the training entries.",
		Legend:      []chart.Key{{Part: "dot", Name: "held-out entries"}, {Part: "other", Name: "training entries"}}}
	for i, m := range c.models {
		t.row(append([]markup{name(c.labels[i]), text(m.s.Method), text(m.s.Model), text(m.lossText())}, m.proven()...)...)
		cells := []markup{name(c.labels[i]), m.num("train.rmse", plain), "–", "–", "–", "–", m.known("remainder_trial.gain", percent)}
		row := chart.Row{Name: c.labels[i], Note: "training " + plain(m.s.Train.RMSE), Other: &m.s.Train.RMSE, Tip: c.labels[i] + ": training RMSE " + plain(m.s.Train.RMSE)}
		if h := m.s.Holdout; h != nil {
			relative := markup("–")
			if m.tellsMAPE() {
				relative = m.num("holdout.mape", percent)
			}
			cells = append(cells[:2], m.num("holdout.rmse", plain), m.num("holdout.mae", plain), relative, m.num("holdout.entries", whole), cells[6])
			row.Dot, row.Note, row.Tip = &h.RMSE, plain(h.RMSE), fmt.Sprintf("%s: RMSE %s on held-out, %s on training entries", c.labels[i], plain(h.RMSE), plain(m.s.Train.RMSE))
		}
		e.row(cells...)
		plot.Rows = append(plot.Rows, row)
	}
	s.table(t)
	s.figures(figure{Title: plot.Title, SVG: wide(plot), Wide: true, Caption: "The axis does not begin at 0."})
	s.table(e)
	return s
}

// lossText names the loss, and whether entries count by weights.
func (m *Model) lossText() string {
	if m.s.Weighted {
		return m.s.Loss.String() + ", weighted"
	}
	return m.s.Loss.String()
}

// known is a number, or a dash if the model does not have it.
func (m *Model) known(path string, style style) markup {
	if _, ok := m.doc.find(path); !ok {
		return "–"
	}
	return m.num(path, style)
}

// proven is k, γ, cost, bound, gap and status.
func (m *Model) proven() []markup {
	if !m.selects() {
		return []markup{"–", "–", "–", "–", "–", text(statusText(m.s.Status))}
	}
	bound, gap := markup("none"), markup("–")
	if m.s.Certified {
		bound, gap = m.num("bound", exact), m.num("gap", percent)
	}
	return []markup{m.num("k", whole), m.num("gamma", short), m.num("cost", exact), bound, gap, text(statusText(m.s.Status))}
}

// effects compares what the features do.
func (c *comparison) effects() section {
	s := section{ID: "effects", Short: "Effects", Title: "What the features do in each model"}
	t := &table{Caption: "Effect of a feature for the population, in the unit of the values (by the losses logistic and poisson: log-odds, log-rate) per unit of the feature", Head: append([]string{"Feature"}, c.labels...), Sort: true}
	var terms []string
	for _, m := range c.models {
		if m.s.Diagnostics != nil {
			terms = append(terms, lists.Without(m.s.Terms, terms)...)
		}
	}
	if len(terms) == 0 {
		s.Lead = "None of the models was saved with what its features do."
		return s
	}
	s.Lead = "For each feature the population’s effect, and the middle nine tenths of the rows. Coefficients of the same feature differ between models because they are shared with the other features."
	plot := &chart.Rows{Title: "Effect of one step, by feature and model", X: "change of the prediction, in the unit of the values", Zero: true,
		Description: "For each feature and model the median effect of one standard deviation over the rows, the middle half and nine tenths of the rows, and the effect for the population.",
		Legend:      []chart.Key{{Part: "thin", Name: "90 % of rows"}, {Part: "wide", Name: "middle half"}, {Part: "dot", Name: "median"}, {Part: "other", Name: "population"}}}
	for _, term := range terms {
		cells := []markup{name(term)}
		for i, m := range c.models {
			cell := markup("–")
			if d := m.s.Diagnostics; d != nil {
				for f := range d.Terms {
					if x := &d.Terms[f]; x.Name == term {
						cell = m.num(at("diagnostics.terms", f, "population"), signed)
						q := x.StepSpread
						plot.Rows = append(plot.Rows, chart.Row{Name: term, Note: c.labels[i], Dot: &q.Median, Thin: &[2]float64{q.Q05, q.Q95}, Wide: &[2]float64{q.Q25, q.Q75}, Other: &x.PerStep, Tone: []int{1, 3, 4, 5, 6}[i%5],
							Tip: fmt.Sprintf("%s in %s: population %s; 90 %% of the rows between %s and %s", term, c.labels[i], signed(x.PerStep), signed(q.Q05), signed(q.Q95))})
					}
				}
			}
			cells = append(cells, cell)
		}
		t.row(cells...)
	}
	if len(plot.Rows) <= 120 {
		s.figures(figure{Title: plot.Title, SVG: wide(plot), Wide: true, Caption: "A step is one standard deviation of the feature over the columns."})
	}
	s.table(t)
	return s
}

// searches compares the courses of the searches.
func (c *comparison) searches() section {
	s := section{ID: "searches", Short: "Searches", Title: "How the searches went"}
	t := &table{Caption: "Work and time", Sort: true, Head: []string{"Model", "Nodes", "Cuts", "Passes", "Enumerated", "Selecting", "Proving", "Total"}}
	gap := &chart.Chart{Title: "Gap over time", X: "seconds of search", Y: "gap", LogY: true, PercentY: true, Description: "A stepped line for each model: the gap between cost and bound over time."}
	for i, m := range c.models {
		_, total := m.kind().times(m)
		t.row(name(c.labels[i]), m.optional("nodes", whole), m.optional("cuts", whole), m.optional("passes", whole), m.optional("enumerated", whole),
			m.known("seconds.select", seconds), m.known("seconds.certify", seconds), m.num(total, seconds))
		line := chart.Series{Name: c.labels[i], Step: true}
		for _, p := range m.s.Trace {
			if g, ok := gapAt(p); ok {
				line.Points = append(line.Points, chart.Point{X: p.Seconds, Y: max(g, 1e-6)})
			}
		}
		if len(line.Points) > 1 {
			gap.Series = append(gap.Series, line)
		}
	}
	if len(gap.Series) > 0 {
		s.figures(figure{Title: gap.Title, SVG: wide(gap), Wide: true, Caption: "On a logarithmic axis; a line that reaches the foot ends with a proof. The reports of the single models have the numbers."})
	}
	s.table(t)
	return s
}

// settings compares how the models were made.
func (c *comparison) settings() section {
	s := section{ID: "settings", Short: "Settings", Title: "Settings, to make them again"}
	for i, m := range c.models {
		s.add(block{Heading: c.labels[i], Code: m.command()})
	}
	return s
}

// compared compares regressions.
func (g regression) compared(c *comparison) []section {
	s := section{ID: "quality", Short: "Cost and error", Title: "What they cost, what is proven, and how well they explain"}
	t := &table{Caption: "Cost and certificate. Costs compare only for the same loss and γ on the same rows", Sort: true, Text: []bool{true, true, true},
		Head: []string{"Model", "Target", "Loss", "k", "γ", "Cost", "Bound", "Gap", "Status"}}
	e := &table{Caption: "Errors", Sort: true, Head: []string{"Model", "Rows", "RMSE", "MAE", "R²", "Rows held out", "RMSE", "MAE", "R²"}}
	for i, m := range c.models {
		label := name(c.labels[i])
		t.row(append([]markup{label, name(m.r.Target), text(m.r.Loss.String())}, m.proven()...)...)
		cells := []markup{label, m.num("rows", whole), m.num("rmse", plain), m.optional("mae", plain), m.num("r_squared", percent), "–", "–", "–", "–"}
		if m.r.Holdout != nil {
			cells = append(cells[:5], m.num("holdout.rows", whole), m.num("holdout.rmse", plain), m.optional("holdout.mae", plain), m.num("holdout.r_squared", percent))
		}
		e.row(cells...)
	}
	s.table(t)
	s.table(e)

	effects := section{ID: "effects", Short: "Effects", Title: "What the features do in each model",
		Lead: "Coefficients, in the units of the table. Those of the same feature differ because they are shared with the other features."}
	u := &table{Caption: "Coefficient of each feature", Head: append([]string{"Feature"}, c.labels...), Sort: true}
	var features []string
	for _, m := range c.models {
		features = append(features, lists.Without(m.s.Selected, features)...)
	}
	for _, feature := range features {
		cells := []markup{name(feature)}
		for _, m := range c.models {
			cell := markup("–")
			for x, selected := range m.s.Selected {
				if selected == feature {
					cell = m.num(at("coefficients", x), signed)
				}
			}
			cells = append(cells, cell)
		}
		u.row(cells...)
	}
	effects.table(u)
	return []section{s, effects}
}

// apart tells what a saved regression knows of its table.
func (regression) apart(first, m *Model, named, label markup) markup {
	a, b := first.r, m.r
	switch rows := func(m *Model) int {
		if h := m.r.Holdout; h != nil {
			return m.r.Rows + h.Rows
		}
		return m.r.Rows
	}; {
	case a.Target != b.Target:
		return say("%s explains %s, and %s explains %s. Costs and errors do not compare.", label, name(b.Target), named, name(a.Target))
	case rows(first) != rows(m):
		return say("%s was fitted to another table than %s: it has another number of rows. Costs and errors do not compare.", label, named)
	case a.Loss != b.Loss:
		return say("%s was fitted by another loss than %s. Costs do not compare.", label, named)
	}
	return say("A regression is saved without a fingerprint of its table: whether %s and %s were fitted to the same rows is not known.", label, named)
}
