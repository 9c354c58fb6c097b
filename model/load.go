package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// Load reads a model that Save wrote. An error names the file and what is wrong
// with it.
func Load(dir string) (*Model, error) {
	m := new(Model)
	if err := m.loadSummary(filepath.Join(dir, summaryFile)); err != nil {
		return nil, err
	}
	rows, columns := m.rowSchema(), m.columnTable()
	if err := rows.load(dir, m.Summary.Rows); err != nil {
		return nil, err
	}
	if err := columns.load(dir, m.Summary.Columns); err != nil {
		return nil, err
	}
	m.RowIDs, m.Entries, m.RowEffects, m.Coefficients = rows.ids, rows.entries, rows.effects, rows.values
	m.ColumnIDs, m.ColumnEntries, m.ColumnEffects, m.Features = columns.ids, columns.entries, columns.effects, columns.values
	m.RowRemainder, m.ColumnRemainder = rows.factors, columns.factors
	m.seen.file = filepath.Join(dir, seenFile)
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return m, nil
}

// LoadSummary reads what a saved model says of itself, without its rows.
func LoadSummary(dir string) (*Summary, error) {
	m := new(Model)
	if err := m.loadSummary(filepath.Join(dir, summaryFile)); err != nil {
		return nil, err
	}
	return &m.Summary, nil
}

func (m *Model) loadSummary(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not a saved model: it has no %s: %w", filepath.Dir(path), summaryFile, err)
	}
	if err != nil {
		return err
	}
	// The version first: the rest of another version may not even decode.
	var head struct {
		Format int `json:"format_version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("%s: not a readable JSON object: %w", path, err)
	}
	if err := CheckFormat(path, head.Format); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &m.Summary); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s := &m.Summary
	if s.K != len(s.Selected) || s.Rows < 0 || s.Columns < 0 {
		return fmt.Errorf("%s: k is %d with %d features selected, for %d rows and %d columns", path, s.K, len(s.Selected), s.Rows, s.Columns)
	}
	k := len(s.Terms)
	if t := s.Structure; t == nil || len(t.Population) != k+1 || len(t.NewColumn) != k+1 || len(t.Typical) != k {
		return fmt.Errorf("%s: its structure does not fit its %d terms", path, k)
	}
	if p := s.Structure.Prior; p != nil && (len(p.Covariance) != len(p.Mean)*len(p.Mean) || len(p.Mean) < k || len(p.Mean) > k+1) {
		return fmt.Errorf("%s: its prior does not fit its %d terms", path, k)
	}
	if r := s.Structure.Remainder; r != nil && (r.Rank < 1 || r.Rank > maxRemainder || !(r.Ridge >= 0)) {
		return fmt.Errorf("%s: its remainder has the rank %d and the ridge %v", path, r.Rank, r.Ridge)
	}
	m.Structure = *s.Structure
	return nil
}

// load fills the table from its file in dir, which must have want rows.
func (t *table) load(dir string, want int) (err error) {
	path := filepath.Join(dir, t.file)
	// The Parquet reader panics on some damaged files.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: damaged Parquet file: %v", path, r)
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("the model is incomplete: %w", err)
	}
	defer f.Close()
	in, err := file.NewParquetReader(f)
	if err != nil {
		return fmt.Errorf("%s: damaged or not a Parquet file: %w", path, err)
	}
	if got := in.NumRows(); got != int64(want) {
		return fmt.Errorf("%s: it has %d rows, but %s says %d", path, got, summaryFile, want)
	}
	batches, err := pqarrow.NewFileReader(in, pqarrow.ArrowReadProperties{BatchSize: groupRows}, memory.DefaultAllocator)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	schema, err := batches.Schema()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := t.is(schema); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := t.read(batches, want); err != nil {
		return fmt.Errorf("%s: damaged Parquet file: %w", path, err)
	}
	return nil
}

func (t *table) read(in *pqarrow.FileReader, want int) error {
	records, err := in.GetRecordReader(context.Background(), nil, nil)
	if err != nil {
		return err
	}
	defer records.Release()
	t.ids = make([]string, 0, want)
	t.values = make([]float64, want*(len(t.names)-t.remainder))
	if t.remainder > 0 {
		t.factors = make([]float64, want*t.remainder)
	}
	t.entries = make([]int32, 0, want)
	if t.effect {
		t.effects = make([]float64, 0, want)
	}
	for records.Next() {
		if err := t.take(records.RecordBatch()); err != nil {
			return err
		}
	}
	if err := records.Err(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(t.ids) != want {
		return fmt.Errorf("%d of %d rows could be read", len(t.ids), want)
	}
	return nil
}

// take appends the rows of one record batch.
func (t *table) take(r arrow.RecordBatch) error {
	lo, n, k := len(t.ids), int(r.NumRows()), len(t.names)
	if lo+n > cap(t.ids) {
		return fmt.Errorf("more rows than the %d announced", cap(t.ids))
	}
	for _, c := range r.Columns() {
		if c.NullN() > 0 {
			return errors.New("it has missing values")
		}
	}
	ids := r.Column(0).(array.StringLike)
	for i := range n {
		// A copy: the value is part of the batch's own buffer.
		t.ids = append(t.ids, strings.Clone(ids.Value(i)))
	}
	t.entries = append(t.entries, r.Column(1).(*array.Int32).Int32Values()...)
	first := 2
	if t.effect {
		t.effects = append(t.effects, r.Column(first).(*array.Float64).Float64Values()...)
		first++
	}
	for f := range k {
		values, width, at := t.column(f)
		for i, v := range r.Column(first + f).(*array.Float64).Float64Values() {
			values[(lo+i)*width+at] = v
		}
	}
	return nil
}
