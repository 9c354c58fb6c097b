package estimate

import (
	"context"
	"math"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/remainder"
	"optcomplete/spec"
)

// Without other features and traits, the steps of a remainder lead where the
// learned prior of today is.
func TestRankZeroIsTheLearnedPrior(t *testing.T) {
	matrix, f := testkit.Drawn(t, 400, 30, 3, 0.5, 9)
	p, err := FitParts(context.Background(), matrix, f.Values, 3, Recipe{Kind: spec.Full, Refit: spec.LearnedPrior, RowShrinkage: 2, ColumnShrinkage: 3})
	if err != nil {
		t.Fatal(err)
	}
	before := (&Fitted{Parts: p, Chosen: f.Values, K: 3}).PredictRow
	fit := must.Get(remainder.Learn(context.Background(), remainder.Problem{Values: matrix, Mean: p.Mean, Design: WithConstant(f.Values, 3, 30), Known: 4, Levels: true},
		remainder.Settings{Start: remainder.Start{Mean: p.Prior.Mean, Spread: p.Prior.Covariance, Noise: p.Prior.Noise, Levels: p.ColumnEffects}}))(t)
	if math.Abs(fit.Noise/p.Prior.Noise-1) > 0.01 {
		t.Errorf("noise %v, was %v", fit.Noise, p.Prior.Noise)
	}
	for x, v := range p.Prior.Mean {
		if x > 0 && math.Abs(fit.Prior[x]-v) > 0.05 {
			t.Errorf("mean %d is %v, was %v", x, fit.Prior[x], v)
		}
	}
	of, worst := remainder.NewPredictor(fit), 0.0
	for i := range 400 {
		at, values := matrix.Row(i)
		of.Row(at, values, nil)
		var out [1]float64
		for j := range 30 {
			before(i, []int32{int32(j)}, out[:])
			mean, _ := of.Column(j)
			worst = max(worst, math.Abs(mean-out[0]))
		}
	}
	if worst > 0.05 {
		t.Errorf("a prediction differs by %v", worst)
	}
}
