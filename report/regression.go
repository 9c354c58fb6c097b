package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"optcomplete/internal/chart"
	"optcomplete/loss"
	"optcomplete/regress/saved"
	"optcomplete/result"
)

// regression is best-subset regressions: columns of a plain table that explain
// another.
type regression struct{ ofMatrix }

// read fills in what a regression has in common with the other models.
func (regression) read(m *Model, text []byte) error {
	m.r = &saved.Model{}
	if err := json.Unmarshal(text, m.r); err != nil {
		return err
	}
	r, s := m.r, &m.s.Summary
	s.Method, s.Rows, s.Features, s.K, s.Gamma, s.Selected, s.Terms = "certified", r.Rows, r.Features, r.K, r.Gamma, r.Selected, r.Selected
	s.Loss = r.Loss
	s.Certificate, s.Removal, s.Trace, s.Refit, s.Seed = r.Certificate, r.Removal, r.Trace, r.Refit, r.Seed
	s.Choice, s.Settings, s.Warnings, s.Version, s.Format = r.Choice, r.Settings, r.Warnings, r.Version, r.Format
	s.Nouns = result.NounsOf("row", "column", "row")
	return nil
}

func (g regression) sections(m *Model, path *Path) []section {
	return []section{
		m.answer(path), m.selected(path), g.quality(m), g.effects(m), m.search(), m.nearTies(), m.choices(path), m.settings(),
	}
}

func (regression) values(m *Model) markup { return name(m.r.Target) }

// ratio is what e to a coefficient multiplies, where the loss is of such.
func (regression) ratio(m *Model) string {
	return m.r.Loss.Ratio()
}

func (g regression) deeds(m *Model) (out []deed) {
	for i, coefficient := range m.r.Coefficients {
		way, verb := direction(coefficient)
		per := say("%s per unit", m.num(at("coefficients", i), signed))
		if of := g.ratio(m); of != "" {
			per = say("%s per unit, in log-%s", m.num(at("coefficients", i), signed), of)
		}
		if g.step(m, i) > 0 {
			per = say("%s, %s per standard deviation", per, m.derived("product", at("coefficients", i), at("sd", i), signed))
		}
		out = append(out, deed{way, m.s.Selected[i], say("%s %s: %s.%s", verb, name(m.r.Target), per, m.need(m.s.Selected[i]))})
	}
	return out
}

// step is the standard deviation of a selected feature; 0: it is not known.
func (regression) step(m *Model, i int) float64 {
	if i < len(m.r.Spread) {
		return m.r.Spread[i]
	}
	return 0
}

func (regression) confidence(m *Model) []card {
	where, on, rows := "", "the table it was fitted to: <code>regress --holdout 0.2</code> keeps rows aside", m.num("rows", whole)
	if m.r.Holdout != nil {
		where, on, rows = "holdout.", "held out", m.num("holdout.rows", whole)
	}
	cards := []card{{Name: "Typical error", Value: m.num(where+"rmse", plain), Note: say("RMSE on %s rows, %s", rows, markup(on))}}
	if m.r.Loss.HasUnit() {
		key, measure := m.measure()
		return append(cards, card{Name: "Error", Value: m.optional(where+key, plain), Note: say("%s on %s rows: errors beyond δ count linearly", measure, rows)})
	}
	if m.r.Loss.Linked() {
		if on := m.explained(); on == nil || on.Explained == 0 {
			return cards // the mean leaves nothing to explain
		}
		return append(cards, card{Name: "Deviance explained", Value: m.num(where+"deviance_explained", percent), Note: "of what the mean leaves"})
	}
	return append(cards, card{Name: "Explained, R²", Value: m.num(where+"r_squared", percent), Note: "of the squares around the mean"})
}

// explained is what is measured on held-out rows, or else on those of the fit; nil: nothing
// but squared errors.
func (m *Model) explained() *result.Measures {
	if m.r.Holdout != nil {
		return m.r.Holdout.Measures
	}
	return m.r.Measures
}

func (regression) cost(m *Model) markup {
	switch {
	case m.r.Loss == loss.Squared:
		return "squared errors and penalty, by rows"
	case m.r.Loss.HasUnit():
		return say("Huber loss and penalty, by rows, in squares of δ = %s", m.num("delta", short))
	}
	return say("%s loss and penalty, by rows", text(m.r.Loss.String()))
}

func (regression) fittedOn(m *Model) markup { return say("%s rows", m.num("rows", whole)) }

func (regression) validated(*Model) markup {
	return "By cross-validation: each part of the rows is predicted by fits that did not see it. Among γ whose errors differ by next to nothing the one that is the easiest to prove is taken."
}

func (regression) times(*Model) ([]card, string) { return nil, "seconds" }

func (regression) facts(m *Model, t *table) {
	if m.s.Settings["target"] == "" { // else it is among the flags
		t.row("Target", name(m.r.Target))
	}
	if m.r.Weighted {
		t.row("Errors", "weighted by the weights of the rows")
	}
	t.row("Loss", text(m.r.Loss.String()))
}

func (regression) words(m *Model, k int) []string {
	return []string{"optcomplete regress", quote(cmp.Or(m.s.Settings["table"], "TABLE")), fmt.Sprintf("-k %d", k)}
}

func (g regression) command(m *Model) (words, flags []string) {
	if m.s.Settings["target"] == "" { // it is recorded where the command line made it
		flags = []string{"--target " + quote(m.r.Target)}
	}
	return g.words(m, m.s.K), flags
}

func (regression) walk() string { return "regress --path" }

func (g regression) path(m *Model) string {
	words := g.words(m, min(max(2*m.s.K, 10), m.s.Features))
	return fmt.Sprintf("%s %s --target %s --path", words[0], words[1], quote(m.r.Target)) + " " + words[2] + m.sameData()
}

// quality answers: how well is the target explained?
func (g regression) quality(m *Model) section {
	s := section{ID: "predictions", Short: "Predictions", Title: "How well the target is explained"}
	t := &table{Caption: "Errors", Head: []string{"Rows", "Number", "RMSE", "MAE", "R²"}}
	if m.r.Weighted {
		t.Caption = "Errors, weighted by the weights of the rows"
	}
	key, measure := m.measure()
	if key != "rmse" {
		t.Head = append(t.Head, measure)
	}
	line := func(what markup, rows, at string) {
		cells := []markup{what, m.num(rows, whole), m.num(at+"rmse", plain), m.optional(at+"mae", plain), m.num(at+"r_squared", percent)}
		if key != "rmse" {
			cells = append(cells, m.optional(at+key, plain))
		}
		t.row(cells...)
	}
	if m.r.Holdout != nil {
		s.Lead = say("On %s rows that were held out the predictions of %s are off by %s (RMSE).", m.num("holdout.rows", whole), name(m.r.Target), m.num("holdout.rmse", plain))
		line("held out", "holdout.rows", "holdout.")
	} else {
		s.Lead = say("On the %s rows of the table the predictions of %s are off by %s (RMSE). No rows were held out, so this error is too kind: <code>regress --holdout 0.2</code> keeps a fifth of them aside to score on.", m.num("rows", whole), name(m.r.Target), m.num("rmse", plain))
	}
	line("fitted to", "rows", "")
	s.table(t)
	where, measures := "", m.explained()
	if m.r.Holdout != nil {
		where = "holdout."
	}
	switch {
	case measures == nil || measures.Explained == 0:
	case measures.AUC != nil && measures.AUCInterval != nil:
		s.say("The predictions explain %s of the deviance that the mean leaves. A yes has the larger probability than a no in %s of all pairs of the two (AUC; 95 %% interval %s to %s); the mean squared error of the probabilities is %s (Brier score).",
			m.num(where+"deviance_explained", percent), m.num(where+"auc", percent), m.num(where+"auc_interval.low", percent), m.num(where+"auc_interval.high", percent), m.num(where+"brier", plain))
	default:
		s.say("The predictions explain %s of the deviance that the mean leaves.", m.num(where+"deviance_explained", percent))
	}
	if _, left := m.warnings(); len(left) > 0 {
		s.add(block{Heading: "Features that were left out", List: left})
	}
	return s
}

// effects answers: what does each feature do?
func (g regression) effects(m *Model) section {
	s := section{ID: "effects", Short: "Features", Title: "What each feature does"}
	s.Lead = say("A prediction of %s is the intercept, %s, and for each feature its value times its coefficient.", name(m.r.Target), m.num("intercept", plain))
	if of := g.ratio(m); of != "" {
		s.Lead = say("%s The sum is the log-%s: e to a coefficient is the factor by which one unit more of the feature multiplies the %s.", s.Lead, of, of)
	}
	plot := &chart.Rows{Title: "What one standard deviation of each feature adds", X: "change of the prediction", Zero: true,
		Description: "One bar for each selected feature: its coefficient times the feature's standard deviation in the table, so that features compare."}
	if of := g.ratio(m); of != "" {
		plot.X = "change of the log-" + of
	}
	t := &table{Caption: "Coefficients, in the units of the table", Head: []string{"Feature", "Coefficient", "Standard deviation", "Per standard deviation"}, Sort: true}
	if of := g.ratio(m); of != "" {
		t.Head = append(t.Head, "Factor of the "+of)
	}
	for i, feature := range m.s.Selected {
		cells := []markup{name(feature), m.num(at("coefficients", i), plain), "–", "–"}
		if step := g.step(m, i); step > 0 {
			cells[2], cells[3] = m.num(at("sd", i), plain), m.derived("product", at("coefficients", i), at("sd", i), signed)
			by := m.r.Coefficients[i] * step
			plot.Rows = append(plot.Rows, chart.Row{Name: feature, Note: signed(by), Bar: &[2]float64{0, by}, Tip: feature + ": " + signed(by)})
		}
		if g.ratio(m) != "" {
			cells = append(cells, computed(math.Exp(m.r.Coefficients[i]), plain))
		}
		t.row(cells...)
	}
	if len(plot.Rows) > 0 {
		s.figures(figure{Title: plot.Title, SVG: wide(plot), Wide: true, Caption: "To the right of 0 the feature raises predictions. The standard deviations are those of the rows it was fitted to."})
	}
	s.table(t)
	return s
}
