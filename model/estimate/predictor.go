package estimate

import (
	"bytes"
	"encoding/gob"

	"optcomplete/internal/dense"
	"optcomplete/loss"
	"optcomplete/pass"
	"optcomplete/result"
)

// Fitted is parts with the selected features of their columns: all that a prediction
// is made of. It can be sent to another process; there its rows are in memory.
type Fitted struct {
	*Parts
	Chosen []float64 // m×k
	K      int
	// Entries and ColumnEntries are how many each row and each column was fitted on,
	// for AnswerAt; nil: not known.
	Entries, ColumnEntries []int32
	// ColumnWeights is the weight of the latter; nil: entries have none.
	ColumnWeights []float64
}

// PredictRow writes the predictions of a row for the given columns to out.
func (f *Fitted) PredictRow(row int, columns []int32, out []float64) {
	u := f.Coefficients.Row(row)
	for at, c := range columns {
		out[at] = f.Expected(f.Sum(f.RowEffect(row), f.ColumnEffect(int(c)), u, f.Column(int(c))) + f.RemainderOf(row, int(c)))
	}
}

// Column is the selected features of column j.
func (f *Fitted) Column(j int) []float64 { return f.Chosen[j*f.K:][:f.K] }

// sent is Fitted as it is sent.
type sent struct {
	Parts  Parts // without rows and survey
	Rows   RowMatrix
	Fitted struct { // without parts
		Chosen                 []float64
		K                      int
		Entries, ColumnEntries []int32
		ColumnWeights          []float64
	}
}

// GobEncode reads the rows, wherever they are.
func (f Fitted) GobEncode() ([]byte, error) {
	s := sent{Parts: *f.Parts, Rows: *InMemory(f.Coefficients, f.K)}
	s.Fitted.Chosen, s.Fitted.K, s.Fitted.Entries, s.Fitted.ColumnEntries, s.Fitted.ColumnWeights = f.Chosen, f.K, f.Entries, f.ColumnEntries, f.ColumnWeights
	s.Parts.Coefficients, s.Parts.Survey = nil, nil
	if err := f.Coefficients.Err(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(&s)
	return b.Bytes(), err
}

// GobDecode is the inverse of GobEncode.
func (f *Fitted) GobDecode(b []byte) error {
	var s sent
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&s); err != nil {
		return err
	}
	s.Parts.Coefficients = &s.Rows
	*f = Fitted{&s.Parts, s.Fitted.Chosen, s.Fitted.K, s.Fitted.Entries, s.Fitted.ColumnEntries, s.Fitted.ColumnWeights}
	return nil
}

// Predictor predicts for the rows and columns that parts were fitted on, in this
// process or in others: an evaluate.Predictor.
type Predictor struct{ Of *pass.Shared[Fitted] }

// Predictor predicts with the selected features of the columns, m×k.
func (p *Parts) Predictor(chosen []float64, k int) Predictor {
	return Predictor{pass.Share(Fitted{Parts: p, Chosen: chosen, K: k})}
}

// PredictRow writes the predictions of a row for the given columns to out.
func (p Predictor) PredictRow(row int, columns []int32, out []float64) {
	f := p.Of.Get()
	f.PredictRow(row, columns, out)
}

// LossOf is what the predictions were made by.
func (p Predictor) LossOf() loss.Scaled {
	f := p.Of.Get()
	return f.Parts.LossOf()
}

// AnswerAt is the answer for a row and a column; −1 stands for one that is not there.
func (f *Fitted) AnswerAt(row, column int) result.Answer {
	effect, u, newRow := f.RowParts(row)
	columnEffect, b, newColumn := f.ColumnParts(column)
	x := f.Sum(effect, columnEffect, u, b)
	if newRow {
		row = -1
	}
	x += f.RemainderOf(row, column)
	return result.Answer{Value: f.Expected(x), Unclipped: x, Basis: result.BasisOf(newRow, newColumn)}
}

// Sums writes what AnswerAt has as Unclipped for every column.
func (f *Fitted) Sums(row int, out []float64) {
	effect, u, newRow := f.RowParts(row)
	if newRow {
		row = -1
	}
	for j := range out {
		columnEffect, b, _ := f.ColumnParts(j)
		out[j] = f.Sum(effect, columnEffect, u, b) + f.RemainderOf(row, j)
	}
}

// RowParts is the effect and the coefficients of a row, or of the population if
// i is −1 or the row had no entries.
func (f *Fitted) RowParts(i int) (effect float64, u []float64, isNew bool) {
	if i < 0 || f.Entries[i] == 0 {
		return f.Population[0], f.Population[1:], true
	}
	return f.RowEffect(i), f.Coefficients.Row(i), false
}

// ColumnParts is the effect and the features of a column; of a typical one if j
// is −1.
func (f *Fitted) ColumnParts(j int) (effect float64, b []float64, isNew bool) {
	if j < 0 {
		return f.NewColumnEffect(f.Typical), f.Typical, true
	}
	return f.ColumnEffect(j), f.Column(j), f.ColumnEntries[j] == 0
}

// Answers answers for the rows of another matrix, whose columns are those fitted on
// and then others: an evaluate.Answerer.
type Answers struct {
	Of   *pass.Shared[Fitted]
	Rows *pass.Shared[[]int32] // those fitted on that its rows are; −1: none
}

// AnswerAt is the answer for an entry.
func (a Answers) AnswerAt(row, column int) result.Answer {
	f := a.Of.Get()
	if column >= len(f.ColumnEntries) {
		column = -1
	}
	return f.AnswerAt(int(a.Rows.Get()[row]), column)
}

// LossOf is what the answers were made by.
func (a Answers) LossOf() loss.Scaled { return Predictor{a.Of}.LossOf() }

// ClipToValues keeps predictions within the range of the entries fitted on.
func (p *Parts) ClipToValues() {
	if p.Survey.Total > 0 && !p.LossOf().Loss.Probabilities() { // probabilities are in range
		p.Clip = &result.Range{Low: p.Survey.Low, High: p.Survey.High}
	}
}

// Value is the prediction for row i and column j with the features b.
func (p *Parts) Value(i, j int, b []float64) float64 {
	return p.Expected(p.Sum(p.RowEffect(i), p.ColumnEffect(j), p.Coefficients.Row(i), b) + p.RemainderOf(i, j))
}

// Sum adds up a prediction but for its remainder.
func (p *Structure) Sum(rowEffect, columnEffect float64, u, b []float64) float64 {
	return p.Mean + rowEffect + columnEffect + dense.Dot(b, u)
}

func (p *Structure) Clipped(x float64) float64 {
	if p.Clip != nil {
		x = min(max(x, p.Clip.Low), p.Clip.High)
	}
	return x
}

func (p *Parts) RowEffect(i int) float64 {
	if p.RowEffects == nil {
		return 0
	}
	return p.RowEffects[i]
}

func (p *Parts) ColumnEffect(j int) float64 {
	if p.ColumnEffects == nil {
		return 0
	}
	return p.ColumnEffects[j]
}

func init() {
	gob.Register(Predictor{})
	gob.Register(Answers{})
	gob.Register(new(Effects))
}
