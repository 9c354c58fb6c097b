package objective

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/search"
)

var _ search.Oracle = (*Sampled)(nil)

// TestSampleOfEverythingIsExact to the bit.
func TestSampleOfEverythingIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 10)
		n, m := in.Matrix.Dims()
		exact := NewExact(in.Matrix, in.Features, in.Gamma, 1)
		sampled := NewExact(in.Matrix, in.Features, in.Gamma, 2).Sampled(SampleSize{n, m}, 1)
		s := testkit.Weights(t, exact.Dim(), "weights")
		want, got := make([]float64, exact.Dim()), make([]float64, exact.Dim())
		cost, constant, err := evalInto(context.Background(), exact, s, want, nil)
		if err != nil {
			t.Fatal(err)
		}
		sampledCost, sampledConstant, err := evalInto(context.Background(), sampled, s, got, nil)
		if err != nil {
			t.Fatal(err)
		}
		if cost != sampledCost || constant != sampledConstant || !slices.Equal(want, got) {
			t.Fatalf("cost %v, constant %v, gradient %v; exact %v, %v, %v", sampledCost, sampledConstant, got, cost, constant, want)
		}
	})
}

// TestSampledCostIsTheFormula on the sample that was drawn: Theorem 1 by dense
// matrices, divided by g·f.
func TestSampledCostIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 8)
		in.Gamma = min(in.Gamma, 100)
		n, m := in.Matrix.Dims()
		size := SampleSize{rapid.IntRange(1, n).Draw(t, "g"), rapid.IntRange(1, m).Draw(t, "f")}
		seed := rapid.Uint64().Draw(t, "sample seed")
		sample := must.Get(NewExact(in.Matrix, in.Features, in.Gamma, 1).Sampled(size, seed).draw(context.Background()))(t)
		part := testkit.Instance{Matrix: sample, Features: in.Features, Gamma: in.Gamma}
		if rows, _ := sample.Dims(); rows != size.Rows {
			t.Fatalf("%d rows, want %d", rows, size.Rows)
		}
		for i := range size.Rows {
			if columns, _ := sample.Row(i); len(columns) > size.Columns {
				t.Fatalf("%d entries in %d columns", len(columns), size.Columns)
			}
		}
		o := NewExact(in.Matrix, in.Features, in.Gamma, 1).Sampled(size, seed)
		s := testkit.Weights(t, o.Dim(), "weights")
		want, slope := part.Dense(s)
		gradient := make([]float64, o.Dim())
		cost, _, err := evalInto(context.Background(), o, s, gradient, nil)
		if err != nil {
			t.Fatal(err)
		}
		factor := float64(m) / float64(size.Columns)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(math.Abs(b)+factor*part.Scale()) }
		if !near(cost, factor*want) {
			t.Fatalf("cost %v, want %v", cost, factor*want)
		}
		for j, g := range gradient {
			if !near(g, factor*slope[j]) {
				t.Fatalf("gradient %d: %v, want %v", j, g, factor*slope[j])
			}
		}
	})
}

// TestEveryEntryIsDrawnEquallyOften: each with probability (g/n)·(f/m).
func TestEveryEntryIsDrawnEquallyOften(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 12, Columns: 10, Features: 2, K: 1, Missing: 0.3, Seed: 1}))(t)
	size := SampleSize{Rows: 5, Columns: 4}
	o := NewExact(in.Ratings.Matrix(), in.Features, 1, 1).Sampled(size, 7)
	const draws = 20_000
	count := map[float64]int{} // by value: all differ
	for range draws {
		sample := must.Get(o.draw(context.Background()))(t)
		for i := range size.Rows {
			_, values := sample.Row(i)
			for _, v := range values {
				count[v]++
			}
		}
	}
	if len(count) != in.Ratings.Observed() {
		t.Fatalf("%d of %d entries were drawn", len(count), in.Ratings.Observed())
	}
	probability := float64(size.Rows*size.Columns) / (12 * 10)
	deviation := math.Sqrt(draws * probability * (1 - probability))
	for v, c := range count {
		if math.Abs(float64(c)-draws*probability) > 4.5*deviation {
			t.Errorf("entry %v was drawn %d times, want %.0f ± %.0f", v, c, draws*probability, deviation)
		}
	}
}

// TestSamplesAreFreshAndRepeatable: each evaluation has its own, the same for
// the same seed and any number of threads.
func TestSamplesAreFreshAndRepeatable(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 300, Columns: 40, Features: 6, K: 3, Missing: 0.5, Noise: 0.1, Seed: 2}))(t)
	run := func(seed uint64, threads int) (costs []float64) {
		o := NewExact(in.Ratings.Matrix(), in.Features, 1, threads).Sampled(SampleSize{Rows: 50, Columns: 20}, seed)
		for range 5 {
			cost, _, err := evalInto(context.Background(), o, []float64{1, 0, 1, 0, 1, 0}, make([]float64, 6), nil)
			if err != nil {
				t.Fatal(err)
			}
			costs = append(costs, cost)
		}
		return costs
	}
	want := run(1, 1)
	if len(slices.Compact(slices.Sorted(slices.Values(want)))) != 5 {
		t.Fatalf("samples repeat: %v", want)
	}
	for _, threads := range []int{1, 2, 7} {
		if got := run(1, threads); !slices.Equal(got, want) {
			t.Fatalf("%d threads: %v, want %v", threads, got, want)
		}
	}
	if slices.Equal(run(2, 1), want) {
		t.Fatal("another seed, the same samples")
	}
}

// TestPaperSample follows the rule by hand: at n = m = 100, all observed,
// 5·100·log(100)/100 = 23.03 columns; at 95 % missing all of them.
func TestPaperSample(t *testing.T) {
	for _, test := range []struct {
		n, m, k int
		missing float64
		g0      int
		c       float64
		want    SampleSize
	}{
		{100, 100, 5, 0, 100, 1, SampleSize{100, 24}},
		{100, 100, 5, 0, 200, 1, SampleSize{100, 24}},
		{100, 100, 5, 0, 50, 0.5, SampleSize{50, 24}},
		{100, 100, 5, 0.95, 100, 1, SampleSize{100, 100}},
		{1000, 1000, 5, 0.95, 100, 1, SampleSize{100, 1000}},
	} {
		in := must.Get(synth.Generate(synth.Config{Rows: test.n, Columns: test.m, Features: 1, K: 1, Missing: test.missing, Seed: 1}))(t)
		if got := PaperSample(in.Ratings.Matrix(), test.k, test.g0, test.c); got != test.want {
			t.Errorf("%+v: got %+v", test, got)
		}
	}
}
