package objective

import (
	"context"
	"math"
	"slices"
	"testing"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
)

// TestNeighboursAreTheCosts: what is told of every neighbour is its cost, at every γ,
// also for rows with fewer entries than features are selected.
func TestNeighboursAreTheCosts(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 60, Columns: 12, Features: 7, K: 3, Missing: 0.7, Noise: 0.2, Seed: 5}))(t)
	ctx, m := context.Background(), in.Ratings.Source()
	gammas := []float64{0.01, 1, 50}
	neighbours := NewNeighbours(m, in.Features, 2)
	for _, selection := range [][]int{{}, {4}, {0, 2, 5}} {
		around := must.Get(neighbours.Of(ctx, selection, gammas, true))(t)
		for x, gamma := range gammas {
			explained := func(selection []int) float64 {
				exact := NewExact(m, in.Features, gamma, 1)
				weights := make([]float64, exact.Dim())
				nothing := must.Get(exact.Eval(ctx, weights))(t)
				for _, j := range selection {
					weights[j] = 1
				}
				cut := must.Get(exact.Eval(ctx, weights))(t)
				return (nothing.Cost - cut.Cost) * 60 * 12
			}
			base := explained(selection)
			check := func(what string, got, want float64) {
				if math.Abs(got-want) > 1e-9*(1+base) {
					t.Errorf("%v at γ %v, %s: %v, want %v", selection, gamma, what, got, want)
				}
			}
			check("itself", around[x].Explained, base)
			for j := range 7 {
				if slices.Contains(selection, j) {
					continue
				}
				check("one more", around[x].Add[j], explained(append(slices.Clone(selection), j))-base)
				for y := range selection {
					other := slices.Clone(selection)
					other[y] = j
					check("a swap", around[x].Swap[y*7+j], explained(other)-base)
				}
			}
		}
	}
}

// TestDescendEndsWhereNoSwapHelps: at every γ, within what is always and never
// selected, and with the same bits for any number of threads.
func TestDescendEndsWhereNoSwapHelps(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 80, Columns: 30, Features: 12, K: 4, Missing: 0.6, Noise: 0.5, Seed: 6}))(t)
	ctx, m := context.Background(), in.Ratings.Source()
	gammas := []float64{0.001, 0.03, 1, 30}
	always, never := []int{in.Selected[0]}, []int{in.Selected[1]}
	found := must.Get(NewNeighbours(m, in.Features, 1).Descend(ctx, gammas, make([][]int, 4), 4, always, never, 0))(t)
	again := must.Get(NewNeighbours(m, in.Features, 3).Descend(ctx, gammas, make([][]int, 4), 4, always, never, 0))(t)
	n := NewNeighbours(m, in.Features, 1)
	grown := must.Get(n.grow(ctx, gammas[2], 4, always, never))(t)
	few := must.Get(n.Descend(ctx, gammas, make([][]int, 4), 4, always, never, 1))(t)
	for x, gamma := range gammas {
		kept := slices.DeleteFunc(slices.Clone(few[x]), func(j int) bool { return !slices.Contains(grown, j) })
		if len(kept) < 3 {
			t.Errorf("γ %v: from %v to %v in one reading", gamma, grown, few[x])
		}
		if !slices.Equal(found[x], again[x]) {
			t.Errorf("γ %v: %v on one thread, %v on three", gamma, found[x], again[x])
		}
		if len(found[x]) != 4 || !slices.Contains(found[x], always[0]) || slices.Contains(found[x], never[0]) {
			t.Errorf("γ %v: %v, always %v, never %v", gamma, found[x], always, never)
		}
		exact := NewExact(m, in.Features, gamma, 1)
		cost := func(selection []int) float64 {
			weights := make([]float64, 12)
			for _, j := range selection {
				weights[j] = 1
			}
			cut := must.Get(exact.Eval(ctx, weights))(t)
			return cut.Cost
		}
		own := cost(found[x])
		for y, l := range found[x] {
			for j := range 12 {
				if l == always[0] || j == never[0] || slices.Contains(found[x], j) {
					continue
				}
				other := slices.Clone(found[x])
				if other[y] = j; cost(other) < own*(1-1e-6) {
					t.Errorf("γ %v: %v costs %v, %v costs %v", gamma, found[x], own, other, cost(other))
				}
			}
		}
	}
}
