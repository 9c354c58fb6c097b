package report

import (
	"cmp"
	"fmt"
	"slices"

	"optcomplete/internal/chart"
	"optcomplete/result"
	"optcomplete/twosided"
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
	for i := range m.s.Products {
		p := &m.s.Products[i]
		way, _ := direction(p.Coefficient)
		of := cmp.Or(p.Unit, p.Name())
		out = append(out, deed{way, p.Name(), say("%s.%s", name(p.Sentence(m.s.Nouns)), m.need(of))})
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
		return "Gamma is learned: the variance of the coefficients over that of the noise. The largest that is easy to prove and selects the same products is taken. The errors are on a fifth of the training entries, which these fits did not see."
	}
	return "On a fifth of the training entries, which these fits did not see."
}

func (products) facts(m *Model, t *table) {
	t.row("Row features", m.num("row_features", whole))
	t.row("Column features", m.num("column_features", whole))
	t.row("Effects", text(cmp.Or(m.s.Effects, "none")))
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
	t := &table{Caption: "Selected products", Head: []string{"Product", "Row feature", "Column feature", "Coefficient", "What it says"}, Text: []bool{true, true, true, false, true}, Sort: true}
	for i := range m.s.Products {
		p := &m.s.Products[i]
		says := p.Sentence(m.s.Nouns)
		if also := p.Copies(); also != "" {
			says += " (" + also + ")"
		}
		t.row(name(p.Name()), name(p.Row), name(p.Column), m.num(coefficientAt(i), plain), name(says))
	}
	caption := markup("A mark is as large as the coefficient of the product, which is per unit of either feature.")
	if m.s.Learned != nil {
		caption = "A mark is as large as what one standard deviation of both features adds, beside the effects of the row and the column."
	}
	grid := Interactions(&m.s)
	s.figures(figure{Title: grid.Title, SVG: wide(grid), Wide: true, Caption: caption})
	s.table(t)
	if l := m.s.Learned; l != nil {
		levels := &table{Caption: "What a prediction has besides products", Head: []string{"Part", "Variance", "For one without entries"}, Text: []bool{true, false, true}}
		levels.row(m.h("Effects of {rows}"), m.num("learned.row_effects.variance", plain), m.h("from its features"))
		levels.row(m.h("Effects of {columns}"), m.num("learned.column_effects.variance", plain), m.h("from its features"))
		levels.row("Noise of an entry", m.num("learned.noise", plain), "")
		s.table(levels)
	}
	p := m.s.HoldoutNew
	news := &table{Caption: "Errors on rows and columns of which no entry was fitted on", Head: []string{"Of", "Entries", "RMSE", "MAE"}, Text: []bool{true}}
	for _, part := range []struct {
		of   markup
		path string
		on   *result.Metrics
	}{{m.h("New {rows}"), "holdout_new.rows", p.Rows}, {m.h("New {columns}"), "holdout_new.columns", p.Columns}, {"Both new", "holdout_new.both", p.Both}} {
		if part.on != nil {
			news.row(part.of, m.num(part.path+".entries", whole), m.num(part.path+".rmse", plain), m.num(part.path+".mae", plain))
		}
	}
	if p.Rows != nil || p.Columns != nil || p.Both != nil {
		s.table(news)
	}
	return s
}

func coefficientAt(i int) string { return at("products", i, "coefficient") }

// Interactions is a picture of the products of a model: where a row feature and a column
// feature cross, a mark for what their product adds.
func Interactions(s *twosided.Summary) *chart.Grid {
	grid := &chart.Grid{Title: "Selected interactions", More: "raises predictions", Less: "lowers them",
		Description: "A mark where a row feature and a column feature of a selected product cross, as large as what the product adds, a circle where it raises predictions and a square where it lowers them."}
	at := func(list *[]string, name string) int {
		if i := slices.Index(*list, name); i >= 0 {
			return i
		}
		*list = append(*list, name)
		return len(*list) - 1
	}
	for i := range s.Products {
		p := &s.Products[i]
		grid.Cells = append(grid.Cells, chart.Cell{
			Row: at(&grid.Rows, p.Row), Column: at(&grid.Columns, p.Column), Value: cmp.Or(p.Size, p.Coefficient), Tip: p.Name() + ": " + p.Sentence(s.Nouns),
		})
	}
	return grid
}
