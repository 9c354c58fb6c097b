package objective

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/search"
)

var _ search.Curved = (*Pooled)(nil)

// TestPooledOptimumEqualsBruteForce searches with the pooled cost.
func TestPooledOptimumEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawPooled(t, 10)
		in.Gamma = math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "smaller gamma"))
		in.gamma0 = math.Pow(10, rapid.Float64Range(-3, 4).Draw(t, "smaller gamma0"))
		_, p := in.Features.Dims()
		want := math.Inf(1)
		testkit.Selections(p, in.K, nil, nil, func(selection []int) {
			cost, _ := in.dense(search.Indicator(p, selection))
			want = min(want, cost)
		})
		tolerance := (1e-9+in.loss())*want + 1e-13*in.Scale()
		result := must.Get(search.Minimize(context.Background(), in.oracle(1), search.Settings{
			K: in.K,
			OnEvent: func(e search.Event) {
				if e.Bound > want+tolerance {
					t.Fatalf("%v: bound %v is above the optimum %v", e.Kind, e.Bound, want)
				}
			},
		}))(t)
		own, _ := in.dense(search.Indicator(p, result.Selection))
		if math.Abs(own-result.Cost) > tolerance || math.Abs(own-want) > tolerance || result.Status != search.Optimal {
			t.Fatalf("%v: selection %v costs %v, reported %v, optimum %v", result.Status, result.Selection, own, result.Cost, want)
		}
	})
}
