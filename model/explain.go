package model

import (
	"math"
	"slices"

	"optcomplete/encode"
)

// Explanation says what a model has found, in the units of the features' file.
type Explanation struct {
	Model    string            `json:"model"`
	Rows     int               `json:"rows"`               // with entries
	Mean     float64           `json:"mean"`               // of the values; 0 in paper
	Variance *Variance         `json:"variance,omitempty"` // of the training values, and who explains it
	Terms    []TermExplanation `json:"terms"`
	Selected []Importance      `json:"selected"`
}

// TermExplanation says what one term does.
type TermExplanation struct {
	Name string `json:"name"`
	Unit string `json:"unit"` // what a coefficient is per
	// Population is how much a prediction for a column that had entries rises
	// with one unit of the feature, for a row of which nothing is known: the
	// coefficient that SumPart.PerUnit is for a row.
	Population float64 `json:"population"`
	// NewColumn is the same for a column without entries, whose effect is not
	// known: what column effects owe to the feature is added. Equal to Population
	// in models without column effects.
	NewColumn float64 `json:"new_column"`
	// PerSD and NewPerSD are Population and NewColumn for one standard deviation
	// of the feature over the columns: comparable between features.
	PerSD    float64 `json:"per_sd"`
	NewPerSD float64 `json:"new_per_sd"`
	Spread   Spread  `json:"spread"` // of Population's counterparts over the rows
	Share    float64 `json:"share"`  // of the variance of the training values; 0 if that is not known
}

// Spread tells how a number varies over rows with entries.
type Spread struct {
	SD       float64 `json:"sd"`
	Q05      float64 `json:"q05"`
	Q25      float64 `json:"q25"`
	Median   float64 `json:"median"`
	Q75      float64 `json:"q75"`
	Q95      float64 `json:"q95"`
	Positive float64 `json:"positive"` // part of the rows above 0
}

// Importance says how much a selected feature, or group, is needed.
type Importance struct {
	Name string `json:"name"`
	// Removed is the cost without it, and Increase by what part that is more;
	// 0 if the model was saved without them.
	Removed  float64 `json:"removed"`
	Increase float64 `json:"increase"`
	// Instead is the best selection seen without it, if there is one.
	Instead *NearTie `json:"instead,omitempty"`
}

// units are how terms are measured.
type units struct {
	names         []string
	scale, centre []float64
	sd            []float64 // over the columns, in encoded units
}

func (m *Model) units() *units {
	k := m.K()
	u := &units{names: make([]string, k), scale: make([]float64, k), centre: make([]float64, k), sd: make([]float64, k)}
	for f := range k {
		u.names[f], u.scale[f] = "1", 1
		if e := m.Summary.Encoding; e != nil {
			feature := &e.Features[f]
			u.names[f], u.scale[f], u.centre[f] = unitOf(e, feature), feature.Scale, feature.Centre
		}
		column := make([]float64, 0, len(m.ColumnIDs))
		for j := range m.ColumnIDs {
			column = append(column, m.columnFeatures(j)[f])
		}
		u.sd[f] = deviation(column)
	}
	return u
}

// raw is a value of term f in the unit of the file. What only rounding left of a
// zero is one.
func (u *units) raw(f int, encoded float64) float64 {
	x := encoded*u.scale[f] + u.centre[f]
	if math.Abs(x) < 1e-12*(u.scale[f]+math.Abs(u.centre[f])) && u.centre[f] != 0 {
		return 0
	}
	return x
}

// unitOf says what one unit of a feature is.
func unitOf(e *encode.Encoding, f *encode.Feature) string {
	field := &e.Fields[f.Field]
	switch {
	case f.Part == encode.Year:
		return "year"
	case f.Part == encode.Month:
		return "month"
	case f.Part != encode.Value || field.Type == encode.Indicator:
		return "yes against no"
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
func (m *Model) Explain() *Explanation {
	out := &Explanation{Model: m.Summary.Model, Mean: m.Mean, Variance: m.Summary.Variance}
	for _, entries := range m.Entries {
		if entries > 0 {
			out.Rows++
		}
	}
	units := m.units()
	for f, name := range m.Summary.Terms {
		seen, unseen := m.Population[1+f], m.Population[1+f]+m.NewColumn[1+f]
		term := TermExplanation{
			Name: name, Unit: units.names[f], Population: seen / units.scale[f], NewColumn: unseen / units.scale[f],
			PerSD: seen * units.sd[f], NewPerSD: unseen * units.sd[f],
		}
		term.Spread = spreadOf(m.overRows(f, 1/units.scale[f]))
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

// overRows is what term f adds in each row with entries to predictions for
// columns that had some, for a change by so much of the encoded feature.
func (m *Model) overRows(f int, by float64) []float64 {
	k := m.K()
	over := make([]float64, 0, len(m.Entries))
	add := func(i int, u float64) {
		if m.Entries[i] > 0 {
			over = append(over, u*by)
		}
	}
	if m.Stored != nil {
		m.Stored.Term(f, add)
		return over
	}
	for i := range m.Entries {
		add(i, m.Coefficients[i*k+f])
	}
	return over
}

func (m *Model) importance(name string) Importance {
	out := Importance{Name: name}
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

// spreadOf describes numbers, which it sorts; none give zeros.
func spreadOf(x []float64) Spread {
	if len(x) == 0 {
		return Spread{}
	}
	slices.Sort(x)
	above, _ := slices.BinarySearchFunc(x, 0, func(v, _ float64) int {
		if v > 0 {
			return 1
		}
		return -1
	})
	return Spread{
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
