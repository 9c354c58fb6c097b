package report

import (
	"fmt"
	"math"
	"slices"

	"optcomplete/internal/chart"
	"optcomplete/result"
)

// onWhat says which entries the residuals are of.
func (m *Model) onWhat() string {
	what := m.w("training {entries} (nothing was held out)")
	if m.s.Diagnostics.On == "holdout" {
		what = m.w("held-out {entries}")
	}
	if sample := m.s.Diagnostics.Sample; sample != nil {
		what += fmt.Sprintf(m.w(" of a sample of %s {rows}"), whole(float64(sample.Rows)))
	}
	return what
}

// missing says why there are no diagnostics.
func (m *Model) missing() markup {
	return m.kind().missing()
}

// residuals answers: how do the residuals look?
func (m *Model) residuals() section {
	s := section{ID: "residuals", Short: "Residuals", Title: "How the residuals look"}
	d := m.s.Diagnostics
	if d == nil {
		s.Lead = m.missing()
		return s
	}
	s.Lead = say("A residual is the observed value minus its prediction, here of the %s. Good residuals are small, centred on 0 and show no pattern.", m.onWhat())
	var first []figure
	if f := m.residualHistogram(); f != nil {
		first = append(first, *f)
	}
	if f := m.calibrationFigure(); f != nil {
		first = append(first, *f)
	}
	second := m.byEntries()
	if len(first)+len(second) == 0 {
		s.say("There are no entries to look at.")
		return s
	}
	s.figures(append(first, second...)...)
	m.byTerm(&s)
	return s
}

func (m *Model) residualHistogram() *figure {
	h := m.s.Diagnostics.Residuals
	if len(h.Counts) == 0 {
		return nil
	}
	c := &chart.Chart{Title: "Residuals", X: "observed − predicted, in the unit of the values", Y: m.w("{entries}"), Rules: []chart.Rule{{Upright: true, X: 0}},
		Description: "A histogram of the residuals around 0."}
	t := &table{Caption: "Residuals", Head: []string{"Middle of the bar", "Entries"}}
	for i, b := range shape(h.Low, h.High, h.Counts) {
		middle := (b.Low + b.High) / 2
		b.Tip = fmt.Sprintf(m.w("%s to %s: %s {entries}"), signed(b.Low), signed(b.High), whole(b.Y))
		c.Bars = append(c.Bars, b)
		t.row(computed(middle, signed), m.num(at("diagnostics.residuals.counts", i), whole))
	}
	return &figure{Title: c.Title, SVG: drawn(c), Table: t, Caption: say("From %s to %s, four times the RMSE either way; what lies beyond is counted in the outermost bars.",
		m.num("diagnostics.residuals.low", signed), m.num("diagnostics.residuals.high", signed))}
}

// computed shows a place on an axis, which is not a result.
func computed(x float64, style style) markup {
	return markup(fmt.Sprintf(`<data value="%v" data-axis>%s</data>`, x, style(x)))
}

func (m *Model) calibrationFigure() *figure {
	groups := m.s.Diagnostics.Calibration
	if len(groups) == 0 {
		return nil
	}
	points := chart.Series{Name: m.w("groups of {entries}"), NoLine: true, Marks: true}
	t := &table{Caption: "Entries in groups of similar prediction", Head: []string{"Predicted from", "to", "Entries", "Mean predicted", "Mean observed", "95 % from", "to"}}
	for i, g := range groups {
		here := func(key string) string { return at("diagnostics.calibration", i, key) }
		low, high := computed(g.Observed-1.96*g.Error, plain), computed(g.Observed+1.96*g.Error, plain) // of earlier programs
		dot := chart.Point{X: g.Predicted, Y: g.Observed, Error: 1.96 * g.Error,
			Tip: fmt.Sprintf(m.w("predicted %s, observed %s (%s {entries})"), plain(g.Predicted), plain(g.Observed), whole(float64(g.Entries)))}
		if g.Interval != nil {
			dot.Span, low, high = &[2]float64{g.Interval.Low, g.Interval.High}, m.num(here("interval.low"), plain), m.num(here("interval.high"), plain)
		}
		points.Points = append(points.Points, dot)
		t.row(m.num(here("low"), short), m.num(here("high"), short), m.num(here("entries"), whole), m.num(here("predicted"), plain), m.num(here("observed"), plain), low, high)
	}
	c := &chart.Chart{Title: "Calibration", X: "mean prediction", Y: "mean observed value", Same: true, Series: []chart.Series{points},
		Description: m.w("A dot for each group of {entries} of similar prediction: the mean prediction against the mean observed value. On the dashed diagonal both are equal.")}
	return &figure{Title: c.Title, SVG: drawn(c), Table: t, Caption: m.h("Each dot is about a twentieth of the {entries}, its bar the 95 % interval of the mean observed. On the dashed line predictions are right on average; above it they are too low.")}
}

// needed is how many entries a mean residual needs to be drawn, because the error
// of few would set the scale of the plot: 20, unless no bin has them.
func needed(bins []result.Bin) int {
	for _, b := range bins {
		if b.Entries >= 20 {
			return 20
		}
	}
	return 1
}

func (m *Model) byEntries() []figure {
	bins := m.s.Diagnostics.ByEntries
	if len(bins) == 0 {
		return nil
	}
	c := &chart.Chart{Title: m.w("Error by number of training {entries} of the {row}"), X: m.w("training {entries} of the {row}"), Y: "RMSE",
		Description: m.w("A dot for each range of the number of training {entries} of {a row}: the root mean squared error of its {entries}.")}
	mean := &chart.Chart{Title: m.w("Mean residual by number of training {entries}"), X: c.X, Y: "mean residual", Rules: []chart.Rule{{Y: 0}},
		Description: m.w("A dot for each range of the number of training {entries} of {a row}: the mean residual of its {entries}, with two standard errors.")}
	dots, errors := chart.Series{Name: "mean residual", NoLine: true, Marks: true}, chart.Series{Name: "RMSE", NoLine: true, Marks: true}
	t := &table{Caption: m.w("Residuals by number of training {entries} of the {row}"), Head: []string{m.w("{Row} has from"), "to", m.w("{Entries}"), "Mean residual", "RMSE"}}
	for i, b := range bins {
		here := func(key string) string { return at("diagnostics.by_entries", i, key) }
		c.Labels = append(c.Labels, between(b.Low, b.High))
		c.Bars = append(c.Bars, chart.Bar{Low: float64(i), High: float64(i) + 1, Y: math.NaN()}) // only for its label
		if b.Entries >= needed(bins) {
			errors.Points = append(errors.Points, chart.Point{X: float64(i) + 0.5, Y: b.RMSE, Tip: fmt.Sprintf(m.w("%s training {entries}: RMSE %s on %s {entries}"), between(b.Low, b.High), plain(b.RMSE), whole(float64(b.Entries)))})
			dots.Points = append(dots.Points, chart.Point{X: float64(i) + 0.5, Y: b.Mean, Error: 2 * standardError(b), Tip: fmt.Sprintf(m.w("%s training {entries}: mean residual %s"), between(b.Low, b.High), signed(b.Mean))})
		}
		t.row(m.num(here("low"), whole), m.num(here("high"), whole), m.num(here("entries"), whole), m.num(here("mean"), signed), m.num(here("rmse"), plain))
	}
	c.Series = []chart.Series{errors}
	mean.Bars, mean.Labels, mean.Series = c.Bars, c.Labels, []chart.Series{dots}
	return []figure{{Title: c.Title, SVG: drawn(c), Table: t, Caption: m.h("If the error does not fall from left to right, more {entries} of {a row} would hardly help. The axis does not begin at 0. Ranges with fewer than 20 {entries} are not drawn.")},
		{Title: mean.Title, SVG: drawn(mean), Caption: m.h("With two standard errors. Above 0 the predictions for such {rows} are too low, below it too high. Ranges with fewer than 20 {entries} are not drawn. The table of the plot beside this one has the numbers.")}}
}

// between names a range of whole numbers.
func between(low, high float64) string {
	if low == high {
		return whole(low)
	}
	return whole(low) + "–" + whole(high)
}

// byTerm shows the residuals by the value of each term.
func (m *Model) byTerm(s *section) {
	s.add(block{Heading: "By the value of each feature"})
	var figures []figure
	skipped := []string{}
	most := 0.0 // one range for all, so that they compare
	for _, t := range m.s.Diagnostics.ByTerm {
		for _, b := range t.Bins {
			if b.Entries >= needed(t.Bins) {
				most = max(most, math.Abs(b.Mean)+2*standardError(b))
			}
		}
	}
	for i, term := range m.s.Diagnostics.ByTerm {
		if len(term.Bins) < 2 {
			skipped = append(skipped, term.Name)
			continue
		}
		if slices.ContainsFunc(term.Bins, func(b result.Bin) bool { return b.Entries > 0 }) {
			figures = append(figures, m.termFigure(i, term, most))
		}
	}
	if len(figures) > 0 {
		s.figures(figures...)
		s.add(block{Text: m.h("Mean residuals away from 0 say that the model misjudges such {columns} on average: the feature may act in a way that is not linear (try a transform, or levels).")})
	}
	if len(skipped) > 0 {
		s.say("The same value everywhere: %s.", skipped)
	}
}

// standardError is that of the mean residual of a bin.
func standardError(b result.Bin) float64 {
	if b.Entries == 0 {
		return 0
	}
	return math.Sqrt(max(b.RMSE*b.RMSE-b.Mean*b.Mean, 0) / float64(b.Entries))
}

func (m *Model) termFigure(i int, term result.TermBins, most float64) figure {
	line := chart.Series{Name: "mean residual", NoLine: true, Marks: true}
	t := &table{Caption: "Residuals by " + term.Name, Head: []string{"From", "to", "Entries", "Mean residual", "RMSE"}}
	c := &chart.Chart{Title: term.Name, X: "value of " + term.Name, Y: "mean residual", Rules: []chart.Rule{{Y: 0}},
		Description: m.w("The mean residual of the {entries} whose {column} has a value of the feature in some range, for each range.")}
	for b, bin := range term.Bins {
		here := func(key string) string { return at("diagnostics.by_term", i, "bins", b, key) }
		t.row(m.num(here("low"), short), m.num(here("high"), short), m.num(here("entries"), whole), m.num(here("mean"), signed), m.num(here("rmse"), plain))
		label := short(bin.Low)
		if bin.Low != bin.High {
			label += "–" + short(bin.High)
		}
		c.Labels = append(c.Labels, label)
		c.Bars = append(c.Bars, chart.Bar{Low: float64(b), High: float64(b) + 1, Y: math.NaN()}) // only for its label
		if bin.Entries >= needed(term.Bins) {
			line.Points = append(line.Points, chart.Point{X: float64(b) + 0.5, Y: bin.Mean, Error: 2 * standardError(bin),
				Tip: fmt.Sprintf(m.w("%s %s: mean residual %s, RMSE %s, %s {entries}"), term.Name, label, signed(bin.Mean), plain(bin.RMSE), whole(float64(bin.Entries)))})
		}
	}
	c.Series = []chart.Series{line}
	c.ShowY = []float64{-most, most}
	return figure{Title: term.Name, SVG: drawn(c), Table: t, Caption: m.h("Mean residual, with two standard errors; ranges with fewer than 20 {entries} are not drawn.")}
}
