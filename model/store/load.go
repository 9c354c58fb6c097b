package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"optcomplete/data"
	"optcomplete/internal/checksum"
	"optcomplete/internal/columnar"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/spec"
)

// Load reads a model that Save wrote. An error names the file and what is wrong
// with it.
func Load(dir string) (*model.Model, error) {
	path := filepath.Join(dir, summaryFile)
	before, _ := checksum.File(path)
	m, err := load(dir)
	// A model that was replaced while it was read is no damaged one.
	for tries := 0; err != nil && tries < 3; tries++ {
		now, gone := checksum.File(path)
		if gone != nil || now == before {
			break
		}
		before = now
		m, err = load(dir)
	}
	return m, err
}

func load(dir string) (*model.Model, error) {
	m := new(model.Model)
	sums, err := loadSummary(m, dir)
	if err != nil {
		return nil, err
	}
	rows, columns := rowSchema(m), columnTable(m)
	load := rows.load
	if _, several := sums[shardsFile]; several {
		load = rows.loadShards
	}
	if err := load(dir, m.Summary.Rows, sums); err != nil {
		return nil, err
	}
	if err := columns.load(dir, m.Summary.Columns, sums); err != nil {
		return nil, err
	}
	m.RowIDs, m.Entries, m.RowEffects, m.Coefficients = rows.ids, rows.entries, rows.effects, &estimate.RowMatrix{K: m.K(), Values: rows.values}
	m.ColumnIDs, m.ColumnEntries, m.ColumnEffects, m.Features = columns.ids, columns.entries, columns.effects, columns.values
	m.RowRemainder, m.ColumnRemainder, m.ColumnError = rows.factors, columns.factors, columns.spreads
	if _, saved := sums[seenFile]; saved || sums == nil { // else it is what another model left
		path := filepath.Join(dir, seenFile)
		m.SeenLater(func() (model.Lists, error) { return readSeen(m, path) })
		if err := sums.Check(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err := m.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return m, nil
}

// LoadSummary reads what a saved model says about itself, without its rows.
func LoadSummary(dir string) (*model.Summary, error) {
	m := new(model.Model)
	if _, err := loadSummary(m, dir); err != nil {
		return nil, err
	}
	return &m.Summary, nil
}

// ReadSealed reads the model.json of a saved model of any version that is known,
// and checks it. sums are the checksums of the files beside it; those of models
// that were saved without any are nil.
func ReadSealed(path string) (text []byte, sums checksum.Sums, err error) {
	text, err = os.ReadFile(path)
	if info, wrong := os.Stat(filepath.Dir(path)); err != nil && wrong == nil && !info.IsDir() {
		return nil, nil, fmt.Errorf("%s is a file, but a saved model is a folder (name the one that fit -o or regress -o wrote)", filepath.Dir(path))
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, nil, fmt.Errorf("there is no folder %s: a part of this path is a file (name the folder that fit -o or regress -o wrote)", filepath.Dir(path))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s is not a saved model: it has no %s: %w", filepath.Dir(path), summaryFile, err)
	}
	if err != nil {
		return nil, nil, err
	}
	// The version first: the rest of another version may not even decode.
	var head struct {
		Format *int `json:"format_version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, nil, fmt.Errorf("%s: not a readable JSON object: %s", path, data.DescribeJSON(err))
	}
	if head.Format == nil {
		return nil, nil, fmt.Errorf("%s is not a saved model: it has no format_version", path)
	}
	if err := CheckFormat(path, *head.Format); err != nil {
		return nil, nil, err
	}
	sums, err = checksum.Unseal(path, text)
	if err == nil && sums == nil && *head.Format >= sealedFormat {
		err = fmt.Errorf("%s: it has no checksum: it was changed or damaged after it was written (%s)", path, checksum.Remedy)
	}
	return text, sums, err
}

// ReadSummary reads the model.json of a folder into what a package keeps of its models. kind is
// what the file must call its model; empty: anything.
func ReadSummary(dir, kind string, into any) (sums checksum.Sums, err error) {
	path := filepath.Join(dir, summaryFile)
	text, sums, err := ReadSealed(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return nil, fmt.Errorf("%s: %s", path, data.DescribeJSON(err))
	}
	if is := kindOf(text); kind != "" && is != kind {
		return nil, fmt.Errorf("%s: the model is %q, not %q", path, is, kind)
	}
	return sums, nil
}

func loadSummary(m *model.Model, dir string) (checksum.Sums, error) {
	sums, err := ReadSummary(dir, "", &m.Summary)
	if err != nil {
		return nil, err
	}
	return sums, checkSummary(m, filepath.Join(dir, summaryFile))
}

// checkSummary is the error for a summary that does not fit together.
func checkSummary(m *model.Model, path string) error {
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
	if l := s.Structure.Link; l != nil && !l.Proper(k) {
		return fmt.Errorf("%s: its link does not fit its %d terms", path, k)
	}
	if v := s.Variance; v != nil && len(v.Terms) != k {
		return fmt.Errorf("%s: its shares of the variance do not fit its %d terms", path, k)
	}
	if r := s.Structure.Remainder; r != nil && r.Prior != nil && !proper(r.Prior) {
		return fmt.Errorf("%s: the prior of its remainder is no covariance", path)
	}
	if r := s.Structure.Remainder; r != nil {
		if err := r.Check(k, spec.EffectsOf(s.Model)); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	m.Parts.Structure = *s.Structure
	return nil
}

// load fills the table from its file in dir, which must have want rows.
func (t *Table) load(dir string, want int, sums checksum.Sums) error {
	return t.loadFile(filepath.Join(dir, t.file), want, sums)
}

// loadFile adds the rows of a file, of which there must be as many.
func (t *Table) loadFile(path string, want int, sums checksum.Sums) error {
	if err := sums.Check(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	in, err := columnar.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("the model is incomplete: %w", err)
	}
	if err != nil {
		return fmt.Errorf("%s: damaged or not a Parquet file: %w", path, err)
	}
	defer in.Close()
	if got := in.Rows(); got != int64(want) {
		return fmt.Errorf("%s: it has %d rows, but %s says %d", path, got, summaryFile, want)
	}
	if err := t.is(in.Columns); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := t.read(in, want); err != nil {
		return fmt.Errorf("%s: damaged Parquet file: %w", path, err)
	}
	return nil
}

func (t *Table) read(in *columnar.File, want int) error {
	all := make([]int, len(in.Columns))
	for x := range all {
		all[x] = x
	}
	before := len(t.ids)
	// As the rows come, not as many as are announced: the file may be damaged.
	err := in.Scan(context.Background(), all, estimate.BlockRows, t.take)
	if got := len(t.ids) - before; err == nil && got != want {
		err = fmt.Errorf("%d of %d rows could be read", got, want)
	}
	return err
}

// take appends the rows of one batch.
func (t *Table) take(columns []columnar.Vector) error {
	for _, c := range columns {
		if c.Null != nil {
			return errors.New("it has missing values")
		}
	}
	n := columns[0].Len()
	for i := range n {
		t.ids = append(t.ids, string(columns[0].Text(i)))
		t.entries = append(t.entries, int32(columns[1].Ints[i]))
	}
	columns = columns[2:]
	if t.effect {
		t.effects = append(t.effects, columns[0].Floats...)
		columns = columns[1:]
	}
	k := t.terms()
	for i := range n {
		for f, c := range columns {
			switch {
			case f < k:
				t.values = append(t.values, c.Floats[i])
			case f < k+t.remainder:
				t.factors = append(t.factors, c.Floats[i])
			default:
				t.spreads = append(t.spreads, c.Floats[i])
			}
		}
	}
	return nil
}

// proper tells whether the covariance is of the prior's size, with positive
// variances.
func proper(p *estimate.Prior) bool {
	q := len(p.Mean)
	if len(p.Covariance) != q*q {
		return false
	}
	for i := range q {
		if !(p.Covariance[i*q+i] > 0) {
			return false
		}
	}
	return true
}

// CheckFormat is the error for a saved model of another version, in the file.
func CheckFormat(path string, version int) error {
	if version < oldestFormat || version > model.FormatVersion {
		return fmt.Errorf("%s: format_version is %d, this program reads %d to %d (save the model again, or use the program that wrote it)", path, version, oldestFormat, model.FormatVersion)
	}
	return nil
}
