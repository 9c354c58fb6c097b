package model

import (
	"fmt"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/model/estimate"
)

// largestFeature is the largest value that a new column's feature may have: no
// prediction from it leaves the range of float64.
const largestFeature = 1e100

// ColumnsFrom gives the features of new columns from a table of raw records, exactly as
// those of the first table were made: by the model's encoding, or as numbers if the
// features were used as given. A field that is missing, a number or a date that is none,
// and a level that the first table did not have are an *data.InputError that names file
// and line; what was filled in or pooled is a warning.
func (m *Model) ColumnsFrom(table *data.RawTable) (features *data.Features, warnings []string, err error) {
	used := m.FeaturesUsed()
	if m.Summary.Encoding != nil {
		var parts []*data.Features
		for _, e := range m.Encodings() {
			part, notes, err := e.ApplyTable(table)
			if err != nil {
				return nil, nil, err
			}
			parts, warnings = append(parts, part), append(warnings, notes...)
		}
		features = parts[0]
		if len(parts) > 1 {
			var values []float64
			for j := range features.IDs {
				values = append(append(values, parts[0].Row(j)...), parts[1].Row(j)...)
			}
			features = data.NewFeatures(features.IDs, used, values)
		}
		for j := range features.IDs {
			if err := m.checkFeatures(table.File, table.Lines[j], features.Row(j)); err != nil {
				return nil, nil, err
			}
		}
		return features, warnings, nil
	}
	at := make([]int, len(used))
	var absent []string
	for f, name := range used {
		if at[f] = slices.Index(table.Names, name); at[f] < 0 {
			absent = append(absent, name)
		}
	}
	if len(absent) > 0 {
		return nil, nil, encode.AbsentFields(table.File, absent)
	}
	values := make([]float64, 0, len(table.IDs)*len(used))
	cells := make([]string, len(used))
	for j := range table.IDs {
		for f, x := range at {
			cells[f] = table.Row(j)[x]
		}
		row, err := m.numbers(table.File, table.Lines[j], cells)
		if err != nil {
			return nil, nil, err
		}
		values = append(values, row...)
	}
	return data.NewFeatures(slices.Clone(table.IDs), used, values), nil, nil
}

// FeaturesUsed names what a prediction needs of a column: the terms, and the other
// features of a remainder.
func (m *Model) FeaturesUsed() []string {
	if m.Remainder == nil {
		return m.Summary.Terms
	}
	return slices.Concat(m.Summary.Terms, m.Remainder.Other)
}

// Encodings make what FeaturesUsed names from a raw record; the model has some if its Summary has one.
func (m *Model) Encodings() []*encode.Encoding {
	out := []*encode.Encoding{m.Summary.Encoding}
	if r := m.Remainder; r != nil && len(r.Other) > 0 {
		out = append(out, r.OtherEncoding)
	}
	return out
}

// numbers reads the terms of one column, which are used as given.
func (m *Model) numbers(file string, line int, cells []string) ([]float64, error) {
	out := make([]float64, len(cells))
	for f, cell := range cells {
		name := data.Quote(m.FeaturesUsed()[f])
		if cell == "" {
			return nil, &data.InputError{File: file, Line: line, Problem: "field " + name + " is blank", Remedy: "the model uses it as given: fill it in"}
		}
		x, problem, remedy := data.ParseNumber(cell)
		if problem != "" {
			return nil, &data.InputError{File: file, Line: line, Problem: fmt.Sprintf("field %s: %s %s", name, data.Quote(cell), problem), Remedy: remedy}
		}
		out[f] = x
	}
	return out, m.checkFeatures(file, line, out)
}

func (m *Model) checkFeatures(file string, line int, features []float64) error {
	for f, x := range features {
		if !(math.Abs(x) <= largestFeature) {
			return &data.InputError{
				File: file, Line: line,
				Problem: fmt.Sprintf("feature %s has the value %g: too large to compute with", data.Quote(m.FeaturesUsed()[f]), x),
				Remedy:  "give it in the unit of the table",
			}
		}
	}
	return nil
}

// WithColumns is the model with more columns, of which the features are known
// and no entry: what ColumnsFrom gave. Their effect is what the features
// predict. Ids that the model has already are an error: their features are part
// of it. The model itself is not changed.
func (m *Model) WithColumns(features *data.Features) (*Model, error) {
	k := m.K()
	if _, used := features.Dims(); used != len(m.FeaturesUsed()) {
		panic(fmt.Sprintf("model: %d features for a model with %d", used, len(m.FeaturesUsed())))
	}
	for _, id := range features.IDs {
		if _, known := m.Column(id); known {
			return nil, fmt.Errorf("model: column %q is in the model already", id)
		}
	}
	out := m.copy()
	out.ColumnIDs = slices.Concat(m.ColumnIDs, features.IDs)
	out.ColumnEntries = append(slices.Clone(m.ColumnEntries), make([]int32, len(features.IDs))...)
	if m.ColumnWeights != nil {
		out.ColumnWeights = append(slices.Clone(m.ColumnWeights), make([]float64, len(features.IDs))...)
	}
	out.Features = slices.Clone(m.Features)
	for j := range features.IDs {
		out.Features = append(out.Features, features.Row(j)[:k]...)
	}
	if m.ColumnEffects != nil {
		out.ColumnEffects = slices.Clone(m.ColumnEffects)
		for j := range features.IDs {
			out.ColumnEffects = append(out.ColumnEffects, m.NewColumnEffect(features.Row(j)[:k]))
		}
	}
	if r := m.Remainder; r != nil { // a column without entries has no traits
		out.ColumnRemainder, out.ColumnError = slices.Clone(m.ColumnRemainder), slices.Clone(m.ColumnError)
		prior := estimate.Packed(r.ColumnPrior)
		for j := range features.IDs {
			out.ColumnRemainder = append(append(out.ColumnRemainder, features.Row(j)[k:]...), make([]float64, r.CoFactors+r.Rank)...)
			out.ColumnError = append(out.ColumnError, prior...)
		}
	}
	out.Summary.Columns = len(out.ColumnIDs)
	return out, out.Check()
}

// copy is a model with the same content, whose fields can be replaced.
func (m *Model) copy() *Model {
	out := &Model{
		Summary: m.Summary, Parts: m.Parts,
		RowIDs: m.RowIDs, Entries: m.Entries,
		ColumnIDs: m.ColumnIDs, ColumnEntries: m.ColumnEntries, ColumnWeights: m.ColumnWeights, Features: m.Features, ByFeatures: m.ByFeatures, Uncertain: m.Uncertain,
	}
	out.entries.read, out.entries.seen, out.entries.fitted = m.entries.read, m.entries.seen, m.entries.fitted
	return out
}
