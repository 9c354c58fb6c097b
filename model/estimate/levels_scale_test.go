package estimate

import (
	"context"
	"math"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/loss"
)

// TestLevelsHaveTheUnitOfValues: of tiny values, and δ in their unit, the levels are in it
// too.
func TestLevelsHaveTheUnitOfValues(t *testing.T) {
	at := func(unit float64) *Effects {
		var entries []data.Entry
		for i := range int32(12) {
			for j := range int32(9) {
				entries = append(entries, data.Entry{Row: i, Column: j, Value: unit * float64((i*j+3*i+j)%7)})
			}
		}
		matrix := must.Get(data.NewMatrix(12, 9, entries))(t)
		return must.Get(FitLevels(context.Background(), matrix, loss.Scaled{Loss: loss.Huber, Unit: unit}, 3, 2, 2))(t)
	}
	want := at(1)
	for _, unit := range []float64{0x1p-40, 0x1p-100, 0x1p100} {
		got := at(unit)
		for i, r := range want.Rows {
			if !(math.Abs(got.Rows[i]/unit-r) <= 1e-5) {
				t.Errorf("values times %g: the effect of row %d is %v, want %v", unit, i, got.Rows[i]/unit, r)
			}
		}
	}
}

// TestLevelsHaveNoUnitOfWeight: weights in another unit, and shrinkages in the same,
// leave the levels what they are, also where all weights together are less than 1.
func TestLevelsHaveNoUnitOfWeight(t *testing.T) {
	const n, m = 12, 9
	for _, l := range []loss.Scaled{{}, {Loss: loss.Logistic}, {Loss: loss.Poisson}, {Loss: loss.Huber, Unit: 0.5}} {
		for _, odd := range []int{1, 5} { // 1: every value is 1
			at := func(unit float64) *Effects {
				var entries []data.Entry
				var weights []float64
				for i := range n {
					for j := range m {
						v := 1.0
						if (i*j+i)%odd > 0 {
							v = 0
						}
						entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: v})
						weights = append(weights, unit*float64(1+(i+j)%3))
					}
				}
				matrix, err := data.NewMatrix(n, m, entries)
				if err == nil {
					matrix, err = matrix.WithWeights(weights)
				}
				if err != nil {
					t.Fatal(err)
				}
				e := must.Get(FitLevels(context.Background(), matrix, l, 3*unit, 2*unit, 2))(t)
				return e
			}
			want := at(1)
			for _, unit := range []float64{0x1p-10, 0x1p-30, 0x1p20} { // powers of 2 round nothing
				if got := at(unit); got.Mean != want.Mean || got.Rows[3] != want.Rows[3] || got.Columns[2] != want.Columns[2] {
					t.Errorf("%v, weights times %g: mean %v, effects %v and %v; with weights times 1 %v, %v and %v", l.Loss, unit, got.Mean, got.Rows[3], got.Columns[2], want.Mean, want.Rows[3], want.Columns[2])
				}
			}
		}
	}
}
