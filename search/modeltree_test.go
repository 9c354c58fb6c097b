package search

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/feasible"
	"optcomplete/internal/random"
)

// TestModelTreeFindsAllBelowTheCutoff compares what the tree of a random model finds in
// a random region with every selection of it.
func TestModelTreeFindsAllBelowTheCutoff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(2, 10).Draw(t, "p")
		rng := random.New(rapid.Uint64().Draw(t, "seed"))
		m := Model{Constant: rng.Normal(), Linear: make([]float64, p), Matrix: make([]float64, p*p)}
		weights := make([]float64, p)
		features := make([]int, p)
		for j := range p {
			features[j], weights[j], m.Linear[j] = j, rng.Float64(), -3*rng.Float64()
		}
		for range rapid.IntRange(1, 2*p).Draw(t, "rank") {
			row := make([]float64, p)
			for j := range row {
				row[j] = rng.Normal()
			}
			for x := range p {
				for y := range p {
					m.Matrix[x*p+y] += row[x] * row[y]
				}
			}
		}
		k := rapid.IntRange(1, p).Draw(t, "k")
		r := (&feasible.Set{P: p, K: k}).Root()
		for j := range rapid.IntRange(0, p/2).Draw(t, "fixed") {
			if rapid.Bool().Draw(t, "in") && r.Left > 0 {
				r.Fix(j, in)
			}
		}
		value := func(selection []int) float64 {
			v := m.Constant
			for _, x := range selection {
				v += m.Linear[x]
				for _, y := range selection {
					v += m.Matrix[x*p+y]
				}
			}
			return v
		}
		var all [][]int
		for set := range 1 << p {
			var selection []int
			inside := true
			for j := range p {
				if set>>j&1 == 1 {
					selection = append(selection, j)
				} else if r.State[j] == in {
					inside = false
				}
			}
			if inside && len(selection) == k {
				all = append(all, selection)
			}
		}
		slices.SortFunc(all, func(a, b []int) int { return sign(value(a) - value(b)) })
		below := rapid.IntRange(0, len(all)).Draw(t, "below") // so many are to be found
		cutoff := value(all[0]) - 1
		if below > 0 {
			cutoff = value(all[below-1]) + 1e-9
		}
		tree := newModelTree(&m, features, &r, weights, cutoff)
		if tree == nil {
			t.Fatal("the model is said not to be convex")
		}
		if !tree.run() {
			t.Fatal("the tree did not end")
		}
		if least := tree.least(); least > value(all[0])+1e-12 || (below > 0 && least < value(all[0])-1e-7) {
			t.Fatalf("the bound is %v, the least value %v", least, value(all[0]))
		}
		if tree.floor < cutoff {
			t.Fatalf("ruled out with %v, the cutoff is %v", tree.floor, cutoff)
		}
		found := map[string]bool{}
		for _, selection := range tree.selections(&r) {
			if found[keyOf(selection)] {
				t.Fatalf("%v twice", selection)
			}
			found[keyOf(selection)] = true
		}
		for i, selection := range all {
			if v := value(selection); found[keyOf(selection)] != (v < cutoff) && math.Abs(v-cutoff) > 1e-7 {
				t.Fatalf("selection %d, %v of value %v, is found: %v; the cutoff is %v", i, selection, v, found[keyOf(selection)], cutoff)
			}
		}
	})
}
