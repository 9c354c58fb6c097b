package proof_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/exact"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/testkit"
	"optcomplete/objective"
	"optcomplete/search"
)

// TestWeightsOfManyMagnitudes: however much weights differ, what was proven is verified, and
// a bound or a cost that is not true of the selections is not, though it is small beside the
// weighted squares of the values.
func TestWeightsOfManyMagnitudes(t *testing.T) {
	for seed := range uint64(16) {
		for _, gamma0 := range []float64{0, 2} {
			in := &exact.Instance{Rows: 5, Columns: 6, P: 4, K: 2, Gamma: 0.3, Gamma0: gamma0}
			made := instance(in.Rows, in.Columns, in.P, in.K, seed)
			rng := random.New(seed)
			weights, heaviest := make([]float64, made.Matrix.Observed()), 1.0
			for x := range weights {
				weights[x] = 1
				switch seed % 4 {
				case 0:
					weights[x] = math.Pow(10, 200*rng.Float64()-100)
				case 1:
					weights[x] = []float64{1, 1, 1e30}[int(3*rng.Float64())]
				case 2:
					weights[x] = math.Pow(10, 30*rng.Float64()-15)
				default:
					if x == 3 {
						weights[x] = 1e12
					}
				}
				heaviest = max(heaviest, weights[x])
			}
			var err error
			if made.Matrix, err = made.Matrix.WithWeights(weights); err != nil {
				t.Fatal(err)
			}
			p := problemOf(made)
			p.Gamma = in.Gamma
			mean, units, always := 0.0, in.P, []int(nil)
			if gamma0 > 0 {
				if heaviest > 1e12 {
					continue // the mean of so different weights has too few digits
				}
				p.Model, p.Gamma0 = "pooled", gamma0
				p.Gammas = slices.Repeat([]float64{1}, in.P+1)
				mean, units, always = weightedMean(made), in.P+1, []int{in.P}
			}
			centred := made.Matrix.Map(func(_ int, _ int32, v float64) float64 { return v - mean })
			for i := range in.Rows {
				columns, values := centred.Row(i)
				for x, w := range centred.RowWeights(i) {
					in.Entries = append(in.Entries, exact.Entry{Row: i, Column: int(columns[x]), Value: values[x], Weight: w})
				}
			}
			for c := range in.Columns {
				in.Features = append(in.Features, slices.Clone(made.Features.Row(c)))
				if gamma0 > 0 {
					in.Features[c] = append(in.Features[c], 1)
				}
			}
			weighted := objective.NewWeighted(centred, testkit.Features(in.Columns, units, slices.Concat(in.Features...)), in.Gamma, heaviest, 1)
			var oracle search.Oracle = curvedOnly{weighted}
			if gamma0 > 0 {
				oracle = objective.NewPooled(weighted, gamma0)
			}
			text, result := proven(t, p, oracle, search.Settings{K: in.K + len(always), Always: always})
			verdict := verify(t, p, text)
			least := exact.Best(units, in.K+len(always), func(s []int) bool { return gamma0 == 0 || slices.Contains(s, in.P) }, in.Cost)
			if above := exact.Above(verdict.Bound, least); len(verdict.Faults) > 0 || above > 1e-12 || above < -1e-9 {
				t.Errorf("seed %d, γ₀ %v: bound %v, claimed %v, least %v: %v", seed, gamma0, verdict.Bound, result.Bound, least, verdict.Faults)
			}
			// The same lines with another claim, in the model and in the proof.
			for _, claim := range [][2]float64{{2, 2}, {1, 1 + 1e-6}, {1 - 1e-6, 1 - 1e-6}} {
				forged := *p
				forged.Cost, forged.Bound = p.Cost*claim[0], p.Bound*claim[1]
				lines := body(text)
				last := lines[len(lines)-1]
				lines[len(lines)-1] = last[:strings.Index(last, ",\"cost\"")] + fmt.Sprintf(",\"cost\":%v,\"bound\":%v}", forged.Cost, forged.Bound)
				if ok, bound, err := accepted(t, &forged, sealed(lines)); ok || bound == 0 {
					t.Errorf("seed %d, γ₀ %v: a model that claims %v and %v is verified, though the proof shows %v (%v)", seed, gamma0, forged.Cost, forged.Bound, bound, err)
				}
			}
		}
	}
}

// weightedMean is that of all values.
func weightedMean(in testkit.Instance) float64 {
	rows, _ := in.Matrix.Dims()
	sum, total := 0.0, 0.0
	for i := range rows {
		_, values := in.Matrix.Row(i)
		for x, w := range in.Matrix.RowWeights(i) {
			sum, total = sum+w*values[x], total+w
		}
	}
	return sum / total
}

// TestNothingToExplain: entries of 0 cost 0, and that is verified, however many rows add
// what underflow could have taken from them.
func TestNothingToExplain(t *testing.T) {
	const rows = 30000
	entries := make([]data.Entry, 2*rows)
	for e := range entries {
		entries[e] = data.Entry{Row: int32(e / 2), Column: int32(e % 2)}
	}
	made := testkit.Instance{Matrix: must.Get(data.NewMatrix(rows, 2, entries))(t), Features: testkit.Features(2, 3, []float64{1, 2, 3, 4, 5, 7}), Gamma: 1, K: 2}
	p := problemOf(made)
	text, _ := proven(t, p, objective.NewExact(made.Matrix, made.Features, 1, 1), search.Settings{K: 2})
	if verdict := verify(t, p, text); len(verdict.Faults) > 0 {
		t.Error(verdict.Faults)
	}
}
