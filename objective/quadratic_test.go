package objective

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/search"
)

var (
	_ search.Curved     = (*Quadratic)(nil)
	_ search.Enumerator = (*Quadratic)(nil)
)

// oneRow draws an instance with a single row, as both kinds of cost see it.
func oneRow(t *rapid.T, maxP int) (testkit.Instance, *Quadratic) {
	in := testkit.Draw(t, maxP)
	n, m := in.Matrix.Dims()
	_, p := in.Features.Dims()
	row := rapid.IntRange(0, n-1).Draw(t, "row")
	columns, values := in.Matrix.Row(row)
	var entries []data.Entry
	for e, c := range columns {
		entries = append(entries, data.Entry{Column: c, Value: values[e]})
	}
	var err error
	if in.Matrix, err = data.NewMatrix(1, m, entries); err != nil {
		t.Fatal(err)
	}
	table := NewTable(values, p, func(i int, out []float64) { copy(out, in.Features.Row(int(columns[i]))) }, 1)
	return in, NewQuadratic(table, in.Gamma, float64(m))
}

// evalQuadratic is one evaluation with everything.
func evalQuadratic(t *rapid.T, o search.Curved, s []float64, curved bool) (cost, constant float64, gradient, hessian []float64) {
	gradient = make([]float64, o.Dim())
	if curved {
		support := 0
		for _, x := range s {
			if x > 0 {
				support++
			}
		}
		hessian = make([]float64, support*support)
	}
	cost, constant, err := evalInto(context.Background(), o, s, gradient, hessian)
	if err != nil {
		t.Fatal(err)
	}
	return cost, constant, gradient, hessian
}

// TestQuadraticEqualsExactOnOneRow compares cost, gradient and second
// derivatives with the one-sided code, and cost and gradient with the dense
// formula.
func TestQuadraticEqualsExactOnOneRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, o := oneRow(t, 12)
		in.Gamma = math.Pow(10, rapid.Float64Range(-3, 4).Draw(t, "smaller gamma"))
		o = o.WithGamma(in.Gamma)
		exact := NewExact(in.Matrix, in.Features, in.Gamma, 1)
		s := testkit.Weights(t, o.Dim(), "weights")
		cost, constant, gradient, hessian := evalQuadratic(t, o, s, true)
		want, _, slope, curve := evalQuadratic(t, exact, s, true)
		dense, denseSlope := in.Dense(s)
		scale := in.Scale()
		loss := 1e-14 * (1 + in.Gamma) * scale
		if math.Abs(cost-want) > loss || math.Abs(cost-dense) > 10*loss {
			t.Fatalf("cost %v, exact %v, dense %v (scale %v)", cost, want, dense, scale)
		}
		tangent := constant
		for j, g := range gradient {
			if off := loss * (1 + in.Gamma) * 100; math.Abs(g-slope[j]) > off+1e-9*math.Abs(slope[j]) || math.Abs(g-denseSlope[j]) > off+1e-9*math.Abs(slope[j]) {
				t.Fatalf("gradient %d: %v, exact %v, dense %v", j, g, slope[j], denseSlope[j])
			}
			tangent += g * s[j]
		}
		if tangent > cost+1e-15*scale || tangent < cost-1e-9*cost-100*loss {
			t.Fatalf("the cut at its own point is %v, the cost %v", tangent, cost)
		}
		most := 0.0
		for _, h := range curve {
			most = max(most, math.Abs(h))
		}
		for j, h := range hessian {
			// Both lose digits in 1 − E(K⁻¹)E where a weight is tiny.
			if math.Abs(h-curve[j]) > 1e-4*most+loss {
				t.Fatalf("second derivative %d: %v, exact %v", j, h, curve[j])
			}
		}
	})
}

// TestQuadraticCutIsNeverAboveCost evaluates at one point and compares the cut
// with the cost at another, by the one-sided code, which loses no digits.
func TestQuadraticCutIsNeverAboveCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, o := oneRow(t, 12)
		exact := NewExact(in.Matrix, in.Features, in.Gamma, 1)
		s := testkit.Weights(t, o.Dim(), "here")
		_, constant, gradient, _ := evalQuadratic(t, o, s, rapid.Bool().Draw(t, "curved"))
		for range 4 {
			there := testkit.Weights(t, o.Dim(), "there")
			value := constant
			for j, g := range gradient {
				value += g * there[j]
			}
			// The exact code's cost is that of some coefficients: never below.
			if want, _, _, _ := evalQuadratic(t, exact, there, false); value > want*(1+1e-12) {
				t.Fatalf("cut %v is above the cost %v", value, want)
			}
		}
	})
}

// TestQuadraticSearchEqualsBruteForce holds the search's answer and bound
// against every selection.
func TestQuadraticSearchEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, o := oneRow(t, 14)
		p := o.Dim()
		k := min(in.K, 4)
		exact := NewExact(in.Matrix, in.Features, in.Gamma, 1)
		want := math.Inf(1)
		testkit.Selections(p, k, nil, nil, func(selection []int) {
			s := make([]float64, p)
			for _, j := range selection {
				s[j] = 1
			}
			cost, _, _, _ := evalQuadratic(t, exact, s, false)
			want = min(want, cost)
		})
		result := must.Get(search.Minimize(context.Background(), o, search.Settings{K: k}))(t)
		_, _, squares := o.products.Target()
		tolerance := 1e-9*want + 1e-12*squares
		if math.Abs(result.Cost-want) > tolerance || result.Bound > want*(1+1e-12) {
			t.Fatalf("cost %v, bound %v, optimum %v, %v", result.Cost, result.Bound, want, result.Selection)
		}
		if result.Status != search.Optimal {
			t.Fatalf("status %v", result.Status)
		}
	})
}

// TestQuadraticEnumerationIsWithinItsMargin compares every cost enumerated with
// its evaluation, and wants all that are promised.
func TestQuadraticEnumerationIsWithinItsMargin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, o := oneRow(t, 10)
		p := o.Dim()
		exact := NewExact(in.Matrix, in.Features, in.Gamma, 1)
		order := rapid.Permutation(testAll(p)).Draw(t, "order")
		fixed := rapid.IntRange(0, p-1).Draw(t, "fixed")
		given, candidates := slices.Clone(order[:fixed]), slices.Clone(order[fixed:])
		slices.Sort(given)
		slices.Sort(candidates)
		left := rapid.IntRange(1, len(candidates)).Draw(t, "left")
		below := rapid.Float64Range(0, 1).Draw(t, "below") * in.Scale()
		list, err := o.Enumerate(context.Background(), search.Region{In: given, Candidates: candidates, Left: left, Below: below, Keep: 3})
		selections, costs, margin, rest := list.Selections, list.Costs, list.Margin, list.Rest
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]float64{}
		for i, selection := range selections {
			found[string(bytesOf(selection))] = costs[i]
		}
		testkit.Selections(p, fixed+left, given, nil, func(selection []int) {
			s := make([]float64, p)
			for _, j := range selection {
				s[j] = 1
			}
			want, _, _, _ := evalQuadratic(t, exact, s, false)
			cost, returned := found[string(bytesOf(selection))]
			switch {
			case returned && math.Abs(cost-want) > margin+1e-12*want:
				t.Fatalf("%v costs %v, enumerated as %v, margin %v", selection, want, cost, margin)
			case !returned && want < rest*(1-1e-12)-1e-12*want:
				t.Fatalf("%v costs %v, is not returned, and rest is %v", selection, want, rest)
			case !returned && want < below-2*margin:
				t.Fatalf("%v costs %v, below %v, and is not returned", selection, want, below)
			}
		})
	})
}

func testAll(p int) []int {
	all := make([]int, p)
	for j := range all {
		all[j] = j
	}
	return all
}

func bytesOf(selection []int) []byte {
	var out []byte
	for _, j := range selection {
		out = append(out, byte(j))
	}
	return out
}

// TestColumnsAreDroppedAndComputedAgain evaluates with room for few columns.
func TestColumnsAreDroppedAndComputedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, o := oneRow(t, 10)
		small := NewQuadratic(o.products, o.gamma, 1/o.scale)
		small.columns.most = 2
		for range 5 {
			s := testkit.Weights(t, o.Dim(), "weights")
			want, _, slope, _ := evalQuadratic(t, o, s, false)
			cost, _, gradient, _ := evalQuadratic(t, small, s, false)
			if cost != want || !slices.Equal(gradient, slope) {
				t.Fatalf("cost %v, want %v", cost, want)
			}
		}
	})
}

// TestTableThreadsGiveSameBits compares columns for 1 and 4 threads.
func TestTableThreadsGiveSameBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, o := oneRow(t, 20)
		one := o.products.(*Table)
		many := *one
		many.threads = 4
		get := func(table *Table) [][]float64 {
			dst := make([][]float64, table.p)
			for j := range dst {
				dst[j] = make([]float64, table.p)
			}
			must.Do(t, table.Columns(context.Background(), testAll(table.p), dst))
			return dst
		}
		a, b := get(one), get(&many)
		for j := range a {
			if !slices.Equal(a[j], b[j]) {
				t.Fatalf("column %d differs", j)
			}
			if math.Abs(a[j][j]-one.diagonal[j]) > 1e-12*one.diagonal[j] {
				t.Fatalf("G[%d,%d] is %v, ‖x‖² is %v", j, j, a[j][j], one.diagonal[j])
			}
		}
	})
}
