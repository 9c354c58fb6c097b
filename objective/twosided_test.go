package objective

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/testkit"
	"optcomplete/search"
)

// twoSided draws a small two-sided problem and its design written out: one row
// for each entry, one column for each product.
func twoSided(t *rapid.T, most int, whole bool) (o *Quadratic, products *TwoSided, design *Table, nm float64) {
	in := testkit.Draw(t, 4)
	n, m := in.Matrix.Dims()
	_, p2 := in.Features.Dims()
	p1 := rapid.IntRange(1, most/p2).Draw(t, "p1")
	rng := random.New(rapid.Uint64().Draw(t, "row features"))
	x := make([]float64, n*p1)
	for i := range x {
		x[i] = rng.Normal()
		if i%p1 == 0 {
			x[i] = 1
		}
	}
	rows := testkit.Features(n, p1, x)
	products = must.Get(newTwoSided(context.Background(), in.Matrix, rows, in.Features, 1, whole))(t)
	var at [][2]int
	var values []float64
	for i := range n {
		columns, a := in.Matrix.Row(i)
		for e, c := range columns {
			at = append(at, [2]int{i, int(c)})
			values = append(values, a[e])
		}
	}
	design = NewTable(values, p1*p2, func(e int, row []float64) {
		for j := range row {
			row[j] = x[at[e][0]*p1+j/p2] * in.Features.Row(at[e][1])[j%p2]
		}
	}, 1)
	return NewQuadratic(products, in.Gamma, float64(n*m)), products, design, float64(n * m)
}

// TestTwoSidedProductsAreThoseOfTheDesign compares y and all of G, kept whole
// and made on demand, with the design written out.
func TestTwoSidedProductsAreThoseOfTheDesign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Bool().Draw(t, "whole")
		_, products, design, _ := twoSided(t, 60, whole)
		p := products.Dim()
		get := func(from Products) [][]float64 {
			dst := make([][]float64, p)
			for j := range dst {
				dst[j] = make([]float64, p)
			}
			must.Do(t, from.Columns(context.Background(), testAll(p), dst))
			return dst
		}
		y, diagonal, squares := products.Target()
		wantY, wantDiagonal, wantSquares := design.Target()
		if math.Abs(squares-wantSquares) > 1e-13*wantSquares {
			t.Fatalf("‖a‖² is %v, want %v", squares, wantSquares)
		}
		g, want := get(products), get(design)
		for j := range p {
			h := math.Sqrt(wantDiagonal[j])
			if math.Abs(y[j]-wantY[j]) > 1e-13*h*math.Sqrt(wantSquares) || math.Abs(diagonal[j]-wantDiagonal[j]) > 1e-13*wantDiagonal[j] {
				t.Fatalf("product %d: y %v and %v, want %v and %v", j, y[j], diagonal[j], wantY[j], wantDiagonal[j])
			}
			for l := range p {
				if math.Abs(g[j][l]-want[j][l]) > 1e-13*h*math.Sqrt(wantDiagonal[l]) {
					t.Fatalf("G[%d,%d] is %v, want %v", l, j, g[j][l], want[j][l])
				}
			}
		}
	})
}

// TestTwoSidedThreadsGiveSameBits compares y and G for 1 and 3 threads.
func TestTwoSidedThreadsGiveSameBits(t *testing.T) {
	rng := random.New(3)
	matrix, rows, columns := twoSidedInstance(rng, 700, 60, 9000, 5, 7)
	for _, whole := range []bool{false, true} {
		var first [][]float64
		for _, threads := range []int{1, 3} {
			products := must.Get(newTwoSided(context.Background(), matrix, rows, columns, threads, whole))(t)
			p := products.Dim()
			y, diagonal, _ := products.Target()
			all := [][]float64{y, diagonal}
			for range p {
				all = append(all, make([]float64, p))
			}
			must.Do(t, products.Columns(context.Background(), testAll(p), all[2:]))
			if first == nil {
				first = all
			}
			for i := range all {
				if !slices.Equal(all[i], first[i]) {
					t.Fatalf("%d threads, whole %v: list %d differs", threads, whole, i)
				}
			}
		}
	}
}

// TestTwoSidedSearchEqualsBruteForce compares with the regression on the design
// written out, every selection tried.
func TestTwoSidedSearchEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, products, design, nm := twoSided(t, 16, rapid.Bool().Draw(t, "whole"))
		p := o.Dim()
		k := rapid.IntRange(1, min(4, p)).Draw(t, "k")
		direct := NewQuadratic(design, o.Gamma(), nm)
		cost := func(selection []int) float64 {
			u := must.Get(direct.Coefficients(context.Background(), selection))(t)
			return design.Cost(selection, u, o.Gamma()) / nm
		}
		want := math.Inf(1)
		testkit.Selections(p, k, nil, nil, func(selection []int) { want = min(want, cost(selection)) })
		result := must.Get(search.Minimize(context.Background(), o, search.Settings{K: k}))(t)
		_, _, squares := design.Target()
		tolerance := 1e-9*want + 1e-9*squares/nm
		if own := cost(result.Selection); math.Abs(result.Cost-own) > tolerance || own > want+tolerance {
			t.Fatalf("cost %v, own %v, optimum %v", result.Cost, own, want)
		}
		if result.Bound > want*(1+1e-12) {
			t.Fatalf("bound %v is above the optimum %v", result.Bound, want)
		}
		u := must.Get(o.Coefficients(context.Background(), result.Selection))(t)
		a := must.Get(products.Cost(context.Background(), result.Selection, u, o.Gamma()))(t)
		if b := design.Cost(result.Selection, u, o.Gamma()); math.Abs(a-b) > 1e-12*(a+squares) {
			t.Fatalf("from the entries the cost is %v, from the design %v", a, b)
		}
	})
}

// twoSidedInstance makes normal features and values for about so many entries.
func twoSidedInstance(rng *random.Stream, n, m, entries, p1, p2 int) (*data.Matrix, *data.Features, *data.Features) {
	normal := func(size int) []float64 {
		x := make([]float64, size)
		for i := range x {
			x[i] = rng.Normal()
		}
		return x
	}
	start := make([]int, n+1)
	var column []int32
	for i := range n {
		each := entries / n
		for j := range each {
			column = append(column, int32((j*m+rng.Intn(m))/each))
		}
		row := column[start[i]:]
		slices.Sort(row)
		row = slices.Compact(row)
		column = column[:start[i]+len(row)]
		start[i+1] = len(column)
	}
	matrix, err := data.NewMatrixByRows(m, start, column, normal(len(column)))
	if err != nil {
		panic(err)
	}
	return matrix, testkit.Features(n, p1, normal(n*p1)), testkit.Features(m, p2, normal(m*p2))
}

// BenchmarkTwoSidedAccumulation is the size: 10⁷ entries, 20 × 40
// features, in rows of 100 and of 10 entries.
func BenchmarkTwoSidedAccumulation(b *testing.B) {
	for _, rows := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			matrix, rf, cf := twoSidedInstance(random.New(1), rows, 5000, 10_000_000, 20, 40)
			b.ResetTimer()
			for range b.N {
				if _, err := NewTwoSided(context.Background(), matrix, rf, cf, 2); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(matrix.Observed())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mentries/s")
		})
	}
}
