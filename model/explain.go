package model

import (
	"math"
	"slices"

	"optcomplete/encode"
	"optcomplete/internal/parallel"
	"optcomplete/result"
)

// Units are how terms are measured.
type Units struct {
	Names         []string
	Scale, Centre []float64
	SD            []float64 // over the columns, in encoded units
}

func (m *Model) Units() *Units {
	k := m.K()
	u := &Units{Names: make([]string, k), Scale: make([]float64, k), Centre: make([]float64, k), SD: make([]float64, k)}
	for f := range k {
		u.Names[f], u.Scale[f] = "1", 1
		if e := m.Summary.Encoding; e != nil {
			feature := &e.Features[f]
			u.Names[f], u.Scale[f], u.Centre[f] = unitOf(e, feature), feature.Scale, feature.Centre
		}
		column := make([]float64, 0, len(m.ColumnIDs))
		for j := range m.ColumnIDs {
			column = append(column, m.ColumnFeatures(j)[f])
		}
		u.SD[f] = deviation(column)
	}
	return u
}

// Raw is a value of term f in the unit of the file. What only rounding left of a
// zero is one.
func (u *Units) Raw(f int, encoded float64) float64 {
	x := encoded*u.Scale[f] + u.Centre[f]
	if math.Abs(x) < 1e-12*(u.Scale[f]+math.Abs(u.Centre[f])) && u.Centre[f] != 0 {
		return 0
	}
	return x
}

// YesOrNo is the unit of an indicator.
const YesOrNo = "yes against no"

// unitOf says what one unit of a feature is.
func unitOf(e *encode.Encoding, f *encode.Feature) string {
	field := &e.Fields[f.Field]
	switch {
	case f.Part == encode.Year:
		return "year"
	case f.Part == encode.Month:
		return "month"
	case f.Part != encode.Value || field.Type == encode.Indicator:
		return YesOrNo
	case field.Transform == encode.Log:
		return "factor e"
	case field.Transform == encode.Log1p:
		return "factor e of 1+x"
	}
	return "1"
}

// deviation is the standard deviation, by n.
func deviation(x []float64) float64 {
	mean, square := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		square += (v - mean) * (v - mean) / float64(len(x))
	}
	return math.Sqrt(square)
}

// Explain says what the model has found.
func (m *Model) Explain() *result.Explanation {
	out := &result.Explanation{Model: m.Summary.Model, Mean: m.Mean, Variance: m.Summary.Variance, Scale: m.LossOf().Loss.Scale(), Units: m.Summary.Units}
	for _, entries := range m.Entries {
		if entries > 0 {
			out.Rows++
		}
	}
	units := m.Units()
	spreads := make([]result.Spread, len(m.Summary.Terms))
	over := make([][]float64, len(spreads))
	for f := range over {
		over[f] = m.OverRows(f, 1/units.Scale[f])
	}
	parallel.Each(len(over), 0, func(f int) { spreads[f] = SpreadOf(over[f]) })
	for f, name := range m.Summary.Terms {
		seen, unseen := m.Population[1+f], m.Population[1+f]+m.NewColumn[1+f]
		term := result.TermExplanation{
			Name: name, Unit: units.Names[f], Population: seen / units.Scale[f], NewColumn: unseen / units.Scale[f],
			PerSD: seen * units.SD[f], NewPerSD: unseen * units.SD[f],
		}
		term.Spread = spreads[f]
		if out.Scale != "" {
			term.Ratio = &result.Range{Low: ratio(term.Spread.Q05), High: ratio(term.Spread.Q95)}
		}
		if out.Variance != nil {
			term.Share = out.Variance.Terms[f]
		}
		out.Terms = append(out.Terms, term)
	}
	for _, name := range m.Summary.Selected {
		out.Selected = append(out.Selected, m.importance(name))
	}
	return out
}

// ratio is the factor that a sum on the scale of logarithms is, kept finite.
func ratio(x float64) float64 { return math.Exp(min(x, 700)) }

// OverRows is what term f adds in each row with entries to predictions for
// columns that had some, for a change by so much of the encoded feature.
func (m *Model) OverRows(f int, by float64) []float64 {
	over := make([]float64, 0, len(m.Entries))
	add := func(i int, u float64) {
		if m.Entries[i] > 0 {
			over = append(over, u*by)
		}
	}
	m.Coefficients.Term(f, add)
	return over
}

func (m *Model) importance(name string) result.Importance {
	out := result.Importance{Name: name}
	for _, r := range m.Summary.Removal {
		if r.Name == name {
			out.Removed = r.Cost
			if m.Summary.Cost > 0 {
				out.Increase = (r.Cost - m.Summary.Cost) / m.Summary.Cost
			}
		}
	}
	for _, tie := range m.Summary.NearTies { // best first
		if !slices.Contains(tie.Selected, name) {
			out.Instead = &tie
			break
		}
	}
	return out
}

// SpreadOf describes numbers, which it sorts; none give zeros.
func SpreadOf(x []float64) result.Spread {
	if len(x) == 0 {
		return result.Spread{}
	}
	slices.Sort(x)
	above, _ := slices.BinarySearchFunc(x, 0, func(v, _ float64) int {
		if v > 0 {
			return 1
		}
		return -1
	})
	return result.Spread{
		SD: deviation(x), Q05: Quantile(x, 0.05), Q25: Quantile(x, 0.25), Median: Quantile(x, 0.5), Q75: Quantile(x, 0.75), Q95: Quantile(x, 0.95),
		Positive: 1 - float64(above)/float64(len(x)),
	}
}

// Quantile interpolates between the sorted numbers, of which there is at least one.
func Quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	lo := int(at)
	if lo+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	w := at - float64(lo)
	return sorted[lo]*(1-w) + sorted[lo+1]*w
}
