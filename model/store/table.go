package store

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"optcomplete/internal/columnar"
	"optcomplete/internal/lists"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/spec"
)

const (
	rowsFile    = "rows.parquet"
	columnsFile = "columns.parquet"
)

// Table is one Parquet file of a saved model: an id, the number of entries, the
// effect if the model has one, one number per term, and the factors of the
// remainder if it has one.
type Table struct {
	file   string
	id     string   // name of the id's column
	effect bool     // it has the column "effect"
	names  []string // of the feature columns, and of the remainder's

	remainder int // how many of the names are the remainder's: after the terms
	errors    int // how many of them are the columns' covariances: the last ones

	ids     []string
	entries []int32
	effects []float64
	values  []float64 // by rows, one for each term
	factors []float64 // by rows, remainder each
	spreads []float64 // by rows, errors each
}

// rowSchema is the table of rows without its content.
func rowSchema(m *model.Model) *Table {
	return &Table{file: rowsFile, id: "row", effect: spec.EffectsOf(m.Summary.Model).Rows, names: namesOf(m, 0), remainder: m.Factors()}
}

func rowTable(m *model.Model) *Table {
	t := rowSchema(m)
	t.ids, t.entries, t.effects, t.values, t.factors = m.RowIDs, m.Entries, m.RowEffects, estimate.InMemory(m.Coefficients, m.K()).Values, m.RowRemainder
	return t
}

// RowsOf is the table of some rows.
func RowsOf(m *model.Model, rows []int) *Table {
	t := rowSchema(m)
	for _, i := range rows {
		t.ids, t.entries = append(t.ids, m.RowIDs[i]), append(t.entries, m.Entries[i])
		t.values = append(t.values, m.Coefficients.Row(i)...)
		if t.effect {
			t.effects = append(t.effects, m.RowEffects[i])
		}
		t.factors = append(t.factors, m.RowRemainder[i*t.remainder:(i+1)*t.remainder]...)
	}
	return t
}

func columnTable(m *model.Model) *Table {
	errors := m.ColumnErrors(spec.EffectsOf(m.Summary.Model))
	return &Table{file: columnsFile, id: "column", effect: spec.EffectsOf(m.Summary.Model).Columns, names: namesOf(m, errors), remainder: m.Factors(), errors: errors,
		ids: m.ColumnIDs, entries: m.ColumnEntries, effects: m.ColumnEffects, values: m.Features, factors: m.ColumnRemainder, spreads: m.ColumnError}
}

// namesOf gives the Parquet columns of the terms and of the remainder: the
// other features by their names, remainder_1 and so on, and covariance_1 and so
// on for this many numbers.
func namesOf(m *model.Model, errors int) []string {
	all := slices.Clone(m.Summary.Terms)
	if m.Remainder != nil {
		all = append(all, m.Remainder.Other...)
		for x := range m.Remainder.CoFactors + m.Remainder.Rank {
			all = append(all, fmt.Sprintf("remainder_%d", x+1))
		}
	}
	for x := range errors {
		all = append(all, fmt.Sprintf("covariance_%d", x+1))
	}
	return columnNames(all)
}

// column is where the values of name f are: at, at+width, at+2·width and so on.
func (t *Table) column(f int) (values []float64, width, at int) {
	k := t.terms()
	switch {
	case f < k:
		return t.values, k, f
	case f < k+t.remainder:
		return t.factors, t.remainder, f - k
	}
	return t.spreads, t.errors, f - k - t.remainder
}

// terms is how many of the names are terms.
func (t *Table) terms() int { return len(t.names) - t.remainder - t.errors }

// columnNames gives the Parquet columns of the features, the same in both
// files. A feature's column has its own name; if that is empty or taken, by
// row, column, entries, effect or an earlier feature, underscores are added to it until
// it is free. Names that differ only in case count as equal, as in DuckDB and Spark.
func columnNames(features []string) []string {
	taken := map[string]bool{"": true, "row": true, "column": true, "entries": true, "effect": true}
	names := make([]string, len(features))
	for i, name := range features {
		name = strings.ToValidUTF8(name, "\uFFFD")
		for taken[strings.ToLower(name)] {
			name += "_"
		}
		taken[strings.ToLower(name)] = true
		names[i] = name
	}
	return names
}

// Fields are the columns of the table.
func (t *Table) Fields() []columnar.Field {
	fields := []columnar.Field{{Name: t.id, Kind: columnar.Text}, {Name: "entries", Kind: columnar.Int}}
	if t.effect {
		fields = append(fields, columnar.Field{Name: "effect", Kind: columnar.Float})
	}
	for _, name := range t.names {
		fields = append(fields, columnar.Field{Name: name, Kind: columnar.Float})
	}
	return fields
}

// GroupWriter writes a table by groups of rows, as a columnar.Writer does.
type GroupWriter interface {
	WriteGroup(columns ...any) error
	Close() error
}

// Write writes the table to w as Parquet.
func (t *Table) Write(w io.Writer) error { return t.WriteTo(columnar.NewWriter(w, t.Fields())) }

// WriteTo writes the table, a row group at a time.
func (t *Table) WriteTo(out GroupWriter) error {
	for lo := 0; lo < len(t.ids); lo += estimate.BlockRows {
		if err := out.WriteGroup(t.group(lo, min(len(t.ids), lo+estimate.BlockRows))...); err != nil {
			return errors.Join(err, out.Close())
		}
	}
	return out.Close()
}

// group is the columns of the rows lo..hi.
func (t *Table) group(lo, hi int) []any {
	columns := []any{t.ids[lo:hi], t.entries[lo:hi]}
	if t.effect {
		columns = append(columns, t.effects[lo:hi])
	}
	for f := range t.names {
		values, width, at := t.column(f)
		column := make([]float64, 0, hi-lo)
		for i := lo; i < hi; i++ {
			column = append(column, values[i*width+at])
		}
		columns = append(columns, column)
	}
	return columns
}

// is reports what is wrong with the columns of a file that should hold t.
func (t *Table) is(got []columnar.Column) error {
	want := t.Fields()
	if len(got) != len(want) {
		return fmt.Errorf("it has %d columns, the model needs %d (%s)", len(got), len(want), strings.Join(lists.Each(want, func(f columnar.Field) string { return f.Name }), ", "))
	}
	for i, w := range want {
		if g := got[i]; g.Name != w.Name || g.Kind != w.Kind || g.List {
			return fmt.Errorf("its column %d is %s (%v), the model needs %s (%v)", i+1, g.Name, g.Kind, w.Name, w.Kind)
		}
	}
	return nil
}
