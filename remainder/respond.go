package remainder

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/loss"
)

// Other losses than squared errors are fitted by the working responses of Newton's method:
// near a sum, the loss of an entry is the squared error of its response, by a weight (see
// loss.Scaled.Working). The noise of responses of a likelihood is 1. A row is fitted to the
// end; of the whole, as many steps are taken as give the responses anew.

const (
	againAfter = 3  // steps
	rowSteps   = 40 // of Newton's method
	rowNear    = 1e-7
)

// respond makes the working responses at the sums of the fit.
func (l *learner) respond(ctx context.Context) error {
	f := *l.fit
	f.Loss = l.by
	sum, err := f.sums(ctx, l.raw, l.threads)
	if err != nil {
		return err
	}
	return l.respondTo(ctx, sum)
}

// sums gives the sums of the fit, with its rows fitted to these entries.
func (f *Fit) sums(ctx context.Context, entries *data.Matrix, threads int) (func(row int, column int32) float64, error) {
	n, _ := entries.Dims()
	d, own, first := f.size(), f.own(), f.levels()
	theta := make([]float64, n*d)
	if err := f.Rows(ctx, entries, threads, func(i int, t []float64) { copy(theta[i*d:], t) }); err != nil {
		return nil, err
	}
	return func(i int, c int32) float64 {
		row, phi := theta[i*d:][:d], f.Columns[int(c)*own:][:own]
		sum := f.Mean + dense.Dot(f.Design[int(c)*f.Known:][:f.Known], row) + dense.Dot(phi[first:], row[f.Known:])
		if f.Levels {
			sum += phi[0]
		}
		return sum
	}, nil
}

// respondTo makes them at the sums given.
func (l *learner) respondTo(ctx context.Context, sum func(row int, column int32) float64) error {
	weights := make([]float64, 0, l.raw.Observed())
	own, at := l.raw.Weights(), 0
	values := l.raw.Map(func(i int, c int32, v float64) float64 {
		response, weight := l.by.Working(v, sum(i, c))
		if own != nil {
			weight *= own[at]
		}
		weights = append(weights, weight)
		at++
		return response
	})
	working, err := values.WithWeights(weights)
	if err != nil {
		return ErrPrecision
	}
	l.Values = working
	return l.survey(ctx)
}

// fitRow is solve by the loss of the fit.
func (w *solver) fitRow(columns []int32, values, weights []float64) {
	f := w.fit
	if f.Loss == (loss.Scaled{}) {
		w.solve(columns, values, weights)
		return
	}
	own := f.own()
	offset := func(c int32) float64 {
		if f.Levels {
			return f.Mean + f.Columns[int(c)*own]
		}
		return f.Mean
	}
	w.sums = dense.Resize(w.sums, len(columns))
	for e, c := range columns {
		w.sums[e] = offset(c)
	}
	for range rowSteps {
		w.respondAt(columns, values, weights, nil)
		w.solve(columns, w.response, w.working)
		if f.size() == 0 {
			return
		}
		far := 0.0
		for e, c := range columns {
			now := offset(c) + dense.Dot(w.table[int(c)*w.width:][:f.size()], w.theta)
			w.response[e] = now - w.sums[e]
			far = max(far, math.Abs(w.response[e]))
		}
		by := min(1, f.Loss.Step()/far) // no further than where the loss is another
		for e := range w.sums {
			w.sums[e] += by * w.response[e]
		}
		if !(far > rowNear) {
			return
		}
	}
}

// respondAt sets the working responses of a row's entries and their weights, at the sums
// of the columns, or at w.sums.
func (w *solver) respondAt(columns []int32, values, weights []float64, sum func(column int) float64) {
	w.response, w.working = dense.Resize(w.response, len(columns)), dense.Resize(w.working, len(columns))
	for e, c := range columns {
		var at float64
		if sum == nil {
			at = w.sums[e]
		} else {
			at = sum(int(c))
		}
		w.response[e], w.working[e] = w.fit.Loss.Working(values[e], at)
		if weights != nil {
			w.working[e] *= weights[e]
		}
	}
}
