package search_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/testkit"
	"optcomplete/objective"
	"optcomplete/search"
)

// bare hides all but the Oracle of another oracle.
type bare struct{ search.Oracle }

// curvedOnly hides the enumeration.
type curvedOnly struct{ search.Curved }

// modelsOnly hides the enumeration, but not the models.
type modelsOnly struct {
	search.Curved
	modeler search.Modeler
	models  *int // how many were asked for
}

func (o modelsOnly) Model(ctx context.Context, weights []float64, at search.Cut, features []int) (search.Model, bool, error) {
	*o.models++
	return o.modeler.Model(ctx, weights, at, features)
}

func (o modelsOnly) Costs(ctx context.Context, selections [][]int) ([]float64, float64, error) {
	return o.modeler.Costs(ctx, selections)
}

// TestEveryKindOfOracleGivesTheOptimum: without second derivatives, without
// enumeration, with models, with all, the answer is the same.
func TestEveryKindOfOracleGivesTheOptimum(t *testing.T) {
	models := 0
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 10)
		want := optimum(in, in.K, nil, nil)
		exact := objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
		for _, oracle := range []search.Oracle{exact, curvedOnly{exact}, bare{exact}, modelsOnly{exact, exact, &models}} {
			result := must.Get(search.Minimize(context.Background(), oracle, search.Settings{K: in.K}))(t)
			check(t, in, result, want, slack(in, want))
		}
	})
}

// TestModelsEndSearches: with models a search needs fewer nodes, and finds and proves
// the same as by enumeration.
func TestModelsEndSearches(t *testing.T) {
	matrix, features := testkit.Drawn(t, 60, 30, 16, 0.5, 3)
	for _, gamma := range []float64{0.1, 1, 100} {
		models := 0
		exact := objective.NewExact(matrix, features, gamma, 1)
		settings := search.Settings{K: 6}
		want := must.Get(search.Minimize(t.Context(), exact, settings))(t)
		without := must.Get(search.Minimize(t.Context(), curvedOnly{exact}, settings))(t)
		with := must.Get(search.Minimize(t.Context(), modelsOnly{exact, exact, &models}, settings))(t)
		t.Logf("gamma %v: %d nodes without models, %d with %d models", gamma, without.Nodes, with.Nodes, models)
		if models == 0 || with.Nodes >= without.Nodes {
			t.Errorf("gamma %v: %d nodes with %d models, %d without", gamma, with.Nodes, models, without.Nodes)
		}
		if !slices.Equal(with.Selection, want.Selection) || with.Cost != want.Cost || with.Status != want.Status {
			t.Errorf("gamma %v: %v costs %v, %v; want %v, %v, %v", gamma, with.Selection, with.Cost, with.Status, want.Selection, want.Cost, want.Status)
		}
	}
}

// distance is a convex cost that falls along some features and rises along
// others: ‖A(s − target)‖², computed to the last bit for small integers.
type distance struct {
	a      [][]float64
	target []float64
}

func (d distance) Dim() int { return len(d.target) }

func (d distance) Eval(_ context.Context, weights []float64) (search.Cut, error) {
	c := search.Cut{Gradient: make([]float64, d.Dim())}
	for _, row := range d.a {
		sum := 0.0
		for j, x := range row {
			sum += x * (weights[j] - d.target[j])
		}
		c.Cost += sum * sum
		for j, x := range row {
			c.Gradient[j] += 2 * sum * x
		}
	}
	c.Constant = c.Cost
	for j, g := range c.Gradient {
		c.Constant -= g * weights[j]
	}
	return c, nil
}

// TestCostsThatRise: the search assumes convexity and nothing else.
func TestCostsThatRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(1, 10).Draw(t, "p")
		k := rapid.IntRange(1, p).Draw(t, "k")
		rng := random.New(rapid.Uint64().Draw(t, "seed"))
		d := distance{target: make([]float64, p)}
		for j := range d.target {
			d.target[j] = 3*rng.Float64() - 1
		}
		for range rapid.IntRange(1, 6).Draw(t, "rows") {
			row := make([]float64, p)
			for j := range row {
				row[j] = rng.Normal()
			}
			d.a = append(d.a, row)
		}
		best := math.Inf(1)
		testkit.Selections(p, k, nil, nil, func(selection []int) {
			cut, _ := d.Eval(context.Background(), search.Indicator(p, selection))
			best = min(best, cut.Cost)
		})
		result := must.Get(search.Minimize(context.Background(), d, search.Settings{K: k}))(t)
		scale := result.Scale + best
		if result.Cost > best*(1+1e-9)+1e-12*scale || result.Bound > best*(1+1e-9)+1e-12*scale {
			t.Fatalf("cost %v, bound %v, optimum %v", result.Cost, result.Bound, best)
		}
	})
}

// Which three of six weights bring two sums nearest to 10 and 4?
func ExampleMinimize() {
	oracle := distance{
		a:      [][]float64{{7, 2, 5, 1, 3, 4}, {0, 3, 1, 2, 1, 0}},
		target: []float64{1, 1, 0, 1, 0, 0}, // 7 + 2 + 1 = 10 and 0 + 3 + 2 = 5
	}
	result, err := search.Minimize(context.Background(), oracle, search.Settings{K: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Selection, result.Status, slices.Contains(result.Selection, 0))
	// Output: [0 1 3] optimal true
}
