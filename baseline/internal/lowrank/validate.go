package lowrank

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/model"
)

// Part is a part of the training entries to fit on, and one to validate on.
type Part struct{ Train, Held data.Source }

// Validation holds a share of the entries out (zero means 0.2, the paper's).
func Validation(source data.Source, share float64, seed uint64) (Part, error) {
	if share == 0 {
		share = 0.2
	}
	m, err := data.Collect(source, nil)
	if err != nil {
		return Part{}, err
	}
	train, held := evaluate.Split(m, share, seed)
	return Part{train, held}, nil
}

// Empty tells that there is nothing to validate on.
func (p Part) Empty() bool { return p.Train.Observed() == 0 || p.Held.Observed() == 0 }

// RMSE is the error on the part held out.
func (p Part) RMSE(predict func(row int, columns []int32, out []float64), threads int) (float64, error) {
	m, err := data.Collect(p.Held, nil)
	if err != nil {
		return 0, err
	}
	return evaluate.Score(m, predict, threads).RMSE, nil
}

// Effects is model.FitEffects of any source.
func Effects(ctx context.Context, source data.Source, row, column float64, threads int) (*model.Effects, error) {
	m, err := data.Collect(source, nil)
	if err != nil {
		return nil, err
	}
	return model.FitEffects(m, row, column), ctx.Err()
}

// Shrinkage is evaluate.ChooseShrinkage of a part.
func Shrinkage(p Part, threads int) (row, column float64, err error) {
	train, err := data.Collect(p.Train, nil)
	if err != nil {
		return 0, 0, err
	}
	held, err := data.Collect(p.Held, nil)
	if err != nil {
		return 0, 0, err
	}
	row, column = evaluate.ChooseShrinkage(evaluate.Part{Train: train, Held: held}, threads)
	return row, column, nil
}

// Range is the range of the values; nil: there are none.
func Range(source data.Source) (*model.Range, error) {
	r := &model.Range{Low: math.Inf(1), High: math.Inf(-1)}
	err := data.ForEach(source, func(_ int, _ []int32, values []float64) error {
		for _, v := range values {
			r.Low, r.High = min(r.Low, v), max(r.High, v)
		}
		return nil
	})
	if r.Low > r.High {
		return nil, err
	}
	return r, err
}

// Clip keeps values in a range; nil: any.
func Clip(values []float64, r *model.Range) {
	if r == nil {
		return
	}
	for x, v := range values {
		values[x] = min(max(v, r.Low), r.High)
	}
}

// Parts is model.FitParts of any source.
func Parts(ctx context.Context, source data.Source, chosen []float64, k int, recipe model.Recipe) (*model.Parts, error) {
	m, err := data.Collect(source, nil)
	if err != nil {
		return nil, err
	}
	return model.FitParts(ctx, m, chosen, k, recipe)
}
