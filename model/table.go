package model

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// groupRows is the number of rows in a row group of a saved model: what is
// converted and held in memory at a time.
const groupRows = 1 << 16

const (
	rowsFile    = "rows.parquet"
	columnsFile = "columns.parquet"
)

// table is one Parquet file of a saved model: an id, the number of entries, the
// effect if the model has one, one number per term, and the factors of the
// remainder if it has one.
type table struct {
	file   string
	id     string   // name of the id's column
	effect bool     // it has the column "effect"
	names  []string // of the feature columns, and of the remainder's

	remainder int // how many of the names are the remainder's: the last ones

	ids     []string
	entries []int32
	effects []float64
	values  []float64 // by rows, one for each term
	factors []float64 // by rows, remainder each
}

// rowSchema is the table of rows without its content.
func (m *Model) rowSchema() *table {
	return &table{file: rowsFile, id: "row", effect: m.Summary.Model != Paper.String(), names: m.columnNames(), remainder: m.remainderRank()}
}

func (m *Model) rowTable() *table {
	t := m.rowSchema()
	t.ids, t.entries, t.effects, t.values, t.factors = m.RowIDs, m.Entries, m.RowEffects, m.allCoefficients(), m.RowRemainder
	return t
}

func (m *Model) columnTable() *table {
	return &table{file: columnsFile, id: "column", effect: m.Summary.Model == Full.String(), names: m.columnNames(), remainder: m.remainderRank(),
		ids: m.ColumnIDs, entries: m.ColumnEntries, effects: m.ColumnEffects, values: m.Features, factors: m.ColumnRemainder}
}

// columnNames gives the Parquet columns of the terms and of the remainder, which
// is remainder_1 and so on.
func (m *Model) columnNames() []string {
	all := slices.Clone(m.Summary.Terms)
	for x := range m.remainderRank() {
		all = append(all, fmt.Sprintf("remainder_%d", x+1))
	}
	return columnNames(all)
}

// column is where the values of name f are: at, at+width, at+2·width and so on.
func (t *table) column(f int) (values []float64, width, at int) {
	k := len(t.names) - t.remainder
	if f < k {
		return t.values, k, f
	}
	return t.factors, t.remainder, f - k
}

// columnNames gives the Parquet columns of the features, the same in both
// files. A feature's column has its own name; if that is empty or taken, by
// row, column, entries, effect or an earlier feature, underscores are added to it until
// it is free. Upper and lower case are not told apart, as in DuckDB and Spark.
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

func (t *table) schema() *arrow.Schema {
	fields := []arrow.Field{{Name: t.id, Type: arrow.BinaryTypes.String}, {Name: "entries", Type: arrow.PrimitiveTypes.Int32}}
	if t.effect {
		fields = append(fields, arrow.Field{Name: "effect", Type: arrow.PrimitiveTypes.Float64})
	}
	for _, name := range t.names {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64})
	}
	return arrow.NewSchema(fields, nil)
}

// write writes the table to w, a row group at a time.
func (t *table) write(w io.Writer) error {
	out, err := t.writer(w)
	if err != nil {
		return err
	}
	for lo := 0; lo < len(t.ids); lo += groupRows {
		if err := out.group(t, lo, min(len(t.ids), lo+groupRows)); err != nil {
			return errors.Join(err, out.Close())
		}
	}
	return out.Close()
}

// tableWriter writes the row groups of a table.
type tableWriter struct {
	*pqarrow.FileWriter
	builder *array.RecordBuilder
}

// writer begins a file of tables like t.
func (t *table) writer(w io.Writer) (*tableWriter, error) {
	// Ids are distinct and coefficients too: a dictionary would only cost.
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDictionaryDefault(false))
	schema := t.schema()
	out, err := pqarrow.NewFileWriter(schema, onlyWriter{w}, props, pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	return &tableWriter{out, array.NewRecordBuilder(memory.DefaultAllocator, schema)}, nil
}

// group writes the rows lo..hi of t.
func (w *tableWriter) group(t *table, lo, hi int) error {
	t.append(w.builder, lo, hi)
	record := w.builder.NewRecordBatch()
	defer record.Release()
	return w.Write(record)
}

// Close ends the file.
func (w *tableWriter) Close() error {
	w.builder.Release()
	return w.FileWriter.Close()
}

// append adds the rows lo..hi to the builder.
func (t *table) append(b *array.RecordBuilder, lo, hi int) {
	ids := b.Field(0).(*array.StringBuilder)
	for _, id := range t.ids[lo:hi] {
		ids.Append(strings.ToValidUTF8(id, "\uFFFD")) // readers reject anything else
	}
	b.Field(1).(*array.Int32Builder).AppendValues(t.entries[lo:hi], nil)
	first := 2
	if t.effect {
		b.Field(first).(*array.Float64Builder).AppendValues(t.effects[lo:hi], nil)
		first++
	}
	for f := range t.names {
		values, width, at := t.column(f)
		column := b.Field(first + f).(*array.Float64Builder)
		column.Reserve(hi - lo)
		for i := lo; i < hi; i++ {
			column.UnsafeAppend(values[i*width+at])
		}
	}
}

// onlyWriter hides the other methods of a writer: the Parquet writer would
// close what it can close.
type onlyWriter struct{ io.Writer }

// is reports what is wrong with the schema of a file that should hold t.
func (t *table) is(got *arrow.Schema) error {
	want := t.schema()
	if got.NumFields() != want.NumFields() {
		return fmt.Errorf("it has %d columns, the model needs %d (%s)", got.NumFields(), want.NumFields(), names(want))
	}
	for i, w := range want.Fields() {
		g := got.Field(i)
		if g.Name != w.Name || !sameType(g.Type, w.Type) {
			return fmt.Errorf("its column %d is %s (%s), the model needs %s (%s)", i+1, g.Name, g.Type, w.Name, w.Type)
		}
	}
	return nil
}

// sameType allows the long strings that some programs rewrite a file with.
func sameType(got, want arrow.DataType) bool {
	return arrow.TypeEqual(got, want) || want.ID() == arrow.STRING && got.ID() == arrow.LARGE_STRING
}

func names(s *arrow.Schema) string {
	var out []string
	for _, f := range s.Fields() {
		out = append(out, f.Name)
	}
	return strings.Join(out, ", ")
}
