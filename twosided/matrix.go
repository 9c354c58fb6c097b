package twosided

import (
	"fmt"
	"slices"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/model/estimate"
)

// entries are the columns that each row of a model has entries for, and those that
// it was fitted on; nil: they are not known.
type entries struct{ seen, fitted [][]int32 }

// entriesOf finds them for the rows of a table.
func entriesOf(rows *data.Features, ids []string, all, train *data.Matrix) entries {
	e := entries{make([][]int32, len(rows.IDs)), make([][]int32, len(rows.IDs))}
	at := places(ids)
	for i, id := range rows.IDs {
		if r, known := at[id]; known {
			e.seen[i], _ = all.Row(r)
			e.fitted[i], _ = train.Row(r)
		}
	}
	return e
}

// Matrix is the model as one of a matrix, for whatever uses those: a row's
// coefficient of a column feature is Σ θ·(x − centre) over the products with it, and
// what the centres of the column features take from that is part of the row's effect.
// A row or a column counts as known by its features, whether it had entries or not; for
// one without features the mean of the others stands.
func (m *Model) Matrix() (*model.Model, error) {
	n, k := len(m.Rows.IDs), len(m.Columns.Names)
	rows := estimate.NewRowMatrix(n, k)
	parts := estimate.Parts{Coefficients: rows}
	parts.Population, parts.NewColumn, parts.Typical = make([]float64, 1+k), make([]float64, 1+k), make([]float64, k)
	if l := m.Summary.Learned; l != nil {
		parts.Mean, parts.RowEffects, parts.ColumnEffects = l.Mean, slices.Clone(m.RowEffects), m.ColumnEffects
		parts.NewColumn[0] = l.Columns.Base
		for f, name := range l.Columns.Features {
			parts.NewColumn[1+slices.Index(m.Columns.Names, name)] = l.Columns.Weights[f]
		}
	}
	for i := range n {
		x, u := m.Rows.Row(i), rows.Row(i)
		for p := range m.Summary.Products {
			product := &m.Summary.Products[p]
			by := product.Coefficient * (x[m.rowAt[p]] - product.RowCentre)
			u[m.colAt[p]] += by
			if parts.RowEffects != nil {
				parts.RowEffects[i] -= by * product.ColumnCentre
			}
		}
		if parts.RowEffects != nil {
			parts.Population[0] += parts.RowEffects[i] / float64(n)
		}
		for f, v := range u {
			parts.Population[1+f] += v / float64(n)
		}
	}
	columns := len(m.Columns.IDs)
	for j := range columns {
		for f, v := range m.Columns.Row(j) {
			parts.Typical[f] += v / float64(columns)
		}
	}
	out := &model.Model{
		Summary: m.Summary.Summary, Parts: parts, Features: m.Columns.Values,
		RowIDs: m.Rows.IDs, Entries: slices.Repeat([]int32{1}, n), ColumnIDs: m.Columns.IDs, ColumnEntries: make([]int32, columns), ByFeatures: true,
	}
	if l := m.Summary.Learned; l != nil {
		out.Uncertain = &model.Uncertain{
			Rows: l.Rows.uncertain(l.Noise, m.RowWeights), Columns: l.Columns.uncertain(l.Noise, m.ColumnWeights),
			Column: l.Columns.Variance, AnyRow: meanSquareAround(m.RowEffects), AnyColumn: meanSquareAround(m.ColumnEffects),
		}
	}
	if by := m.Summary.Loss; by != loss.Squared {
		out.Link = &estimate.Link{Scaled: loss.Scaled{Loss: by, Unit: m.Summary.Delta}}
	}
	if l := m.Summary.Learned; l != nil && !m.Summary.Loss.Linked() {
		out.Uncertain.Noise = l.Noise // with a link, sums have none
	}
	out.Summary.Terms, out.Summary.Encoding = m.Columns.Names, m.Summary.ColumnEncoding
	for _, seen := range m.entries.fitted {
		for _, j := range seen {
			out.ColumnEntries[j]++
		}
	}
	for j := range out.ColumnEntries {
		out.ColumnEntries[j] = max(out.ColumnEntries[j], 1)
	}
	known := m.entries
	out.SeenLater(func() (model.Lists, error) { return model.Lists{Seen: known.seen, Fitted: known.fitted}, nil })
	return out, out.Check()
}

// RowsFrom makes the features that the model's products need of rows in a table as
// people have it, as those of the fit were made.
func (m *Model) RowsFrom(table *data.RawTable) (*data.Features, []string, error) {
	used := slices.DeleteFunc(slices.Clone(m.Rows.Names), func(name string) bool { return m.Summary.Constants && name == Constant })
	reader := &model.Model{} // rows are read as the columns of a matrix are
	reader.Summary.Terms, reader.Summary.Encoding = used, m.Summary.RowEncoding
	read, warnings, err := reader.ColumnsFrom(table)
	if err != nil {
		return nil, nil, err
	}
	values := make([]float64, 0, len(table.IDs)*len(m.Rows.Names))
	for i := range table.IDs {
		for _, name := range m.Rows.Names {
			if j := slices.Index(read.Names, name); j >= 0 {
				values = append(values, read.Row(i)[j])
			} else {
				values = append(values, 1)
			}
		}
	}
	return data.NewFeatures(table.IDs, m.Rows.Names, values), warnings, nil
}

// WithRows is the model with further rows; of one that it has, the features are
// replaced. at tells where they are. The model itself is not changed.
func (m *Model) WithRows(rows *data.Features) (out *Model, at []int) {
	if !slices.Equal(rows.Names, m.Rows.Names) {
		panic(fmt.Sprintf("twosided: rows with the features %v, not %v", rows.Names, m.Rows.Names))
	}
	with := *m
	with.Rows = data.NewFeatures(slices.Clone(m.Rows.IDs), m.Rows.Names, slices.Clone(m.Rows.Values))
	with.RowEffects, with.RowWeights = slices.Clone(m.RowEffects), slices.Clone(m.RowWeights)
	known := places(m.Rows.IDs)
	k, learned := len(rows.Names), m.Summary.Learned
	for x, id := range rows.IDs {
		i, is := known[id]
		if is {
			copy(with.Rows.Values[i*k:], rows.Row(x))
		} else {
			i = len(with.Rows.IDs)
			with.Rows.IDs, with.Rows.Values = append(with.Rows.IDs, id), append(with.Rows.Values, rows.Row(x)...)
			if learned != nil {
				with.RowEffects, with.RowWeights = append(with.RowEffects, 0), append(with.RowWeights, 0)
			}
		}
		if learned != nil && with.RowWeights[i] == 0 {
			with.RowEffects[i] = learned.Rows.of(rows.Names, rows.Row(x))
		}
		at = append(at, i)
	}
	more := len(with.Rows.IDs) - len(m.Rows.IDs)
	if m.entries.seen != nil {
		with.entries.seen = append(slices.Clip(m.entries.seen), make([][]int32, more)...)
		with.entries.fitted = append(slices.Clip(m.entries.fitted), make([][]int32, more)...)
	}
	with.index()
	return &with, at
}

// usedOf is the encoding of the features that are in a product; nil: numbers, as they
// were given.
func usedOf(e *encode.Encoding, in *data.Features) *encode.Encoding {
	if e == nil {
		return nil
	}
	var used []int
	for j, name := range e.Names() {
		if slices.Contains(in.Names, name) {
			used = append(used, j)
		}
	}
	return e.Select(used)
}

// uncertain is the posterior variance of each effect by the weight of its entries.
func (l *Levels) uncertain(noise float64, weights []float64) []float64 {
	out := make([]float64, len(weights))
	for i, w := range weights {
		out[i] = 1 / (w/noise + 1/l.Variance)
	}
	return out
}

// meanSquareAround is the variance of effects around their mean.
func meanSquareAround(effects []float64) (variance float64) {
	mean := 0.0
	for _, v := range effects {
		mean += v / float64(len(effects))
	}
	for _, v := range effects {
		variance += (v - mean) * (v - mean) / float64(len(effects))
	}
	return variance
}
