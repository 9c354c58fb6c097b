package proof

import (
	"math/rand/v2"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/exact"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
)

// TestModelIsBelowTheCost: at every selection, by 700 bits; and where γ is small, so that
// all features shrink a row's residuals hardly more than some of them, it is near.
func TestModelIsBelowTheCost(t *testing.T) {
	const rows, columns, p, k = 4, 12, 6, 3
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 9))
		in := &exact.Instance{Rows: rows, Columns: columns, P: p, K: k, Gamma: []float64{0.001, 0.1, 100}[seed%3]}
		var values, weights []float64
		for range columns {
			row := make([]float64, p)
			for j := range row {
				row[j] = rng.NormFloat64()
			}
			in.Features, values = append(in.Features, row), append(values, row...)
		}
		var entries []data.Entry
		for i := range rows {
			for c := range columns {
				e := exact.Entry{Row: i, Column: c, Value: in.Features[c][0] + rng.NormFloat64(), Weight: 1}
				if seed%2 == 1 {
					e.Weight = 0.2 + rng.Float64()
				}
				in.Entries, weights = append(in.Entries, e), append(weights, e.Weight)
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(c), Value: e.Value})
			}
		}
		matrix := must.Get(must.Get(data.NewMatrix(rows, columns, entries))(t).WithWeights(weights))(t)
		problem := &Problem{Entries: matrix, Features: testkit.Features(columns, p, values), Model: "paper", K: k, Gamma: in.Gamma}
		at := &place{}
		for j := range p {
			problem.Units = append(problem.Units, Unit{Features: []int{j}})
			if w := rng.Float64(); w > 0.3 {
				at.support, at.weight = append(at.support, j), append(at.weight, w)
			}
		}
		c := must.Get(newCost(t.Context(), problem, 1))(t)
		m, own, err := c.model(t.Context(), problem.root(p), at)
		if err != nil {
			t.Fatal(err)
		}
		if lost := own.constant - m.constant; lost > max(1e-9, 1e-9*in.Gamma*in.Gamma)*own.constant {
			t.Errorf("seed %d: rounding may have cost %v of %v", seed, lost, own.constant)
		}
		problem.root(p).selections(func(units []int) bool {
			s := make([]float64, p)
			value, curved := m.constant, 0.0
			for _, u := range units {
				s[u] = 1
				value -= m.slope[u]
			}
			for x := range p {
				for y := range p {
					curved += (s[x] - m.w[x]) * m.q[x*p+y] * (s[y] - m.w[y])
				}
			}
			truth, _ := in.Cost(units).Float64()
			truth *= rows * columns
			if value += curved; value > truth*(1+1e-14) {
				t.Errorf("seed %d, %v: the model is %v, the cost %v", seed, units, value, truth)
			}
			if in.Gamma == 0.001 && truth-value > 0.05*curved {
				t.Errorf("seed %d, %v: the model is %v, the cost %v; curved %v", seed, units, value, truth, curved)
			}
			return true
		})
	}
}
