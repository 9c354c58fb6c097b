package model

import (
	"context"
	"fmt"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/parallel"
	"optcomplete/model/estimate"
)

// WithRows is the model with the rows of r folded in: new ones are added after
// the others, and those that the model has are fitted anew, on the entries of r
// alone. The columns of r must be those of the model. rows gives the index in
// the result of every row of r. The model itself is not changed. Numbers too
// large to compute with are a *RangeError, with the row's index in r.
func (m *Model) WithRows(ctx context.Context, r *data.Ratings, threads int) (out *Model, rows []int, err error) {
	out, rows = m.grow(r)
	fold := make([]int, len(rows))
	for x := range fold {
		fold[x] = x
	}
	if err := out.foldRows(ctx, r, rows, fold, threads); err != nil {
		return nil, nil, err
	}
	if err := out.addSeen(m, r, rows, false); err != nil {
		return nil, nil, err
	}
	return out, rows, out.Check()
}

// WithNewRows is WithRows that leaves the rows which the model has as they are:
// of those it takes only what they have seen.
func (m *Model) WithNewRows(ctx context.Context, r *data.Ratings, threads int) (*Model, error) {
	out, rows := m.grow(r)
	var fold []int
	for x, i := range rows {
		if i >= len(m.RowIDs) {
			fold = append(fold, x)
		}
	}
	if err := out.foldRows(ctx, r, rows, fold, threads); err != nil {
		return nil, err
	}
	if err := out.addSeen(m, r, rows, true); err != nil {
		return nil, err
	}
	return out, out.Check()
}

// grow is a copy of the model with room for the rows of r, and their indices.
func (m *Model) grow(r *data.Ratings) (out *Model, rows []int) {
	n, columns := r.Dims()
	if columns != len(m.ColumnIDs) || len(r.RowIDs) != n {
		panic(fmt.Sprintf("model: %d columns and %d row ids to fold into a model of %d columns", columns, len(r.RowIDs), len(m.ColumnIDs)))
	}
	out = m.copy()
	out.RowIDs, out.Entries = slices.Clone(m.RowIDs), slices.Clone(m.Entries)
	k := m.K()
	kept := &estimate.RowMatrix{K: k, Values: slices.Clone(estimate.InMemory(m.Coefficients, k).Values)}
	out.RowEffects, out.Coefficients = slices.Clone(m.RowEffects), kept
	out.RowRemainder = slices.Clone(m.RowRemainder)
	rows = make([]int, n)
	for x, id := range r.RowIDs {
		i, known := m.Row(id)
		if !known {
			i = len(out.RowIDs)
			out.RowIDs, out.Entries = append(out.RowIDs, id), append(out.Entries, 0)
			kept.Values = append(kept.Values, make([]float64, k)...)
			if out.RowEffects != nil {
				out.RowEffects = append(out.RowEffects, 0)
			}
			out.RowRemainder = append(out.RowRemainder, make([]float64, m.Factors())...)
		}
		rows[x] = i
	}
	out.Summary.Rows = len(out.RowIDs)
	return out, rows
}

// foldRows fits the rows of r that fold lists; their indices are in rows.
func (m *Model) foldRows(ctx context.Context, r *data.Ratings, rows, fold []int, threads int) error {
	if _, err := m.folder(); err != nil {
		return err
	}
	return parallel.Do(ctx, len(fold), threads, func(int) func(part int) error {
		f, _ := m.folder() // it was tried above
		return func(part int) error {
			x := fold[part]
			at, values := r.Matrix().Row(x)
			i := rows[x]
			effect, err := f.fold(at, values, r.Matrix().RowWeights(x), m.Coefficients.Row(i))
			if err != nil {
				bad := *err.(*estimate.RangeError)
				bad.Row = x
				return &bad
			}
			if m.RowEffects != nil {
				m.RowEffects[i] = effect
			}
			if factors := m.Factors(); factors > 0 {
				f.remainder(at, values, r.Matrix().RowWeights(x), effect, m.Coefficients.Row(i), m.RowRemainder[i*factors:(i+1)*factors])
			}
			m.Entries[i] = int32(len(at))
			return nil
		}
	})
}

// addFitted takes over which entries the rows were fitted on: those of r that were
// folded in, on theirs.
func (m *Model) addFitted(before *Seen, known int, r *data.Ratings, rows []int, onlyNew bool) {
	if !before.Known() {
		return
	}
	columns, weights, row := make([][]int32, len(m.RowIDs)), make([][]float64, len(m.RowIDs)), before.Weighed()
	put := func(i int, at []int32, by []float64) {
		columns[i], weights[i] = slices.Clone(at), slices.Clone(by)
		if by == nil {
			weights[i] = slices.Repeat([]float64{1}, len(at))
		}
	}
	for i := range known {
		at, by, err := row(i)
		if err != nil {
			return
		}
		put(i, at, by)
	}
	for x, i := range rows {
		if !onlyNew || i >= known {
			at, _ := r.Matrix().Row(x)
			put(i, at, r.Matrix().RowWeights(x))
		}
	}
	m.entries.fitted.columns = columns
	if before.HasWeights() || r.Matrix().Weighted() {
		m.entries.fitted.weights = weights
	}
}

// addSeen adds what the rows of r have seen to what the model knew before; if it
// knew nothing, only when even that is welcome.
func (m *Model) addSeen(before *Model, r *data.Ratings, rows []int, anyway bool) error {
	seen, fitted, err := before.SeenAndFitted()
	if err != nil {
		return err
	}
	m.entries.read, m.entries.seen, m.entries.fitted = nil, Seen{}, Seen{}
	m.addFitted(fitted, len(before.RowIDs), r, rows, anyway)
	if !seen.Known() && !anyway {
		return nil
	}
	columns, row := make([][]int32, len(m.RowIDs)), seen.Reader()
	for i := range before.RowIDs {
		at, err := row(i)
		if err != nil {
			return err
		}
		columns[i] = slices.Clone(at)
	}
	for x, i := range rows {
		at, _ := r.Matrix().Row(x)
		all := slices.Concat(columns[i], at)
		slices.Sort(all)
		columns[i] = slices.Compact(all)
	}
	m.entries.seen.columns = columns
	return nil
}

// Alone is the model with one row in place of all its rows: folded in from these entries, as
// WithRows does it. It shares what it has of columns, so that it takes as long as one small
// solve, however many rows the model has. columns are indices in the model, increasing; weights
// are nil if there are none. The model itself is not changed.
//
// An error is a *RangeError, or one of reading the model.
func (m *Model) Alone(id string, columns []int32, values, weights []float64) (*Model, error) {
	f, err := m.folder()
	if err != nil {
		return nil, err
	}
	k := m.K()
	u, v := make([]float64, k), make([]float64, m.Factors())
	effect, err := f.fold(columns, values, weights, u)
	if err != nil {
		return nil, err
	}
	if len(v) > 0 {
		f.remainder(columns, values, weights, effect, u, v)
	}
	if _, _, err := m.SeenAndFitted(); err != nil { // with the weights of the columns
		return nil, err
	}
	out := m.copy()
	out.whole = m.all()
	out.RowIDs, out.Entries, out.Summary.Rows = []string{id}, []int32{int32(len(columns))}, 1
	out.Coefficients, out.RowRemainder = &estimate.RowMatrix{K: k, Values: u}, v
	if m.RowEffects != nil {
		out.RowEffects = []float64{effect}
	}
	own := Seen{columns: [][]int32{columns}}
	if weights != nil {
		own.weights = [][]float64{weights}
	}
	out.entries.read, out.entries.seen, out.entries.fitted = nil, own, own
	return out, nil
}
