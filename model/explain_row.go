package model

import (
	"cmp"
	"math"
	"slices"
)

// RowExplanation says what sets a row apart, in the units of the features' file.
type RowExplanation struct {
	Row              string     `json:"row"`
	New              bool       `json:"new"` // nothing is known of it: the population stands for it
	Entries          int        `json:"entries"`
	Effect           float64    `json:"effect"`
	PopulationEffect float64    `json:"population_effect"`
	Terms            []RowTerm  `json:"terms"` // what sets it apart most comes first
	Top              []ItemWhys `json:"top"`   // best first
}

// RowTerm is a row's coefficient of a term against the population's.
type RowTerm struct {
	Name       string  `json:"name"`
	Unit       string  `json:"unit"`
	Row        float64 `json:"row"`        // SumPart.PerUnit: for columns that had entries
	Population float64 `json:"population"` // TermExplanation.Population
	NewColumn  float64 `json:"new_column"` // as TermExplanation.NewColumn, for this row
	// PerSD is Row less Population, for one standard deviation of the feature over
	// the columns.
	PerSD float64 `json:"per_sd"`
	// Interval is where PerSD lies with the probability RowInterval, by the
	// posterior of the row's coefficients; nil in a model that has none.
	Interval *Range `json:"interval,omitempty"`
	// Differs is what the entries of the row say: 1 if it is above the population
	// and 0 is not in the interval, −1 if it is below, 0 if they do not tell.
	Differs int `json:"differs"`
}

// RowInterval is the probability of RowTerm.Interval.
const RowInterval = 0.95

// ItemWhys is a column and why its prediction is high: what each part adds to
// that of a typical column, largest first.
type ItemWhys struct {
	Column     string  `json:"column"`
	Prediction float64 `json:"prediction"`
	Basis      Basis   `json:"basis"`
	Whys       []Why   `json:"whys"`
}

// Why is a part of a prediction.
type Why struct {
	Name string  `json:"name"` // a term, "column effect", "other features" or "unnamed remainder"
	Part float64 `json:"part"`
}

// ExplainRow says what sets a row apart and why it gets its recommendations. A
// row that the model does not have is explained as the population. An error is
// one of reading which entries the row had.
func (m *Model) ExplainRow(row string, top []Recommendation) (*RowExplanation, error) {
	i, ok := m.Row(row)
	if !ok {
		i = -1
	}
	return m.explainRow(i, row, m.units(), top)
}

func (m *Model) explainRow(i int, row string, units *units, top []Recommendation) (*RowExplanation, error) {
	effect, u, isNew := m.rowParts(i)
	out := &RowExplanation{Row: row, New: isNew, Effect: effect, PopulationEffect: m.Population[0], Terms: []RowTerm{}, Top: []ItemWhys{}}
	if i >= 0 {
		out.Entries = int(m.Entries[i])
	}
	deviations, err := m.rowDeviations(i)
	if err != nil {
		return nil, err
	}
	for f, name := range m.Summary.Terms {
		term := RowTerm{
			Name: name, Unit: units.names[f],
			Row: u[f] / units.scale[f], Population: m.Population[1+f] / units.scale[f], NewColumn: (u[f] + m.NewColumn[1+f]) / units.scale[f],
			PerSD: (u[f] - m.Population[1+f]) * units.sd[f],
		}
		if deviations != nil {
			by := math.Sqrt2 * math.Erfinv(RowInterval) * deviations[f] * units.sd[f]
			term.Interval = &Range{term.PerSD - by, term.PerSD + by}
			switch {
			case term.Interval.Low > 0:
				term.Differs = 1
			case term.Interval.High < 0:
				term.Differs = -1
			}
		}
		out.Terms = append(out.Terms, term)
	}
	slices.SortStableFunc(out.Terms, func(a, b RowTerm) int { return cmp.Compare(math.Abs(b.PerSD), math.Abs(a.PerSD)) })
	typical := m.newColumnEffect(m.Typical)
	at := i
	if isNew {
		at = -1
	}
	for _, r := range top {
		columnEffect, b, _ := m.columnParts(r.Column)
		item := ItemWhys{Column: m.ColumnIDs[r.Column], Prediction: r.Value, Basis: r.Basis, Whys: []Why{}}
		if m.ColumnEffects != nil {
			item.Whys = append(item.Whys, Why{"column effect", columnEffect - typical})
		}
		for f, name := range m.Summary.Terms {
			item.Whys = append(item.Whys, Why{name, (b[f] - m.Typical[f]) * u[f]})
		}
		if m.Remainder != nil {
			other, unnamed := m.splitRemainder(at, r.Column)
			if len(m.Remainder.Other) > 0 {
				typicalOther, _ := m.splitRemainder(at, -1)
				item.Whys = append(item.Whys, Why{OtherNamed, other - typicalOther})
			}
			if !isNew {
				item.Whys = append(item.Whys, Why{Unnamed, unnamed})
			}
		}
		slices.SortStableFunc(item.Whys, func(a, b Why) int { return cmp.Compare(b.Part, a.Part) })
		out.Top = append(out.Top, item)
	}
	return out, nil
}

// SumExplanation is one prediction as a sum:
//
//	Mean + RowEffect + ColumnEffect + Σ Part + Other + Remainder = Sum, kept in range: Prediction
type SumExplanation struct {
	Row          string    `json:"row"`
	Column       string    `json:"column"`
	Basis        Basis     `json:"basis"`
	Mean         float64   `json:"mean"`
	RowEffect    float64   `json:"row_effect"`
	ColumnEffect float64   `json:"column_effect"`
	Parts        []SumPart `json:"parts"`
	// Other is what the features that are not selected add, OtherParts each of
	// them; nil in a model without a remainder.
	Other      *float64  `json:"other,omitempty"`
	OtherParts []SumPart `json:"other_parts,omitempty"`
	// Remainder is what no feature has a name for; nil in a model without one.
	Remainder  *float64 `json:"remainder,omitempty"`
	Sum        float64  `json:"sum"`
	Clip       *Range   `json:"clip,omitempty"` // nil: predictions may be anything
	Prediction float64  `json:"prediction"`
}

// SumPart is what a term adds: Part = PerUnit · (Value − Centre).
type SumPart struct {
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	Value   float64 `json:"value"`  // of the column, in the unit of the file
	Centre  float64 `json:"centre"` // where the part is 0; the mean of the feature, or 0 if it is used as given
	PerUnit float64 `json:"per_unit"`
	Part    float64 `json:"part"`
}

// ExplainSum takes one prediction apart. It is the one that Answer gives, for any
// row and column.
func (m *Model) ExplainSum(row, column string) *SumExplanation {
	i, ok := m.Row(row)
	if !ok {
		i = -1
	}
	j, ok := m.Column(column)
	if !ok {
		j = -1
	}
	return m.explainSum(i, j, row, column, m.units())
}

func (m *Model) explainSum(i, j int, row, column string, units *units) *SumExplanation {
	rowEffect, u, isNew := m.rowParts(i)
	columnEffect, b, _ := m.columnParts(j)
	a := m.AnswerAt(i, j)
	out := &SumExplanation{
		Row: row, Column: column, Basis: a.Basis, Mean: m.Mean, RowEffect: rowEffect, ColumnEffect: columnEffect,
		Parts: []SumPart{}, Sum: a.Unclipped, Clip: m.Clip, Prediction: a.Value,
	}
	if m.Remainder != nil {
		at := i
		if isNew {
			at = -1
		}
		other, unnamed := m.splitRemainder(at, j)
		out.Remainder = &unnamed
		if len(m.Remainder.Other) > 0 {
			out.Other, out.OtherParts = &other, m.otherParts(at, j)
		}
	}
	for f, name := range m.Summary.Terms {
		out.Parts = append(out.Parts, SumPart{
			Name: name, Unit: units.names[f], Value: units.raw(f, b[f]), Centre: units.centre[f],
			PerUnit: u[f] / units.scale[f], Part: b[f] * u[f],
		})
	}
	return out
}

// otherParts is what each feature that is not selected adds.
func (m *Model) otherParts(i, j int) []SumPart {
	r, f := m.Remainder, m.factors()
	u, b := r.OtherPopulation, r.OtherTypical
	if i >= 0 {
		u = m.RowRemainder[i*f:][:f]
	}
	if j >= 0 {
		b = m.ColumnRemainder[j*f:][:f]
	}
	units := &units{}
	var out []SumPart
	for x, name := range r.Other {
		unit := "1"
		units.scale, units.centre = append(units.scale, 1), append(units.centre, 0)
		if e := r.OtherEncoding; e != nil {
			unit, units.scale[x], units.centre[x] = unitOf(e, &e.Features[x]), e.Features[x].Scale, e.Features[x].Centre
		}
		out = append(out, SumPart{Name: name, Unit: unit, Value: units.raw(x, b[x]), Centre: units.centre[x], PerUnit: u[x] / units.scale[x], Part: b[x] * u[x]})
	}
	return out
}
