package remainder

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

// weigh gives the training entries weights, and noise of variance w.noise over them.
func (w *world) weigh(t testing.TB, seed uint64, of func(unit float64) float64) {
	t.Helper()
	rng := random.New(seed, 0x77)
	var weights []float64
	w.train = w.train.Map(func(i int, c int32, _ float64) float64 {
		by := of(rng.Float64())
		weights = append(weights, by)
		return w.mean(i, int(c)) + math.Sqrt(w.noise/by)*rng.Normal()
	})
	w.reweigh(t, weights)
}

func (w *world) reweigh(t testing.TB, weights []float64) {
	t.Helper()
	var err error
	if w.train, err = w.train.WithWeights(weights); err != nil {
		t.Fatal(err)
	}
}

// weights are those of all entries, times this.
func (w *world) weights(by float64) (out []float64) {
	for i := range w.n {
		for _, v := range w.train.RowWeights(i) {
			out = append(out, by*v)
		}
	}
	return out
}

// TestWeightsOfOneAreNone: to the bit, with traits and implicit.
func TestWeightsOfOneAreNone(t *testing.T) {
	w := madeWith(t, 3, 150, 40, 4, 2, 0.8, 2)
	w.implicit = true
	want := learn(t, w, Settings{Rank: 3, Steps: 12})
	ones := make([]float64, w.train.Observed())
	for x := range ones {
		ones[x] = 1
	}
	w.reweigh(t, ones)
	if diff := cmp.Diff(want, learn(t, w, Settings{Rank: 3, Steps: 12})); diff != "" {
		t.Error(diff)
	}
}

// TestUnitOfWeights: weights in another unit give another σ², and nothing else.
func TestUnitOfWeights(t *testing.T) {
	w := madeWith(t, 3, 400, 40, 4, 2, 0.9, 2)
	w.implicit = true
	w.weigh(t, 1, func(unit float64) float64 { return math.Pow(10, 2*unit-1) })
	weights := w.weights(1)
	fits := map[float64]*Fit{}
	for _, by := range []float64{1, 4096} {
		for x := range weights {
			weights[x] *= by
		}
		w.reweigh(t, weights)
		start := w.start()
		start.Noise *= by
		f := must.Get(Learn(t.Context(), w.problem(), Settings{Rank: 3, Steps: 12, Start: start}))(t)
		fits[by] = f
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-7*(1+math.Abs(b)) })
	a, b := fits[1], fits[4096]
	b.Noise /= 4096
	a.Bound, b.Bound = 0, 0 // a density of other units
	if diff := cmp.Diff(a, b, near); diff != "" || a.Rank == 0 {
		t.Errorf("rank %d: %s", a.Rank, diff)
	}
	p, first, _, _ := gathered(t, 1)
	var found []*CoFactors
	matrix := p.Values.(*data.Matrix)
	for _, by := range []float64{1, 4096} {
		rng, start := random.New(1), first
		weights := make([]float64, matrix.Observed())
		for x := range weights {
			weights[x] = by * (0.5 + rng.Float64())
		}
		weighed := must.Get(matrix.WithWeights(weights))(t)
		p.Values = weighed
		start.Noise *= by
		co, err := FindCoFactors(t.Context(), p, Settings{Rank: 8, Seed: 1, Start: start})
		if err != nil || co == nil {
			t.Fatal(co, err)
		}
		co.Start.Noise /= by
		found = append(found, co)
	}
	if diff := cmp.Diff(found[0], found[1], near); diff != "" {
		t.Error(diff)
	}
}

// TestWeightsAreInverseVariances: entries with noise of σ²/w give σ², and predict better
// with their weights than without.
func TestWeightsAreInverseVariances(t *testing.T) {
	w := made(t, 5, 600, 50, 4, 2, 0.5)
	w.weigh(t, 1, func(unit float64) float64 { return math.Pow(10, 2*unit-1) })
	weighted := learn(t, w, Settings{Rank: 4})
	if math.Abs(weighted.Noise/w.noise-1) > 0.1 || weighted.Rank != 2 {
		t.Errorf("σ² %v, want %v; rank %d", weighted.Noise, w.noise, weighted.Rank)
	}
	with := rmse(t, w, weighted)
	w.reweigh(t, nil)
	plain := rmse(t, w, learn(t, w, Settings{Rank: 4}))
	t.Logf("error of the mean %.4f with weights, %.4f without", with, plain)
	if !(with < 0.9*plain) {
		t.Errorf("error of the mean %.4f with weights, %.4f without", with, plain)
	}
}
