package report

import (
	"fmt"
	"math"
	"strings"

	"optcomplete/internal/chart"
	"optcomplete/model/estimate"
	"optcomplete/result"
	"optcomplete/spec"
)

// predictions answers: how good are the predictions, and against what?
func (m *Model) predictions() section {
	s := section{ID: "predictions", Short: "Predictions", Title: "How good the predictions are, and against what"}
	on, where := "train", m.w("the training {entries} themselves")
	if m.s.Holdout != nil {
		on, where = "holdout", m.w("{entries} that the fit never saw")
	}
	key, measure := m.measure()
	s.Lead = say("On %s %s the predictions are off by %s (RMSE), %s on average (MAE).", m.num(on+".entries", whole), where, m.num(on+".rmse", plain), m.num(on+".mae", plain))
	if key != "rmse" {
		s.Lead = say("On %s %s the %s of the predictions is %s.", m.num(on+".entries", whole), where, measure, m.num(on+"."+key, plain))
	}
	if m.s.Holdout == nil {
		s.add(block{Text: m.h("Nothing was held out, so these errors are too kind: <code>fit --holdout 0.2</code> keeps a fifth of the {entries} aside to score on.")})
	}
	if m.s.Weighted {
		s.add(block{Text: m.h("The {entries} have weights. They count by them in the cost, the bound and these errors, but not in the residuals and examples below.")})
	}
	t := &table{Caption: "Errors", Head: []string{"Prediction", "Entries"}, Text: []bool{true}, Sort: true}
	if key != "rmse" {
		t.Head = append(t.Head, measure)
	}
	t.Head = append(t.Head, "RMSE", "MAE")
	relative := key == "rmse" && m.tellsMAPE()
	if relative {
		t.Head = append(t.Head, "MAPE")
	}
	line := func(what markup, path string) {
		cells := []markup{what, m.num(path+".entries", whole)}
		if key != "rmse" {
			cells = append(cells, m.num(path+"."+key, plain))
		}
		cells = append(cells, m.num(path+".rmse", plain), m.num(path+".mae", plain))
		if relative {
			cells = append(cells, m.num(path+".mape", percent))
		}
		t.row(cells...)
	}
	if m.s.Holdout != nil {
		line(m.h("this model, held-out {entries}"), "holdout")
	}
	line(m.h("this model, training {entries}"), "train")
	m.coverage(&s)
	m.odds(&s, on)
	if len(m.s.Baselines) == 0 {
		if m.selects() {
			s.say("The model was saved without simpler predictions to compare with.")
		}
		s.table(t)
		m.variance(&s)
		return s
	}
	bestAt, _ := m.bestBaseline()
	best := at("baselines", bestAt, key)
	plot := &chart.Rows{Title: "Error against simpler predictions", X: measure + ", compared with " + m.baselineName(bestAt), Zero: true, Percent: true,
		Description: "One bar for this model and one for each simpler prediction: by how much its error differs from that of the best simpler one, on the same entries. To the left of 0 is better."}
	bar := func(what, path string, tone int) {
		_, rmse := m.doc.number(path)
		row := chart.Row{Name: what, Note: plain(rmse), Tone: tone, Tip: fmt.Sprintf("%s: %s %s", what, measure, plain(rmse))}
		if by := m.doc.derive("increase", path, best); !math.IsNaN(by) && !math.IsInf(by, 0) {
			row.Bar = &[2]float64{0, by}
			row.Note = fmt.Sprintf("%s (%s)", plain(rmse), different(by))
		}
		plot.Rows = append(plot.Rows, row)
	}
	bar("this model", on+"."+key, 2)
	if g := m.s.Baselines[bestAt].Gain; g != nil && plot.Rows[0].Bar != nil {
		plot.Rows[0].Thin = &[2]float64{-g.High, -g.Low}
		plot.Legend = []chart.Key{{Part: "thin", Name: "95 % interval of the difference"}}
	}
	for i := range m.s.Baselines {
		line(text(m.baselineName(i)), at("baselines", i))
		bar(m.baselineName(i), at("baselines", i, key), 1)
	}
	if m.doc.derive("decrease", on+"."+key, best) >= 0 {
		s.Lead = say("%s The %s is %s less than that of the best simpler prediction, %s.", s.Lead, measure, m.derived("decrease", on+"."+key, best, percent), m.baselineName(bestAt))
	} else {
		s.Lead = say("%s The %s is %s more than that of a simpler prediction, %s: these features do not help to predict.", s.Lead, measure, m.derived("increase", on+"."+key, best, percent), m.baselineName(bestAt))
	}
	compared := say(m.w("On the same %s {entries}."), m.num(on+".entries", whole))
	if m.s.Diagnostics != nil && m.s.Diagnostics.Sample != nil {
		compared = say(m.w("The simpler predictions are of a sample of %s {rows} with %s {entries} there; the standard error of the best one's %s is %s."),
			m.num("diagnostics.sample.rows", whole), m.num(at("baselines", bestAt, "entries"), whole), measure, m.num(at("baselines", bestAt, "rmse_error"), plain))
	}
	figures := []figure{{Title: plot.Title, SVG: drawn(plot), Caption: say(m.w("%s Means of {rows} and {columns} are shrunk towards the mean of all, by as much as predicts best on a part of the training {entries}."), compared)}}
	if v := m.varianceFigure(); v != nil {
		figures = append(figures, *v)
	}
	s.figures(figures...)
	s.table(t)
	return s
}

// coverage says whether the intervals of predictions hold what they promise.
func (m *Model) coverage(s *section) {
	var parts []string
	for x := range m.s.Coverage {
		path := at("coverage", x)
		parts = append(parts, string(say("%s intervals contain %s of them and are %s wide", m.num(path+".probability", percent), m.num(path+".covered", percent), m.num(path+".width", brief))))
	}
	if len(parts) > 0 {
		s.say("Intervals of predictions (<code>predict --interval</code>), checked on the held-out %s: %s on average.", m.s.Nouns.Entries(), markup(strings.Join(parts, "; ")))
		if m.s.Weighted {
			s.say("There, an interval is that of an entry's weight; those of <code>predict</code> are of an entry of weight 1.")
		}
	}
}

// different shows a relative difference with its sign.
func different(x float64) string {
	if x < 0 {
		return percent(x)
	}
	return morePercent(x)
}

// variance adds the figure of the variance by itself.
func (m *Model) variance(s *section) {
	if v := m.varianceFigure(); v != nil {
		s.figures(*v)
	}
}

// varianceFigure is who explains the variance of the training values; nil if
// that is not known.
func (m *Model) varianceFigure() *figure {
	v := m.s.Variance
	if v == nil || len(v.Terms) != len(m.s.Terms) {
		return nil
	}
	plot := &chart.Rows{Title: "What explains the training values", X: "share of their variance", Zero: true, Percent: true,
		Description: "One bar for each part of the predictions, and for the rest: its share of the variance of the training values. The shares add up to 1."}
	t := &table{Caption: "Shares of the variance of the training values", Head: []string{"Part", "Share"}, Sort: true}
	add := func(what string, path string, share float64, tone int) {
		t.row(name(what), m.num(path, percent))
		plot.Rows = append(plot.Rows, chart.Row{Name: what, Note: percent(share), Bar: &[2]float64{0, share}, Tone: tone, Tip: fmt.Sprintf("%s: %s", what, percent(share))})
	}
	for f, term := range m.s.Terms {
		add(term, at("variance.terms", f), v.Terms[f], 1)
	}
	if spec.EffectsOf(m.s.Model).Rows {
		add(m.w("{row} effects"), "variance.rows", v.Rows, 3)
	}
	if spec.EffectsOf(m.s.Model).Columns {
		add(m.w("{column} effects"), "variance.columns", v.Columns, 3)
	}
	if v.Other != 0 {
		add(estimate.OtherNamed, "variance.other", v.Other, 3)
	}
	if v.Remainder != 0 {
		add(estimate.Unnamed, "variance.remainder", v.Remainder, 3)
	}
	add("not explained", "variance.rest", v.Rest, 5)
	return &figure{Title: plot.Title, SVG: drawn(plot), Table: t, Caption: "Shares add up to 100 %. A part’s share is by how much it lowers the variance of the errors, on average over all orders of adding the parts; negative: it makes them larger. What is not explained is the variance of the errors. Shares are of the training entries; the errors of held-out entries are the fairer measure."}
}

// effects answers: what does each feature do?
func (m *Model) effects() section {
	s := section{ID: "effects", Short: "Features", Title: "What each feature does"}
	d := m.s.Diagnostics
	if d == nil {
		s.Lead = "The model was saved without diagnostics. Fit it again for plots of what each feature does; <code>optcomplete explain MODEL</code> prints it."
		return s
	}
	if m.mixed() {
		s.Lead = mixedLead
		return s
	}
	full := spec.EffectsOf(m.s.Model).Columns
	scale := "in the unit of the values"
	if of := m.s.Loss.Scale(); of != "" {
		scale = "in " + of
	}
	s.Lead = m.h("Every {row} has a coefficient of its own for each feature. The plot shows what one step of a feature adds to a prediction: for the population, and how that differs from {row} to {row}.")
	if full {
		s.Lead += m.h(" It is for {columns} that had {entries}: what {a column} is like for all {rows} is in its {column} effect. A new {column} has none yet, and its features stand in for it; “new {column}” is what a feature adds there.")
	}
	plot := &chart.Rows{Title: "Effect of one step of each feature", X: "change of the prediction, " + scale, Zero: true,
		Description: m.w("For each feature a histogram of its effect over the {rows}, its median, the middle half and nine tenths of the {rows}, and the effect for the population."),
		Legend:      []chart.Key{{Part: "shape", Name: m.w("{rows}")}, {Part: "thin", Name: m.w("90 % of {rows}")}, {Part: "wide", Name: "middle half"}, {Part: "dot", Name: "median"}, {Part: "other", Name: "population"}}}
	t := &table{Caption: m.w("Effects, " + scale + " per unit of the feature: of the population, and quantiles over the {rows}; the part of the {rows} above 0, and the share of the variance"), Sort: true,
		Head: []string{"Feature", "Population", m.w("SD over {rows}"), "5 %", "Median", "95 %", "Above 0", "Variance"}}
	steps := &table{Caption: "Effects of one step", Sort: true, Head: []string{"Feature", "Step", "Population", "5 %", "25 %", "Median", "75 %", "95 %"}}
	if full {
		t.Head, steps.Head = append(t.Head, m.w("New {column}")), append(steps.Head, m.w("New {column}"))
	}
	for f, term := range d.Terms {
		path := func(parts ...any) string { return at(append([]any{"diagnostics.terms", f}, parts...)...) }
		share := markup("–")
		if m.s.Variance != nil {
			share = m.num(path("share"), percent)
		}
		cells, step := []markup{say("%s <small>per %s</small>", name(term.Name), unit(term.Unit)), m.num(path("population"), signed), m.num(path("spread.sd"), plain), m.num(path("spread.q05"), signed), m.num(path("spread.median"), signed), m.num(path("spread.q95"), signed), m.num(path("spread.positive"), percent), share},
			[]markup{name(term.Name), m.num(path("step"), short), m.num(path("per_step"), signed), m.num(path("step_spread.q05"), signed), m.num(path("step_spread.q25"), signed),
				m.num(path("step_spread.median"), signed), m.num(path("step_spread.q75"), signed), m.num(path("step_spread.q95"), signed)}
		tip := ""
		if full {
			cells, step = append(cells, m.num(path("new_column"), signed)), append(step, m.num(path("new_per_step"), signed))
			tip = fmt.Sprintf(m.w("; %s for a new {column}"), signed(term.NewPerStep))
		}
		t.row(cells...)
		steps.row(step...)
		q := term.StepSpread
		plot.Rows = append(plot.Rows, chart.Row{
			Name: term.Name, Note: fmt.Sprintf("step %s", short(term.Step)), Dot: &q.Median, Thin: &[2]float64{q.Q05, q.Q95}, Wide: &[2]float64{q.Q25, q.Q75}, Other: &term.PerStep,
			Shape: shape(term.Histogram.Low, term.Histogram.High, term.Histogram.Counts),
			Tip: fmt.Sprintf(m.w("%s: population %s; 90 %% of the {rows} between %s and %s; %s of the {rows} above 0"),
				term.Name, signed(term.PerStep), signed(q.Q05), signed(q.Q95), percent(q.Positive)) + tip,
		})
	}
	s.figures(figure{Title: plot.Title, SVG: wide(plot), Table: steps, Wide: true,
		Caption: m.h("A step is one standard deviation of the feature over the {columns}, so that features compare; of a feature that is the same everywhere, its value. To the right of 0 the feature raises predictions. The outer 1 % of {rows} at either end are not drawn.")})
	s.table(t)
	s.add(block{Text: m.h("The population’s effect is what {a row} without {entries} gets. Where the {rows} lie on both sides of 0, they differ in the sign of the effect, and an average says little.")})
	return s
}

// mixed tells that the model was saved by a program whose effects of features were
// for new columns only, and so contradicted the sums of predictions.
func (m *Model) mixed() bool {
	if d := m.s.Diagnostics; d == nil || len(d.Terms) == 0 {
		return false
	}
	_, ok := m.doc.find("diagnostics.terms.0.new_per_step")
	return !ok
}

const mixedLead = "An earlier program saved this model, and did not separate what a feature adds for known columns from what it adds for new ones. Fit it again to see both; <code>optcomplete explain MODEL</code> prints them."

// unit names the unit of a feature.
func unit(of string) string {
	if of == "1" {
		return "unit"
	}
	return of
}

func shape(low, high float64, counts []int) []chart.Bar {
	var bars []chart.Bar
	for i, n := range counts {
		w := (high - low) / float64(len(counts))
		bars = append(bars, chart.Bar{Low: low + float64(i)*w, High: low + float64(i+1)*w, Y: float64(n)})
	}
	return bars
}

// tellsMAPE tells whether relative errors say something about the model's values.
func (m *Model) tellsMAPE() bool {
	h := m.s.Holdout
	return result.TellsMAPE(m.s.Train.MAPE, m.s.Train.MAPESkipped) && (h == nil || result.TellsMAPE(h.MAPE, h.MAPESkipped))
}

// measure is the error that predictions are compared by: its key in the metrics of
// model.json, and its name.
func (m *Model) measure() (key, name string) {
	return m.s.Loss.Key(), m.s.Loss.Measure()
}

// odds says how well the model separates yes from no, or how much of the deviance of
// counts it explains; on is "train" or "holdout".
func (m *Model) odds(s *section, on string) {
	metrics := &m.s.Train
	if on == "holdout" {
		metrics = m.s.Holdout
	}
	if metrics.Measures == nil || !m.s.Loss.Linked() || metrics.Explained == 0 { // 0: the mean leaves nothing to explain
		return
	}
	if metrics.AUC == nil || metrics.AUCInterval == nil {
		s.say("The predictions explain %s of the deviance that the mean leaves.", m.num(on+".deviance_explained", percent))
		return
	}
	s.say("The predictions explain %s of the deviance that the mean leaves. A yes has the larger probability than a no in %s of all pairs of the two (AUC %s, 95 %% interval %s to %s); the mean squared error of the probabilities is %s (Brier score).",
		m.num(on+".deviance_explained", percent), m.num(on+".auc", percent), m.num(on+".auc", plain), m.num(on+".auc_interval.low", plain), m.num(on+".auc_interval.high", plain), m.num(on+".brier", plain))
	if len(metrics.ROC) == 0 {
		return
	}
	curve := chart.Series{Name: "ROC"}
	t := &table{Caption: "The ROC curve", Head: []string{"Part of the noes", "Part of the yeses"}}
	for i, p := range metrics.ROC {
		curve.Points = append(curve.Points, chart.Point{X: p.No, Y: p.Yes, Tip: fmt.Sprintf("%s of the yeses at %s of the noes", percent(p.Yes), percent(p.No))})
		t.row(m.num(at(on+".roc", i, "no"), percent), m.num(at(on+".roc", i, "yes"), percent))
	}
	c := &chart.Chart{Title: "How well the predictions separate yes from no", X: "part of the noes above", Y: "part of the yeses above", Same: true, PercentX: true, PercentY: true, Series: []chart.Series{curve},
		Description: "A line from the lower left to the upper right: for every probability, which part of the noes and which part of the yeses has at least that. The higher it runs above the dashed diagonal, the better."}
	s.figures(figure{Title: c.Title, SVG: drawn(c), Table: t, Caption: "For every probability from the largest down: which part of the noes and of the yeses has at least that. On the dashed line the predictions are no better than chance. Calibration, whether a probability of 70 % happens in 70 % of cases, is below with the residuals."})
}
