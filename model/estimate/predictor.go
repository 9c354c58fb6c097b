package estimate

import (
	"bytes"
	"encoding/gob"

	"optcomplete/pass"
)

// Fitted is parts with the selected features of their columns: all that a prediction
// is made of. It can be sent to another process; there its rows are in memory.
type Fitted struct {
	*Parts
	Chosen []float64 // m×k
	K      int
}

// PredictRow writes the predictions of a row for the given columns to out.
func (f *Fitted) PredictRow(row int, columns []int32, out []float64) {
	u := f.Coefficients.Row(row)
	for at, c := range columns {
		out[at] = f.Clipped(f.Sum(f.RowEffect(row), f.ColumnEffect(int(c)), u, f.Column(int(c))) + f.RemainderOf(row, int(c)))
	}
}

// Column is the selected features of column j.
func (f *Fitted) Column(j int) []float64 { return f.Chosen[j*f.K:][:f.K] }

// sent is Fitted as it is sent.
type sent struct {
	Parts  Parts // without rows and survey
	Rows   RowMatrix
	Chosen []float64
	K      int
}

// GobEncode reads the rows, wherever they are.
func (f Fitted) GobEncode() ([]byte, error) {
	s := sent{*f.Parts, *InMemory(f.Coefficients, f.K), f.Chosen, f.K}
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
	*f = Fitted{&s.Parts, s.Chosen, s.K}
	return nil
}

// Predictor predicts for the rows and columns that parts were fitted on, in this
// process or in others: an evaluate.Predictor.
type Predictor struct{ Of *pass.Shared[Fitted] }

// Predictor predicts with the selected features of the columns, m×k.
func (p *Parts) Predictor(chosen []float64, k int) Predictor {
	return Predictor{pass.Share(Fitted{p, chosen, k})}
}

// PredictRow writes the predictions of a row for the given columns to out.
func (p Predictor) PredictRow(row int, columns []int32, out []float64) {
	f := p.Of.Get()
	f.PredictRow(row, columns, out)
}

// Shares are what was fitted.
func (p Predictor) Shares() []any { return []any{p.Of} }

func init() {
	gob.Register(Predictor{})
	gob.Register(new(Effects))
}
