package formulation

import (
	"context"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/model/estimate"
	"optcomplete/pass"
)

// usualDelta is the δ of Huber's loss unless it is given: 1.345 times a robust
// estimate of the deviation of what row and column effects leave, for which Huber's
// estimate has 95 % of the efficiency of least squares where errors are normal.
func usualDelta(ctx context.Context, sample *data.Matrix, threads int) (float64, error) {
	survey, err := pass.Survey(ctx, sample, threads)
	if err != nil {
		return 0, err
	}
	few := 4 * survey.Unit()
	effects, err := estimate.FitEffects(ctx, sample, few, few, threads)
	if err != nil {
		return 0, err
	}
	part, err := pass.One[*pass.List](ctx, sample, threads, missing{pass.Share(effects)})
	if err != nil {
		return 0, err
	}
	far := part.Values
	slices.Sort(far)
	if len(far) == 0 || far[len(far)/2] == 0 {
		return 1, nil
	}
	return 1.345 * 1.4826 * far[len(far)/2], nil
}

// missing gives by how much effects miss each entry.
type missing struct {
	By *pass.Shared[*estimate.Effects]
}

// Start makes a worker.
func (p missing) Start(*pass.Input) (pass.Worker, error) {
	effects := p.By.Get()
	var out []float64
	return pass.EachRow(func() *pass.List { return new(pass.List) }, func(part *pass.List, i int, columns []int32, values []float64) error {
		out = slices.Grow(out[:0], len(columns))[:len(columns)]
		effects.PredictRow(i, columns, out)
		for x, v := range values {
			part.Values = append(part.Values, math.Abs(v-out[x]))
		}
		return nil
	}), nil
}

func init() { pass.Register("residuals of effects", missing{}, new(pass.List)) }
