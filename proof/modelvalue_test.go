package proof

import (
	"math"
	"math/rand/v2"
	"slices"
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
		// Every tangent is below the model, and touches it where it was taken.
		r := problem.root(p)
		r.fix(int(seed)%p, within)
		r.fix(int(seed+1)%p, without)
		if m, _, err = c.model(t.Context(), r, at); err != nil || m == nil {
			continue // the place is outside of the region
		}
		var diagonal []float64
		for x, u := range m.units {
			if r.state[u] == free {
				diagonal = append(diagonal, m.q[x*len(m.units)+x])
			}
		}
		for range 20 {
			for x := range diagonal {
				diagonal[x] *= 1 - 0.01*rng.Float64()
			}
			tangents := m.in(r, diagonal)
			var points []point
			r.selections(func(units []int) bool {
				points = append(points, point{slices.Clone(units), slices.Repeat([]float64{1}, len(units))})
				return true
			})
			for range 5 {
				y := point{}
				for u := range p {
					y.units, y.weights = append(y.units, u), append(y.weights, rng.Float64())
				}
				points = append(points, y)
			}
			for _, y := range points {
				tangent := tangents.at(y)
				r.selections(func(units []int) bool {
					value, below := tangents.base, tangent.constant
					for i, u := range units {
						below -= tangent.slope[u]
						if r.state[u] != free {
							continue
						}
						value += tangents.single[slices.Index(tangents.free, tangents.place[u])]
						for _, o := range units[:i] {
							if r.state[o] == free {
								value += 2 * m.q[tangents.place[u]*len(m.units)+tangents.place[o]]
							}
						}
					}
					touches := slices.Equal(units, y.units) && tangents.a != nil
					if below > value || touches && below < value-2*tangents.margin-1e-9*math.Abs(value) {
						t.Errorf("seed %d, %v: the tangent at %v is %v, the model %v", seed, units, y, below, value)
					}
					return true
				})
			}
		}
	}
}
