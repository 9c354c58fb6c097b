package twosided

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/checksum"
	"optcomplete/internal/lists"
	"optcomplete/model"
	"optcomplete/model/store"
	"optcomplete/result"
)

// Kind is what model.json calls a two-sided model.
const Kind = "twosided"

// Product is a selected product: Coefficient·(x − RowCentre)·(b − ColumnCentre) of the
// row's feature x and the column's feature b.
type Product struct {
	Row         string  `json:"row_feature"`
	Column      string  `json:"column_feature"`
	Coefficient float64 `json:"coefficient"`

	RowCentre    float64 `json:"row_centre,omitempty"` // the mean over rows with entries; 0 without effects
	ColumnCentre float64 `json:"column_centre,omitempty"`
	// Standard deviations over rows and columns with entries, and what one of each
	// together add to a prediction. Left out without effects.
	RowScale    float64 `json:"row_scale,omitempty"`
	ColumnScale float64 `json:"column_scale,omitempty"`
	Size        float64 `json:"size,omitempty"`

	RowFlag    bool `json:"row_flag,omitempty"` // the feature is only ever 0 or 1
	ColumnFlag bool `json:"column_flag,omitempty"`

	Unit  string    `json:"unit,omitempty"`  // the groups that it was selected with, if it was
	Of    string    `json:"of,omitempty"`    // what the coefficient is of, with a link: log-odds, log-rate
	Equal []string  `json:"equal,omitempty"` // products that no data tell from this one
	Near  []Related `json:"near,omitempty"`  // products that are nearly the same on the entries fitted on
}

// Related is another product and how it correlates with this one.
type Related struct {
	Name        string  `json:"name"`
	Correlation float64 `json:"correlation"`
}

// Learned is the effects of a model: what is not in the lists of rows and columns.
type Learned struct {
	Mean    float64 `json:"mean"`
	Noise   float64 `json:"noise"`          // variance of an entry around its prediction
	Rows    Levels  `json:"row_effects"`    //
	Columns Levels  `json:"column_effects"` //
}

// Levels is how the effects of rows, or of columns, vary: around what their features
// predict of them, which is all that is known of one without entries.
type Levels struct {
	Variance float64   `json:"variance"` // around what the features predict
	Base     float64   `json:"base"`     // that prediction where all features are 0
	Features []string  `json:"features"` // in the order of Weights
	Weights  []float64 `json:"weights"`  // per unit of each feature
}

// Summary is what a fit has to say for itself, and model.json. Its "features"
// are the products.
type Summary struct {
	model.Summary
	RowFeatures    int       `json:"row_features"`
	ColumnFeatures int       `json:"column_features"`
	Effects        string    `json:"effects"` // shrunk, or none
	Learned        *Learned  `json:"learned,omitempty"`
	Constants      bool      `json:"constants"` // the feature "1" was added to either side
	Heredity       string    `json:"heredity"`
	Products       []Product `json:"products"` // in the order of "selected"

	// HoldoutNew is the errors on entries of rows and columns that no entry was fitted on.
	HoldoutNew struct {
		Rows    *result.Metrics `json:"rows,omitempty"`    // new rows, known columns
		Columns *result.Metrics `json:"columns,omitempty"` // known rows, new columns
		Both    *result.Metrics `json:"both,omitempty"`
	} `json:"holdout_new"`
	Against *result.Comparison `json:"against_effects,omitempty"` // effects alone, on the same held-out or validation entries

	// Features that are in no product, and why.
	ConstantRowFeatures    []string `json:"constant_row_features,omitempty"` // one value on all rows with entries
	ConstantColumnFeatures []string `json:"constant_column_features,omitempty"`

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
	return result.WriteJSON(w, s)
}

// Model is a fitted two-sided model. It knows the features that its products
// need, of every row and column that had any.
type Model struct {
	Summary Summary
	Rows    *data.Features // row features that are in a product, or that say something of the effect
	Columns *data.Features // the same of columns

	// With effects: those of Rows.IDs and Columns.IDs, and the weight of the entries they
	// were learned from, 0 where they are what the features say. Nil without.
	RowEffects, ColumnEffects []float64
	RowWeights, ColumnWeights []float64

	row, column  map[string]int
	rowAt, colAt []int // of each product
	entries      entries
}

// take keeps the features that predictions need, and the effects.
func (m *Model) take(s *sides, selection []int, fit fitted) {
	p2 := len(s.columns.Names)
	var q, l []int
	for _, j := range selection {
		q, l = append(q, s.ofRows.used[j/p2]), append(l, s.ofColumns.used[j%p2])
	}
	if e := fit.effects; e != nil {
		m.Summary.Learned = &Learned{Mean: e.Mean, Noise: e.Noise}
		m.Summary.Learned.Rows = s.ofRows.levels(&e.ByRow, e.Row)
		m.Summary.Learned.Columns = s.ofColumns.levels(&e.ByColumn, e.Column)
		m.RowEffects, m.RowWeights = make([]float64, len(s.known.IDs)), make([]float64, len(s.known.IDs))
		at := places(s.ids)
		for i, id := range s.known.IDs {
			if x, has := at[id]; has {
				m.RowEffects[i], m.RowWeights[i] = e.Rows[x], e.RowWeight[x]
			} else {
				m.RowEffects[i] = e.ByRow.of(s.known.Row(i))
			}
		}
		m.ColumnEffects, m.ColumnWeights = e.levels.Columns, e.ColumnWeight
		q, l = append(q, s.ofRows.need(&e.ByRow)...), append(l, s.ofColumns.need(&e.ByColumn)...)
	}
	m.Rows, m.Columns = chooseRaw(s.ofRows.raw, s.known, q), chooseRaw(s.ofColumns.raw, s.columns, l)
	m.index()
}

// chooseRaw keeps raw features; −1 is the constant, which the scaled table has first.
func chooseRaw(raw, scaled *data.Features, features []int) *data.Features {
	if !slices.Contains(features, -1) {
		return choose(raw, features)
	}
	for x := range features { // only without effects, where nothing is scaled
		features[x]++
	}
	return choose(scaled, features)
}

// need are the raw features that a prediction of effects needs.
func (s *scaling) need(by *ridge) (raw []int) {
	for f, w := range by.Weights {
		if w != 0 {
			raw = append(raw, s.used[f])
		}
	}
	return raw
}

// levels is what features say of effects, in units of the raw features.
func (s *scaling) levels(by *ridge, variance float64) Levels {
	l := Levels{Variance: variance, Features: []string{}, Weights: []float64{}}
	for f, w := range by.Weights {
		if w != 0 {
			w /= s.scale[f]
			l.Base -= w * s.centre[f]
			l.Features, l.Weights = append(l.Features, s.raw.Names[s.used[f]]), append(l.Weights, w)
		}
	}
	return l
}

// of is what a line's features say of its effect.
func (l *Levels) of(names []string, x []float64) float64 {
	sum, at := l.Base, 0
	for f, name := range names { // both are in the order of the table
		if at < len(l.Features) && l.Features[at] == name {
			sum += l.Weights[at] * x[f]
			at++
		}
	}
	return sum
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
	m.rowAt, m.colAt = nil, nil
	for _, product := range m.Summary.Products {
		q, l := slices.Index(m.Rows.Names, product.Row), slices.Index(m.Columns.Names, product.Column)
		if q < 0 || l < 0 {
			return false
		}
		m.rowAt, m.colAt = append(m.rowAt, q), append(m.colAt, l)
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

var _ model.Fitted = (*Model)(nil)

func init() {
	store.Loaders[Kind] = func(dir string) (model.Fitted, error) { return Load(dir) }
}

// Selects gives the names of the selected products, and what is proven of them.
func (m *Model) Selects() ([]string, *result.Certificate) {
	return m.Summary.Selected, &m.Summary.Certificate
}

// Ask predicts; see Predict.
func (m *Model) Ask(q model.Query) (result.Answer, error) {
	value, err := m.Predict(q.Row, q.Column)
	return result.Answer{Value: value, Unclipped: value}, err
}

// WriteJSON writes the summary.
func (m *Model) WriteJSON(w io.Writer) error { return m.Summary.WriteJSON(w) }

// Close does nothing: all of the model is in memory.
func (m *Model) Close() error { return nil }

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
	return m.Summary.Loss.Mean(m.effectsOf(i, j) + m.products(m.Rows.Row(i), m.Columns.Row(j))), nil
}

// effectsOf is all of a prediction but the products.
func (m *Model) effectsOf(i, j int) float64 {
	if m.Summary.Learned == nil {
		return 0
	}
	return m.Summary.Learned.Mean + m.RowEffects[i] + m.ColumnEffects[j]
}

// Value predicts from the features themselves, in the order of m.Rows.Names and
// m.Columns.Names: for rows and columns that no table has.
func (m *Model) Value(x, b []float64) float64 {
	sum := m.products(x, b)
	if l := m.Summary.Learned; l != nil {
		sum += l.Mean + l.Rows.of(m.Rows.Names, x) + l.Columns.of(m.Columns.Names, b)
	}
	return m.Summary.Loss.Mean(sum)
}

func (m *Model) products(x, b []float64) float64 {
	sum := 0.0
	for i := range m.Summary.Products {
		sum += m.part(i, x, b)
	}
	return sum
}

// part is what product i adds.
func (m *Model) part(i int, x, b []float64) float64 {
	p := &m.Summary.Products[i]
	return p.Coefficient * (x[m.rowAt[i]] - p.RowCentre) * (b[m.colAt[i]] - p.ColumnCentre)
}

const (
	summaryFile = "model.json"
	rowsFile    = "rows.csv"
	columnsFile = "columns.csv"

	rowEffectsFile    = "row_effects.csv"
	columnEffectsFile = "column_effects.csv"
)

// effectFields are those of the tables of effects.
var effectFields = []string{"effect", "weight"}

// Save writes the model to a directory: model.json, in rows.csv and columns.csv the
// features that it needs, in row_effects.csv and column_effects.csv the effects with the
// weight of the entries they were learned from, and in seen.parquet the entries that were given. An earlier model there is
// replaced only once the new one is complete.
func (m *Model) Save(dir string) error {
	return atomicfile.Dir(dir, summaryFile, func(dir string) error {
		err := errors.Join(
			atomicfile.File(filepath.Join(dir, rowsFile), func(w io.Writer) error { return data.WriteFeatures(w, m.Rows) }),
			atomicfile.File(filepath.Join(dir, columnsFile), func(w io.Writer) error { return data.WriteFeatures(w, m.Columns) }),
		)
		if m.Summary.Learned != nil {
			err = errors.Join(err, saveEffects(dir, rowEffectsFile, m.Rows.IDs, m.RowEffects, m.RowWeights), saveEffects(dir, columnEffectsFile, m.Columns.IDs, m.ColumnEffects, m.ColumnWeights))
		}
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
	m := &Model{}
	sums, err := store.ReadSummary(dir, Kind, &m.Summary)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{rowsFile, columnsFile} {
		if err := sums.Check(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	if m.Rows, err = data.ReadFeatures(filepath.Join(dir, rowsFile), data.FeaturesOptions{}); err != nil {
		return nil, err
	}
	if m.Columns, err = data.ReadFeatures(filepath.Join(dir, columnsFile), data.FeaturesOptions{}); err != nil {
		return nil, err
	}
	if m.Summary.Learned != nil {
		if m.RowEffects, m.RowWeights, err = loadEffects(dir, rowEffectsFile, m.Rows.IDs, sums); err != nil {
			return nil, err
		}
		if m.ColumnEffects, m.ColumnWeights, err = loadEffects(dir, columnEffectsFile, m.Columns.IDs, sums); err != nil {
			return nil, err
		}
	}
	if !m.index() {
		return nil, fmt.Errorf("%s: a product's feature is not in %s or %s", filepath.Join(dir, summaryFile), rowsFile, columnsFile)
	}
	matrix, err := m.Matrix()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	lists, err := store.ReadSeen(matrix, dir, sums)
	m.entries.seen, m.entries.fitted = lists.Seen, lists.Fitted
	return m, err
}

func saveEffects(dir, name string, ids []string, effects, weights []float64) error {
	var values []float64
	for i := range ids {
		values = append(values, effects[i], weights[i])
	}
	f := data.NewFeatures(ids, effectFields, values)
	return atomicfile.File(filepath.Join(dir, name), func(w io.Writer) error { return data.WriteFeatures(w, f) })
}

// loadEffects reads what saveEffects wrote, of the same ids.
func loadEffects(dir, name string, ids []string, sums checksum.Sums) (effects, weights []float64, err error) {
	path := filepath.Join(dir, name)
	if err := sums.Check(path); err != nil {
		return nil, nil, err
	}
	f, err := data.ReadFeatures(path, data.FeaturesOptions{})
	if err != nil {
		return nil, nil, err
	}
	if !slices.Equal(f.IDs, ids) || !slices.Equal(f.Names, effectFields) {
		return nil, nil, fmt.Errorf("%s: its ids and fields are not those of the model", path)
	}
	for i := range ids {
		effects, weights = append(effects, f.Row(i)[0]), append(weights, f.Row(i)[1])
	}
	return effects, weights, nil
}
