package report

import (
	"cmp"
	"fmt"

	"optcomplete/internal/chart"
)

// products is two-sided models: one coefficient for each product of a row feature and
// a column feature.
type products struct{ ofMatrix }

func (p products) sections(m *Model, path *Path) []section {
	return []section{
		m.answer(path), m.selected(path), m.predictions(), p.effects(m), m.search(), m.nearTies(),
		m.choices(path), m.residuals(), m.examples(), m.data(), m.settings(),
	}
}

func (products) things() string { return "products of features" }

func (products) deeds(m *Model) (out []deed) {
	for i, p := range m.s.Products {
		way, verb := direction(p.Coefficient)
		out = append(out, deed{way, m.s.Selected[i], say("%s predictions: %s per unit of the product.%s", verb, m.num(at("products", i, "coefficient"), signed), m.need(m.s.Selected[i]))})
	}
	return out
}

// direction is what a coefficient does, as a deed has it and in a word.
func direction(coefficient float64) (way, verb string) {
	if coefficient < 0 {
		return "down", "lowers"
	}
	return "up", "raises"
}

func (products) missing() markup {
	return "For two-sided models no diagnostics are kept; the errors are in the section on predictions."
}

func (products) validated(m *Model) markup {
	if m.s.Learned != nil {
		return "Gamma is learned: the variance of the coefficients over that of the noise. Where a smaller one of these selects the same products it is taken, because it is easier to prove. The errors are on a fifth of the training entries, which these fits did not see."
	}
	return "On a fifth of the training entries, which these fits did not see."
}

func (products) facts(m *Model, t *table) {
	t.row("Row features", m.num("row_features", whole))
	t.row("Column features", m.num("column_features", whole))
	t.row("Heredity", text(m.s.Heredity))
}

func (products) command(m *Model) (words, flags []string) {
	return []string{"optcomplete fit", m.inputs(), fmt.Sprintf("-k %d", m.s.K)}, []string{rowFeatures(m)}
}

func rowFeatures(m *Model) string {
	return "--row-features " + quote(cmp.Or(m.s.Settings["row-features"], "ROW-FEATURES"))
}

func (p products) path(m *Model) string { return p.ofMatrix.path(m) + " " + rowFeatures(m) }

// effects answers: what does each product do?
func (products) effects(m *Model) section {
	s := section{ID: "effects", Short: "Features", Title: "What each feature does"}
	s.Lead = "A two-sided model has one coefficient for each product of a row feature and a column feature, the same for all rows."
	plot := &chart.Rows{Title: "Coefficient of each product", X: "coefficient", Zero: true, Description: "One bar for each selected product: its coefficient."}
	t := &table{Caption: "Selected products", Head: []string{"Product", "Row feature", "Column feature", "Coefficient"}, Text: []bool{true, true, true}, Sort: true}
	for i, p := range m.s.Products {
		t.row(name(m.s.Selected[i]), name(p.Row), name(p.Column), m.num(at("products", i, "coefficient"), plain))
		plot.Rows = append(plot.Rows, chart.Row{Name: m.s.Selected[i], Note: plain(p.Coefficient), Bar: &[2]float64{0, p.Coefficient}, Tip: m.s.Selected[i] + ": " + plain(p.Coefficient)})
	}
	s.figures(figure{Title: plot.Title, SVG: wide(plot), Wide: true, Caption: "Coefficients are per unit of the product; features with large values have small ones."})
	s.table(t)
	return s
}
