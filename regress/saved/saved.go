package saved

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/atomicfile"
	"optcomplete/model"
	"optcomplete/model/store"
	"optcomplete/regress"
	"optcomplete/result"
	"optcomplete/spec"
)

const file = "model.json"

// Model is a regression that can be saved.
type Model struct {
	Model  string `json:"model"`  // regress.Kind
	Target string `json:"target"` // the column that is explained

	regress.Result

	// Encoding makes the selected features, in their order, of the fields of a table.
	Encoding *encode.Encoding `json:"encoding"`
	spec.Choice
	Seed     uint64            `json:"seed"`
	Settings map[string]string `json:"settings,omitempty"` // by the names of their flags
	Warnings []string          `json:"warnings,omitempty"`
	Version  string            `json:"version"` // of the program that made it
	Format   int               `json:"format_version"`
}

// New is the model of a result on the features of an encoding.
func New(target string, r *regress.Result, e *encode.Encoding) *Model {
	return &Model{Model: regress.Kind, Target: target, Result: *r, Encoding: e.Select(r.Selection), Format: model.FormatVersion}
}

var _ model.Fitted = (*Model)(nil)

func init() {
	store.Loaders[regress.Kind] = func(dir string) (model.Fitted, error) { return Load(dir) }
}

// Selects gives the names of the selected features, and what is proven of them.
func (m *Model) Selects() ([]string, *result.Certificate) { return m.Selected, &m.Certificate }

// Ask predicts for a record; see Predict.
func (m *Model) Ask(q model.Query) (result.Answer, error) {
	values, _, err := m.Predict(q.Table())
	if err != nil {
		return result.Answer{}, err
	}
	return result.Answer{Value: values[0], Unclipped: values[0]}, nil
}

// Close does nothing: all of the model is in memory.
func (m *Model) Close() error { return nil }

// Predict explains the rows of a table, in their order. The table needs the fields
// of the selected features, in any order; blanks and levels are understood as when
// the model was fitted.
func (m *Model) Predict(table *data.RawTable) (predictions []float64, warnings []string, err error) {
	features, warnings, err := m.Encoding.ApplyTable(table)
	if err != nil {
		return nil, nil, err
	}
	predictions = make([]float64, len(table.IDs))
	for i := range predictions {
		predictions[i] = m.Loss.Mean(m.Sum(features.Row(i)))
	}
	return predictions, warnings, nil
}

// Evaluate compares the predictions for the rows of a table with their values; nil
// weights are 1.
func (m *Model) Evaluate(table *data.RawTable, values, weights []float64) (*regress.Score, []string, error) {
	features, warnings, err := m.Encoding.ApplyTable(table)
	if err != nil {
		return nil, nil, err
	}
	sums := make([]float64, len(values))
	for i := range sums {
		sums[i] = m.Sum(features.Row(i))
	}
	return m.Score(values, weights, sums), warnings, nil
}

// Part is what one feature adds to a prediction.
type Part struct {
	Name        string  `json:"name"`
	Value       float64 `json:"value"` // of the feature
	Coefficient float64 `json:"coefficient"`
	Part        float64 `json:"part"` // their product
}

// Explanation is a prediction as a sum: the intercept and the parts add up to Sum,
// whose mean by the loss is the prediction.
type Explanation struct {
	Intercept  float64 `json:"intercept"`
	Parts      []Part  `json:"parts"`
	Sum        float64 `json:"sum"`
	Prediction float64 `json:"prediction"`
}

// Explain takes the prediction for one row of a table apart.
func (m *Model) Explain(table *data.RawTable, row int) (*Explanation, []string, error) {
	features, warnings, err := m.Encoding.ApplyTable(table.Some([]int32{int32(row)}))
	if err != nil {
		return nil, nil, err
	}
	e := &Explanation{Intercept: m.Intercept, Sum: m.Sum(features.Row(0))}
	e.Prediction = m.Loss.Mean(e.Sum)
	for x, v := range features.Row(0) {
		e.Parts = append(e.Parts, Part{m.Selected[x], v, m.Coefficients[x], m.Coefficients[x] * v})
	}
	return e, warnings, nil
}

// WriteJSON writes the model as one indented JSON object and a newline.
func (m *Model) WriteJSON(w io.Writer) error { return result.WriteJSON(w, m) }

// Save writes the model to a directory. An earlier model there is replaced only
// once the new one is complete.
func (m *Model) Save(dir string) error {
	return atomicfile.Dir(dir, file, func(dir string) error { return store.SaveSealed(dir, m.WriteJSON) })
}

// Is tells whether a directory holds a saved regression.
func Is(dir string) bool { return store.KindIn(dir) == regress.Kind }

// Load reads a model that Save wrote. An error names the file and what is wrong
// with it.
func Load(dir string) (*Model, error) {
	m := &Model{}
	if _, err := store.ReadSummary(dir, regress.Kind, m); err != nil {
		return nil, err
	}
	if m.Encoding == nil || m.K != len(m.Selected) || m.K != len(m.Coefficients) || !slices.Equal(m.Encoding.Names(), m.Selected) {
		return nil, fmt.Errorf("%s: its coefficients or its encoding do not fit its %d selected features", filepath.Join(dir, file), m.K)
	}
	return m, nil
}
