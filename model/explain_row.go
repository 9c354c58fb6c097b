package model

import (
	"cmp"
	"math"
	"slices"

	"optcomplete/model/estimate"
	"optcomplete/result"
)

// ExplainRow says what sets a row apart and why it gets its recommendations. A
// row that the model does not have is explained as the population. An error is
// one of reading which entries the row had.
func (m *Model) ExplainRow(row string, top []result.Recommendation) (*result.RowExplanation, error) {
	i, ok := m.Row(row)
	if !ok {
		i = -1
	}
	return m.ExplainRowAt(i, row, m.Units(), top)
}

func (m *Model) ExplainRowAt(i int, row string, units *Units, top []result.Recommendation) (*result.RowExplanation, error) {
	of := m.Fitted()
	effect, u, isNew := of.RowParts(i)
	out := &result.RowExplanation{Row: row, New: isNew, Effect: effect, PopulationEffect: m.Population[0], Terms: []result.RowTerm{}, Top: []result.ItemWhys{}}
	if i >= 0 {
		out.Entries = int(m.Entries[i])
	}
	out.Scale = m.LossOf().Loss.Scale()
	sure, err := m.rowMargins(i, result.RowInterval)
	if err != nil {
		return nil, err
	}
	for f, name := range m.Summary.Terms {
		term := result.RowTerm{
			Name: name, Unit: units.Names[f],
			Row: u[f] / units.Scale[f], Population: m.Population[1+f] / units.Scale[f], NewColumn: (u[f] + m.NewColumn[1+f]) / units.Scale[f],
			PerSD: (u[f] - m.Population[1+f]) * units.SD[f],
		}
		if out.Scale != "" {
			term.Ratio = ratio(term.Row)
		}
		if sure.own != nil {
			if by := sure.own[f] / units.Scale[f]; out.Scale != "" {
				term.RatioInterval = &result.Range{Low: ratio(term.Row - by), High: ratio(term.Row + by)}
			}
			by := sure.difference[f] * units.SD[f]
			term.Interval = &result.Range{Low: term.PerSD - by, High: term.PerSD + by}
			if m.Link.Held(f) { // and the average row's coefficient is 0
				term.Interval.Low = max(term.Interval.Low, 0)
				if term.RatioInterval != nil {
					term.RatioInterval.Low = max(term.RatioInterval.Low, 1)
				}
			}
			switch {
			case term.Interval.Low > 0:
				term.Differs = 1
			case term.Interval.High < 0:
				term.Differs = -1
			}
		}
		out.Terms = append(out.Terms, term)
	}
	slices.SortStableFunc(out.Terms, func(a, b result.RowTerm) int { return cmp.Compare(math.Abs(b.PerSD), math.Abs(a.PerSD)) })
	typical := m.NewColumnEffect(m.Typical)
	at := i
	if isNew {
		at = -1
	}
	for _, r := range top {
		columnEffect, b, _ := of.ColumnParts(r.Column)
		item := result.ItemWhys{Column: m.ColumnIDs[r.Column], Prediction: r.Value, Basis: r.Basis, Whys: []result.Why{}}
		if m.ColumnEffects != nil {
			item.Whys = append(item.Whys, result.Why{Name: result.ColumnEffect, Part: columnEffect - typical})
		}
		for f, name := range m.Summary.Terms {
			item.Whys = append(item.Whys, result.Why{Name: name, Part: (b[f] - m.Typical[f]) * u[f]})
		}
		if m.Remainder != nil {
			other, unnamed := m.SplitRemainder(at, r.Column)
			if len(m.Remainder.Other) > 0 {
				typicalOther, _ := m.SplitRemainder(at, -1)
				item.Whys = append(item.Whys, result.Why{Name: estimate.OtherNamed, Part: other - typicalOther})
			}
			if !isNew {
				item.Whys = append(item.Whys, result.Why{Name: estimate.Unnamed, Part: unnamed})
			}
		}
		slices.SortStableFunc(item.Whys, func(a, b result.Why) int { return cmp.Compare(b.Part, a.Part) })
		out.Top = append(out.Top, item)
	}
	return out, nil
}

// WhyRow says what sets the sum of row i for column j apart from that of a row of which nothing
// is known: the parts that lift it most come first, or with lowest those that lower it most.
func (m *Model) WhyRow(i, j int, lowest bool) []result.Why {
	of := m.Fitted()
	effect, u, isNew := of.RowParts(i)
	_, b, _ := of.ColumnParts(j)
	out := []result.Why{}
	if isNew {
		return out
	}
	if m.RowEffects != nil {
		out = append(out, result.Why{Name: result.RowEffect, Part: effect - m.Population[0]})
	}
	for f, name := range m.Summary.Terms {
		out = append(out, result.Why{Name: name, Part: b[f] * (u[f] - m.Population[1+f])})
	}
	if m.Remainder != nil {
		other, unnamed := m.SplitRemainder(i, j)
		usual, without := m.SplitRemainder(-1, j)
		if len(m.Remainder.Other) > 0 {
			out = append(out, result.Why{Name: estimate.OtherNamed, Part: other - usual})
		}
		out = append(out, result.Why{Name: estimate.Unnamed, Part: unnamed - without})
	}
	slices.SortStableFunc(out, func(a, b result.Why) int {
		if lowest {
			a, b = b, a
		}
		return cmp.Compare(b.Part, a.Part)
	})
	return out
}

// ExplainSum shows one prediction, the same that Answer gives, as a sum. It works for
// any row and column.
func (m *Model) ExplainSum(row, column string) *result.SumExplanation {
	i, ok := m.Row(row)
	if !ok {
		i = -1
	}
	j, ok := m.Column(column)
	if !ok {
		j = -1
	}
	return m.ExplainSumAt(i, j, row, column, m.Units())
}

func (m *Model) ExplainSumAt(i, j int, row, column string, units *Units) *result.SumExplanation {
	of := m.Fitted()
	rowEffect, u, isNew := of.RowParts(i)
	columnEffect, b, _ := of.ColumnParts(j)
	a := of.AnswerAt(i, j)
	out := &result.SumExplanation{
		Row: row, Column: column, Basis: a.Basis, Mean: m.Mean, RowEffect: rowEffect, ColumnEffect: columnEffect,
		Parts: []result.SumPart{}, Sum: a.Unclipped, Clip: m.Clip, Prediction: a.Value, Scale: m.LossOf().Loss.Scale(),
	}
	if m.Remainder != nil {
		at := i
		if isNew {
			at = -1
		}
		other, unnamed := m.SplitRemainder(at, j)
		if m.Remainder.Rank+m.Remainder.CoFactors > 0 {
			out.Remainder = &unnamed
		}
		if len(m.Remainder.Other) > 0 {
			out.Other, out.OtherParts = &other, m.otherParts(at, j)
		}
	}
	for f, name := range m.Summary.Terms {
		part := result.SumPart{
			Name: name, Unit: units.Names[f], Value: units.Raw(f, b[f]), Centre: units.Centre[f],
			PerUnit: u[f] / units.Scale[f], Part: b[f] * u[f],
		}
		if out.Scale != "" {
			part.Ratio = ratio(part.Part)
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}

// otherParts is what each feature that is not selected adds.
func (m *Model) otherParts(i, j int) []result.SumPart {
	r, f := m.Remainder, m.Factors()
	u, b := r.OtherPopulation, r.OtherTypical
	if i >= 0 {
		u = m.RowRemainder[i*f:][:f]
	}
	if j >= 0 {
		b = m.ColumnRemainder[j*f:][:f]
	}
	units := &Units{}
	var out []result.SumPart
	for x, name := range r.Other {
		unit := "1"
		units.Scale, units.Centre = append(units.Scale, 1), append(units.Centre, 0)
		if e := r.OtherEncoding; e != nil {
			unit, units.Scale[x], units.Centre[x] = unitOf(e, &e.Features[x]), e.Features[x].Scale, e.Features[x].Centre
		}
		out = append(out, result.SumPart{Name: name, Unit: unit, Value: units.Raw(x, b[x]), Centre: units.Centre[x], PerUnit: u[x] / units.Scale[x], Part: b[x] * u[x]})
	}
	return out
}
