package report

import "optcomplete/internal/lists"

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
