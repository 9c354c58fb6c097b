package objective

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "optcomplete/internal/steadyseed"
	"optcomplete/internal/testkit"
	"optcomplete/search"
)

var _ search.Enumerator = (*Exact)(nil)

// TestEnumerateKnowsEveryCost enumerates a random region and compares every
// selection with the cost in high precision: those returned are within the
// margin, those not returned cost at least rest, and none below the limit or
// among the best is missing. Thrice, so that kept products are used too.
func TestEnumerateKnowsEveryCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 8)
		_, p := in.Features.Dims()
		o := NewExact(in.Matrix, in.Features, in.Gamma, rapid.IntRange(1, 3).Draw(t, "threads"))
		state := make([]int, p)
		for j := range state {
			state[j] = rapid.IntRange(0, 3).Draw(t, "state") // 0 fixed in, 1 out, else a candidate
		}
		var in_, out, candidates []int
		for j, s := range state {
			switch s {
			case 0:
				in_ = append(in_, j)
			case 1:
				out = append(out, j)
			default:
				candidates = append(candidates, j)
			}
		}
		if len(candidates) == 0 {
			return
		}
		left := rapid.IntRange(1, len(candidates)).Draw(t, "left")
		costs := map[string]float64{}
		var sorted []float64
		key := func(selection []int) string {
			b := make([]byte, len(selection))
			for i, j := range selection {
				b[i] = byte(j)
			}
			return string(b)
		}
		testkit.Selections(p, len(in_)+left, in_, out, func(selection []int) {
			s := make([]float64, p)
			for _, j := range selection {
				s[j] = 1
			}
			cost := in.Precise(s)
			costs[key(selection)] = cost
			sorted = append(sorted, cost)
		})
		slices.Sort(sorted)
		below := sorted[rapid.IntRange(0, len(sorted)-1).Draw(t, "limit")]
		keep := rapid.IntRange(0, 4).Draw(t, "keep")
		for range gramAfter + 1 {
			list, err := o.Enumerate(context.Background(), search.Region{In: in_, Candidates: candidates, Left: left, Below: below, Keep: keep})
			selections, got, margin, rest := list.Selections, list.Costs, list.Margin, list.Rest
			if err != nil {
				t.Fatal(err)
			}
			if !slices.IsSorted(got) {
				t.Fatalf("costs %v are not in order", got)
			}
			if len(selections) < min(keep, len(costs)) {
				t.Fatalf("%d selections, wanted %d", len(selections), keep)
			}
			unseen := map[string]float64{}
			for k, c := range costs {
				unseen[k] = c
			}
			for i, selection := range selections {
				want, ok := unseen[key(selection)]
				if !ok {
					t.Fatalf("selection %v is not of the region, or twice", selection)
				}
				delete(unseen, key(selection))
				if math.Abs(got[i]-want) > margin {
					t.Fatalf("selection %v costs %v, returned %v, margin %v", selection, want, got[i], margin)
				}
			}
			for k, c := range unseen {
				if c < rest-1e-14*in.Scale() || c < below {
					t.Fatalf("%v costs %v, was not returned; rest %v, limit %v", []byte(k), c, rest, below)
				}
			}
		}
	})
}
