package effects_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/baseline/effects"
	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

func TestEffectsAreFoundAndShrinkageChosen(t *testing.T) {
	rng := random.New(1)
	row, column := make([]float64, 300), make([]float64, 40)
	for i := range row {
		row[i] = rng.Normal()
	}
	for j := range column {
		column[j] = rng.Normal()
	}
	var entries []data.Entry
	for i := range row {
		for j := range column {
			if rng.Float64() < 0.3 {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: 3 + row[i] + column[j] + 0.5*rng.Normal()})
			}
		}
	}
	matrix := must.Get(data.NewMatrix(300, 40, entries))(t)
	var first *effects.Model
	for _, threads := range []int{1, 3} {
		m := must.Get(effects.Fit(context.Background(), matrix, effects.Settings{Threads: threads, Seed: 2, Clip: true}))(t)
		if first == nil {
			first = m
		} else if diff := cmp.Diff(first, m); diff != "" {
			t.Error(diff)
		}
	}
	out, sum := make([]float64, 40), 0.0
	all := make([]int32, 40)
	for j := range all {
		all[j] = int32(j)
	}
	for i := range row {
		first.PredictRow(i, all, out)
		for j, v := range out {
			e := v - min(max(3+row[i]+column[j], first.Clip.Low), first.Clip.High)
			sum += e * e / (300 * 40)
		}
	}
	// A row's effect is known from 12 entries of noise 0.5, and less in truth.
	if rmse := math.Sqrt(sum); rmse > 0.5/math.Sqrt(12)*1.2 {
		t.Errorf("RMSE %v against the truth", rmse)
	}
	given := must.Get(effects.Fit(context.Background(), matrix, effects.Settings{RowShrinkage: math.Inf(1)}))(t)
	for i, r := range given.Rows {
		if r != 0 {
			t.Fatalf("row %d has an effect %v, though none were asked for", i, r)
		}
	}
}
