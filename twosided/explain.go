package twosided

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"optcomplete/objective"
	"optcomplete/result"
)

// Part is what one product adds to a prediction.
type Part struct {
	Name        string  `json:"name"` // row feature × column feature
	Coefficient float64 `json:"coefficient"`
	Row         float64 `json:"row"`    // the row's feature, from its centre
	Column      float64 `json:"column"` // the column's feature, from its centre
	Value       float64 `json:"value"`  // the product of the three
}

// Sum is a prediction taken apart: mean, effects and parts add up to it, or, with a link, to
// the sum that it is the mean of.
type Sum struct {
	Mean         float64 `json:"mean"`
	RowEffect    float64 `json:"row_effect"`
	ColumnEffect float64 `json:"column_effect"`
	RowKnown     bool    `json:"row_known"` // by entries; else its effect is what its features predict
	ColumnKnown  bool    `json:"column_known"`
	Parts        []Part  `json:"parts"`
	Scale        string  `json:"scale,omitempty"` // what all these are of: log-odds, log-rate; empty: values
	Total        float64 `json:"sum,omitempty"`   // with such a scale
	Prediction   float64 `json:"prediction"`
	Deviation    float64 `json:"deviation,omitempty"` // of an entry around the prediction, as far as effects and noise tell
}

// Explain takes one prediction apart. The errors are those of Predict.
func (m *Model) Explain(row, column string) (sum Sum, err error) {
	if sum.Prediction, err = m.Predict(row, column); err != nil {
		return sum, err
	}
	i, j := m.row[row], m.column[column]
	x, b := m.Rows.Row(i), m.Columns.Row(j)
	if sum.Scale = m.Summary.Loss.Scale(); sum.Scale != "" {
		sum.Total = m.effectsOf(i, j) + m.products(x, b)
	}
	if l := m.Summary.Learned; l != nil {
		sum.Mean, sum.RowEffect, sum.ColumnEffect = l.Mean, m.RowEffects[i], m.ColumnEffects[j]
		sum.RowKnown, sum.ColumnKnown = m.RowWeights[i] > 0, m.ColumnWeights[j] > 0
		if sum.Scale == "" {
			sum.Deviation = l.deviation(m.RowWeights[i], m.ColumnWeights[j])
		}
	}
	for p, product := range m.Summary.Products {
		sum.Parts = append(sum.Parts, Part{
			Name: product.Name(), Coefficient: product.Coefficient,
			Row: x[m.rowAt[p]] - product.RowCentre, Column: b[m.colAt[p]] - product.ColumnCentre, Value: m.part(p, x, b),
		})
	}
	return sum, nil
}

// deviation is that of an entry of weight 1 around its prediction: noise, and what is
// not known of the effects. A new row or column has weight 0.
func (l *Learned) deviation(rowWeight, columnWeight float64) float64 {
	return math.Sqrt(l.Noise + 1/(rowWeight/l.Noise+1/l.Rows.Variance) + 1/(columnWeight/l.Noise+1/l.Columns.Variance))
}

// Sentence says what a product does, in the words for rows and columns. It is true of
// the model: of differences between rows in differences between columns.
func (p *Product) Sentence(nouns *result.Nouns) string {
	rows, columns := nouns.Rows(), nouns.Columns()
	amount := func(v float64) string {
		if p.Of != "" {
			return fmt.Sprintf("%+.3g of the %s", v, p.Of)
		}
		return fmt.Sprintf("%+.3g", v)
	}
	quantity := func(name string, scale float64) string {
		if scale == 0 {
			return "one unit of " + name
		}
		return fmt.Sprintf("%.3g of %s", scale, name)
	}
	rowScale, columnScale := cmp.Or(p.RowScale, 1), cmp.Or(p.ColumnScale, 1)
	switch {
	case p.RowScale == 0:
		return fmt.Sprintf("%s for each unit of %s times %s", amount(p.Coefficient), p.Row, p.Column)
	case p.RowFlag && p.ColumnFlag:
		return fmt.Sprintf("%s with %s differ from other %s by %s more at %s with %s than at other %s", rows, p.Row, rows, amount(p.Coefficient), columns, p.Column, columns)
	case p.RowFlag:
		return fmt.Sprintf("%s more of %s in %s adds %s more for %s with %s than for other %s", number(columnScale), p.Column, columns, amount(p.Coefficient*columnScale), rows, p.Row, rows)
	case p.ColumnFlag:
		return fmt.Sprintf("%s more of %s in %s adds %s more at %s with %s than at other %s", number(rowScale), p.Row, rows, amount(p.Coefficient*rowScale), columns, p.Column, columns)
	}
	return fmt.Sprintf("%s in %s and %s in %s together add %s, beside what each adds by itself",
		quantity(p.Row, rowScale), rows, quantity(p.Column, columnScale), columns, amount(p.Coefficient*rowScale*columnScale))
}

func number(v float64) string { return fmt.Sprintf("%.3g", v) }

// nearly is the correlation on the entries from which on products are named as near
// copies of a selected one, and mostNear how many of them.
const (
	nearly   = 0.99
	equal    = 1 - 1e-12
	mostNear = 5
)

// describe says what the selected products are, and which others are nearly the same.
func (f *formulation) describe(ctx context.Context, selection []int, u []float64, of *objective.TwoSided) ([]Product, error) {
	out := []Product{}
	columns := make([][]float64, len(selection))
	for x := range columns {
		columns[x] = make([]float64, len(f.known.Names)*len(f.columns.Names))
	}
	if err := of.Columns(ctx, selection, columns); err != nil {
		return nil, err
	}
	_, diagonal, _ := of.Target()
	p2 := len(f.columns.Names)
	for x, j := range selection {
		q, l := j/p2, j%p2
		p := Product{Row: f.known.Names[q], Column: f.columns.Names[l], Coefficient: u[x], RowFlag: f.ofRows.flag[q], ColumnFlag: f.ofColumns.flag[l], Equal: f.equals(j), Of: f.by.Loss.Scale()}
		if f.groups != nil {
			p.Unit = f.unitName(f.unitOf(j))
		}
		if f.effects != NoEffects {
			p.RowCentre, p.ColumnCentre, p.RowScale, p.ColumnScale, p.Size = f.ofRows.centre[q], f.ofColumns.centre[l], f.ofRows.scale[q], f.ofColumns.scale[l], u[x]
			p.Coefficient = u[x] / (p.RowScale * p.ColumnScale)
		}
		for other, g := range columns[x] {
			if other == j || !(diagonal[j] > 0) || !(diagonal[other] > 0) {
				continue
			}
			switch c := g / math.Sqrt(diagonal[j]*diagonal[other]); {
			case math.Abs(c) >= equal:
				p.Equal = append(p.Equal, f.name(other))
			case math.Abs(c) > nearly:
				p.Near = append(p.Near, Related{f.name(other), c})
			}
		}
		slices.SortStableFunc(p.Near, func(a, b Related) int { return cmp.Compare(math.Abs(b.Correlation), math.Abs(a.Correlation)) })
		p.Near = p.Near[:min(len(p.Near), mostNear)]
		out = append(out, p)
	}
	return out, nil
}

// Copies says which products the data hardly tell from a selected one; "" if none.
func (p *Product) Copies() string {
	var parts []string
	if len(p.Equal) > 0 {
		parts = append(parts, "the data do not tell it from "+strings.Join(p.Equal, ", "))
	}
	for _, r := range p.Near {
		parts = append(parts, fmt.Sprintf("near copy %s (correlation %.4f)", r.Name, r.Correlation))
	}
	return strings.Join(parts, "; ")
}
