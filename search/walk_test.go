package search_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/objective"
	"optcomplete/search"
)

// TestAPathIsNoWorseThanSearchesAlone: ended at the root, no k of a path costs more than
// alone, more features never cost more, and a second search keeps what the first
// found and proved.
func TestAPathIsNoWorseThanSearchesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 12)
		oracle := objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
		settings := search.Settings{K: in.K, MaxNodes: 1, Brief: true}
		path := must.Get(search.Path(context.Background(), oracle, settings))(t)
		w := search.NewWalk(oracle)
		for x, on := range path {
			each := settings
			each.K = x + 1
			alone := must.Get(search.Minimize(context.Background(), oracle, each))(t)
			if on.Cost > alone.Cost+slack(in, alone.Cost) {
				t.Fatalf("k = %d costs %v on the path, %v alone", x+1, on.Cost, alone.Cost)
			}
			if x > 0 && on.Cost > path[x-1].Cost*(1+1e-9) {
				t.Fatalf("k = %d costs %v, one less %v", x+1, on.Cost, path[x-1].Cost)
			}
			first := must.Get(w.Minimize(context.Background(), each))(t)
			each.Brief, each.MaxNodes = false, 0
			again, err := w.Minimize(context.Background(), each)
			if err != nil || again.Cost > first.Cost || again.Bound < first.Bound || again.Passes < first.Passes || again.Status != search.Optimal && again.Status != search.NumericalLimit {
				t.Fatalf("k = %d: %+v after %+v (%v)", x+1, again, first, err)
			}
		}
	})
}
