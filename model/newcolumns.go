package model

import (
	"fmt"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/encode"
)

// largestFeature is the largest value that a new column's feature may have: no
// prediction from it leaves the range of float64.
const largestFeature = 1e100

// ColumnFrom gives the features of a column from its raw record, by the names of
// its fields, exactly as the table's were made: by the model's encoding, or as
// numbers if the features were used as given. A field that is missing, a number
// or a date that is none, and a level that the table did not have are an
// *data.InputError; what was filled in or pooled is a warning.
func (m *Model) ColumnFrom(record map[string]string) (features []float64, warnings []string, err error) {
	if m.Summary.Encoding != nil {
		if features, warnings, err = m.Summary.Encoding.Apply(record); err != nil {
			return nil, nil, err
		}
		return features, warnings, m.checkFeatures("record", 0, features)
	}
	cells := make([]string, m.K())
	var absent []string
	for f, name := range m.Summary.Terms {
		cell, ok := record[name]
		if !ok {
			absent = append(absent, name)
		}
		cells[f] = cell
	}
	if len(absent) > 0 {
		return nil, nil, encode.AbsentFields("record", 0, absent)
	}
	features, err = m.numbers("record", 0, cells)
	return features, nil, err
}

// ColumnsFrom is ColumnFrom for a whole table of new columns. Errors name its
// file and line.
func (m *Model) ColumnsFrom(table *data.RawTable) (features *data.Features, warnings []string, err error) {
	if m.Summary.Encoding != nil {
		if features, warnings, err = m.Summary.Encoding.ApplyTable(table); err != nil {
			return nil, nil, err
		}
		for j := range features.IDs {
			if err := m.checkFeatures(table.File, table.Lines[j], features.Row(j)); err != nil {
				return nil, nil, err
			}
		}
		return features, warnings, nil
	}
	at := make([]int, m.K())
	var absent []string
	for f, name := range m.Summary.Terms {
		if at[f] = slices.Index(table.Names, name); at[f] < 0 {
			absent = append(absent, name)
		}
	}
	if len(absent) > 0 {
		return nil, nil, encode.AbsentFields(table.File, 1, absent)
	}
	values := make([]float64, 0, len(table.IDs)*m.K())
	cells := make([]string, m.K())
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
	return data.NewFeatures(slices.Clone(table.IDs), m.Summary.Terms, values), nil, nil
}

// numbers reads the terms of one column, which are used as given.
func (m *Model) numbers(file string, line int, cells []string) ([]float64, error) {
	out := make([]float64, len(cells))
	for f, cell := range cells {
		name := data.Quote(m.Summary.Terms[f])
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
				Problem: fmt.Sprintf("feature %s has the value %g: too large to compute with", data.Quote(m.Summary.Terms[f]), x),
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
	if _, k := features.Dims(); k != m.K() {
		panic(fmt.Sprintf("model: %d features for a model with %d terms", k, m.K()))
	}
	for _, id := range features.IDs {
		if _, known := m.Column(id); known {
			return nil, fmt.Errorf("model: column %q is in the model already", id)
		}
	}
	out := m.copy()
	out.ColumnIDs = slices.Concat(m.ColumnIDs, features.IDs)
	out.ColumnEntries = append(slices.Clone(m.ColumnEntries), make([]int32, len(features.IDs))...)
	out.Features = slices.Concat(m.Features, features.Values)
	if m.ColumnEffects != nil {
		out.ColumnEffects = slices.Clone(m.ColumnEffects)
		for j := range features.IDs {
			out.ColumnEffects = append(out.ColumnEffects, m.newColumnEffect(features.Row(j)))
		}
	}
	if m.Remainder != nil { // a column without entries has none
		out.ColumnRemainder = append(slices.Clone(m.ColumnRemainder), make([]float64, len(features.IDs)*m.Remainder.Rank)...)
	}
	out.Summary.Columns = len(out.ColumnIDs)
	return out, out.check()
}

// copy is a model with the same content, whose fields can be replaced.
func (m *Model) copy() *Model {
	out := &Model{
		Summary: m.Summary, Parts: m.Parts,
		RowIDs: m.RowIDs, Entries: m.Entries,
		ColumnIDs: m.ColumnIDs, ColumnEntries: m.ColumnEntries, Features: m.Features,
	}
	out.seen.file, out.seen.columns, out.seen.source = m.seen.file, m.seen.columns, m.seen.source
	return out
}
