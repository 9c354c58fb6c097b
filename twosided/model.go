package twosided

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/lists"
	"optcomplete/model"
	"optcomplete/model/store"
)

// Kind is what model.json calls a two-sided model.
const Kind = "twosided"

// Product is a selected product and its coefficient, an entry of L.
type Product struct {
	Row         string  `json:"row_feature"`
	Column      string  `json:"column_feature"`
	Coefficient float64 `json:"coefficient"`
}

// Summary is what a fit has to say for itself, and model.json. Its "features"
// are the products.
type Summary struct {
	model.Summary
	RowFeatures    int       `json:"row_features"`
	ColumnFeatures int       `json:"column_features"`
	Constants      bool      `json:"constants"` // the feature "1" was added to either side
	Heredity       string    `json:"heredity"`
	Products       []Product `json:"products"` // in the order of "selected"

	// The encodings make the features that are in a product from the fields of a table;
	// nil: they are numbers as they were given.
	ColumnEncoding *encode.Encoding `json:"column_encoding,omitempty"`
	RowEncoding    *encode.Encoding `json:"row_encoding,omitempty"`
}

// WriteJSON writes the summary as one indented JSON object and a newline.
func (s Summary) WriteJSON(w io.Writer) error {
	if err := s.Normalize(); err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(s)
}

// Model is a fitted two-sided model. It knows the features that its products
// need, of every row and column that had any.
type Model struct {
	Summary Summary
	Rows    *data.Features // row features that are in a product
	Columns *data.Features // column features that are in a product

	row, column   map[string]int
	rowAt, colAt  []int // of each product
	coefficientOf []float64
	entries       entries
}

// take keeps the features of the selected products.
func (m *Model) take(s *sides, selection []int) {
	p2 := len(s.columns.Names)
	var q, l []int
	for _, j := range selection {
		q, l = append(q, j/p2), append(l, j%p2)
	}
	m.Rows, m.Columns = choose(s.known, q), choose(s.columns, l)
	m.index()
}

// choose keeps some features of a table, each once.
func choose(f *data.Features, features []int) *data.Features {
	features = lists.Distinct(features)
	values := make([]float64, 0, len(f.IDs)*len(features))
	for i := range f.IDs {
		values = append(values, lists.Pick(f.Row(i), features)...)
	}
	return data.NewFeatures(f.IDs, lists.Pick(f.Names, features), values)
}

// index prepares predictions; false means that a product's feature is missing.
func (m *Model) index() bool {
	m.row, m.column = places(m.Rows.IDs), places(m.Columns.IDs)
	m.rowAt, m.colAt, m.coefficientOf = nil, nil, nil
	for _, product := range m.Summary.Products {
		q, l := slices.Index(m.Rows.Names, product.Row), slices.Index(m.Columns.Names, product.Column)
		if q < 0 || l < 0 {
			return false
		}
		m.rowAt, m.colAt = append(m.rowAt, q), append(m.colAt, l)
		m.coefficientOf = append(m.coefficientOf, product.Coefficient)
	}
	return true
}

func places(ids []string) map[string]int {
	at := make(map[string]int, len(ids))
	for i, id := range ids {
		at[id] = i
	}
	return at
}

// Predict returns the prediction for a row and a column by their ids, observed
// or not. The error is a *model.UnknownRowError or a *model.UnknownColumnError.
func (m *Model) Predict(row, column string) (float64, error) {
	i, ok := m.row[row]
	if !ok {
		return 0, &model.UnknownRowError{ID: row}
	}
	j, ok := m.column[column]
	if !ok {
		return 0, &model.UnknownColumnError{ID: column}
	}
	return m.Value(m.Rows.Row(i), m.Columns.Row(j)), nil
}

// Value predicts from the features themselves, in the order of m.Rows.Names and
// m.Columns.Names: for rows and columns that no table has.
func (m *Model) Value(x, b []float64) float64 {
	sum := 0.0
	for i, c := range m.coefficientOf {
		sum += c * x[m.rowAt[i]] * b[m.colAt[i]]
	}
	return sum
}

const (
	summaryFile = "model.json"
	rowsFile    = "rows.csv"
	columnsFile = "columns.csv"
)

// Save writes the model to a directory: model.json, in rows.csv and columns.csv the
// features that its products need, and in seen.parquet the entries that were given. An earlier model there is
// replaced only once the new one is complete.
func (m *Model) Save(dir string) error {
	return atomicfile.Dir(dir, summaryFile, func(dir string) error {
		err := errors.Join(
			atomicfile.File(filepath.Join(dir, rowsFile), func(w io.Writer) error { return data.WriteFeatures(w, m.Rows) }),
			atomicfile.File(filepath.Join(dir, columnsFile), func(w io.Writer) error { return data.WriteFeatures(w, m.Columns) }),
		)
		if err != nil {
			return err
		}
		matrix, err := m.Matrix()
		if err != nil {
			return err
		}
		if err := store.SaveSeen(matrix, dir); err != nil {
			return err
		}
		return store.SaveSealed(dir, m.Summary.WriteJSON)
	})
}

// Load reads a model that Save wrote. An error names the file and what is wrong
// with it.
func Load(dir string) (*Model, error) {
	path := filepath.Join(dir, summaryFile)
	text, sums, err := store.ReadSealed(path)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{rowsFile, columnsFile} {
		if err := sums.Check(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	m := &Model{}
	if err := json.Unmarshal(text, &m.Summary); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.Summary.Model != Kind {
		return nil, fmt.Errorf("%s: the model is %q, not %q", path, m.Summary.Model, Kind)
	}
	if m.Rows, err = data.ReadFeatures(filepath.Join(dir, rowsFile), data.FeaturesOptions{}); err != nil {
		return nil, err
	}
	if m.Columns, err = data.ReadFeatures(filepath.Join(dir, columnsFile), data.FeaturesOptions{}); err != nil {
		return nil, err
	}
	if !m.index() {
		return nil, fmt.Errorf("%s: a product's feature is not in %s or %s", path, rowsFile, columnsFile)
	}
	matrix, err := m.Matrix()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	lists, err := store.ReadSeen(matrix, dir, sums)
	m.entries.seen, m.entries.fitted = lists.Seen, lists.Fitted
	return m, err
}
