package estimate

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/loss"
	"optcomplete/pass"
)

// FitLevels is FitEffects on the scale of a loss, such as log-odds: it minimises
//
//	Σ w_ij ℓ(a_ij, mean + r_i + c_j) + κ·rowShrinkage·Σ r_i² + κ·columnShrinkage·Σ c_j²
//
// by turns, with weights w of the entries or 1, where κ is half the curvature of an entry's loss at the mean, so that a
// shrinkage is still the number of entries at which an effect is shrunk about
// half-way to 0.
func FitLevels(ctx context.Context, s data.Source, l loss.Scaled, rowShrinkage, columnShrinkage float64, threads int) (*Effects, error) {
	if l.Loss == loss.Squared {
		return FitEffects(ctx, s, rowShrinkage, columnShrinkage, threads)
	}
	n, m := s.Dims()
	e := &Effects{Loss: l, Rows: make([]float64, n), Columns: make([]float64, m), Unit: 1}
	survey, err := pass.Survey(ctx, s, threads)
	if err != nil || survey.Total == 0 {
		return e, err
	}
	if e.Mean, err = meanLevel(ctx, s, survey, l, threads); err != nil {
		return nil, err
	}
	e.Unit = survey.Unit()
	kappa := l.Kappa(e.Mean)
	step := levelsStep{Loss: l, Mean: e.Mean, Penalty: kappa * rowShrinkage, Columns: pass.Share(e.Columns)}
	penalty := kappa * columnShrinkage
	for sweep := 0; sweep < levelSweeps && !math.IsInf(columnShrinkage, 1); sweep++ {
		part, err := pass.One[*pass.Sums](ctx, s, threads, step)
		if err != nil {
			return nil, err
		}
		columns := make([]float64, m) // passes may share the old ones
		far := 0.0
		for c, count := range survey.Columns {
			if count > 0 {
				by := levelStep(l, part.Values[c]+2*penalty*e.Columns[c], part.Values[m+c]+2*penalty, survey.Count(c)*2*kappa)
				columns[c] = e.Columns[c] + by
				far = max(far, math.Abs(by))
			}
		}
		e.Columns, step.Columns = columns, pass.Share(columns)
		if far <= levelsNear*l.Step() {
			break
		}
	}
	if math.IsInf(rowShrinkage, 1) {
		return e, nil
	}
	at := 0
	err = pass.Stream(ctx, s, threads, rowLevels{step}, func(part *pass.List) error {
		at += copy(e.Rows[at:], part.Values)
		return nil
	})
	return e, err
}

const (
	levelSweeps = 12
	levelsNear  = 1e-3 // of a step on the loss's scale: far less than the noise of a level
)

// meanLevel is the level that fits all entries best.
func meanLevel(ctx context.Context, s data.Source, survey *data.Survey, l loss.Scaled, threads int) (float64, error) {
	_, m := s.Dims()
	mean := survey.Mean()
	if l.Loss.Linked() {
		return l.Link(l.Loss.Inside(mean, 0.5/float64(survey.Total))), nil // half an entry, where all are the same
	}
	total := survey.Counts()
	for range levelSweeps {
		part, err := pass.One[*pass.Sums](ctx, s, threads, levelsStep{Loss: l, Mean: mean, Penalty: math.Inf(1), Columns: pass.Share(make([]float64, m))})
		if err != nil {
			return 0, err
		}
		slope, curve := 0.0, 0.0
		for c := range m {
			slope += part.Values[c]
			curve += part.Values[m+c]
		}
		by := levelStep(l, slope, curve, 2*total)
		if mean += by; math.Abs(by) <= levelsNear*l.Step() {
			break
		}
	}
	return mean, nil
}

// levelStep is a Newton step of a level, kept in bounds: where the loss is flat, as
// if it had a part of its usual curvature there.
func levelStep(l loss.Scaled, slope, curve, usual float64) float64 {
	by := -slope / max(curve, 0.1*usual, tiny)
	return min(max(by, -l.Step()), l.Step())
}

// level is the level of one row that minimises
//
//	Σ w ℓ(a, offset + r) + penalty·r²
//
// by Newton steps, halved where they leave the interval that must hold it.
func level(l loss.Scaled, offset, a, weights []float64, penalty float64) float64 {
	if len(a) == 0 || math.IsInf(penalty, 1) {
		return 0
	}
	r, low, high := 0.0, math.Inf(-1), math.Inf(1)
	for range 60 {
		slope, curve := 2*penalty*r, 2*penalty
		for e, v := range a {
			s, h := weighedSlope(l, v, offset[e]+r, weights, e)
			slope += s
			curve += h
		}
		if slope > 0 {
			high = r
		} else {
			low = r
		}
		by := levelStep(l, slope, curve, 0)
		if math.Abs(by) <= 1e-12*(min(1, 1e6*l.Step())+math.Abs(r)) { // of tiny values, far less than their unit
			break
		}
		if r += by; r <= low || r >= high {
			r = (low + high) / 2
		}
	}
	return r
}

// weighedSlope is the slope and the curvature of an entry's loss, times its weight if
// there are weights.
func weighedSlope(l loss.Scaled, a, x float64, weights []float64, e int) (slope, curve float64) {
	slope, curve = l.Slope(a, x)
	if weights != nil {
		slope, curve = weights[e]*slope, weights[e]*curve
	}
	return slope, curve
}

// levelsStep is one turn of fitting levels: given those of the columns, it fits
// each row's, and adds up by columns the slopes of the losses there, and then their
// curvatures.
type levelsStep struct {
	Loss    loss.Scaled
	Mean    float64
	Penalty float64 // of the square of a row's level
	Columns *pass.Shared[[]float64]
}

// Cost is two numbers for each column.
func (p levelsStep) Cost(in *pass.Input) int {
	_, m := in.Source.Dims()
	return 2 * m
}

// Start makes a worker.
func (p levelsStep) Start(in *pass.Input) (pass.Worker, error) {
	_, m := in.Source.Dims()
	row := p.row()
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(2 * m) }, func(part *pass.Sums, _ int, at []int32, values, weights []float64) error {
		r, offset := row(at, values, weights)
		for e, c := range at {
			slope, curve := weighedSlope(p.Loss, values[e], offset[e]+r, weights, e)
			part.Values[c] += slope
			part.Values[m+int(c)] += curve
		}
		return nil
	}), nil
}

// row gives the level of one row after the other, and what its entries are
// predicted without it.
func (p levelsStep) row() func(at []int32, values, weights []float64) (r float64, offset []float64) {
	columns := p.Columns.Get()
	var offset []float64
	return func(at []int32, values, weights []float64) (float64, []float64) {
		offset = offset[:0]
		for _, c := range at {
			offset = append(offset, p.Mean+columns[c])
		}
		return level(p.Loss, offset, values, weights, p.Penalty), offset
	}
}

// rowLevels gives the level of every row.
type rowLevels struct{ Step levelsStep }

// Start makes a worker.
func (p rowLevels) Start(*pass.Input) (pass.Worker, error) {
	row := p.Step.row()
	return pass.EachWeighed(newList, func(part *pass.List, _ int, at []int32, values, weights []float64) error {
		r, _ := row(at, values, weights)
		part.Values = append(part.Values, r)
		return nil
	}), nil
}

func init() {
	pass.Register("effects", levelsStep{}, new(pass.Sums))
	pass.Register("effects", rowLevels{}, new(pass.List))
}
