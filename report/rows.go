package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"optcomplete/internal/chart"
	"optcomplete/model/estimate"
	"optcomplete/result"
	"optcomplete/spec"
)

// examples shows single rows explained.
func (m *Model) examples() section {
	s := section{ID: "examples", Short: "Examples", Title: m.w("Examples of single {rows}, explained")}
	d := m.s.Diagnostics
	if d == nil {
		s.Lead = m.missing()
		return s
	}
	if len(d.Examples) == 0 {
		s.Lead = m.h("No {row} has {entries} to explain.")
		return s
	}
	s.Lead = m.h("{A row} with the median number of {entries}, the one with the most and the one with the fewest. <code>optcomplete explain MODEL --row ID</code> does this for any {row}.")
	for i := range d.Examples {
		m.example(&s, i)
	}
	return s
}

func (m *Model) example(s *section, i int) {
	e := m.s.Diagnostics.Examples[i]
	x := e.Explanation
	here := func(parts ...any) string { return at(append([]any{"diagnostics.examples", i}, parts...)...) }
	why := map[string]string{"typical": "with the median number of {entries}", "many entries": "with the most {entries}", "few entries": "with the fewest {entries}"}[e.Why]
	s.add(block{Heading: m.w("{Row} ") + x.Row + " " + m.w(why)})
	effect := markup("")
	if spec.EffectsOf(m.s.Model).Rows {
		effect = say(m.w(" The {row} effect is %s: how far the values of this {row} are above (+) or below (−) the usual."), m.num(here("explanation.effect"), signed))
	}
	trained := m.h("{entries}")
	if x.Entries == 1 {
		trained = m.h("{entry}")
	}
	s.say("%s training %s.%s", m.num(here("explanation.entries"), whole), trained, effect)
	if m.mixed() {
		s.say("%s", mixedLead)
		return
	}
	plot := &chart.Rows{Title: m.w("What sets {row} ") + x.Row + " apart", X: "difference to the population, per standard deviation", Zero: true,
		Description: m.w("One mark for each feature: how much more or less one standard deviation of it adds to the predictions of this {row} than to those of the population, and the 95 % interval of that difference where it is known.")}
	t := &table{Caption: "Coefficients of " + x.Row, Head: []string{"Feature", "Per", m.w("This {row}"), "Population", "Difference per SD"}, Text: []bool{true, true}}
	intervals := len(x.Terms) > 0 && x.Terms[0].Interval != nil
	if intervals {
		t.Head = append(t.Head, "95 % from", "to")
		plot.Legend = []chart.Key{{Part: "thin", Name: "95 % interval"}}
	}
	for f, term := range x.Terms {
		tone := 1
		if term.PerSD < 0 {
			tone = 2
		}
		row := chart.Row{Name: term.Name, Note: signed(term.PerSD), Bar: &[2]float64{0, term.PerSD}, Tone: tone, Tip: fmt.Sprintf(m.w("%s: {row} %s, population %s"), term.Name, signed(term.Row), signed(term.Population))}
		path := func(key string) string { return here("explanation.terms", f, key) }
		cells := []markup{name(term.Name), text(term.Unit), m.num(path("row"), signed), m.num(path("population"), signed), m.num(path("per_sd"), signed)}
		if intervals {
			row.Bar, row.Dot, row.Thin = nil, &term.PerSD, &[2]float64{term.Interval.Low, term.Interval.High}
			cells = append(cells, m.num(path("interval.low"), signed), m.num(path("interval.high"), signed))
		}
		t.row(cells...)
		plot.Rows = append(plot.Rows, row)
	}
	figures := []figure{}
	if len(plot.Rows) > 0 {
		caption := markup("Blue: the feature adds more than for the population. Orange: it adds less.")
		if intervals {
			caption += m.h(" Where the interval has 0 in it, the {row}’s {entries} do not tell which.")
		}
		figures = append(figures, figure{Title: plot.Title, SVG: drawn(plot), Table: t, Caption: caption})
	}
	for c, one := range e.Cases {
		figures = append(figures, m.waterfall(one, func(parts ...any) string { return here(append([]any{"cases", c}, parts...)...) }))
	}
	if len(x.Top) > 0 {
		t := &table{Caption: m.w("Among {columns} that it has no {entry} for"), Head: []string{m.w("{Column}"), "Prediction", "What lifts it"}, Text: []bool{true, false, true}}
		for j, item := range x.Top {
			t.row(name(m.item(item.Column)), m.num(here("explanation.top", j, "prediction"), plain), m.whys(item.Whys, func(w int) string { return here("explanation.top", j, "whys", w, "part") }))
		}
		figures = append(figures, figure{Title: "Largest predictions for " + x.Row, Table: t, Open: true})
	}
	s.figures(figures...)
}

// whys names the largest parts that lift a prediction.
func (m *Model) whys(whys []result.Why, path func(int) string) markup {
	var out []string
	for w, why := range whys { // largest first
		if len(out) == 3 || why.Part <= 0 {
			break
		}
		what := why.Name
		switch what {
		case "row effect":
			what = m.w("{row} effect")
		case result.ColumnEffect:
			what = m.w("{column} effect")
		}
		out = append(out, string(say("%s %s", name(what), m.num(path(w), signed))))
	}
	if len(out) == 0 {
		return "nothing"
	}
	return markup(strings.Join(out, ", "))
}

// waterfall shows how a prediction adds up.
func (m *Model) waterfall(c result.Case, here func(parts ...any) string) figure {
	sum := c.Sum
	plot := &chart.Rows{Title: "How the prediction for " + m.item(sum.Column) + " adds up", X: "value",
		Description: "Bars from one partial sum to the next: each part of the prediction moves it to the right or to the left. The last rows are the prediction and the observed value."}
	t := &table{Caption: "The prediction for " + m.item(sum.Column) + " as a sum", Head: []string{"Part", "Adds", m.w("Value of the {column}"), "less the average", "Per unit"}}
	level := 0.0
	step := func(what string, by float64) {
		tone := 1
		if by < 0 {
			tone = 2
		}
		plot.Rows = append(plot.Rows, chart.Row{Name: what, Note: signed(by), Bar: &[2]float64{level, level + by}, Tone: tone, Tip: fmt.Sprintf("%s: %s, then %s", what, signed(by), plain(level+by))})
		level += by
	}
	if spec.EffectsOf(m.s.Model).Rows {
		plot.Rows = append(plot.Rows, chart.Row{Name: "mean", Note: plain(sum.Mean), Dot: &sum.Mean, Tone: 3, Tip: "mean of all values"})
		level = sum.Mean
		t.row("mean", m.num(here("sum.mean"), plain), "", "", "")
		step(m.w("{row} effect"), sum.RowEffect)
		t.row(m.h("{row} effect"), m.num(here("sum.row_effect"), signed), "", "", "")
	}
	if spec.EffectsOf(m.s.Model).Columns {
		step(m.w("{column} effect"), sum.ColumnEffect)
		t.row(m.h("{column} effect"), m.num(here("sum.column_effect"), signed), "", "", "")
	}
	// The largest first: what matters is at the top.
	order := make([]int, len(sum.Parts))
	for f := range order {
		order[f] = f
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(sum.Parts[b].Part), math.Abs(sum.Parts[a].Part))
	})
	for _, f := range order {
		part := sum.Parts[f]
		step(part.Name, part.Part)
		path := func(key string) string { return here("sum.parts", f, key) }
		t.row(name(part.Name), m.num(path("part"), signed), m.num(path("value"), short), m.num(path("centre"), short), m.num(path("per_unit"), signed))
	}
	if sum.Other != nil {
		step(estimate.OtherNamed, *sum.Other)
		t.row(name(estimate.OtherNamed), m.num(here("sum.other"), signed), "", "", "")
	}
	if sum.Remainder != nil {
		step(estimate.Unnamed, *sum.Remainder)
		t.row(name(estimate.Unnamed), m.num(here("sum.remainder"), signed), "", "", "")
	}
	if sum.Scale != "" {
		plot.X = sum.Scale
		t.row(text("sum, in "+sum.Scale), m.num(here("sum.sum"), plain), "", "", "")
	}
	t.row("prediction", m.num(here("sum.prediction"), plain), "", "", "")
	t.row("observed", m.num(here("observed"), short), "", "", "")
	observed, prediction := c.Observed, sum.Prediction
	last := chart.Row{Name: "prediction and observed value", Note: plain(prediction) + " and " + short(observed), Dot: &prediction, Other: &observed, Tip: fmt.Sprintf("predicted %s, observed %s", plain(prediction), short(observed))}
	plot.Legend = []chart.Key{{Part: "dot", Name: "predicted"}, {Part: "other", Name: "observed"}}
	if sum.Scale != "" { // the value observed has no place on it
		plot.Description = "Bars from one partial sum to the next: each part of the prediction moves it to the right or to the left. The last row is the sum, in " + sum.Scale + "."
		last = chart.Row{Name: "sum", Note: fmt.Sprintf("%s: %s", plain(sum.Sum), plain(prediction)), Dot: &sum.Sum, Tip: fmt.Sprintf("%s %s is a prediction of %s, observed %s", sum.Scale, plain(sum.Sum), plain(prediction), short(observed))}
		plot.Legend = nil
	}
	plot.Rows = append(plot.Rows, last)
	kind := m.h("A training {entry}")
	if c.Held {
		kind = m.h("{A entry} that was held out")
	}
	caption := say("%s: observed %s, predicted %s.", kind, m.num(here("observed"), short), m.num(here("sum.prediction"), plain))
	if sum.Scale != "" {
		caption = say("%s The sum is in %s.", caption, sum.Scale)
	} else if sum.Clip != nil && sum.Sum != sum.Prediction {
		caption = say("%s The sum was kept in the range of the training values, %s to %s.", caption, m.num(here("sum.clip.low"), plain), m.num(here("sum.clip.high"), plain))
	}
	return figure{Title: plot.Title, SVG: drawn(plot), Table: t, Caption: caption}
}

// data answers: what were the data?
func (m *Model) data() section {
	s := section{ID: "data", Short: "The data", Title: "The data"}
	s.Lead = say(m.w("%s {rows}, %s {columns}, %s training {entries}."), m.num("rows", whole), m.num("columns", whole), m.num("observed", whole))
	cards := []card{{Name: m.w("{Rows}"), Value: m.num("rows", whole)}, {Name: m.w("{Columns}"), Value: m.num("columns", whole)}, {Name: m.w("Training {entries}"), Value: m.num("observed", whole)}}
	if m.s.Holdout != nil {
		cards = append(cards, card{Name: m.w("Held-out {entries}"), Value: m.num("holdout.entries", whole)})
	}
	d := m.s.Diagnostics
	if d != nil {
		cards = append(cards, card{Name: "Density", Value: m.num("diagnostics.density", percent), Note: m.h("training {entries} per cell")})
	}
	if m.selects() {
		cards = append(cards, card{Name: "Features to select from", Value: m.num("features", whole)})
	}
	s.add(block{Cards: cards})
	if d == nil {
		s.say("%s", m.missing())
		return s
	}
	var figures []figure
	for _, h := range []struct {
		title, x, y, path string
		bars              []result.Bar
		whole             bool
	}{
		{m.w("Values of the training {entries}"), "value", m.w("{entries}"), "diagnostics.values", d.Values, false},
		{m.w("{Entries} per {row}"), m.w("training {entries} of the {row}"), m.w("{rows}"), "diagnostics.row_entries", d.RowEntries, true},
		{m.w("{Entries} per {column}"), m.w("training {entries} of the {column}"), m.w("{columns}"), "diagnostics.column_entries", d.ColumnEntries, true},
	} {
		if len(h.bars) > 0 {
			figures = append(figures, m.histogram(h.title, h.x, h.y, h.path, h.bars, h.whole))
		}
	}
	if len(figures) > 0 {
		s.figures(figures...)
	}
	if _, out := m.warnings(); len(out) > 0 {
		s.add(block{Heading: "Left out", List: out})
	}
	s.say(m.w("Fingerprint of the {entries}: <code>%s</code>. Models with the same fingerprint were made from the same {entries}."), d.Fingerprint)
	return s
}

// histogram draws counted bars: one for each value if there are few values.
func (m *Model) histogram(title, x, y, path string, bars []result.Bar, doubling bool) figure {
	c := &chart.Chart{Title: title, X: x, Y: y, ZeroY: true, Description: "A histogram: " + y + " by " + x + "."}
	t := &table{Caption: title, Head: []string{"From", "to", "Count"}}
	values := !doubling && !slices.ContainsFunc(bars, func(b result.Bar) bool { return b.Low != b.High })
	for i, b := range bars {
		here := func(key string) string { return at(path, i, key) }
		t.row(m.num(here("low"), short), m.num(here("high"), short), m.num(here("count"), whole))
		bar := chart.Bar{Low: b.Low, High: b.High, Y: float64(b.Count), Tip: fmt.Sprintf("%s to %s: %s %s", short(b.Low), short(b.High), whole(float64(b.Count)), y)}
		if values || doubling {
			label := between(b.Low, b.High)
			if values {
				label = short(b.Low)
			}
			c.Labels = append(c.Labels, label)
			bar.Low, bar.High, bar.Tip = float64(i), float64(i)+1, fmt.Sprintf("%s: %s %s", label, whole(float64(b.Count)), y)
		}
		c.Bars = append(c.Bars, bar)
	}
	caption := markup("")
	if doubling {
		caption = "Each bar spans twice the numbers of the one before."
	}
	return figure{Title: title, SVG: drawn(c), Table: t, Caption: caption}
}
