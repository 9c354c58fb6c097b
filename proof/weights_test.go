package proof_test

import (
	"encoding/json"
	"math"
	"math/big"
	"os"
	"slices"
	"strconv"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/exact"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/testkit"
	"optcomplete/objective"
	"optcomplete/proof"
	"optcomplete/search"
)

// ofExact is an instance with weights as a problem, and its heaviest weight.
func ofExact(in *exact.Instance) (p *proof.Problem, matrix *data.Matrix, heaviest float64) {
	var entries []data.Entry
	var weights []float64
	for _, e := range in.Entries { // by rows and columns
		entries = append(entries, data.Entry{Row: int32(e.Row), Column: int32(e.Column), Value: e.Value})
		weights = append(weights, e.Weight)
		heaviest = max(heaviest, e.Weight)
	}
	matrix, err := data.NewMatrix(in.Rows, in.Columns, entries)
	if err == nil {
		matrix, err = matrix.WithWeights(weights)
	}
	if err != nil {
		panic(err)
	}
	features := testkit.Features(in.Columns, in.P, slices.Concat(in.Features...))
	return problemOf(testkit.Instance{Matrix: matrix, Features: features, Gamma: in.Gamma, K: in.K}), matrix, heaviest
}

// TestWeightedProofs: weights from 1e-6 to 1e6 and nasty features, against brute force
// in 700 bits. The bound may be worse than claimed, never false; with features of one
// size it is as claimed.
func TestWeightedProofs(t *testing.T) {
	seeds, less := 120, 0
	if testing.Short() {
		seeds = 40
	}
	if more, err := strconv.Atoi(os.Getenv("OPTCOMPLETE_ATTACK")); err == nil {
		seeds = more
	}
	for seed := range uint64(seeds) {
		in := exact.Nasty(seed)
		in.Weigh(seed)
		p, matrix, heaviest := ofExact(in)
		var oracle search.Oracle = objective.NewWeighted(matrix, p.Features, p.Gamma, heaviest, 1)
		if seed%2 == 0 {
			oracle = curvedOnly{oracle.(search.Curved)}
		}
		text, result := proven(t, p, oracle, search.Settings{K: in.K, MaxNodes: 50})
		verdict := verify(t, p, text)
		best := exact.Best(in.P, in.K, nil, in.Cost)
		if above := max(exact.Above(verdict.Bound, best), exact.Above(verify(t, p, asModels(text)).Bound, best)); above > 1e-15 {
			t.Errorf("seed %d: the bound is %g above the least cost", seed, above)
		}
		own := in.Cost(result.Selection)
		if exact.Above(verdict.Low, own) > 1e-15 || exact.Above(verdict.High, own) < -1e-15 {
			t.Errorf("seed %d: the selection costs %v, not %v to %v", seed, own, verdict.Low, verdict.High)
		}
		if len(verdict.Faults) > 0 {
			less++
			t.Logf("seed %d, %s: %v", seed, in.Kind, verdict.Faults)
		}
	}
	t.Logf("%d of %d instances were verified as claimed", seeds-less, seeds)
	if less > seeds/10 {
		t.Errorf("%d of %d were not verified as claimed", less, seeds)
	}
}

// weighed gives the entries of an instance weights, from 1e-3 to 1e3.
func weighed(in *testkit.Instance, seed uint64) {
	rng := random.New(seed)
	weights := make([]float64, in.Matrix.Observed())
	for x := range weights {
		weights[x] = math.Pow(10, 6*rng.Float64()-3)
	}
	var err error
	if in.Matrix, err = in.Matrix.WithWeights(weights); err != nil {
		panic(err)
	}
}

// TestWeightedPooledProofs: the same with a population, which is about what the
// weighted mean leaves.
func TestWeightedPooledProofs(t *testing.T) {
	for seed := range uint64(12) {
		in := &exact.Instance{Rows: 5, Columns: 6, P: 4, K: 2, Gamma: 0.3, Gamma0: 2}
		made := instance(in.Rows, in.Columns, in.P, in.K, seed)
		weighed(&made, seed)
		sum, total := 0.0, 0.0
		for i := range in.Rows {
			columns, values := made.Matrix.Row(i)
			for x, w := range made.Matrix.RowWeights(i) {
				sum, total = sum+w*values[x], total+w
				in.Entries = append(in.Entries, exact.Entry{Row: i, Column: int(columns[x]), Value: values[x], Weight: w})
			}
		}
		for e := range in.Entries {
			in.Entries[e].Value -= sum / total
		}
		for c := range in.Columns {
			in.Features = append(in.Features, append(slices.Clone(made.Features.Row(c)), 1))
		}
		p := problemOf(made)
		p.Model, p.Gamma, p.Gamma0 = "pooled", in.Gamma, in.Gamma0
		p.Gammas = slices.Repeat([]float64{1}, in.P+1)
		centred := made.Matrix.Map(func(_ int, _ int32, v float64) float64 { return v - sum/total })
		features := testkit.Features(in.Columns, in.P+1, slices.Concat(in.Features...))
		oracle := objective.NewPooled(objective.NewWeighted(centred, features, in.Gamma, 1e3, 1), in.Gamma0)
		text, result := proven(t, p, oracle, search.Settings{K: in.K + 1, Always: []int{in.P}})
		verdict := verify(t, p, text)
		least := exact.Best(in.P+1, in.K+1, func(s []int) bool { return slices.Contains(s, in.P) }, in.Cost)
		if len(verdict.Faults) > 0 || exact.Above(verdict.Bound, least) > 1e-12 || exact.Above(verdict.High, least) < -1e-12 || exact.Above(verdict.Bound, least) < -1e-9 {
			t.Errorf("seed %d: bound %v (claimed %v), cost %v, least %v: %v", seed, verdict.Bound, result.Bound, verdict.High, least, verdict.Faults)
		}
	}
}

// TestWeightsAreRead: a proof is of the weights too. One weight changed is another
// problem; with a digest that was made to fit, what is then shown is true of the other.
func TestWeightsAreRead(t *testing.T) {
	made := instance(6, 9, 8, 3, 3)
	weighed(&made, 1)
	p := problemOf(made)
	text, _ := proven(t, p, curvedOnly{objective.NewWeighted(made.Matrix, made.Features, made.Gamma, 1e3, 1)}, search.Settings{K: made.K})
	if ok, _, err := accepted(t, p, text); !ok {
		t.Fatalf("the proof itself is refused: %v", err)
	}
	var weights []float64
	for i := range 6 {
		weights = append(weights, made.Matrix.RowWeights(i)...)
	}
	for x := range weights {
		other := slices.Clone(weights)
		other[x] *= 1.01
		q := *p
		q.Entries = must.Get(made.Matrix.WithWeights(other))(t)
		if ok, _, _ := accepted(t, &q, text); ok {
			t.Errorf("weight %d changed: accepted", x)
		}
	}
	q := *p
	q.Entries = must.Get(made.Matrix.WithWeights(nil))(t)
	if ok, _, _ := accepted(t, &q, text); ok {
		t.Error("without weights: accepted")
	}
	// The lines of the proof under the statement of lighter entries: the bound falls with them.
	half := slices.Clone(weights)
	for x := range half {
		half[x] /= 2
	}
	q.Entries = must.Get(made.Matrix.WithWeights(half))(t)
	statement := must.Get(q.Statement(t.Context(), 1))(t)
	lines := body(text)
	first := must.Get(json.Marshal(statement))(t)
	lines[0] = string(first)
	ok, bound, _ := accepted(t, &q, sealed(lines))
	in := &exact.Instance{Rows: 6, Columns: 9, P: 8, K: 3, Gamma: made.Gamma}
	for i := range 6 {
		columns, values := made.Matrix.Row(i)
		for x, w := range made.Matrix.RowWeights(i) {
			in.Entries = append(in.Entries, exact.Entry{Row: i, Column: int(columns[x]), Value: values[x], Weight: w / 2})
		}
	}
	for c := range 9 {
		in.Features = append(in.Features, made.Features.Row(c))
	}
	least := exact.Best(8, 3, nil, in.Cost)
	if above := exact.Above(bound, least); ok || above > 1e-15 || bound == 0 {
		t.Errorf("entries half as heavy: accepted %v with the bound %v, but the least cost is %v", ok, bound, asFloat(least))
	}
}

func asFloat(x *big.Float) float64 { f, _ := x.Float64(); return f }
