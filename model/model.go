package model

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/internal/lists"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/remainder"
	"optcomplete/result"
)

// Model is a fitted model: a selection, the coefficients of every row and the
// selected features of every column. Its fields must not be changed once it is
// in use; any number of goroutines may then read it.
type Model struct {
	Summary
	estimate.Parts
	RowIDs        []string  // n
	Entries       []int32   // n: observed training entries of each row; 0 means its coefficients are the population's
	ColumnIDs     []string  // m
	ColumnWeights []float64 // m: the weight of the same; nil: entries have none, or a loaded model has not read them yet
	ColumnEntries []int32   // m: observed training entries of each column; 0 means its effect is what its features predict
	Features      []float64 // m×k: the selected features of each column

	// ByFeatures tells that rows are known by features of their own: they cannot be
	// folded in from entries.
	ByFeatures bool
	Uncertain  *Uncertain // of such a model, how sure it is; nil: nobody can tell

	// whole is the model that this one row belongs to: see Alone. nil: all rows are here.
	whole *Model

	rows, columns index
	knowledge     struct { // see Model.known
		once sync.Once
		is   *remainder.Predictor
	}
	predictor struct {
		once sync.Once
		is   estimate.Predictor
	}
	entries entries
}

// index finds an id's position. It is built at the first question, because
// most uses of a model ask none.
type index struct {
	once sync.Once
	at   map[string]int
}

func (x *index) find(ids []string, id string) (int, bool) {
	x.once.Do(func() {
		x.at = make(map[string]int, len(ids))
		// Backwards, so that of equal ids the first one counts.
		for i, id := range slices.Backward(ids) {
			x.at[id] = i
		}
	})
	i, ok := x.at[id]
	return i, ok
}

// UnknownRowError is returned for a row id that the model was not fitted on.
type UnknownRowError struct{ ID string }

func (e *UnknownRowError) Error() string {
	return fmt.Sprintf("model: row %q is not in the model", e.ID)
}

// UnknownColumnError is returned for a column id without features in the model.
type UnknownColumnError struct{ ID string }

func (e *UnknownColumnError) Error() string {
	return fmt.Sprintf("model: column %q is not in the model", e.ID)
}

// New joins what a fit gave. train holds the entries the parts were fitted on,
// features the whole feature table, selected the indices of the features that
// the coefficients belong to.
//
// Of the summary, rows, columns, features, k and selected are set from the
// other arguments (k and selected only if they are empty: a selected group has
// several features), and observed too if it is 0. Wrong lengths panic; a number
// that is not finite is an error.
func New(summary Summary, train *data.Ratings, features *data.Features, selected []int, parts *estimate.Parts) (*Model, error) {
	n, m := train.Dims()
	fm, p := features.Dims()
	k := len(selected)
	rows, inMemory := parts.Coefficients.(*estimate.RowMatrix)
	if len(train.RowIDs) != n || len(train.ColumnIDs) != m || fm != m || inMemory && len(rows.Values) != n*k {
		panic(fmt.Sprintf("model: %d row ids, %d column ids and %d columns with features for %d×%d and k=%d",
			len(train.RowIDs), len(train.ColumnIDs), fm, n, m, k))
	}
	entries := make([]int32, n)
	for i := range entries {
		entries[i] = int32(train.Source().Entries(i))
	}
	survey := parts.Survey
	if survey == nil {
		var err error
		if survey, err = pass.Survey(context.Background(), train.Source(), 1); err != nil {
			return nil, err
		}
	}
	columnEntries := make([]int32, m)
	for c, count := range survey.Columns {
		columnEntries[c] = int32(count)
	}
	summary.Rows, summary.Columns = n, m
	if summary.Features == 0 {
		summary.Features = p
	}
	if summary.Observed == 0 {
		summary.Observed = train.Observed()
	}
	if summary.Weighted && summary.Weight == 0 {
		summary.Weight = survey.Counts()
	}
	terms := lists.Pick(features.Names, selected)
	if summary.Selected == nil {
		summary.K, summary.Selected = k, terms
	}
	summary.Terms = terms
	summary.Structure = &parts.Structure
	model := &Model{
		Summary: summary, Parts: *parts,
		RowIDs: train.RowIDs, Entries: entries,
		ColumnIDs: train.ColumnIDs, ColumnEntries: columnEntries, ColumnWeights: survey.Weights, Features: estimate.Chosen(features, selected),
	}
	model.Survey = nil
	model.SetSeen(train.Source())
	model.entries.fitted = model.entries.seen
	if err := model.Check(); err != nil {
		return nil, err
	}
	return model, nil
}

// Check normalizes the summary and returns an error for a number that is not
// finite.
func (m *Model) Check() error {
	if err := m.Summary.Normalize(); err != nil {
		return err
	}
	k := m.K()
	if err := m.Coefficients.Err(); err != nil {
		return err
	}
	if rows, ok := m.Coefficients.(*estimate.RowMatrix); ok {
		if at := dense.NotFinite(rows.Values); at >= 0 {
			return fmt.Errorf("model: row %q has a coefficient %v for %q", m.RowIDs[at/k], rows.Values[at], m.Summary.Terms[at%k])
		}
	}
	if at := dense.NotFinite(m.Features); at >= 0 {
		return fmt.Errorf("model: column %q has the value %v for the feature %q", m.ColumnIDs[at/k], m.Features[at], m.Summary.Terms[at%k])
	}
	if at := dense.NotFinite(m.RowEffects); at >= 0 {
		return fmt.Errorf("model: row %q has the effect %v", m.RowIDs[at], m.RowEffects[at])
	}
	for _, factors := range [][]float64{m.RowRemainder, m.ColumnRemainder, m.ColumnError} {
		if at := dense.NotFinite(factors); at >= 0 {
			return fmt.Errorf("model: its remainder has the number %v", factors[at])
		}
	}
	if at := dense.NotFinite(m.ColumnEffects); at >= 0 {
		return fmt.Errorf("model: column %q has the effect %v", m.ColumnIDs[at], m.ColumnEffects[at])
	}
	return nil
}

// K returns the number of coefficients a row has: one for each term.
func (m *Model) K() int { return len(m.Summary.Terms) }

// Row returns the index of a row's id, and whether the model has it.
func (m *Model) Row(id string) (int, bool) { return m.rows.find(m.RowIDs, id) }

// Column returns the index of a column's id, and whether the model has it.
func (m *Model) Column(id string) (int, bool) { return m.all().columns.find(m.ColumnIDs, id) }

// all is the model with all rows.
func (m *Model) all() *Model {
	if m.whole != nil {
		return m.whole
	}
	return m
}

// PredictRow writes the predictions of row i for the given columns to out,
// which is as long as columns.
func (m *Model) PredictRow(i int, columns []int32, out []float64) {
	if len(columns) != len(out) {
		panic(fmt.Sprintf("model: %d columns but room for %d predictions", len(columns), len(out)))
	}
	f := m.Fitted()
	f.PredictRow(i, columns, out)
}

// Fitted is what predictions are made of.
func (m *Model) Fitted() estimate.Fitted {
	return estimate.Fitted{Parts: &m.Parts, Chosen: m.Features, K: m.K(), Entries: m.Entries, ColumnEntries: m.ColumnEntries, ColumnWeights: m.ColumnWeights}
}

// Predictor is PredictRow as a value, for passes that may run in other processes.
func (m *Model) Predictor() estimate.Predictor {
	m.predictor.once.Do(func() { m.predictor.is = estimate.Predictor{Of: pass.Share(m.Fitted())} })
	return m.predictor.is
}

// Predict returns the prediction for a row and a column by their ids. The error
// is an *UnknownRowError or an *UnknownColumnError; Answer has no such errors.
func (m *Model) Predict(row, column string) (float64, error) {
	i, ok := m.Row(row)
	if !ok {
		return 0, &UnknownRowError{ID: row}
	}
	j, ok := m.Column(column)
	if !ok {
		return 0, &UnknownColumnError{ID: column}
	}
	return m.Value(i, j, m.ColumnFeatures(j)), nil
}

// ColumnFeatures is the selected features of column j.
func (m *Model) ColumnFeatures(j int) []float64 {
	k := m.K()
	return m.Features[j*k : (j+1)*k]
}

// Close releases what the model holds outside memory: the file of its rows, if they
// were streamed to one. A saved model stays on disk; this one can no longer be used.
func (m *Model) Close() error {
	if f, ok := m.Coefficients.(io.Closer); ok {
		return f.Close()
	}
	return nil
}

// Answer predicts for any row and column. A row that the model does not have, or
// that had no entries, gets the population's coefficients. A column that it does
// not have gets the typical features, and like one that had no entries the
// effect that the features predict; WithColumns gives it features of its own.
func (m *Model) Answer(row, column string) result.Answer {
	i, ok := m.Row(row)
	if !ok {
		i = -1
	}
	j, ok := m.Column(column)
	if !ok {
		j = -1
	}
	return m.AnswerAt(i, j)
}

// AnswerAt is Answer for indices; −1 stands for a row or column that the model
// does not have.
func (m *Model) AnswerAt(row, column int) result.Answer {
	f := m.Fitted()
	return f.AnswerAt(row, column)
}

// AnswersTo answers for the rows of these ids, in a pass that may run in other
// processes. The columns are those of the model, and then others.
func (m *Model) AnswersTo(ids []string) estimate.Answers {
	rows := make([]int32, len(ids))
	for i, id := range ids {
		at, known := m.Row(id)
		if !known {
			at = -1
		}
		rows[i] = int32(at)
	}
	return estimate.Answers{Of: m.Predictor().Of, Rows: pass.Share(rows)}
}
