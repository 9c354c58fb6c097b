package evaluate

import (
	"encoding/gob"

	"optcomplete/loss"
)

// Predictor predicts the entries of rows, from any number of goroutines at once. It
// is part of a pass: its type is registered with encoding/gob, which can send it,
// and what is large is shared (see pass.Shared). One that is neither serves readings
// of this process only.
type Predictor interface {
	// PredictRow writes the predictions of a row for the given columns, increasing,
	// to out.
	PredictRow(row int, columns []int32, out []float64)
}

// LossOf is what predictions were made by, where who makes them tells: squared
// errors if not.
func LossOf(by any) loss.Scaled {
	if of, ok := by.(interface{ LossOf() loss.Scaled }); ok {
		return of.LossOf()
	}
	return loss.Scaled{}
}

// Picked predicts for some of the rows, which follow each other.
type Picked struct {
	By   Predictor
	Rows []int // of By
}

// PredictRow predicts for the row that was picked.
func (p Picked) PredictRow(row int, columns []int32, out []float64) {
	p.By.PredictRow(p.Rows[row], columns, out)
}

// LossOf is that of the predictor.
func (p Picked) LossOf() loss.Scaled { return LossOf(p.By) }

func init() { gob.Register(Picked{}) }
