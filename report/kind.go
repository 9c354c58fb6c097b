package report

import (
	"encoding/json"
	"fmt"

	"optcomplete/regress"
	"optcomplete/result"
	"optcomplete/twosided"
)

// kind is what differs between the models that reports are on. Each has a file;
// nothing else asks which kind a model is.
type kind interface {
	read(m *Model, text []byte) error // the text of model.json
	sections(m *Model, path *Path) []section

	things() string         // what is selected
	values(m *Model) markup // what is explained
	deeds(m *Model) []deed  // what each feature does, in words
	confidence(m *Model) []card
	cost(m *Model) markup     // what the cost is of
	fittedOn(m *Model) markup // how many of what the bound is from
	missing() markup          // why there are no diagnostics
	validated(m *Model) markup
	times(m *Model) (cards []card, total string) // where the time went, and the path of the total

	facts(m *Model, t *table)                 // settings that only it has
	command(m *Model) (words, flags []string) // that makes it again: what comes first, and the rest
	walk() string                             // the command of a path over k
	path(m *Model) string                     // that command in full

	compared(c *comparison) []section                      // beside others of its kind, what they are worth and do
	apart(first, other *Model, named, label markup) markup // why their costs and errors do not compare; empty: they do
}

// kinds are by their names in model.json; all others are of a matrix.
var kinds = map[string]kind{twosided.Kind: products{}, regress.Kind: regression{}}

func (m *Model) kind() kind {
	if k, other := kinds[m.s.Model]; other {
		return k
	}
	if !m.selects() {
		return unselected{}
	}
	return ofMatrix{}
}

// ofMatrix is the models with coefficients of the rows.
type ofMatrix struct{}

func (ofMatrix) read(m *Model, text []byte) error { return json.Unmarshal(text, &m.s) }

func (ofMatrix) sections(m *Model, path *Path) []section {
	return []section{
		m.answer(path), m.selected(path), m.predictions(), m.effects(), m.search(), m.nearTies(),
		m.choices(path), m.residuals(), m.examples(), m.data(), m.settings(),
	}
}

func (ofMatrix) things() string { return "features" }

func (ofMatrix) values(m *Model) markup {
	if m.s.Nouns == nil || m.s.Nouns.Entry == "" {
		return say("the observed values")
	}
	return say("the %s", m.s.Nouns.Entries())
}

func (ofMatrix) deeds(m *Model) []deed      { return m.deeds() }
func (ofMatrix) confidence(m *Model) []card { return m.confidence() }

func (ofMatrix) cost(m *Model) markup {
	if m.s.CostPerEntry > 0 {
		return say("over rows × columns; %s %s%s", m.num("cost_per_entry", short), m.s.PerWhat(), m.linearly())
	}
	return "squared errors and penalty, over rows × columns"
}

// linearly says of Huber's loss where it is no square.
func (m *Model) linearly() markup {
	if m.s.Delta == 0 {
		return ""
	}
	return say("; errors beyond δ = %s count linearly", m.num("delta", short))
}

func (ofMatrix) fittedOn(m *Model) markup {
	return say(m.w("%s training {entries}"), m.num("observed", whole))
}

func (ofMatrix) missing() markup {
	return "The model was saved without diagnostics, by an earlier program: fit it again to see them."
}

func (ofMatrix) validated(m *Model) markup {
	return m.h("Every {entry} is predicted from the others of its {row}. If the errors of several γ count as equal, one that is easy to prove is taken, if there is one.")
}

func (ofMatrix) times(m *Model) ([]card, string) {
	return []card{
		{Name: "Reading", Value: m.num("seconds.load", seconds)},
		{Name: "Learning γ", Value: m.num("seconds.choose", seconds)},
		{Name: "Finding the selection", Value: m.derived("minus", "seconds.select", "seconds.choose", seconds)},
		{Name: "Proving it", Value: m.num("seconds.certify", seconds)},
		{Name: "Fitting, comparing", Value: m.num("seconds.complete", seconds)},
	}, "seconds.total"
}

func (ofMatrix) facts(*Model, *table) {}

func (ofMatrix) command(m *Model) (words, flags []string) {
	return []string{"optcomplete fit", m.inputs(), fmt.Sprintf("-k %d", m.s.K)}, []string{"--model " + m.s.Model, "--method " + m.s.Method}
}

func (ofMatrix) walk() string { return "path" }

func (ofMatrix) compared(c *comparison) []section { return []section{c.quality(), c.effects()} }

func (ofMatrix) apart(first, m *Model, named, label markup) markup {
	a, b := first.s.Diagnostics, m.s.Diagnostics
	switch {
	case first.s.Loss != m.s.Loss:
		return say("%s was fitted by the loss %s, %s by the loss %s. Costs and effects do not compare, and errors only as RMSE and MAE.", label, m.s.Loss, named, first.s.Loss)
	case first.s.Weighted != m.s.Weighted:
		return say("Entries count by their weights in one of %s and %s. Costs and errors do not compare.", label, named)
	case first.s.Rows != m.s.Rows || first.s.Columns != m.s.Columns || entries(first) != entries(m):
		return say("%s was fitted on other data than %s: %s × %s with %s entries against %s × %s with %s. Costs and errors do not compare.", label, named,
			m.num("rows", whole), m.num("columns", whole), m.num("observed", whole), first.num("rows", whole), first.num("columns", whole), first.num("observed", whole))
	case !first.selects() || !m.selects(): // they keep no fingerprint, and have no costs
		return ""
	case a == nil || b == nil:
		return say("%s or %s was saved without a fingerprint of its data: whether they were fitted on the same entries is not known.", label, named)
	case a.Fingerprint != b.Fingerprint:
		return say("%s was fitted on other data than %s, of the same shape: their fingerprints differ. Costs and errors do not compare.", label, named)
	case a.HoldoutFingerprint == "" || b.HoldoutFingerprint == "":
		if a.HoldoutFingerprint != b.HoldoutFingerprint {
			return say("One of %s and %s held out entries and the other none: their errors are of different entries.", label, named)
		}
	case a.HoldoutFingerprint != b.HoldoutFingerprint:
		return say("%s held out other entries than %s (another seed, or another part): small differences of the errors may be chance.", label, named)
	}
	return ""
}

func (ofMatrix) path(m *Model) string {
	return fmt.Sprintf("optcomplete path %s%s --k-max %d", m.inputs(), m.sameData(), min(max(2*m.s.K, 10), m.s.Features))
}

// unselected is the models of methods that select nothing: softimpute, imc, effects.
// They have no selection, so no cost of one, nothing to prove and no k or γ.
type unselected struct{ ofMatrix }

func (unselected) sections(m *Model, _ *Path) []section {
	return []section{m.answer(nil), m.predictions(), m.data(), m.settings()}
}

func (unselected) missing() markup {
	return say("For methods that select nothing no diagnostics are kept.")
}

func (unselected) command(m *Model) (words, flags []string) {
	return []string{"optcomplete fit", m.inputs()}, []string{"--method " + m.s.Method}
}

// selects tells whether the model has a selection.
func (m *Model) selects() bool { return m.s.Status != result.Fitted }
