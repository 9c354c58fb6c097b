package objective

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
)

// TestModelsAreBelowEveryCost compares models, at weights drawn anywhere, with the
// costs of all selections of their features in high precision, and the list of those
// costs with the same.
func TestModelsAreBelowEveryCost(t *testing.T) {
	near, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 8)
		_, p := in.Features.Dims()
		o := NewExact(in.Matrix, in.Features, in.Gamma, rapid.IntRange(1, 3).Draw(t, "threads"))
		var features, never []int
		weights := make([]float64, p)
		sum := 0.0
		for j := range p {
			if rapid.IntRange(0, 4).Draw(t, "out") == 0 {
				never = append(never, j)
				continue
			}
			features = append(features, j)
			weights[j] = rapid.SampledFrom([]float64{0, 0, 1e-6, 0.1, 0.3, 0.5, 0.9, 1}).Draw(t, "weight")
			sum += weights[j]
		}
		cut := must.Get(o.Eval(t.Context(), weights))(t)
		m, ok, err := o.Model(t.Context(), weights, cut, features)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			if o.reach() <= modelReach {
				t.Fatalf("no model at gamma %v", in.Gamma)
			}
			return
		}
		k := int(math.Round(sum)) // the selections that the weights may be a relaxation of
		if k > len(features) {
			return
		}
		var selections [][]int
		var costs []float64
		testkit.Selections(p, k, nil, never, func(selection []int) {
			s := make([]float64, p)
			for _, j := range selection {
				s[j] = 1
			}
			cost := in.Precise(s)
			value, affine := m.Constant, cut.Constant
			for x, j := range features {
				if s[j] == 0 {
					continue
				}
				value += m.Linear[x]
				affine += cut.Gradient[j]
				for y, l := range features {
					value += s[l] * m.Matrix[x*len(features)+y]
				}
			}
			if value > cost+1e-14*in.Scale() {
				t.Fatalf("%v costs %v, the model says at least %v; the cut %v", selection, cost, value, affine)
			}
			if all++; value-affine > 0.5*(cost-affine) {
				near++
			}
			selections, costs = append(selections, append([]int(nil), selection...)), append(costs, cost)
		})
		if k == 0 {
			return
		}
		got, margin, err := o.Costs(t.Context(), selections)
		if err != nil {
			t.Fatal(err)
		}
		for i, cost := range costs {
			if math.Abs(got[i]-cost) > margin {
				t.Fatalf("%v costs %v, listed as %v, margin %v", selections[i], cost, got[i], margin)
			}
		}
	})
	t.Logf("%d of %d selections cost less than twice as much above the cut as the model says", near, all)
}
