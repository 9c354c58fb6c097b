package pass_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/sourcetest"
	"optcomplete/pass"
)

func init() { pass.RegisterTransform(everyThird{}) }

// everyThird leaves out two thirds of the entries and doubles the others.
type everyThird struct{}

func (everyThird) Drops() bool { return true }
func (everyThird) Apply(row int, columns []int32, values []float64) ([]int32, []float64) {
	kept := 0
	for x, c := range columns {
		if (row+int(c))%3 == 0 {
			columns[kept], values[kept] = c, 2*values[x]
			kept++
		}
	}
	return columns[:kept], values[:kept]
}

// weighted is a matrix with a weight of its own for every entry.
func weighted(t *testing.T, n, m int) *data.Matrix {
	t.Helper()
	s := random.New(7)
	var entries []data.Entry
	var weights []float64
	for i := range n {
		for j := range m {
			if s.Intn(3) > 0 {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: s.Normal()})
				weights = append(weights, float64(i*m+j+1))
			}
		}
	}
	matrix, err := data.NewMatrix(n, m, entries)
	if err == nil {
		matrix, err = matrix.WithWeights(weights)
	}
	if err != nil {
		t.Fatal(err)
	}
	return matrix
}

// TestWeightsOfViews: entries keep theirs in every view, in memory or not.
func TestWeightsOfViews(t *testing.T) {
	ctx := context.Background()
	matrix := weighted(t, 40, 13)
	sourcetest.Run(t, sourcetest.Stored(matrix), matrix)
	third := matrix.Filter(func(row int, column int32) bool { return (row+int(column))%3 == 0 })
	third = third.Map(func(_ int, _ int32, v float64) float64 { return 2 * v })
	for _, from := range []data.Source{matrix, sourcetest.Stored(matrix)} {
		view := must.Get(pass.Transformed(ctx, from, 2, "test", everyThird{}))(t)
		sourcetest.Run(t, view, third)
		collected := must.Get(pass.Collect(ctx, view, 2, "test"))(t)
		sourcetest.Run(t, collected, third)
		apart := pass.NewApart(2)
		sent := must.Get(pass.Collect(pass.WithRunner(ctx, apart), view, 2, "test"))(t)
		sourcetest.Run(t, sent, third)
		rows := []int{1, 2, 17, 38}
		picked := must.Get(pass.Pick(ctx, view, 2, "test", rows))(t)
		sourcetest.Run(t, data.Rows(view, rows), picked)
		survey := must.Get(pass.Survey(ctx, view, 2))(t)
		part, err := pass.One[*pass.SurveyPart](pass.WithRunner(ctx, apart), view, 2, pass.Surveying{})
		if err != nil || !slices.Equal(part.Weights, survey.Weights) || !slices.Equal(part.Sums, survey.Sums) {
			t.Errorf("when sent the survey is another (%v)", err)
		}
		sum, total := 0.0, 0.0
		_ = data.ForEachWeighed(third, func(_ int, _ []int32, values, weights []float64) error {
			for x, w := range weights {
				sum, total = sum+w*values[x], total+w
			}
			return nil
		})
		if math.Abs(survey.Mean()-sum/total) > 1e-12 || survey.Counts() != total {
			t.Errorf("mean %v of weight %v, want %v of %v", survey.Mean(), survey.Counts(), sum/total, total)
		}
	}
	// Columns in another order.
	ranks := make([]int32, 13)
	for j := range ranks {
		ranks[j] = int32((5*j + 3) % 17)
	}
	turned := data.Renumber(sourcetest.Stored(matrix), 17, ranks)
	want := must.Get(data.Collect(turned, nil))(t)
	sourcetest.Run(t, turned, want)
	for i := range 40 {
		columns, _ := want.Row(i)
		for x, c := range columns {
			if w := float64(i*13 + slices.Index(ranks, c) + 1); want.RowWeights(i)[x] != w {
				t.Fatalf("row %d, column %d has the weight %v, want %v", i, c, want.RowWeights(i)[x], w)
			}
		}
	}
	// Weights are part of what a checkpoint is of.
	plain, _ := matrix.WithWeights(nil)
	others := slices.Clone(matrix.Weights())
	others[7]++
	other := must.Get(matrix.WithWeights(others))(t)
	seen := map[string]bool{}
	for _, m := range []*data.Matrix{matrix, plain, other} {
		hash, err := pass.Fingerprint(ctx, m, 1)
		if err != nil || seen[hash] {
			t.Errorf("the fingerprint of entries is that of others (%v)", err)
		}
		seen[hash] = true
	}
}
